// launch.hpp - how the path mma of bsr-spmm is started: a thread block per block row and tiles of columns, in
// the order of the rows or the longest first.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "paths/mma/args.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm::mma {
namespace detail {

using namespace bsr_spmm::detail;

/// x: tiles within a panel, y: block rows, z: panels. The hardware starts blocks in this order.
inline std::array<unsigned, 3> grid(const Shape& shape, const Parameters& parameters) {
  const std::int64_t tiles =
      quotient_up(shape.n, parameters.number("tileN") * parameters.number("tilesPerCta"));
  const std::int64_t wanted = parameters.number("panel");
  // Without columns there is nothing to launch, but a plan is made all the same.
  const std::int64_t panel = std::max<std::int64_t>(1, wanted == 0 ? tiles : std::min(wanted, tiles));
  return {static_cast<unsigned>(panel), grid_extent(shape.m / shape.block, "block rows"),
          grid_extent(quotient_up(tiles, panel), "panels")};
}

/// Block rows by falling length; rows of one length keep their order.
inline std::vector<Row> longest_first(const Shape& shape) {
  std::vector<Row> rows(static_cast<std::size_t>(shape.m / shape.block));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t first = row_ptr(shape)[i];
    rows[i] = {static_cast<std::int32_t>(i), first, row_ptr(shape)[i + 1] - first};
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
  return rows;
}

/// The order of block rows, in the workspace.
inline Workspace order(const Shape& shape) {
  refuse_unless(row_ptr(shape), "takes the longest block rows first: needs a host copy of row_ptr");
  const std::vector<Row> rows = longest_first(shape);
  Workspace workspace;
  workspace.bytes = rows.size() * sizeof(Row);
  workspace.contents.resize(workspace.bytes);
  if (workspace.bytes > 0) std::memcpy(workspace.contents.data(), rows.data(), workspace.bytes);
  return workspace;
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  kernel.launch.grid = detail::grid(shape, parameters);
  if (shape.ldc * output_bytes(shape) % 16 == 0)
    kernel.set_if_aligned(&UntypedArgs::aligned_c, &Call::c, 16);
  if (parameters.text("order") == "longest") {
    bound.workspace = detail::order(shape);
    kernel.set(&UntypedArgs::order, &Call::workspace);
  }
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::mma
