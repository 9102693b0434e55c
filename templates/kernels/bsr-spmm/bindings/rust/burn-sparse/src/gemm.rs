//! Products whose kernels are chosen by measuring.
use crate::BsrTensor;
use burn::tensor::Tensor;
use tilewright::{Context, ContextOptions, Policy, Result};

/// A matrix with a context that settles, when a kind of product first occurs, which kernel serves it.
#[derive(Clone, Debug)]
pub struct BsrGemm {
    matrix: BsrTensor,
    context: Context,
}

impl BsrGemm {
    /// Measures on first use, and keeps what was settled in the user's cache of tuning records.
    pub fn auto_tuned(matrix: BsrTensor) -> Result<Self> {
        let options = ContextOptions { policy: Policy::OnMiss, ..Default::default() };
        Self::with_context(matrix, Context::new(0, &options)?)
    }

    /// As the context has it.
    pub fn with_context(matrix: BsrTensor, context: Context) -> Result<Self> {
        let pattern = matrix.pattern().in_context(&context)?;
        let matrix = BsrTensor::from_parts(pattern, matrix.values().clone()).with_tf32(matrix.tf32());
        Ok(Self { matrix, context })
    }

    /// Takes another matrix in place of this one, e.g. with other stored blocks. The context stays, and what it has measured for a
    /// kind of product still serves products of that kind. Gradients of earlier products are those of the former matrix. An error
    /// leaves it as it was.
    pub fn set_matrix(&mut self, matrix: BsrTensor) -> Result<()> {
        *self = Self::with_context(matrix, self.context.clone())?;
        Ok(())
    }

    /// A X, for X of [columns, n].
    pub fn matmul(&self, x: Tensor<2>) -> Tensor<2> {
        self.matrix.matmul(x)
    }

    /// The matrix; its other products are chosen in the same way.
    pub fn matrix(&self) -> &BsrTensor {
        &self.matrix
    }

    /// The context that chooses kernels.
    pub fn context(&self) -> &Context {
        &self.context
    }
}
