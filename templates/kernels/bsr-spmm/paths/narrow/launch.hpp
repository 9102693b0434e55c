// launch.hpp - how the path narrow of bsr-spmm is started: a grid of tiles of C, times the parts that each is summed in.
#pragma once
#include "paths/narrow/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::narrow {
namespace detail {

using namespace bsr_spmm::detail;

/// Tiles of C of one call, and what a tile is made of.
struct Tiling {
  std::int64_t along_rows, along_columns, products, parts, elements;
  std::int64_t tiles() const { return along_rows * along_columns * products; }
};

inline Tiling tiling_of(const Shape& shape, const Parameters& parameters) {
  const std::int64_t rows = parameters.number("tileRows"), columns = parameters.number("tileN");
  return {quotient_up(shape.m, rows), quotient_up(shape.n, columns), shape.batch, parameters.number("parts"),
          rows * columns};
}

/// Counters, which are 0 between launches, then sums. Returns where sums begin.
inline std::size_t reserve_parts(const Tiling& tiling, Workspace& workspace) {
  constexpr std::int64_t kAlignment = 256;
  const auto counters = static_cast<std::size_t>(quotient_up(tiling.tiles() * 4, kAlignment) * kAlignment);
  workspace.contents.resize(counters);
  workspace.bytes = counters + static_cast<std::size_t>(tiling.tiles() * tiling.parts * tiling.elements) * sizeof(float);
  return counters;
}

/// Whether 8 elements of a column of B that begin at a multiple of 8 are aligned to 16 bytes if B is.
inline bool has_vectors(const Shape& shape) {
  return shape.layout_b == Layout::column && shape.ldb % 8 == 0 && (shape.batch == 1 || shape.b_stride % 8 == 0);
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  const detail::Tiling tiling = detail::tiling_of(shape, parameters);
  refuse_unless(shape.batch == 1 || shape.values_stride % 8 == 0, [&] {
    return "loads 16 bytes at a time: values_stride must be a multiple of 8, not " +
           std::to_string(shape.values_stride);
  });
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  kernel.launch.grid = {static_cast<unsigned>(tiling.along_rows),
                        detail::grid_extent(tiling.along_columns, "columns"),
                        detail::grid_extent(tiling.products * tiling.parts, "products and parts")};
  kernel.launch.dependent = parameters.number("pdl") != 0;
  kernel.args.c_by_columns = shape.layout_c == Layout::column;
  detail::set_strided_operands(kernel, shape);
  if (detail::has_vectors(shape)) kernel.set_if_aligned(&UntypedArgs::vectors_b, &Call::b, 16);
  if (tiling.parts > 1) {
    const std::size_t sums = detail::reserve_parts(tiling, bound.workspace);
    kernel.set(&UntypedArgs::counters, &Call::workspace);
    kernel.set(&UntypedArgs::partials, &Call::workspace, sums);
  }
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::narrow
