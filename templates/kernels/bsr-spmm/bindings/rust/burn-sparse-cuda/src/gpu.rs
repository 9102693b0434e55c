//! Products on a GPU: the library's kernels on the memory of Burn's tensors.
use crate::backend::Form;
use crate::Pattern;
use burn::tensor::{DType, Shape};
use burn_cubecl::{kernel::into_contiguous, ops::numeric::empty_device_contiguous_dtype, tensor::CubeTensor};
use cubecl::cuda::CudaRuntime;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError};
use half::{bf16, f16};
use std::collections::{hash_map::Entry, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use tilewright::bsr_spmm::{self, Operands, Plan, Problem};
use tilewright::{BsrPattern, Context, Element, Error, Index, Layout, Result, Slice, SliceMut, Stream, Type};

type Tensor = CubeTensor<CudaRuntime>;

/// A product with the matrix, by what its plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Product {
    element: Type,
    /// Columns of the dense operand.
    n: usize,
    form: Form,
}

/// Addresses of the three operands that are Burn's.
struct Addresses {
    values: u64,
    b: u64,
    c: u64,
}

/// A pattern on a GPU: its index arrays, a stream, and the source of its kernels.
pub(crate) struct OnDevice {
    chooser: Chooser, // dropped first: it reads the arrays
    stream: Arc<CudaStream>,
    row_ptr: CudaSlice<i32>,
    col_idx: CudaSlice<i32>,
}

/// Source of the choice of kernels.
enum Chooser {
    /// The library's policy: the plans that products have needed so far, with their workspaces.
    Plans(Mutex<HashMap<Product, (Plan, CudaSlice<u8>)>>),
    /// A context, which may measure.
    Context(Context, BsrPattern),
}

/// Makes the GPU of a number the calling thread's current one, as contexts of the library need it.
pub(crate) fn make_current(number: usize) -> Result<Arc<CudaContext>> {
    let context = CudaContext::new(number).map_err(failed)?;
    context.bind_to_thread().map_err(failed)?;
    Ok(context)
}

impl OnDevice {
    pub(crate) fn new(pattern: &Pattern, number: usize) -> Result<Self> {
        let stream = make_current(number)?.new_stream().map_err(failed)?;
        let copied = |all: &[i32]| stream.clone_htod(&[all, &[0]].concat()).map_err(failed); // never empty
        let (row_ptr, col_idx) = (copied(pattern.row_ptr())?, copied(pattern.col_idx())?);
        Ok(Self { chooser: Chooser::Plans(Mutex::default()), stream, row_ptr, col_idx })
    }

    /// The same with a context of that GPU, which chooses kernels.
    pub(crate) fn in_context(pattern: &Pattern, number: usize, context: &Context) -> Result<Self> {
        let mut own = Self::new(pattern, number)?;
        let (row_ptr, of_row_ptr) = own.row_ptr.device_ptr(&own.stream);
        let (col_idx, of_col_idx) = own.col_idx.device_ptr(&own.stream);
        let described = unsafe {
            BsrPattern::from_raw(
                context,
                pattern.rows() as i64,
                pattern.columns() as i64,
                pattern.block() as i64,
                pattern.stored() as i64,
                Index::I32,
                row_ptr,
                col_idx,
                Some(pattern.row_ptr().into()),
                Some(pattern.col_idx().into()),
                own.as_stream(),
            )?
        };
        drop((of_row_ptr, of_col_idx)); // guards of the borrowed arrays
        own.chooser = Chooser::Context(context.clone(), described);
        Ok(own)
    }

    /// Runs a product, and waits for it. Burn has passed its own work on the operands.
    fn run<T: Element>(&self, pattern: &Pattern, product: Product, at: &Addresses) -> Result<()> {
        self.stream.context().bind_to_thread().map_err(failed)?;
        let sizes = sizes(pattern, product.form);
        let stored = pattern.stored() * pattern.block() * pattern.block();
        let (row_ptr, _row_ptr) = self.row_ptr.device_ptr(&self.stream);
        let (col_idx, _col_idx) = self.col_idx.device_ptr(&self.stream);
        let operands = unsafe {
            Operands {
                row_ptr: Slice::from_raw::<i32>(row_ptr, pattern.row_ptr().len()),
                col_idx: Slice::from_raw::<i32>(col_idx, pattern.stored()),
                values: Slice::from_raw::<T>(at.values, stored),
                b: Slice::from_raw::<T>(at.b, sizes.inner * product.n),
                c: SliceMut::from_raw::<T>(at.c, sizes.outer * product.n),
                alpha: 1.0,
                ..Default::default()
            }
        };
        match &self.chooser {
            Chooser::Plans(plans) => self.enqueue_planned(plans, pattern, product, operands)?,
            Chooser::Context(context, described) => unsafe {
                bsr_spmm::enqueue(context, described, &problem(pattern, product), operands, self.as_stream())?
            },
        }
        self.stream.synchronize().map_err(failed)
    }

