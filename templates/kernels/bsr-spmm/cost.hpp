// cost.hpp - parts of the time that a product takes on a variant, at nominal rates: the library weights and adds them where no
// workload near a call was timed. The same arithmetic as cost.ts, which fits the weights; a test compares the two. Plain C++17.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "features.hpp"
#include "shape.hpp"

namespace tilewright::bsr_spmm::cost {

constexpr double kMicrosecond = 1e-6;
// Nominal rates: into a multiprocessor and through memory, bytes per second, and of its tensor cores, operations per second.
constexpr double kIngest = 70e9, kMemory = 4e12, kWgmmaRate = 7e12, kMmaRate = 3e12, kSimtRate = 1e11;
constexpr double kMultiprocessors = 132, kSharedBytes = 228 * 1024, kRegisters = 65536;
// Bytes that stay in L2: of all operands, and of a panel of B beside them.
constexpr double kCachedBytes = 40e6, kCachedPanelBytes = 17e6, kPanelRange = 20e6;

/// A product's sizes, in elements unless said otherwise.
struct Work {
  double rows, depth, columns, products, block;
  double block_rows, block_columns, density, unevenness;
  double input, output;  // bytes of an element
  bool aligned;
};

inline Work work_of(const Shape& q) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const bool turned = q.transpose_a == Switch::yes;
  Work w{};
  w.rows = number(turned ? q.k : q.m), w.depth = number(turned ? q.m : q.k), w.columns = number(q.n);
  w.products = number(q.batch), w.block = number(q.block);
  w.block_rows = std::ceil(w.rows / w.block), w.block_columns = std::ceil(w.depth / w.block);
  w.density = features::density(q).value_or(0.1);
  w.unevenness = std::max(1.0, features::unevenness(q).value_or(1));
  w.input = number(input_bytes(q)), w.output = number(output_bytes(q));
  w.aligned = features::alignment(q).value_or(16) >= 16;
  return w;
}

/// Rounds in which tiles are taken: whole ones where there are few; partly filled ones count half up to six.
inline double rounds_of(double share) {
  if (share <= 1) return 1;
  return share > 6 ? share : 0.5 * share + 0.5 * std::ceil(share);
}

/// Longest of `count` row lengths over their mean, of normal ones.
inline double longest(const Work& w, double count) {
  return 1 + std::sqrt(w.unevenness - 1) * std::sqrt(2 * std::log(std::max(2.0, count)));
}

inline double bytes_of_c(const Work& w) { return w.rows * w.columns * w.products * w.output; }

/// Time of what does not stay in L2.
inline double from_memory(const Work& w) {
  const double of_a = w.block_rows * w.block_columns * w.density * w.block * w.block * w.input;
  return std::max(0.0, of_a + w.depth * w.columns * w.products * w.input + bytes_of_c(w) - kCachedBytes) /
         kMemory;
}

inline double misaligned(const Work& w) { return w.aligned ? 0 : bytes_of_c(w) / kMemory; }

/// The parts of a variant, in order.
class Parts {
 public:
  explicit Parts(double* first) : first_(first) {}
  void add(std::initializer_list<double> parts) {
    count_ = static_cast<std::size_t>(std::copy(parts.begin(), parts.end(), first_ + count_) - first_);
  }
  std::size_t count() const { return count_; }

 private:
  double* first_;
  std::size_t count_ = 0;
};

/// Parameters as numbers.
struct Numbers {
  const Parameters& all;
  double operator()(const char* name) const { return static_cast<double>(all.number(name)); }
};

/// Packing of B: a launch, and its bytes, read and written.
inline void add_packing(Parts& parts, const Numbers& number, const Work& w) {
  const bool packs = number("packB") != 0;
  parts.add({packs ? kMicrosecond : 0, packs ? 2 * w.depth * w.columns * w.products * w.input / kMemory : 0});
}

