// cublaslt.hpp - a problem of gemm as cuBLASLt has it: the baseline of a runner, and what libraries may choose by its time.
// It computes the same with bias, ReLU and GELU (tanh) in one call.
#pragma once
#include "operation.hpp"
#include "tw/cublaslt.hpp"

namespace tilewright::gemm {

/// Row-major C = A B is, to cuBLASLt with its column-major matrices, C^T = B^T A^T.
inline cublaslt::Shape cublaslt_shape(const Shape& q) {
  const cublaslt::Matrix a{q.element, q.k, q.m, q.lda}, b{q.element, q.n, q.k, q.ldb},
      c{q.element, q.n, q.m, q.ldc};
  return {b, a, c, c, false, false, q.bias == Switch::yes, q.activation};
}

inline cublaslt::Operands cublaslt_operands(const Call& call) {
  return {call.b, call.a, call.c, call.bias, call.c, call.alpha, call.beta};
}

}  // namespace tilewright::gemm
