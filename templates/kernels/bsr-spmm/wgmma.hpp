// wgmma.hpp - how the path `wgmma` of bsr-spmm is started: tensor maps, arguments, grid. Its kernels are
// persistent and walk lists of tiles that the plan holds. Plain C++17.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "wgmma_plan.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// Arguments of the kernel, member by member as in wgmma.cu.hbs.
struct Args {
  const void *tiles, *rests, *starts, *steps, *group_rows, *parts;
  void *partials, *counters, *c;
  long long ldc;
  int columns, tile_count, clipped;
  float alpha, beta;
};

namespace detail {

using bsr_spmm::detail::aligned;

/// Columns of C and B that lie side by side in shared memory: 128 bytes, the widest swizzle.
constexpr std::int64_t kPanelColumns = 64;

/// C leaves by TMA, which neither adds to it nor writes less than 16 bytes.
inline bool stores_by_tma(const Parameters& parameters) { return parameters.text("epilogue") != "direct"; }

inline Dealing dealing_of(const Parameters& parameters, const DeviceLimits& limits) {
  const std::int64_t cluster = parameters.number("cluster"), block = parameters.number("block");
  const std::string_view role = parameters.text("role");
  Dealing dealing{};
  dealing.width = parameters.number("tileN") * cluster;
  dealing.panel = parameters.number("panel") * dealing.width;
  dealing.group = parameters.number("group");
  dealing.split = parameters.number("split");
  dealing.split_quantum = parameters.number("blocksPerStage");
  dealing.shares = (role == "pingpong" ? 1 : parameters.number("consumers")) * cluster;
  dealing.lists = std::max<std::int64_t>(1, limits.sm_count / cluster);
  // Measured on an H200 with the widest tiles; with epilogue overlap, blocks of 128 gain nothing by less.
  dealing.epilogue = block == 128 ? 1.1 : block == 64 ? 1.5 : 4.0;
  dealing.grouped = role == "rows";
  dealing.similar = parameters.text("grouping") == "similar";
  dealing.longest = parameters.text("order") == "longest";
  dealing.atomic = parameters.text("schedule") == "atomic";
  return dealing;
}

inline void check(const Shape& shape, const Parameters& parameters) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  require(shape.blocks * shape.block < kMost,
          "counts the rows of all blocks in 32 bits: A has too many blocks");
  if (stores_by_tma(parameters)) {
    require(!shape.reads_c, "stores C by TMA without reading it: beta must be 0");
    require(shape.ldc % 8 == 0,
            "stores C by TMA: ldc must be a multiple of 8, not " + std::to_string(shape.ldc));
    // Measured on an H200: TMA clips a store at 16 bytes, so that it would write behind the end of a shorter
    // row.
    require(shape.n % 8 == 0, "stores C by TMA: n must be a multiple of 8, not " + std::to_string(shape.n));
  } else if (shape.block != 32) {
    require(shape.n % 2 == 0 && shape.ldc % 2 == 0, "stores C in pairs: n and ldc must be even");
  }
}

inline void check(const Shape& shape, const Operands& operands, const Parameters& parameters) {
  check(shape, parameters);
  if (stores_by_tma(parameters)) {
    require(aligned(operands.c, 16), "stores C by TMA: it must be 16-byte aligned");
    require(operands.beta == 0, "stores C by TMA without reading it: beta must be 0");
  } else if (shape.block != 32) {
    require(aligned(operands.c, 2 * shape.output_bytes()),
            "stores C in pairs: it must be aligned to two elements");
  }
}

/// A's blocks, one below the other. TMA refuses a tensor without elements, so an absent one is shown the
/// workspace, which is there and aligned, and never read for it.
inline TiledMap map_a(const Shape& shape, const Operands& operands, const Parameters& parameters) {
  const std::int64_t tile_k = parameters.number("tileK");
  const std::int64_t blocks = parameters.text("role") == "rows" ? 1 : parameters.number("blocksPerStage");
  TiledMap map;
  map.base = shape.blocks > 0 ? const_cast<void*>(operands.values) : operands.workspace;
  map.bfloat16 = shape.input == "bf16";
  map.rank = 2;
  map.size = {static_cast<std::uint64_t>(shape.block),
              static_cast<std::uint64_t>(std::max<std::int64_t>(shape.blocks, 1) * shape.block)};
  map.stride = {0, static_cast<std::uint64_t>(shape.block * 2)};
  map.box = {static_cast<std::uint32_t>(tile_k),
             static_cast<std::uint32_t>(blocks * shape.block / parameters.number("cluster"))};
  map.swizzle = tile_k == 32 ? Swizzle::b64 : Swizzle::b128;
  return map;
}

