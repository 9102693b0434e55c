// launch.hpp - how the path naive of bsr-spmm is started: a thread per element of C.
#pragma once
#include "paths/naive/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::naive {
namespace detail {

using namespace bsr_spmm::detail;

inline Strides strides(Layout layout, std::int64_t leading, std::int64_t product) {
  return layout == Layout::row ? Strides{leading, 1, product} : Strides{1, leading, product};
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  constexpr std::int64_t kColumns = 32;  // of a thread block
  const std::int64_t threads = parameters.number("threads");
  const bool transposed = shape.transpose_a == Switch::yes;
  const std::int64_t rows = transposed ? shape.k : shape.m;
  LaunchBuilder<UntypedArgs, Call> kernel;
  kernel.launch.grid = {static_cast<unsigned>(detail::quotient_up(shape.n, kColumns)),
                        detail::grid_extent(detail::quotient_up(rows, threads / kColumns), "rows"),
                        detail::grid_extent(shape.batch, "products")};
  kernel.launch.block[0] = static_cast<unsigned>(threads);
  kernel.args.rows = static_cast<int>(rows);
  kernel.args.columns = static_cast<int>(shape.n);
  kernel.args.inner = static_cast<int>(transposed ? shape.m : shape.k);
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  kernel.args.transposed_rows = transposed ? static_cast<int>(detail::quotient_up(shape.m, shape.block)) : 0;
  kernel.args.activation = shape.activation;
  kernel.args.values_stride = shape.values_stride;
  kernel.args.b_at = detail::strides(shape.layout_b, shape.ldb, shape.b_stride);
  kernel.args.c_at = detail::strides(shape.layout_c, shape.ldc, shape.c_stride);
  kernel.set(&UntypedArgs::row_ptr, &Call::row_ptr);
  kernel.set(&UntypedArgs::col_idx, &Call::col_idx);
  kernel.set(&UntypedArgs::values, &Call::values);
  kernel.set(&UntypedArgs::b, &Call::b);
  if (shape.bias == Switch::yes) kernel.set(&UntypedArgs::bias, &Call::bias);
  if (shape.residual == Switch::yes) {
    kernel.args.addend_at = detail::strides(shape.layout_c, shape.ldr, shape.residual_stride);
    kernel.set(&UntypedArgs::addend, &Call::residual);
  } else {
    kernel.args.addend_at = kernel.args.c_at;
    kernel.set(&UntypedArgs::addend, &Call::c);
  }
  kernel.set(&UntypedArgs::c, &Call::c);
  kernel.set(&UntypedArgs::alpha, &Call::alpha);
  kernel.set(&UntypedArgs::beta, &Call::beta);
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::naive
