// launch.hpp - how the path wgmma of bsr-spmm is started: tensor maps, arguments, grid. Its kernels are
// persistent and walk the work lists of the schedule.
#pragma once
#include <algorithm>
#include <string>

#include "paths/input_maps.hpp"
#include "paths/packing.hpp"
#include "paths/transposed.hpp"
#include "paths/wgmma/args.h"
#include "wgmma_schedule.hpp"

namespace tilewright::bsr_spmm::wgmma {

namespace detail {

using namespace bsr_spmm::detail;

/// Whether C is stored by TMA, which neither adds to it nor writes less than 16 bytes.
inline bool stores_by_tma(const Parameters& parameters) {
  const std::string_view epilogue = parameters.text("epilogue");
  return epilogue == "tma" || epilogue == "overlap";
}

/// Of plain stores from fragments: neighbours in C are neighbours along wgmma's N, along which C has its rows where the operands are
/// swapped, else its columns.
inline bool stores_pairs(const Shape& shape, const Parameters& parameters) {
  return parameters.text("epilogue") == "direct" &&
         (parameters.number("swapped") != 0) == (shape.layout_c == Layout::column);
}

/// Clusters, of `cluster` thread blocks along N or `along_k` that share steps, that are resident at once: clusters of four do not fill the
/// groups that an H200's 132 multiprocessors come in, where 66 of two and 30 of four fit (bench/hot-floor.cu).
inline std::int64_t lists_of(const DeviceLimits& limits, std::int64_t cluster, std::int64_t along_k) {
  const std::int64_t usable = along_k > 2 ? limits.sm_count * 10 / 11 : limits.sm_count;
  return std::max<std::int64_t>(1, usable / (cluster * along_k));
}

inline SchedulerParams scheduler_params(const Parameters& parameters, const DeviceLimits& limits) {
  const std::int64_t cluster = parameters.number("cluster"), block = parameters.number("block");
  const std::string_view role = parameters.text("role");
  SchedulerParams params{};
  params.width = parameters.number("tileN") * cluster;
  params.panel = parameters.number("panel") * params.width;
  params.group = parameters.number("group");
  params.split = parameters.number("split");
  params.split_quantum = parameters.number("blocksPerStage");
  params.shares = (role == "pingpong" ? 1 : parameters.number("consumers")) * cluster;
  params.along_k = parameters.number("clusterK");
  params.lists = lists_of(limits, cluster, params.along_k);
  // Measured on an H200 with the widest tiles; with epilogue overlap, blocks of 128 gain nothing by less.
  params.epilogue = block == 128 ? 1.1 : block == 64 ? 1.5 : 4.0;
  params.grouped = role == "rows";
  params.similar = parameters.text("grouping") == "similar";
  params.longest = parameters.text("order") == "longest";
  params.atomic = parameters.text("schedule") == "atomic";
  return params;
}

/// Refuses a last block row that ends behind the last row of C, but where TMA clips its stores, and no bias is read for it.
inline void check_last_row(const Shape& shape, const Parameters& parameters) {
  if (shape.m % shape.block == 0) return;
  const std::string rows = parameters.number("transposeA") != 0 ? "k" : "m";
  const auto refuse = [&](const std::string& why, std::int64_t multiple) {
    refuse_unless(shape.m % multiple == 0,
                  [&] { return why + ": " + rows + " must be a multiple of " + std::to_string(multiple) + ", not " + std::to_string(shape.m); });
  };
  if (!stores_by_tma(parameters)) refuse("stores whole block rows of C", shape.block);
  if (shape.bias == Switch::yes) refuse("reads the bias of whole block rows", shape.block);
  if (shape.layout_c == Layout::column) refuse("stores columns of C by TMA, 16 bytes at a time", 8);
}

inline void check(const Shape& shape, const Parameters& parameters) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  refuse_unless(shape.blocks * shape.block < kMost,
                "counts the rows of all blocks in 32 bits: A has too many blocks");
  check_last_row(shape, parameters);
  if (stores_by_tma(parameters)) {
    refuse_unless(!shape.reads_c, "stores C by TMA without reading it: beta must be 0");
    refuse_unless(shape.ldc % 8 == 0, [&] {
      return "stores C by TMA: ldc must be a multiple of 8, not " + std::to_string(shape.ldc);
    });
    // Measured on an H200: TMA clips a store at 16 bytes, so that it would write behind the end of a shorter
    // row. For columns see check_last_row.
    refuse_unless(shape.layout_c == Layout::column || shape.n % 8 == 0, [&] {
      return "stores C by TMA: n must be a multiple of 8, not " + std::to_string(shape.n);
    });
  } else if (stores_pairs(shape, parameters)) {
    if (shape.layout_c == Layout::column)
      refuse_unless(shape.ldc % 2 == 0, "stores C in pairs: ldc must be even");
    else
      refuse_unless(shape.n % 2 == 0 && shape.ldc % 2 == 0, "stores C in pairs: n and ldc must be even");
  }
}

/// Requirements of the stores on C's address and on beta.
inline void require_c(const Shape& shape, const Parameters& parameters, Bound& bound) {
  if (stores_by_tma(parameters)) {
    bound.require_aligned(&Call::c, 16, "stores C by TMA: it must be {}-byte aligned");
    bound.require_zero(&Call::beta, "stores C by TMA without reading it: beta must be 0");
  } else if (stores_pairs(shape, parameters)) {
    bound.require_aligned(&Call::c, 2 * output_bytes(shape),
                          "stores C in pairs: it must be aligned to two elements");
  }
}

/// A's blocks, one below the other, in boxes of `tileK` columns; of A transposed, in boxes of `tileK` rows by a panel. TMA
/// refuses a tensor without elements, so that an absent one has one row.
inline TiledMap map_a(const Shape& shape, const Parameters& parameters) {
  const bool transposed = parameters.number("transposeA") != 0;
  const std::int64_t tile_k = parameters.number("tileK"), columns = transposed ? std::min(shape.block, panel_columns(shape)) : tile_k;
  const std::int64_t blocks = parameters.text("role") == "rows" ? 1 : parameters.number("blocksPerStage");
  const std::int64_t rows = transposed ? tile_k : blocks * shape.block;
  TiledMap map = map_of_input(shape, 2);
  map.size = {static_cast<std::uint64_t>(shape.block),
              static_cast<std::uint64_t>(std::max<std::int64_t>(shape.blocks, 1) * shape.block)};
  map.stride = {0, static_cast<std::uint64_t>(shape.block * input_bytes(shape))};
  map.box = {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows / parameters.number("cluster"))};
  map.swizzle = line_swizzle(columns * input_bytes(shape));
  return map;
}

