//! The products on Burn's CPU backend.
use crate::backend::{Form, SparseBackend};
use crate::pattern::Product;
use crate::Pattern;
use burn::backend::{tensor::FloatTensor, Flex, TensorMetadata};
use burn::tensor::{DType, Element as BurnElement, Shape, TensorData};
use burn_flex::FlexTensor;
use half::{bf16, f16};
use tilewright::bsr_spmm::Operands;
use tilewright::{Layout, Number};

impl SparseBackend for Flex {
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        match types(&values, &x) {
            DType::F16 => product::<f16>(&values, &x, &pattern, form),
            DType::BF16 => product::<bf16>(&values, &x, &pattern, form),
            DType::F32 => product::<f32>(&values, &x, &pattern, form),
            other => refuse(other),
        }
    }

    fn bsr_outer(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        match types(&gradient, &x) {
            DType::F16 => outer::<f16>(&gradient, &x, &pattern, form),
            DType::BF16 => outer::<bf16>(&gradient, &x, &pattern, form),
            DType::F32 => outer::<f32>(&gradient, &x, &pattern, form),
            other => refuse(other),
        }
    }
}

fn types(one: &FlexTensor, other: &FlexTensor) -> DType {
    assert_eq!(one.dtype(), other.dtype(), "block-sparse products have operands of one type: cast one of them");
    one.dtype()
}

fn refuse(found: DType) -> ! {
    panic!("block-sparse products have elements of F16, BF16 or F32, not {found:?}: cast both operands")
}

/// Inner length and number of vectors of a dense operand, [k, n] or [n, k].
fn extents(x: &FlexTensor, layout: Layout) -> (usize, usize) {
    let [first, second] = x.shape().dims::<2>();
    match layout {
        Layout::Row => (first, second),
        Layout::Column => (second, first),
    }
}

fn product<T: Number + BurnElement + bytemuck::Pod>(values: &FlexTensor, x: &FlexTensor, pattern: &Pattern, form: Form) -> FlexTensor {
    let (rows, columns) = match form.transpose {
        false => (pattern.rows(), pattern.columns()),
        true => (pattern.columns(), pattern.rows()),
    };
    let (inner, n) = extents(x, form.layout);
    assert_eq!(inner, columns, "the dense operand has vectors of {inner}, the matrix asks for {columns}");
    let (values, x) = (values.to_contiguous(), x.to_contiguous());
    let mut c = vec![T::default(); rows * n];
    let operands = Operands {
        row_ptr: pattern.row_ptr().into(),
        col_idx: pattern.col_idx().into(),
        values: slice::<T>(&values).into(),
        b: slice::<T>(&x).into(),
        c: (&mut c).into(),
        ..Default::default()
    };
    let product = Product { element: T::NUMBER, n, form };
    pattern.run(product, operands).unwrap_or_else(|error| panic!("{error}"));
    let shape = match form.layout {
        Layout::Row => [rows, n],
        Layout::Column => [n, rows],
    };
    FlexTensor::from_data(TensorData::new(c, Shape::from(shape)))
}

/// A plain loop with sums in f32: the library has no such product.
fn outer<T: Number + BurnElement + bytemuck::Pod>(gradient: &FlexTensor, x: &FlexTensor, pattern: &Pattern, form: Form) -> FlexTensor {
    // For A^T X the matrix's rows are multiplied by X, its columns by the gradient.
    let (left, right) = if form.transpose { (x, gradient) } else { (gradient, x) };
    let (left, right) = (vectors::<T>(left, form.layout), vectors::<T>(right, form.layout));
    let block = pattern.block();
    let mut blocks = Vec::with_capacity(pattern.stored() * block * block);
    for (i, j) in pattern.places() {
        for row in &left[i * block..(i + 1) * block] {
            for column in &right[j * block..(j + 1) * block] {
                blocks.push(T::from_f32(row.iter().zip(column).map(|(a, b)| a * b).sum()));
            }
        }
    }
    FlexTensor::from_data(TensorData::new(blocks, Shape::from([pattern.stored(), block, block])))
}

/// A dense operand as its rows of n elements, whatever its order.
fn vectors<T: Number + BurnElement + bytemuck::Pod>(x: &FlexTensor, layout: Layout) -> Vec<Vec<f32>> {
    let (inner, n) = extents(x, layout);
    let all = x.to_contiguous();
    let all = slice::<T>(&all);
    let at = |i: usize, k: usize| match layout {
        Layout::Row => all[i * n + k],
        Layout::Column => all[k * inner + i],
    };
    (0..inner).map(|i| (0..n).map(|k| at(i, k).to_f32()).collect()).collect()
}

fn slice<T: BurnElement + bytemuck::Pod>(all: &FlexTensor) -> &[T] {
    all.as_slice().expect("the tensor is contiguous and of this type")
}