inline void add_wgmma(Parts& parts, const Parameters& parameters, const Work& w) {
  const Numbers number{parameters};
  const double tile_n = number("tileN"), cluster = number("cluster"), panel = number("panel"),
               group = number("group");
  const double sharers = number("clusterK");
  const double across = std::ceil(w.columns / (tile_n * cluster)) * cluster * w.products;
  const double alike = parameters.text("grouping") == "similar" && group > 1 ? 0.9 : 1;
  const double together = (1 - std::pow(1 - w.density, group)) * alike;
  const double steps = std::max(1.0, together * w.block_columns) / sharers;
  const double blocks_per_step = together > 0 ? group * w.density / together : 1;
  const double groups = std::ceil(w.block_rows / group);
  const double share = groups * across * sharers / kMultiprocessors, rounds = rounds_of(share);
  const double slack = (longest(w, groups) - 1) / (group == 1 ? 1 : 1.5);
  const double bounded = share < 2 || w.unevenness > 1.3 ? steps * (1 + slack) : 0;
  const double path = std::max(rounds * steps, bounded);
  const double copied = path * w.input * w.block * (blocks_per_step * w.block / cluster + tile_n) / kIngest;
  const double epilogue = rounds * tile_n * group * w.block * w.output / (0.5 * kIngest);
  const double panel_columns = panel == 0 ? w.columns : std::min(w.columns, panel * tile_n * cluster);
  const double missing = (w.input * panel_columns * w.depth - kCachedPanelBytes) / kPanelRange;
  parts.add({2 * kMicrosecond});
  add_packing(parts, number, w);
  parts.add({copied, path * 5e-8, epilogue, from_memory(w),
             path * blocks_per_step * w.block * w.block * tile_n * w.input / kWgmmaRate,
             number("fused") != 0 ? epilogue : 0, sharers > 1 ? kMicrosecond : 0, 0.3 * rounds * kMicrosecond,
             misaligned(w), 0.3 * std::min(1.0, std::max(0.0, missing)) * copied});
}

/// Of the paths mma and general.
inline void add_mma(Parts& parts, const Parameters& parameters, const Work& w) {
  const Numbers number{parameters};
  const double tile_n = number("tileN"), tile_k = number("tileK"), block = number("block");
  const double threads = 32 * number("warpsM") * number("warpsN");
  const double together = number("blocksPerStage");
  const double ring = number("stages") * together * w.input * tile_k * (block + tile_n);
  const double by_memory = std::floor(kSharedBytes / (ring + 1024));
  const double by_registers =
      std::floor(kRegisters / std::floor(threads * std::max(64.0, block * tile_n / threads + 48)));
  const double tiles = w.block_rows * std::ceil(w.columns / tile_n) * w.products;
  const double rounds =
      rounds_of(tiles / (kMultiprocessors * std::max(1.0, std::min(by_memory, by_registers))));
  const double blocks = w.density * w.block_columns;
  const double steps = std::max(1.0, blocks) * std::max(1.0, w.block / tile_k) / together;
  const double busy = std::max(tiles / kMultiprocessors, 1.0);
  const double copied = w.input * w.block * (w.block + tile_n) * blocks * busy / kIngest;
  parts.add({2 * kMicrosecond});
  if (parameters.text("path") == "general")
    add_packing(parts, number, w);
  else
    parts.add({0, 0});
  parts.add({std::max(rounds * steps, steps * longest(w, w.block_rows)) * 2e-7, copied,
             blocks * w.block * w.block * tile_n * busy * w.input / kMmaRate,
             busy * tile_n * w.block * w.output / (0.5 * kIngest), from_memory(w),
             0.5 * rounds * kMicrosecond, misaligned(w), copied * kIngest / number("copyBytes") / 8e9});
}

/// Tiles of the path narrow.
struct NarrowTiles {
  double tile_n, unroll, shares, warps_k, warp_rows, tile_rows, threads;
  double count;   // of all products
  double stored;  // seconds in which the stored columns of a row come to each tile of a multiprocessor

  NarrowTiles(const Numbers& number, const Work& w)
      : tile_n(number("tileN")),
        unroll(number("unroll")),
        shares(number("parts")),
        warps_k(number("warpsK")),
        warp_rows(16 * number("tilesM")),
        tile_rows(number("warpsM") * warp_rows),
        threads(32 * number("warpsM") * warps_k),
        count(std::ceil(w.rows / tile_rows) * std::ceil(w.columns / tile_n) * w.products),
        stored(w.input * w.density * w.depth * rounds_of(count / kMultiprocessors) / kIngest) {}

  /// Thread blocks of a multiprocessor that registers allow, with so many a thread for what is loaded together.
  double by_registers(double vectors) const {
    return std::floor(kRegisters / (threads * (40 + warp_rows * tile_n / 32 + vectors)));
  }
};

