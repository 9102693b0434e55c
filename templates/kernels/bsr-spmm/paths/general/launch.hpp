// launch.hpp - how the path general of bsr-spmm is started: a thread block per block row of op(A) and tile of columns. A plan
// holds the order of the block rows and, where A is transposed, its blocks row by row; the values stay where they are.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "paths/general/args.h"
#include "paths/packing.hpp"
#include "paths/results.hpp"
#include "paths/transposed.hpp"

namespace tilewright::bsr_spmm::general {
namespace detail {

using namespace bsr_spmm::detail;

inline bool transposed(const Shape& shape) { return shape.transpose_a == Switch::yes; }
/// Rows of C; rows of B.
inline std::int64_t outer(const Shape& shape) { return transposed(shape) ? shape.k : shape.m; }
inline std::int64_t inner(const Shape& shape) { return transposed(shape) ? shape.m : shape.k; }
inline std::int64_t block_rows(const Shape& shape) { return quotient_up(outer(shape), shape.block); }

/// Block rows of op(A) and, where A is transposed, its blocks; without these they are the stored ones.
struct Pattern {
  std::vector<Row> rows;
  std::vector<Block> blocks;
};

inline Pattern stored_pattern(const Shape& shape) {
  refuse_unless(shape.host_row_ptr, "takes the longest block rows first: needs a host copy of row_ptr");
  Pattern pattern;
  pattern.rows.resize(static_cast<std::size_t>(block_rows(shape)));
  for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const std::int64_t first = index_at(shape, shape.host_row_ptr, row);
    pattern.rows[i] = {static_cast<int>(row), static_cast<int>(first),
                       static_cast<int>(index_at(shape, shape.host_row_ptr, row + 1) - first)};
  }
  return pattern;
}

inline Pattern transposed_pattern(const Shape& shape) {
  const Transpose transpose = transpose_of(shape);
  Pattern pattern;
  pattern.rows.resize(transpose.row_ptr.size() - 1);
  for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
    const int first = transpose.row_ptr[i];
    pattern.rows[i] = {static_cast<int>(i), first, transpose.row_ptr[i + 1] - first};
  }
  pattern.blocks.resize(transpose.stored.size());
  for (std::size_t i = 0; i < pattern.blocks.size(); ++i) pattern.blocks[i] = {transpose.stored[i], transpose.col_idx[i]};
  return pattern;
}

/// The workspace: rows, then blocks.
inline Workspace workspace_of(const Pattern& pattern) {
  const std::size_t rows = pattern.rows.size() * sizeof(Row), blocks = pattern.blocks.size() * sizeof(Block);
  Workspace workspace;
  workspace.bytes = rows + blocks;
  workspace.contents.resize(workspace.bytes);
  if (rows > 0) std::memcpy(workspace.contents.data(), pattern.rows.data(), rows);
  if (blocks > 0) std::memcpy(workspace.contents.data() + rows, pattern.blocks.data(), blocks);
  return workspace;
}

/// Products of a batch lie apart by what the copies of A and B are aligned to; packed, B lies so.
inline void check(const Shape& shape, const Parameters& parameters) {
  const std::int64_t bytes = parameters.number("copyBytes"), element = input_bytes(shape);
  const bool packed = parameters.number("packB") != 0;
  const bool apart = shape.values_stride * element % bytes == 0 && (packed || shape.b_stride * element % bytes == 0);
  refuse_unless(shape.batch == 1 || apart, [&] {
    return "loads A and B " + std::to_string(bytes) + " bytes at a time: values_stride and b_stride must be multiples of " +
           std::to_string(bytes / element);
  });
}

using Kernel = LaunchBuilder<UntypedArgs, Call>;

/// x: tiles within a panel, y: block rows, z: panels of one product after the other.
inline void set_grid(Kernel& kernel, const Shape& shape, const Parameters& parameters) {
  const std::int64_t tiles = quotient_up(shape.n, parameters.number("tileN")), wanted = parameters.number("panel");
  const std::int64_t panel = std::max<std::int64_t>(1, wanted == 0 ? tiles : std::min(wanted, tiles));
  const std::int64_t panels = quotient_up(tiles, panel);
  kernel.args.panels = static_cast<int>(panels);
  kernel.launch.grid = {static_cast<unsigned>(panel), grid_extent(block_rows(shape), "block rows"),
                        grid_extent(panels * shape.batch, "panels of all products")};
}

/// The same with the distance between products of what is added to C.
inline void set_results(Kernel& kernel, const Shape& shape) {
  bsr_spmm::detail::set_results(kernel, shape);
  kernel.args.addend_stride = shape.residual == Switch::yes ? shape.residual_stride : shape.c_stride;
}

inline void set_operands(Kernel& kernel, const Shape& shape) {
  kernel.args.rows = static_cast<int>(outer(shape));
  kernel.args.inner = static_cast<int>(inner(shape));
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  kernel.args.ldb = shape.ldb;
  kernel.args.b_stride = shape.b_stride;
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, Bound& bound) {
  detail::check(shape, parameters);
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  detail::set_grid(kernel, shape, parameters);
  detail::set_results(kernel, shape);
  const bool longest = parameters.text("order") == "longest", transposed = detail::transposed(shape);
  if (longest || transposed) {
    detail::Pattern pattern = transposed ? detail::transposed_pattern(shape) : detail::stored_pattern(shape);
    if (longest)  // rows of one length keep their order
      std::stable_sort(pattern.rows.begin(), pattern.rows.end(),
                       [](const Row& a, const Row& b) { return a.count > b.count; });
    bound.workspace = detail::workspace_of(pattern);
    kernel.set(&UntypedArgs::order, &Call::workspace);
    if (transposed) kernel.set(&UntypedArgs::blocks, &Call::workspace, pattern.rows.size() * sizeof(Row));
  }
  if (parameters.number("packB") != 0) {
    const bool stays = may_stay(shape);
    const PackedB packed = pack_b(shape, parameters, bound, stays);
    detail::set_operands(kernel, with_packed_b(shape, packed));
    kernel.set(&UntypedArgs::b, &Call::workspace, packed.offset);
    if (stays) kernel.set_address_if_aligned(&UntypedArgs::b, &Call::b, 16);
  } else {
    detail::set_operands(kernel, shape);
  }
  bound.launches.push_back(kernel.finish());
}

}  // namespace tilewright::bsr_spmm::general
