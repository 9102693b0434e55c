// launch.hpp - how the path naive of bsr-spmm is started: a thread per element of C.
#pragma once
#include "paths/naive/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::naive {

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  constexpr std::int64_t kColumns = 32;  // of a thread block
  const std::int64_t threads = parameters.number("threads");
  LaunchBuilder<UntypedArgs, Call> kernel;
  kernel.launch.grid = {static_cast<unsigned>(detail::quotient_up(shape.n, kColumns)),
                        detail::grid_extent(detail::quotient_up(shape.m, threads / kColumns), "rows"), 1};
  kernel.launch.block[0] = static_cast<unsigned>(threads);
  kernel.args.rows = static_cast<int>(shape.m);
  detail::set_operands(kernel, shape);
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::naive
