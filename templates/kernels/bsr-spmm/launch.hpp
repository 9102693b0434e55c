// launch.hpp - how the kernels of bsr-spmm are started: which problems a variant takes, its grid, its
// workspace. Plain C++17, shared by the runner, the emitted library and the emulated device.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "shape.hpp"
#include "wgmma.hpp"

namespace tilewright::bsr_spmm {

/// A block row of A: its number, its first stored block and how many there are; as in partials/args.hbs.
struct alignas(16) Row {
  std::int32_t index, first, count;
};

/// Arguments of the kernels naive, simt and mma, member by member as in partials/args.hbs.
struct Args {
  const std::int32_t* row_ptr;
  const std::int32_t* col_idx;
  const Row* order;
  const void* values;
  const void* b;
  void* c;
  long long ldb, ldc;
  int rows, columns;
  int aligned_c;
  float alpha, beta;
};

namespace detail {

/// Bytes to which the variant's loads need A's and B's base and B's rows aligned.
inline std::int64_t load_bytes(const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  if (path == "wgmma") return 16;  // TMA
  if (path == "mma") return parameters.number("copyBytes");
  return path == "simt" ? 2 * parameters.number("vector") : 2;
}

inline std::int64_t tile_columns(const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  if (path == "naive") return 32;
  return parameters.number("tileN") * (path == "mma" ? parameters.number("tilesPerCta") : 1);
}

/// Throws Unsupported unless the variant takes the shape.
inline void check(const Shape& shape, const Parameters& parameters) {
  require(shape.block == parameters.number("block"), "made for blocks of " +
                                                         std::to_string(parameters.number("block")) +
                                                         ", not " + std::to_string(shape.block));
  require(shape.input == parameters.text("input") && shape.output == parameters.text("output"),
          "made for " + std::string(parameters.text("input")) + " in and " +
              std::string(parameters.text("output")) + " out, not " + std::string(shape.input) + " and " +
              std::string(shape.output));
  constexpr std::int64_t kMostStride = std::int64_t{1} << 40;
  require(shape.ldb < kMostStride && shape.ldc < kMostStride, "ldb and ldc must be below 2^40");
  const std::int64_t bytes = load_bytes(parameters);
  require(shape.ldb * 2 % bytes == 0, "loads B " + std::to_string(bytes) +
                                          " bytes at a time: ldb must be a multiple of " +
                                          std::to_string(bytes / 2) + ", not " + std::to_string(shape.ldb));
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  require(shape.m < kMost && shape.n < kMost - 1024 && shape.k < kMost,
          "counts rows and columns in 32 bits: m, n and k must be below 2^31");
}

/// Block rows of 1 to 65535 tiles high and deep are what a grid can hold.
inline unsigned grid_extent(std::int64_t count, const char* what) {
  constexpr std::int64_t kMost = 65535;
  require(count <= kMost, "launches " + std::to_string(count) + " thread blocks along " + what +
                              ", and a grid has at most " + std::to_string(kMost));
  return static_cast<unsigned>(count);
}

/// x: tiles within a panel, y: block rows (or groups of rows), z: panels. The hardware starts blocks in this
/// order.
inline std::array<unsigned, 3> grid(const Shape& shape, const Parameters& parameters) {
  const std::int64_t tiles = quotient_up(shape.n, tile_columns(parameters));
  if (parameters.text("path") == "naive") {
    const unsigned rows = grid_extent(quotient_up(shape.m, parameters.number("threads") / 32), "rows");
    return {static_cast<unsigned>(tiles), rows, 1};
  }
  const unsigned rows = grid_extent(shape.m / shape.block, "block rows");
  if (parameters.text("path") == "simt") return {static_cast<unsigned>(tiles), rows, 1};
  const std::int64_t wanted = parameters.number("panel");
  // Without columns there is nothing to launch, but a plan is made all the same.
  const std::int64_t panel = std::max<std::int64_t>(1, wanted == 0 ? tiles : std::min(wanted, tiles));
  return {static_cast<unsigned>(panel), rows, grid_extent(quotient_up(tiles, panel), "panels")};
}

/// Block rows by falling length; rows of one length keep their order.
inline std::vector<Row> longest_first(const Shape& shape) {
  std::vector<Row> rows(static_cast<std::size_t>(shape.m / shape.block));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t first = shape.row_ptr[i];
    rows[i] = {static_cast<std::int32_t>(i), first, shape.row_ptr[i + 1] - first};
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
  return rows;
}

inline bool reorders(const Parameters& parameters) {
  return parameters.text("path") == "mma" && parameters.text("order") == "longest";
}

}  // namespace detail

/// What a variant needs beside the operands: the order of block rows, for variants that choose one. Throws
/// Unsupported when the variant does not take the shape.
inline Workspace workspace(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  detail::check(shape, parameters);
  if (parameters.text("path") == "wgmma") return wgmma::workspace(shape, parameters, limits);
  detail::grid(shape, parameters);
  Workspace workspace;
  if (!detail::reorders(parameters)) return workspace;
  detail::require(shape.row_ptr, "takes the longest block rows first: needs a host copy of row_ptr");
  const std::vector<Row> rows = detail::longest_first(shape);
  workspace.bytes = rows.size() * sizeof(Row);
  workspace.image.resize(workspace.bytes);
  if (workspace.bytes > 0) std::memcpy(workspace.image.data(), rows.data(), workspace.bytes);
  return workspace;
}

/// The launches of one product, none when C is empty. Throws Unsupported when the variant does not take the
/// shape, the pointers' alignment or, on the path wgmma, beta. On the others C may be aligned to its elements
/// only.
inline std::vector<Launch> launches(const Shape& shape, const Operands& operands,
                                    const Parameters& parameters, const DeviceLimits& limits) {
  detail::check(shape, parameters);
  const std::int64_t bytes = detail::load_bytes(parameters);
  detail::require(
      detail::aligned(operands.values, bytes) && detail::aligned(operands.b, bytes),
      "loads " + std::to_string(bytes) + " bytes at a time: values and B must be aligned to that");
  if (shape.m == 0 || shape.n == 0) return {};
  if (parameters.text("path") == "wgmma") return wgmma::launches(shape, operands, parameters, limits);

  Args args{};
  args.row_ptr = operands.row_ptr;
  args.col_idx = operands.col_idx;
  args.order = detail::reorders(parameters) ? static_cast<const Row*>(operands.workspace) : nullptr;
  args.values = operands.values;
  args.b = operands.b;
  args.c = operands.c;
  args.ldb = shape.ldb;
  args.ldc = shape.ldc;
  args.rows = static_cast<int>(shape.m);
  args.columns = static_cast<int>(shape.n);
  args.aligned_c = shape.ldc * shape.output_bytes() % 16 == 0 && detail::aligned(operands.c, 16);
  args.alpha = operands.alpha;
  args.beta = operands.beta;

  Launch launch;
  launch.grid = detail::grid(shape, parameters);
  launch.block = {static_cast<unsigned>(parameters.number("threads")), 1, 1};
  launch.shared_bytes = static_cast<std::size_t>(parameters.number("sharedBytes"));
  launch.arguments.add(args);
  return {launch};
}

}  // namespace tilewright::bsr_spmm
