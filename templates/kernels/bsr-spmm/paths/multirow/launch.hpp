// launch.hpp - how the path multirow of bsr-spmm is started: a thread block per tile of block rows and columns. A plan lists for
// each tile of block rows which rows of B they need.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "paths/input_maps.hpp"
#include "paths/multirow/args.h"
#include "paths/results.hpp"
#include "paths/transposed.hpp"

namespace tilewright::bsr_spmm::multirow {
namespace detail {

using namespace bsr_spmm::detail;

/// Tiles of block rows, and the steps of each, in order; a step is `tileK` rows of B.
struct Tiles {
  std::vector<int> order;        // of block rows; as many as whole tiles have, the last ones are none
  std::vector<int> tile_ptr{0};  // a tile's first step, and at the end all of them
  std::vector<int> steps;
};

inline std::int64_t row_start(const Shape& shape, std::int64_t row) {
  return index_at(shape, shape.host_row_ptr, row);
}

/// Block rows as they are, or the longest first, so that those of a tile are of about one length.
inline std::vector<int> order_of(const Shape& shape, std::int64_t block_rows, bool longest) {
  const std::int64_t rows = rows_of_blocks(shape);
  std::vector<int> order(static_cast<std::size_t>(quotient_up(rows, block_rows) * block_rows));
  std::iota(order.begin(), order.end(), 0);
  const auto count = [&](int row) { return row_start(shape, row + 1) - row_start(shape, row); };
  if (longest)  // rows of one length keep their order
    std::stable_sort(order.begin(), order.begin() + rows, [&](int a, int b) { return count(a) > count(b); });
  return order;
}

/// Marks the steps of a block row. Refuses one whose blocks are not in the order of their columns.
inline void mark(const Shape& shape, std::int64_t row, std::int64_t blocks_per_step,
                 std::vector<char>& marks) {
  std::int64_t before = -1;
  for (std::int64_t at = row_start(shape, row); at < row_start(shape, row + 1); ++at) {
    const std::int64_t column = index_at(shape, shape.host_col_idx, at);
    refuse_unless(column >= before,
                  "walks along B: the blocks of a row must be in the order of their columns");
    marks[static_cast<std::size_t>(column / blocks_per_step)] = 1;
    before = column;
  }
}

inline Tiles tiles_of(const Shape& shape, std::int64_t block_rows, std::int64_t blocks_per_step,
                      bool longest) {
  refuse_unless(shape.host_row_ptr && (shape.host_col_idx || shape.blocks == 0),
                "lists the rows of B that block rows share: needs host copies of row_ptr and col_idx");
  std::vector<char> marks(static_cast<std::size_t>(quotient_up(columns_of_blocks(shape), blocks_per_step)));
  Tiles tiles;
  tiles.order = order_of(shape, block_rows, longest);
  for (std::size_t place = 0; place < tiles.order.size();) {
    for (const std::size_t end = place + static_cast<std::size_t>(block_rows); place < end; ++place)
      if (tiles.order[place] < rows_of_blocks(shape)) mark(shape, tiles.order[place], blocks_per_step, marks);
    for (std::size_t step = 0; step < marks.size(); ++step) {
      if (marks[step]) tiles.steps.push_back(static_cast<int>(step));
      marks[step] = 0;
    }
    tiles.tile_ptr.push_back(static_cast<int>(tiles.steps.size()));
  }
  return tiles;
}

/// The workspace: the order, where tiles begin, then steps.
inline Workspace workspace_of(const Tiles& tiles) {
  Workspace workspace;
  for (const std::vector<int>* list : {&tiles.order, &tiles.tile_ptr, &tiles.steps}) {
    const auto* bytes = reinterpret_cast<const std::byte*>(list->data());
    workspace.contents.insert(workspace.contents.end(), bytes, bytes + list->size() * sizeof(int));
  }
  workspace.bytes = workspace.contents.size();
  return workspace;
}

using Kernel = LaunchBuilder<UntypedArgs, Call>;

inline void set_operands(Kernel& kernel, const Shape& shape, const Tiles& tiles) {
  using Args = UntypedArgs;
  kernel.args.block_rows = static_cast<int>(rows_of_blocks(shape));
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  kernel.args.clipped = shape.n % panel_columns(shape) != 0;
  const std::size_t tile_ptr = tiles.order.size() * sizeof(int);
  kernel.set(&Args::order, &Call::workspace);
  kernel.set(&Args::tile_ptr, &Call::workspace, tile_ptr);
  kernel.set(&Args::steps, &Call::workspace, tile_ptr + tiles.tile_ptr.size() * sizeof(int));
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  const std::int64_t block_rows = parameters.number("blockRows");
  const std::int64_t blocks_per_step = parameters.number("tileK") / parameters.number("block");
  const detail::Tiles tiles =
      detail::tiles_of(shape, block_rows, blocks_per_step, parameters.text("order") == "longest");
  bound.workspace = detail::workspace_of(tiles);
  if (shape.m == 0 || shape.n == 0) return;
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  const std::int64_t columns = detail::quotient_up(shape.n, parameters.number("tileN"));
  kernel.launch.grid = {static_cast<unsigned>(tiles.tile_ptr.size() - 1),
                        detail::grid_extent(columns, "columns"), 1};
  detail::set_results(kernel, shape);
  detail::set_operands(kernel, shape, tiles);
  // Of an absent B the workspace is shown, which is there and aligned, and never read for it.
  const TiledMap map = detail::map_b(shape, parameters);
  shape.k > 0 ? kernel.add_map(map, &Call::b) : kernel.add_map(map, &Call::workspace);
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::multirow