/// B in boxes of `rows` rows and `columns` columns: as panels of 64 columns, several to a box; or, where the
/// last panel would be short, as a matrix with boxes of one panel that TMA clips.
inline TiledMap map_b(const Shape& shape, const Operands& operands, const Parameters& parameters) {
  const bool clipped = shape.n % kPanelColumns != 0;
  const auto row_bytes = static_cast<std::uint64_t>(shape.ldb * 2);
  const std::int64_t panels = clipped ? 1 : shape.n / kPanelColumns,
                     box_panels = clipped ? 1 : parameters.number("tileN") / kPanelColumns;
  TiledMap map;
  map.base = shape.k > 0 ? const_cast<void*>(operands.b) : operands.workspace;
  map.bfloat16 = shape.input == "bf16";
  map.rank = 3;
  map.size = {static_cast<std::uint64_t>(clipped ? shape.n : kPanelColumns),
              static_cast<std::uint64_t>(std::max<std::int64_t>(shape.k, 1)),
              static_cast<std::uint64_t>(panels)};
  map.stride = {0, row_bytes, clipped ? row_bytes : kPanelColumns * 2};
  map.box = {kPanelColumns, static_cast<std::uint32_t>(parameters.number("tileK")),
             static_cast<std::uint32_t>(box_panels)};
  map.swizzle = Swizzle::b128;
  return map;
}

/// C in boxes of `boxRows` rows and 64 columns.
inline TiledMap map_c(const Shape& shape, const Operands& operands, const Parameters& parameters) {
  TiledMap map;
  map.base = operands.c;
  map.bfloat16 = shape.output == "bf16";
  map.rank = 2;
  map.size = {static_cast<std::uint64_t>(shape.n), static_cast<std::uint64_t>(shape.m)};
  map.stride = {0, static_cast<std::uint64_t>(shape.ldc * 2)};
  map.box = {kPanelColumns, static_cast<std::uint32_t>(parameters.number("boxRows"))};
  map.swizzle = Swizzle::b128;
  return map;
}

inline Args args_of(const Shape& shape, const Operands& operands, const Dealing& dealing) {
  const Places at = places(dealing);
  auto* plan = static_cast<std::byte*>(operands.workspace);
  Args args{};
  args.tiles = plan + at.tiles;
  args.rests = plan + at.rests;
  args.starts = plan + at.starts;
  args.steps = dealing.grouped ? plan : static_cast<const void*>(operands.col_idx);
  args.group_rows = args.parts = plan;
  args.partials = args.counters = plan;
  args.c = operands.c;
  args.ldc = shape.ldc;
  args.columns = static_cast<int>(shape.n);
  args.tile_count = static_cast<int>(shape.m / shape.block * quotient_up(shape.n, dealing.width));
  args.clipped = shape.n % kPanelColumns != 0;
  args.alpha = operands.alpha;
  args.beta = operands.beta;
  return args;
}

}  // namespace detail

/// Throws Unsupported unless the variant takes the shape and the plan knows enough of A's structure.
inline Workspace workspace(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  detail::check(shape, parameters);
  return make_plan(shape, detail::dealing_of(parameters, limits));
}

/// The launch of one product with m, n > 0. Throws Unsupported when the variant does not take the pointers'
/// alignment or beta.
inline std::vector<Launch> launches(const Shape& shape, const Operands& operands,
                                    const Parameters& parameters, const DeviceLimits& limits) {
  detail::check(shape, operands, parameters);
  const Dealing dealing = detail::dealing_of(parameters, limits);
  const auto cluster = static_cast<unsigned>(parameters.number("cluster"));
  Launch launch;
  launch.grid = {static_cast<unsigned>(dealing.lists) * cluster, 1, 1};
  launch.block = {static_cast<unsigned>(parameters.number("threads")), 1, 1};
  launch.cluster = {cluster, 1, 1};
  launch.shared_bytes = static_cast<std::size_t>(parameters.number("sharedBytes"));
  launch.dependent = parameters.number("pdl") != 0;
  launch.arguments.add(detail::args_of(shape, operands, dealing));
  launch.arguments.add_map(detail::map_a(shape, operands, parameters));
  launch.arguments.add_map(detail::map_b(shape, operands, parameters));
  if (detail::stores_by_tma(parameters)) launch.arguments.add_map(detail::map_c(shape, operands, parameters));
  return {launch};
}

}  // namespace tilewright::bsr_spmm::wgmma