    fn enqueue_planned(
        &self,
        plans: &Mutex<HashMap<Product, (Plan, CudaSlice<u8>)>>,
        pattern: &Pattern,
        product: Product,
        operands: Operands<'_>,
    ) -> Result<()> {
        let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
        let (plan, workspace) = match plans.entry(product) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.plan(pattern, product)?),
        };
        let (memory, _memory) = workspace.device_ptr(&self.stream);
        unsafe { plan.enqueue(operands, memory as usize as *mut c_void, workspace.len(), self.as_stream()) }
    }

    fn plan(&self, pattern: &Pattern, product: Product) -> Result<(Plan, CudaSlice<u8>)> {
        let plan = Plan::new(&problem(pattern, product))?;
        let workspace = self.stream.alloc_zeros::<u8>(plan.workspace_bytes().max(1)).map_err(failed)?;
        let (memory, guard) = workspace.device_ptr(&self.stream);
        unsafe { plan.prepare(memory as usize as *mut c_void, workspace.len(), self.as_stream())? };
        drop(guard);
        Ok((plan, workspace))
    }

    fn as_stream(&self) -> Stream {
        unsafe { Stream::from_raw(self.stream.cu_stream() as usize) }
    }
}

fn problem(pattern: &Pattern, Product { element, n, form }: Product) -> Problem<'_> {
    Problem {
        m: pattern.rows() as i64,
        n: n as i64,
        k: pattern.columns() as i64,
        block: pattern.block() as i64,
        blocks: pattern.stored() as i64,
        input: element,
        output: element,
        layout_b: form.layout,
        layout_c: form.layout,
        transpose_a: form.transpose,
        tf32: form.tf32 && element == Type::F32,
        host_row_ptr: Some(pattern.row_ptr().into()),
        host_col_idx: Some(pattern.col_idx().into()),
        ..Default::default()
    }
}

/// Lengths of the vectors of the dense operand and of the result.
struct Sizes {
    inner: usize,
    outer: usize,
}

fn sizes(pattern: &Pattern, form: Form) -> Sizes {
    match form.transpose {
        false => Sizes { inner: pattern.columns(), outer: pattern.rows() },
        true => Sizes { inner: pattern.rows(), outer: pattern.columns() },
    }
}

/// op(A) X on the GPU of `x`.
pub(crate) fn product(values: Tensor, x: Tensor, pattern: &Pattern, form: Form) -> Tensor {
    assert_eq!(values.dtype, x.dtype, "block-sparse products have operands of one type: cast one of them");
    let (values, x) = (into_contiguous(values), into_contiguous(x));
    let [first, second] = x.meta.shape().dims::<2>();
    let (inner, n) = match form.layout {
        Layout::Row => (first, second),
        Layout::Column => (second, first),
    };
    let Sizes { inner: wanted, outer } = sizes(pattern, form);
    assert_eq!(inner, wanted, "the dense operand has vectors of {inner}, the matrix asks for {wanted}");
    let shape = match form.layout {
        Layout::Row => [outer, n],
        Layout::Column => [n, outer],
    };
    let c = empty_device_contiguous_dtype(x.client.clone(), x.device.clone(), Shape::from(shape), x.dtype);
    let done = match x.dtype {
        DType::F16 => run::<f16>(Type::F16, [&values, &x, &c], pattern, n, form),
        DType::BF16 => run::<bf16>(Type::Bf16, [&values, &x, &c], pattern, n, form),
        DType::F32 => run::<f32>(Type::F32, [&values, &x, &c], pattern, n, form),
        other => panic!("block-sparse products have elements of F16, BF16 or F32, not {other:?}: cast both operands"),
    };
    done.unwrap_or_else(|error| panic!("{error}"));
    c
}

fn run<T: Element>(element: Type, tensors: [&Tensor; 3], pattern: &Pattern, n: usize, form: Form) -> Result<()> {
    let client = &tensors[1].client;
    // These keep the memory, and order this thread's stream behind those that wrote it.
    let held = tensors.map(|one| client.get_resource(one.handle.clone()).expect("a tensor of this device"));
    let [values, b, c] = held.each_ref().map(|one| one.resource().ptr);
    cubecl::future::block_on(client.sync()).map_err(|error| Error::LaunchFailed(format!("{error}")))?;
    let on_device = pattern.on_device(tensors[1].device.index)?;
    on_device.run::<T>(pattern, Product { element, n, form }, &Addresses { values, b, c })
}

fn failed(error: DriverError) -> Error {
    Error::LaunchFailed(error.to_string())
}
