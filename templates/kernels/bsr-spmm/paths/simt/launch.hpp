// launch.hpp - how the path simt of bsr-spmm is started: a thread block per block row and tile of columns.
#pragma once
#include "paths/simt/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::simt {

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  kernel.launch.grid = {static_cast<unsigned>(detail::quotient_up(shape.n, parameters.number("tileN"))),
                        detail::grid_extent(shape.m / shape.block, "block rows"), 1};
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::simt
