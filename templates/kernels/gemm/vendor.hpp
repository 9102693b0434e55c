// vendor.hpp - cuBLASLt, which computes the same with bias, ReLU and GELU (tanh) in one call.
#pragma once
#include "cublaslt.hpp"
#include "oracle.hpp"
#include "tilewright/cublaslt_baseline.hpp"

namespace tilewright {

std::vector<std::unique_ptr<Baseline>> make_baselines() {
  return vendor::cublaslt_baselines<gemm::Shape, gemm::Call>();
}

}  // namespace tilewright
