// cublaslt_product.hpp - the call of cuBLASLt for an operation that computes a dense product, by the names of its operands: for a
// runner's baseline and for libraries that may choose it. It adds a bias and applies ReLU and GELU (tanh) in the same call. Host code, C++20.
#pragma once
#include "tw/cublaslt.hpp"

namespace tilewright::cublaslt {

/// Row-major C = A B is, to cuBLASLt with its column-major matrices, C^T = B^T A^T.
template <class Problem>
Shape shape_of(const Problem& q) {
  Shape shape{matrix_b(q), matrix_a(q), matrix_c(q), matrix_c(q), false, false, false, Activation::none};
  if constexpr (requires { q.bias; }) shape.bias = q.bias == Switch::yes;
  if constexpr (requires { q.activation; }) shape.activation = q.activation;
  return shape;
}

template <class Call>
Operands operands_of(const Call& call) {
  Operands operands{call.b, call.a, call.c, nullptr, call.c, call.alpha, call.beta};
  if constexpr (requires { call.bias; }) operands.bias = call.bias;
  return operands;
}

}  // namespace tilewright::cublaslt
