// launch.hpp - how the path naive of bsr-spmm is started: a thread per element of C.
#pragma once
#include "paths/naive/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::naive {
namespace detail {
using namespace bsr_spmm::detail;
}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  constexpr std::int64_t kColumns = 32;  // of a thread block
  const std::int64_t threads = parameters.number("threads");
  const bool transposed = shape.transpose_a == Switch::yes;
  const std::int64_t rows = transposed ? shape.k : shape.m;
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  kernel.launch.grid = {static_cast<unsigned>(detail::quotient_up(shape.n, kColumns)),
                        detail::grid_extent(detail::quotient_up(rows, threads / kColumns), "rows"),
                        detail::grid_extent(shape.batch, "products")};
  kernel.args.rows = static_cast<int>(rows);
  kernel.args.inner = static_cast<int>(transposed ? shape.m : shape.k);
  kernel.args.transposed_rows = transposed ? static_cast<int>(detail::quotient_up(shape.m, shape.block)) : 0;
  detail::set_strided_operands(kernel, shape);
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::naive
