// wgmma.hpp - how the path `wgmma` of bsr-spmm is started. Its kernels are persistent: the host cuts C into tiles and deals
// them out to the multiprocessors beforehand. What it decides travels in the workspace, the plan, which depends on A's
// structure but on no address; so launches need the plan's place only. Plain C++17.
#pragma once
#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "shape.hpp"
#include "wgmma_groups.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// As the kernel reads them; see Tile, Part and Args in wgmma.cu.hbs.
struct Tile {
  std::int32_t row, column, first, count;
};
struct Part {
  std::int32_t row, slot, first_slot, parts, counter, unused[3];
};
struct Args {
  const void *tiles, *rests, *steps, *group_rows, *parts;
  void *partials, *counters, *c;
  long long ldc;
  int columns, tile_count, clipped;
  float alpha, beta;
};

namespace detail {

using bsr_spmm::detail::aligned;
using bsr_spmm::detail::quotient_up;
using bsr_spmm::detail::require;

constexpr Tile kEnd{0, 0, 0, -1};
/// The plan begins with the counter of the atomic schedule, then the tiles.
constexpr std::size_t kTilesOffset = 16;

/// What the launch code reads of a variant.
struct Point {
  std::int64_t block, tile_n, tile_k, blocks_per_stage, group, cluster, staging_rows, staging_n, split, panel;
  bool rows, swapped, atomic, tma, longest, similar, dependent;

  explicit Point(const Parameters& p)
      : block(p.number("block")),
        tile_n(p.number("tileN")),
        tile_k(p.number("tileK")),
        blocks_per_stage(p.number("blocksPerStage")),
        group(p.number("group")),
        cluster(p.number("cluster")),
        staging_rows(p.number("stagingRows")),
        staging_n(p.number("stagingN")),
        split(p.number("split")),
        panel(p.number("panel")),
        rows(p.text("role") == "rows"),
        swapped(block == 32),
        atomic(p.text("schedule") == "atomic"),
        tma(p.text("epilogue") == "tma"),
        longest(p.text("order") == "longest"),
        similar(p.text("grouping") == "similar"),
        dependent(p.number("pdl") != 0) {}

  /// Columns of C that a thread block, or a cluster of them, computes at a time.
  std::int64_t width() const { return tile_n * cluster; }
  std::int64_t lists(const DeviceLimits& limits) const { return std::max<std::int64_t>(1, limits.sm_count / cluster); }
  std::size_t slot_bytes() const { return static_cast<std::size_t>(group * block * width() * 4); }
};

/// Grows the plan; offsets are bytes from its start.
class Image {
 public:
  explicit Image(std::size_t front_bytes) : bytes_(front_bytes) {}
  template <class T>
  std::size_t append(const std::vector<T>& values) {
    const std::size_t at = (bytes_.size() + 31) / 32 * 32;  // of all records the largest is 32 bytes
    bytes_.resize(at + values.size() * sizeof(T));
    put(at, values);
    return at;
  }
  template <class T>
  void put(std::size_t at, const std::vector<T>& values) {
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// A row of tiles: what is to be done for every column of tiles. `row` and `first` as in Tile.
struct Strip {
  std::int32_t row, first, count;
};

/// One strip per block row, or per group of block rows, whose rows and steps go into the plan.
inline std::vector<Strip> strips_of(const Shape& shape, const Point& point, Image& image) {
  std::vector<Strip> strips;
  if (!point.rows) {
    for (std::int32_t row = 0; row < shape.m / shape.block; ++row)
      strips.push_back({row, shape.row_ptr[row], shape.row_ptr[row + 1] - shape.row_ptr[row]});
    return strips;
  }
  const Groups groups = group_rows(shape, static_cast<int>(point.group), point.similar);
  const auto rows = static_cast<std::int32_t>(image.append(groups.rows) / sizeof(std::int32_t));
  const auto steps = static_cast<std::int32_t>(image.append(groups.steps) / sizeof(Step));
  for (std::size_t i = 0; i + 1 < groups.starts.size(); ++i)
    strips.push_back({rows + static_cast<std::int32_t>(i * static_cast<std::size_t>(point.group)), steps + groups.starts[i],
                      groups.starts[i + 1] - groups.starts[i]});
  return strips;
}

/// What the epilogue of a tile costs, in steps of the main loop; measured on an H200 with the widest tiles.
inline double epilogue_steps(std::int64_t block) { return block == 128 ? 0.6 : block == 64 ? 1.2 : 3.0; }

/// Tiles in order of work: panel after panel; within one, strip after strip (the longest first where the variant says so).
/// Long strips come as parts of at most `split` steps, listed in `parts`, whose numbers count from `first_part`.
class Dealer {
 public:
  Dealer(const Shape& shape, const Point& point, std::vector<Strip> strips) : point_(point), n_(shape.n), strips_(std::move(strips)) {
    if (point.longest)
      std::stable_sort(strips_.begin(), strips_.end(), [](const Strip& a, const Strip& b) { return a.count > b.count; });
  }

  template <class Take>
  void deal(const Take& take) const {
    const std::int64_t width = point_.width();
    const std::int64_t panel = point_.panel == 0 ? std::max(n_, width) : point_.panel * width;
    for (std::int64_t from = 0; from < n_; from += panel)
      for (const Strip& strip : strips_)
        for (std::int64_t column = from; column < std::min(from + panel, n_); column += width)
          take(strip, static_cast<std::int32_t>(column));
  }

 private:
  const Point& point_;
  std::int64_t n_;
  std::vector<Strip> strips_;
};