/// C, rows or columns as its lines, in boxes of `boxLines` lines.
inline TiledMap map_c(const Shape& shape, const Parameters& parameters) {
  return map_of_lines(matrix_c(shape), parameters.number("boxElements"), parameters.number("boxLines"));
}

using Kernel = LaunchBuilder<UntypedAddendArgs, Call>;

inline void set_schedule(Kernel& kernel, const Shape& shape, const SchedulerParams& params) {
  using Args = UntypedAddendArgs;
  const ScheduleLayout at = schedule_layout(params);
  kernel.args.tile_count = static_cast<int>(rows_of_blocks(shape) * quotient_up(shape.n, params.width));
  kernel.args.clipped = shape.n % panel_columns(shape) != 0;
  kernel.set(&Args::tiles, &Call::workspace, at.tiles);
  if (!params.atomic) {
    kernel.set(&Args::tails, &Call::workspace, at.tails);
    kernel.set(&Args::first_steps, &Call::workspace, at.first_steps);
  }
  if (params.grouped)
    kernel.set(&Args::steps, &Call::workspace);
  else
    kernel.set(&Args::steps, &Call::col_idx);
  if (params.grouped) kernel.set(&Args::group_rows, &Call::workspace);
  if (params.split > 0) {
    kernel.set(&Args::parts, &Call::workspace);
    kernel.set(&Args::partials, &Call::workspace);
  }
  if (params.split > 0 || params.atomic) kernel.set(&Args::counters, &Call::workspace);
}

/// Operand that is added to the product, of kernels that have one apart from C.
inline void set_addend(Kernel& kernel, const Shape& shape, const Parameters& parameters) {
  using Args = UntypedAddendArgs;
  if (parameters.number("addend") == 0) return;
  const bool residual = shape.residual == Switch::yes;
  kernel.args.ld_addend = residual ? shape.ldr : shape.ldc;
  kernel.set(&Args::addend, residual ? &Call::residual : &Call::c);
}

