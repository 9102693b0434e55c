// results.hpp - arguments of the kernels that write results by vectors from a warp's staging buffer (tw/staged_result.cuh). Plain C++17.
#pragma once
#include "shape.hpp"

namespace tilewright::bsr_spmm::detail {

/// Whether lines so far apart all begin at a multiple of 16 bytes, if the first does.
inline bool aligned(const Shape& shape, std::int64_t leading, std::int64_t product) {
  const std::int64_t bytes = output_bytes(shape);
  return leading * bytes % 16 == 0 && (shape.batch == 1 || product * bytes % 16 == 0);
}

/// Arguments of the signature's names, and what is added to C.
template <class Args>
void set_results(LaunchBuilder<Args, Call>& kernel, const Shape& shape) {
  const bool residual = shape.residual == Switch::yes;
  const std::int64_t product = residual ? shape.residual_stride : shape.c_stride;
  kernel.args.ld_addend = residual ? shape.ldr : shape.ldc;
  if (aligned(shape, shape.ldc, shape.c_stride)) kernel.set_if_aligned(&Args::aligned_c, &Call::c, 16);
  const auto set_addend = [&](auto Call::* from) {
    kernel.set(&Args::addend, from);
    if (aligned(shape, kernel.args.ld_addend, product))
      kernel.set_if_aligned(&Args::aligned_addend, from, 16);
  };
  residual ? set_addend(&Call::residual) : set_addend(&Call::c);
}

}  // namespace tilewright::bsr_spmm::detail
