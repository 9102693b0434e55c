// launch.hpp - how the kernels of bsr-sddmm are started: which problems a variant takes, and its launch. Plain C++17, shared
// by the runner, the emulated device and the emitted library.
#pragma once
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::bsr_sddmm {
namespace detail {

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31, kMostProducts = 65535;  // of a grid

/// Block rows of A, the last of which may end behind the matrix.
inline std::int64_t block_rows_of(const Shape& shape) { return quotient_up(shape.m, shape.block); }

/// Requirements of loads of X and Y: lines and addresses at multiples of `loadBytes`.
inline void require_loads(const Shape& shape, const Parameters& parameters, Bound& bound) {
  const std::int64_t bytes = parameters.number("loadBytes");
  bound.require_loads(bytes, "loads {} bytes at a time: X and Y must be aligned to that", &Call::x, {"ldx", shape.ldx}, &Call::y,
                      {"ldy", shape.ldy});
  if (shape.batch > 1)
    refuse_unless_multiples("loads " + std::to_string(bytes) + " bytes at a time", bytes / 2, {"x_stride", shape.x_stride},
                            {"y_stride", shape.y_stride});
}

/// Calls `visit` with the tile's blocks in `parts` tiles, as equal as they can be.
template <class Visit>
void each_part(const Tile& tile, int parts, const Visit& visit) {
  const int blocks = parts > 0 ? tile.count / parts : 0, longer = parts > 0 ? tile.count % parts : 0;
  for (int part = 0, first = tile.first; part < parts; ++part) {
    const int count = blocks + (part < longer ? 1 : 0);
    visit(Tile{tile.row, first, count});
    first += count;
  }
}

/// Calls `visit` with all blocks in tiles of at most `most`, row by row.
template <class Offset, class Visit>
void each_tile(const Offset* row_ptr, std::int64_t block_rows, int most, const Visit& visit) {
  for (std::int64_t row = 0; row < block_rows; ++row) {
    const Tile whole{static_cast<int>(row), static_cast<int>(row_ptr[row]), static_cast<int>(row_ptr[row + 1] - row_ptr[row])};
    each_part(whole, whole.count / most + (whole.count % most > 0 ? 1 : 0), visit);
  }
}

/// Tiles of at most `group` blocks for clusters of `cluster` thread blocks, those of a cluster in one row and behind each other.
/// Clusters with the most blocks come first: thread blocks start in this order, and what is short fills the end.
template <class Offset>
std::vector<Tile> tiles_of(const Offset* row_ptr, std::int64_t block_rows, int group, int cluster) {
  const int most = group * cluster;
  std::vector<std::size_t> places(static_cast<std::size_t>(most) + 2);  // of the next cluster, by the blocks that it lacks
  const auto place_of = [&](const Tile& tile) { return static_cast<std::size_t>(most - tile.count); };
  each_tile(row_ptr, block_rows, most, [&](const Tile& tile) { ++places[place_of(tile) + 1]; });
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<Tile> tiles(places.back() * static_cast<std::size_t>(cluster));
  each_tile(row_ptr, block_rows, most, [&](const Tile& tile) {
    std::size_t next = places[place_of(tile)]++ * static_cast<std::size_t>(cluster);
    each_part(tile, cluster, [&](const Tile& part) { tiles[next++] = part; });
  });
  return tiles;
}

/// Puts the tiles into the workspace. Returns their number.
inline std::int64_t plan_tiles(const Shape& shape, std::int64_t group, std::int64_t cluster, Workspace& workspace) {
  refuse_unless(shape.host_row_ptr, "computes blocks of a row together: needs a host copy of row_ptr");
  const auto plan = [&](const auto* row_ptr) { return tiles_of(row_ptr, block_rows_of(shape), static_cast<int>(group), static_cast<int>(cluster)); };
  const std::vector<Tile> tiles = shape.index == Index::i64 ? plan(static_cast<const std::int64_t*>(shape.host_row_ptr))
                                                            : plan(static_cast<const std::int32_t*>(shape.host_row_ptr));
  workspace.bytes = tiles.size() * sizeof(Tile);
  workspace.contents.resize(workspace.bytes);
  if (workspace.bytes > 0) std::memcpy(workspace.contents.data(), tiles.data(), workspace.bytes);
  return static_cast<std::int64_t>(tiles.size());
}

/// X or Y in boxes of a stage: a block's rows by `tile_k` columns, or, where columns are contiguous, 64 rows by as
/// many columns; lines are shared by the thread blocks of a cluster. Swizzled over the whole line of a box.
inline TiledMap map_of(const Shape& shape, Layout layout, const MatrixLines& lines, std::int64_t product, std::int64_t tile_k,
                       std::int64_t cluster) {
  const bool by_rows = layout == Layout::row;
  TiledMap map = map_of_lines(lines, by_rows ? tile_k : 64, (by_rows ? shape.block : tile_k) / cluster);
  map.rank = 3;
  map.size[2] = static_cast<std::uint64_t>(shape.batch);
  map.stride[2] = static_cast<std::uint64_t>(product * 2);
  map.box[2] = 1;
  return map;
}

/// A kernel with what both argument structs have.
template <class Args>
LaunchBuilder<Args, Call> indexed_kernel_of(const Shape& shape, const Parameters& parameters) {
  auto kernel = kernel_of<Args>(shape, parameters);
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  return kernel;
}

/// The path wgmma. Where k is 0, the tiles are shown for X and Y, and never read for them.
inline BoundLaunch launch_mapped(const Shape& shape, const Parameters& parameters) {
  auto kernel = indexed_kernel_of<UntypedMappedArgs>(shape, parameters);
  const std::int64_t tile_k = parameters.number("tileK"), cluster = parameters.number("cluster");
  TiledMap tiles;
  tiles.size = {8, 1}, tiles.stride = {0, sizeof(Tile)}, tiles.box = {8, 1};
  kernel.add_map_or(map_of(shape, shape.layout_x, matrix_x(shape), shape.x_stride, tile_k, cluster), &Call::x, tiles, &Call::workspace);
  kernel.add_map_or(map_of(shape, shape.layout_y, matrix_y(shape), shape.y_stride, tile_k, 1), &Call::y, tiles, &Call::workspace);
  kernel.launch.cluster[0] = static_cast<unsigned>(cluster * parameters.number("splits"));
  kernel.set(&UntypedMappedArgs::tiles, &Call::workspace);
  return kernel.finish();
}

inline BoundLaunch launch_plain(const Shape& shape, const Parameters& parameters, bool tiled) {
  auto kernel = indexed_kernel_of<UntypedArgs>(shape, parameters);
  const bool x_by_rows = shape.layout_x == Layout::row, y_by_rows = shape.layout_y == Layout::row;
  kernel.args.x_row = x_by_rows ? shape.ldx : 1, kernel.args.x_column = x_by_rows ? 1 : shape.ldx;
  kernel.args.y_row = y_by_rows ? shape.ldy : 1, kernel.args.y_column = y_by_rows ? 1 : shape.ldy;
  kernel.args.block_rows = static_cast<int>(block_rows_of(shape));
  if (tiled) kernel.set(&UntypedArgs::tiles, &Call::workspace);
  return kernel.finish();
}

}  // namespace detail

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of addresses
/// are requirements.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits&) {
  refuse_unless_ints({{"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"blocks", shape.blocks}});
  const std::string_view path = parameters.text("path");
  const bool tiled = path != "naive", mapped = path == "wgmma";
  Bound bound;
  detail::require_loads(shape, parameters, bound);
  // Of the path naive; blocks of 16 and more are whole multiples of a thread block.
  std::int64_t grid = shape.blocks * (shape.block * shape.block / parameters.number("threads"));
  if (tiled) {
    const std::int64_t cluster = mapped ? parameters.number("cluster") : 1;
    grid = detail::plan_tiles(shape, parameters.number("group"), cluster, bound.workspace);
    refuse_unless(shape.batch == 1 || shape.values_stride % 2 == 0, "stores pairs of elements: values_stride must be even");
    bound.require_aligned(&Call::values, 2 * static_cast<std::int64_t>(bytes_of(shape.output)),
                          "stores pairs of elements: values must be aligned to {} bytes");
  }
  if (mapped) grid *= parameters.number("splits");
  refuse_unless(grid < detail::kMostBlocks, "launches less than 2^31 thread blocks");
  refuse_unless(shape.batch <= detail::kMostProducts, "takes at most 65535 products at a time");
  if (grid == 0) return bound;
  BoundLaunch launch = mapped ? detail::launch_mapped(shape, parameters) : detail::launch_plain(shape, parameters, tiled);
  launch.grid = {static_cast<unsigned>(grid), static_cast<unsigned>(shape.batch), 1};
  bound.launches.push_back(std::move(launch));
  return bound;
}

}  // namespace tilewright::bsr_sddmm
