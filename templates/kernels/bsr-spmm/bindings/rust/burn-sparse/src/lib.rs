//! Block-sparse matrices for Burn 0.22, on its CPU backend Flex: the kernels of the linked library run there through its
//! emulated twin. [`BsrTensor`] is a matrix, [`SparseLinear`] a layer; both have gradients for the stored blocks and the input.
//!
//! Elements are f16, bf16 or f32, products are accumulated in f32; operands of f32 are rounded to TF32 where the matrix
//! allows it ([`BsrTensor::with_tf32`]). Errors in shapes and types panic with a sentence, as Burn's own
//! operations do.

mod backend;
mod flex;
mod gemm;
mod linear;
mod pattern;
mod tensor;

pub use backend::SparseBackend;
pub use gemm::BsrGemm;
pub use linear::{SparseLinear, SparseLinearConfig};
pub use pattern::Pattern;
pub use tensor::BsrTensor;