/// Bytes of the arguments that a kernel has: the first ones, or all.
inline std::size_t bytes_of_arguments(const Parameters& parameters) {
  if (parameters.number("addend") != 0) return sizeof(UntypedAddendArgs);
  return parameters.number("plainArgs") != 0 ? sizeof(UntypedPlainArgs) : sizeof(UntypedArgs);
}

/// A B that is packed as tiles of `tileK` rows, in lines of two columns.
inline TiledMap map_tiles_of_b(const Shape& shape, const PackedB& packed, const Parameters& parameters) {
  const std::int64_t depth = parameters.number("tileK"), pairs = (packed.lines + 1) / 2;
  TiledMap map = map_of_input(shape, 3);
  map.size = {static_cast<std::uint64_t>(2 * depth), static_cast<std::uint64_t>(pairs),
              static_cast<std::uint64_t>(std::max<std::int64_t>(quotient_up(packed.width, depth), 1))};
  map.stride = {0, static_cast<std::uint64_t>(4 * depth), static_cast<std::uint64_t>(2 * packed.leading)};
  map.box = {static_cast<std::uint32_t>(2 * depth), static_cast<std::uint32_t>(parameters.number("tileN") / 2), 1};
  map.swizzle = Swizzle::none;  // the packed tiles have one
  return map;
}

/// B as the kernel reads it. Of an absent one the workspace is shown, which is there and aligned, and never read for it.
inline void add_map_b(Kernel& kernel, const Shape& shape, const Parameters& parameters, Bound& bound) {
  if (parameters.number("tiledB") != 0) {
    const PackedB packed = tiled_b(shape, parameters.number("tileK"), bound.workspace.bytes);
    pack_b_as(packed, shape, parameters, bound);
    kernel.add_map(map_tiles_of_b(shape, packed, parameters), &Call::workspace, packed.offset);
  } else if (parameters.number("packB") != 0) {
    const PackedB packed = pack_b(shape, parameters, bound);
    kernel.add_map(map_b(with_packed_b(shape, packed), parameters), &Call::workspace, packed.offset);
  } else if (shape.k > 0) {
    kernel.add_map(map_b(shape, parameters), &Call::b);
  } else {
    kernel.add_map(map_b(shape, parameters), &Call::workspace);
  }
}

/// A, B and C. Of an absent A the workspace is shown.
inline void add_maps(Kernel& kernel, const Shape& shape, const Parameters& parameters, Bound& bound) {
  const TiledMap a = map_a(shape, parameters);
  shape.blocks > 0 ? kernel.add_map(a, &Call::values) : kernel.add_map(a, &Call::workspace);
  add_map_b(kernel, shape, parameters, bound);
  if (stores_by_tma(parameters)) kernel.add_map(map_c(shape, parameters), &Call::c);
}

/// Binds a product of A as it is, or of the transpose as a matrix of its own; `stored`: its blocks, null of A as it is.
inline void bind(const Shape& shape, const std::int32_t* stored, const Parameters& parameters, const DeviceLimits& limits,
                 Bound& bound) {
  check(shape, parameters);
  SchedulerParams params = scheduler_params(parameters, limits);
  params.stored = stored;
  bound.workspace = make_schedule(shape, params);
  if (shape.m == 0 || shape.n == 0) return;
  require_c(shape, parameters, bound);
  const auto cluster = static_cast<unsigned>(parameters.number("cluster"));
  auto kernel = kernel_of<UntypedAddendArgs>(shape, parameters);
  kernel.launch.grid = {static_cast<unsigned>(params.lists * params.along_k) * cluster, 1, 1};
  kernel.launch.cluster[0] = cluster * static_cast<unsigned>(params.along_k);
  kernel.launch.dependent = parameters.number("pdl") != 0;
  set_schedule(kernel, shape, params);
  set_addend(kernel, shape, parameters);
  add_maps(kernel, shape, parameters, bound);
  BoundLaunch launch = kernel.finish();
  launch.arguments.resize(bytes_of_arguments(parameters));
  bound.launches.push_back(std::move(launch));
}

}  // namespace detail

inline void bind(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits, Bound& bound) {
  if (shape.transpose_a == Switch::no) return detail::bind(shape, nullptr, parameters, limits, bound);
  const Transpose transpose = transpose_of(shape);
  detail::bind(product_of(transpose, shape), transpose.stored.data(), parameters, limits, bound);
}

}  // namespace tilewright::bsr_spmm::wgmma
