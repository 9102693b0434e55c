// vendor_calls.hpp - cuBLASLt's product with bias, ReLU and GELU (tanh), which libraries may choose by its time.
#pragma once
#include <span>

#include "cublaslt.hpp"
#include "tuner/cublaslt.hpp"

namespace tilewright::library::gemm {

inline std::span<const Vendor> vendors() {
  using namespace tilewright::gemm;
  static constexpr Vendor kAll[] = {{tuner::vendor_variant("cublaslt"), &tuner::bind_cublaslt<Shape, Call>}};
  return kAll;
}

}  // namespace tilewright::library::gemm
