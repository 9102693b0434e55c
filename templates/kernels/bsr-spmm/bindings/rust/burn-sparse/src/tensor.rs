//! Matrices as values.
use crate::backend::{Form, SparseBackend};
use crate::Pattern;
use burn::backend::Dispatch;
use burn::tensor::{DType, Device, Tensor, TensorData};
use half::{bf16, f16};
use tilewright::{Bsr, Layout, Number, Result};

/// A block-sparse matrix with its stored blocks in a tensor, which may have a gradient.
#[derive(Clone, Debug)]
pub struct BsrTensor {
    pattern: Pattern,
    values: Tensor<3>,
    tf32: bool,
}

impl BsrTensor {
    /// Stores the blocks of a matrix that have an element above `threshold` in size. The blocks keep the type of `dense`, F16,
    /// BF16 or F32; others become F32. Fails where `block` does not divide both sizes.
    pub fn from_dense(dense: Tensor<2>, block: usize, threshold: f32) -> Result<Self> {
        let device = dense.device();
        let [rows, columns] = dense.dims();
        let data = dense.into_data();
        match data.dtype() {
            DType::F16 => Self::of::<f16>(data, rows, columns, block, threshold, &device),
            DType::BF16 => Self::of::<bf16>(data, rows, columns, block, threshold, &device),
            _ => Self::of::<f32>(data.convert::<f32>(), rows, columns, block, threshold, &device),
        }
    }

    fn of<T: Number + burn::tensor::Element>(
        data: TensorData,
        rows: usize,
        columns: usize,
        block: usize,
        threshold: f32,
        device: &Device,
    ) -> Result<Self> {
        let dense = data.try_to_vec::<T>().expect("the data have this type");
        let matrix = Bsr::from_dense(&dense, rows, columns, block, threshold)?;
        let pattern = Pattern::new(rows, columns, block, matrix.row_ptr().to_vec(), matrix.col_idx().to_vec())?;
        let values = TensorData::new(matrix.values().to_vec(), [matrix.stored(), block, block]);
        Ok(Self { pattern, values: Tensor::from_data(values, (device, T::dtype())), tf32: false })
    }

    /// Takes a pattern and its blocks, [stored blocks, block, block].
    pub fn from_parts(pattern: Pattern, values: Tensor<3>) -> Self {
        let wanted = [pattern.stored(), pattern.block(), pattern.block()];
        assert_eq!(values.dims(), wanted, "the blocks of {pattern:?} have another shape");
        Self { pattern, values, tf32: false }
    }

    /// The same matrix, whose products may round operands of F32 to TF32, of 11 bits: on tensor cores they take a fraction of the
    /// time. Without it, which is the default, they are exact but for the sums' rounding.
    pub fn with_tf32(self, tf32: bool) -> Self {
        Self { tf32, ..self }
    }

    /// Whether products may round operands of F32 to TF32.
    pub fn tf32(&self) -> bool {
        self.tf32
    }

    /// The stored blocks.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The stored blocks, [stored blocks, block, block].
    pub fn values(&self) -> &Tensor<3> {
        &self.values
    }

    /// A X, for X of [columns, n].
    pub fn matmul(&self, x: Tensor<2>) -> Tensor<2> {
        self.product(x, Form { transpose: false, layout: Layout::Row, tf32: self.tf32 })
    }

    /// A^T X, for X of [rows, n].
    pub fn transposed_matmul(&self, x: Tensor<2>) -> Tensor<2> {
        self.product(x, Form { transpose: true, layout: Layout::Row, tf32: self.tf32 })
    }

    /// X A^T, for X of [n, columns]: a linear layer whose weight is A.
    pub fn linear(&self, x: Tensor<2>) -> Tensor<2> {
        self.product(x, Form { transpose: false, layout: Layout::Column, tf32: self.tf32 })
    }

    fn product(&self, x: Tensor<2>, form: Form) -> Tensor<2> {
        let (values, x) = (self.values.clone().into_dispatch(), x.into_dispatch());
        Tensor::from_dispatch(<Dispatch as SparseBackend>::bsr_product(values, x, self.pattern.clone(), form))
    }
}
