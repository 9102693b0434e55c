// launch.hpp - how the kernels of bsr-sddmm are started: which problems a variant takes, and its launch. Plain C++17, shared
// by the runner, the emulated device and the emitted library.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::bsr_sddmm {
namespace detail {

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;  // of a grid

/// What loads of X and Y ask for: lines and addresses at multiples of `loadBytes`.
inline void require_loads(const Shape& shape, const Parameters& parameters, Bound& bound) {
  const std::int64_t bytes = parameters.number("loadBytes");
  refuse_unless(shape.ldx * 2 % bytes == 0 && shape.ldy * 2 % bytes == 0, [&] {
    return "loads " + std::to_string(bytes) + " bytes at a time: ldx and ldy must be multiples of " +
           std::to_string(bytes / 2) + ", not " + std::to_string(shape.ldx) + " and " + std::to_string(shape.ldy);
  });
  constexpr const char* kReason = "loads {} bytes at a time: X and Y must be aligned to that";
  bound.require_aligned(&Call::x, bytes, kReason);
  bound.require_aligned(&Call::y, bytes, kReason);
}

/// Tiles of `group` blocks; a row's are as equal as they can be.
template <class Offset>
std::vector<Tile> tiles_of(const Offset* row_ptr, std::int64_t block_rows, std::int64_t group) {
  std::vector<Tile> tiles;
  for (std::int64_t row = 0; row < block_rows; ++row) {
    const std::int64_t count = row_ptr[row + 1] - row_ptr[row], parts = (count + group - 1) / group;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t begin = count * part / parts, end = count * (part + 1) / parts;
      tiles.push_back({static_cast<int>(row), static_cast<int>(row_ptr[row] + begin), static_cast<int>(end - begin)});
    }
  }
  return tiles;
}

/// Puts the tiles into the workspace. Returns their number.
inline std::int64_t plan_tiles(const Shape& shape, std::int64_t group, Workspace& workspace) {
  refuse_unless(shape.host_row_ptr, "computes blocks of a row together: needs a host copy of row_ptr");
  const std::int64_t rows = shape.m / shape.block;
  const std::vector<Tile> tiles = shape.index == Index::i64
                                      ? tiles_of(static_cast<const std::int64_t*>(shape.host_row_ptr), rows, group)
                                      : tiles_of(static_cast<const std::int32_t*>(shape.host_row_ptr), rows, group);
  workspace.bytes = tiles.size() * sizeof(Tile);
  workspace.contents.resize(workspace.bytes);
  if (workspace.bytes > 0) std::memcpy(workspace.contents.data(), tiles.data(), workspace.bytes);
  return static_cast<std::int64_t>(tiles.size());
}

inline void set_arguments(LaunchBuilder<UntypedArgs, Call>& kernel, const Shape& shape) {
  const bool x_by_rows = shape.layout_x == Layout::row, y_by_rows = shape.layout_y == Layout::row;
  kernel.args.ldx = shape.ldx, kernel.args.ldy = shape.ldy;
  kernel.args.x_row = x_by_rows ? shape.ldx : 1, kernel.args.x_column = x_by_rows ? 1 : shape.ldx;
  kernel.args.y_row = y_by_rows ? shape.ldy : 1, kernel.args.y_column = y_by_rows ? 1 : shape.ldy;
  kernel.args.rows = static_cast<int>(shape.m);
  kernel.args.columns = static_cast<int>(shape.n);
  kernel.args.depth = static_cast<int>(shape.k);
  kernel.args.block_rows = static_cast<int>(shape.m / shape.block);
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  kernel.set(&UntypedArgs::row_ptr, &Call::row_ptr);
  kernel.set(&UntypedArgs::col_idx, &Call::col_idx);
  kernel.set(&UntypedArgs::x, &Call::x);
  kernel.set(&UntypedArgs::y, &Call::y);
  kernel.set(&UntypedArgs::values, &Call::values);
  kernel.set(&UntypedArgs::alpha, &Call::alpha);
  kernel.set(&UntypedArgs::beta, &Call::beta);
}

}  // namespace detail

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of addresses
/// are requirements.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits&) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1024;
  refuse_unless(shape.m < kMost && shape.n < kMost && shape.k < kMost && shape.blocks < kMost,
                "counts rows, columns and blocks in 32 bits: m, n, k and blocks must be below 2^31 - 1024");
  Bound bound;
  detail::require_loads(shape, parameters, bound);
  LaunchBuilder<UntypedArgs, Call> kernel;
  kernel.launch.block[0] = static_cast<unsigned>(parameters.number("threads"));
  kernel.launch.shared_bytes = static_cast<std::size_t>(parameters.number("sharedBytes"));
  detail::set_arguments(kernel, shape);
  std::int64_t grid = 0;
  if (parameters.text("path") == "mma") {
    grid = detail::plan_tiles(shape, parameters.number("group"), bound.workspace);
    kernel.set(&UntypedArgs::tiles, &Call::workspace);
    bound.require_aligned(&Call::values, 2 * static_cast<std::int64_t>(bytes_of(shape.output)),
                          "stores pairs of elements: values must be aligned to {} bytes");
  } else {
    const std::int64_t threads = parameters.number("threads"), elements = shape.block * shape.block;
    // Blocks of 16 and more are whole multiples of a thread block.
    grid = shape.blocks * (elements / threads);
  }
  refuse_unless(grid < detail::kMostBlocks, "launches less than 2^31 thread blocks");
  kernel.launch.grid[0] = static_cast<unsigned>(grid);
  if (grid > 0) bound.launches.push_back(kernel.finish());
  return bound;
}

}  // namespace tilewright::bsr_sddmm
