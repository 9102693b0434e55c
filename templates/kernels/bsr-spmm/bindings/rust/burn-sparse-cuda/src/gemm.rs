//! Products whose kernels are chosen by measuring.
use crate::{gpu, BsrTensor, SparseBackend};
use burn::tensor::backend::DeviceOps;
use burn::tensor::Tensor;
use tilewright::{Context, ContextOptions, Policy, Result};

/// A matrix with a context that settles, when a kind of product first occurs, which kernel serves it.
#[derive(Clone, Debug)]
pub struct BsrGemm<B: SparseBackend> {
    matrix: BsrTensor<B>,
    context: Context,
}

impl<B: SparseBackend> BsrGemm<B> {
    /// Measures on first use, and keeps what was settled in the user's cache of tuning records.
    pub fn auto_tuned(matrix: BsrTensor<B>) -> Result<Self> {
        let options = ContextOptions { policy: Policy::OnMiss, ..Default::default() };
        let number = number_of(&matrix);
        let _current = gpu::make_current(number)?;
        Self::with_context(matrix, Context::new(number as i32, &options)?)
    }

    /// As the context has it, which must be of the GPU of the matrix's blocks.
    pub fn with_context(matrix: BsrTensor<B>, context: Context) -> Result<Self> {
        let pattern = matrix.pattern().in_context(number_of(&matrix), &context)?;
        let matrix = BsrTensor::from_parts(pattern, matrix.values().clone()).with_tf32(matrix.tf32());
        Ok(Self { matrix, context })
    }

    /// Takes another matrix of the same GPU in place of this one, e.g. with other stored blocks. The context stays, and what it has
    /// measured for a kind of product still serves products of that kind. Gradients of earlier products are those of the former
    /// matrix. An error leaves it as it was.
    pub fn set_matrix(&mut self, matrix: BsrTensor<B>) -> Result<()> {
        *self = Self::with_context(matrix, self.context.clone())?;
        Ok(())
    }

    /// A X, for X of [columns, n].
    pub fn matmul(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.matrix.matmul(x)
    }

    /// The matrix; its other products are chosen in the same way.
    pub fn matrix(&self) -> &BsrTensor<B> {
        &self.matrix
    }

    /// The context that chooses kernels.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

/// Number of the GPU that a matrix is on.
fn number_of<B: SparseBackend>(matrix: &BsrTensor<B>) -> usize {
    usize::from(matrix.values().device().id().index_id)
}
