//! Block-sparse matrices for Burn 0.21 on its CUDA backend. [`BsrTensor`] is a matrix, [`BsrGemm`] one whose kernels are chosen by
//! measuring, [`SparseLinear`] a layer; all have gradients for the
//! stored blocks and the input.
//!
//! Elements are f16, bf16 or f32, products are accumulated in f32; operands of f32 are rounded to TF32 where the matrix
//! allows it ([`BsrTensor::with_tf32`]). Errors in shapes and types panic with a sentence, as Burn's own
//! operations do. CubeCL shows the addresses of its tensors and not its streams, so that a product waits for Burn's work before it
//! and Burn waits for the product: two synchronisations of the host in each.

mod backend;
mod gemm;
mod gpu;
mod linear;
mod pattern;
mod tensor;

pub use backend::{Form, SparseBackend};
pub use gemm::BsrGemm;
pub use linear::{SparseLinear, SparseLinearConfig};
pub use pattern::Pattern;
pub use tensor::BsrTensor;