inline void add_narrow(Parts& parts, const Parameters& parameters, const Work& w) {
  const Numbers number{parameters};
  const NarrowTiles t(number, w);
  const double vectors = t.unroll * t.warp_rows / 2 * (number("prefetch") != 0 ? 2 : 1);
  const double rounds = rounds_of(
      t.count * t.shares / (kMultiprocessors * std::max(number("minBlocks"), t.by_registers(vectors))));
  const double steps = std::max(1.0, w.density * w.depth / 16 / t.warps_k / t.shares / t.unroll);
  parts.add({2 * kMicrosecond, t.shares > 1 ? kMicrosecond : 0,
             std::max(rounds * steps, steps * longest(w, w.block_rows)) * 4e-7, t.stored * t.tile_rows,
             t.stored * t.tile_n, 0.5 * rounds * kMicrosecond, from_memory(w), misaligned(w)});
}

/// Of the path narrow by bulk copies: a warp takes turns at so many blocks as its stage has.
inline void add_bulk(Parts& parts, const Parameters& parameters, const Work& w) {
  const Numbers number{parameters};
  const NarrowTiles t(number, w);
  const double by_registers = t.by_registers(t.unroll * (8 + t.tile_n / 2));
  const double by_memory = std::floor(kSharedBytes / (number("sharedBytes") + 1024));
  const double share = t.count * t.shares / kMultiprocessors;
  const double rounds = rounds_of(share / std::max(1.0, std::min(by_registers, by_memory)));
  const double turns =
      std::max(1.0, w.density * w.depth * longest(w, w.block_rows) / (32 * t.unroll * t.warps_k * t.shares));
  parts.add({2 * kMicrosecond, t.shares > 1 ? kMicrosecond : 0,
             // A warp waits for each turn, or for the bytes of all.
             std::max(turns * 5e-7, 1.4 * t.stored * t.tile_rows), t.stored * std::min(w.columns, t.tile_n),
             1.5 * (rounds - 1) * kMicrosecond, from_memory(w), misaligned(w)});
}

inline void add_multirow(Parts& parts, const Parameters& parameters, const Work& w) {
  const Numbers number{parameters};
  const double tile_n = number("tileN"), tile_k = number("tileK"), tile_rows = number("blockRows");
  const double tiles = std::ceil(w.block_rows / tile_rows) * std::ceil(w.columns / tile_n);
  const double rounds = rounds_of(tiles / kMultiprocessors);
  const double blocks_per_step = tile_k / w.block;
  const double steps = (1 - std::pow(1 - w.density, tile_rows * blocks_per_step)) *
                       std::ceil(w.block_columns / blocks_per_step);
  const double blocks = w.density * w.block_columns * longest(w, tile_rows);
  parts.add({2 * kMicrosecond, rounds * steps * w.input * tile_k * tile_n / kIngest,
             rounds * tile_rows * blocks * w.block * w.block * tile_n * w.input / kMmaRate,
             rounds * tile_rows * w.block * tile_n * w.output / (0.5 * kIngest), from_memory(w),
             0.5 * rounds * kMicrosecond, misaligned(w)});
}

inline void add_scalar(Parts& parts, const Work& w) {
  const double depth = w.density * w.block_columns * w.block;
  const double operations = 2 * depth * w.block * w.block_rows * w.columns * w.products / kMultiprocessors;
  parts.add({2 * kMicrosecond, operations / kSimtRate, depth * 2e-8});
}

/// The most that a variant's time has.
constexpr std::size_t kMost = 16;

/// Writes a variant's parts, seconds. Their number.
inline std::size_t parts_of(const Parameters& parameters, const Work& w, double* first) {
  Parts parts(first);
  const std::string_view path = parameters.text("path");
  if (path == "wgmma")
    add_wgmma(parts, parameters, w);
  else if (path == "narrow" && parameters.number("bulkStages") > 0)
    add_bulk(parts, parameters, w);
  else if (path == "narrow")
    add_narrow(parts, parameters, w);
  else if (path == "multirow")
    add_multirow(parts, parameters, w);
  else if (path == "mma" || path == "general")
    add_mma(parts, parameters, w);
  else
    add_scalar(parts, w);
  return parts.count();
}

}  // namespace tilewright::bsr_spmm::cost
