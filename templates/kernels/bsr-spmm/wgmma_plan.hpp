// wgmma_plan.hpp - the schedule of the path `wgmma`: C cut into tiles, and the tiles dealt out to the
// multiprocessors. It depends on A's structure and on no address, and travels in the workspace. Plain C++17.
#pragma once
#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "wgmma_groups.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// As the kernel reads them; see wgmma.cu.hbs. Numbers of other records count from the start of the plan.
struct Tile {
  std::int32_t row, column, first, count;
};
struct alignas(32) Part {
  std::int32_t row, slot, first_slot, parts, counter;
};

/// What the schedule depends on, of a variant and the device.
struct Dealing {
  std::int64_t width;  // columns of C that a thread block, or a cluster of them, computes at a time
  std::int64_t panel;  // columns of C that are worked through before the next, a multiple of width; 0: all
  std::int64_t group;  // block rows per tile
  std::int64_t split;  // steps of a tile at most; 0: any number
  std::int64_t split_quantum;  // parts have a multiple of so many steps
  std::int64_t shares;         // warpgroups that add up parts of a tile, each for itself
  std::int64_t lists;          // thread blocks, or clusters
  double epilogue;             // what a tile costs beside its steps, in steps
  bool grouped, similar;       // block rows are grouped, and by likeness
  bool longest;                // the longest rows first, each to whoever has least to do; else in turn
  bool atomic;                 // one list, from which all thread blocks take

  std::size_t slot_bytes(std::int64_t block) const {
    return static_cast<std::size_t>(group * block * width * 4);
  }
};

namespace detail {

constexpr Tile kEnd{0, 0, 0, -1};

/// Grows the plan. Offsets are bytes from its start and multiples of 32, the largest record's size.
class Image {
 public:
  template <class T>
  std::size_t reserve(std::size_t count) {
    const std::size_t at = (bytes_.size() + 31) / 32 * 32;
    bytes_.resize(at + count * sizeof(T));
    return at;
  }
  template <class T>
  void put(std::size_t at, const std::vector<T>& values) {
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
  }
  /// The number of the first of `values`, counted from the start of the plan.
  template <class T>
  std::int32_t append(const std::vector<T>& values) {
    const std::size_t at = reserve<T>(values.size());
    put(at, values);
    return static_cast<std::int32_t>(at / sizeof(T));
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// What is to be done for every tile along a row (or group of rows) of blocks. `row` and `first` as in Tile.
struct Strip {
  std::int32_t row, first, count;
};

inline std::vector<Strip> strips_of(const Shape& shape, const Dealing& dealing, Image& image) {
  std::vector<Strip> strips;
  if (!dealing.grouped) {
    for (std::int32_t row = 0; row < shape.m / shape.block; ++row)
      strips.push_back({row, shape.row_ptr[row], shape.row_ptr[row + 1] - shape.row_ptr[row]});
    return strips;
  }
  const auto size = static_cast<std::int32_t>(dealing.group);
  const Groups groups = group_rows(shape, static_cast<std::size_t>(size), dealing.similar);
  const std::int32_t rows = image.append(groups.rows), steps = image.append(groups.steps);
  for (std::size_t i = 0; i + 1 < groups.starts.size(); ++i)
    strips.push_back({rows + static_cast<std::int32_t>(i) * size, steps + groups.starts[i],
                      groups.starts[i + 1] - groups.starts[i]});
  return strips;
}

/// Cuts strips into tiles: panel after panel, in each strip after strip, a strip's tiles side by side. A tile
/// longer than `split` comes as parts of about equal length. `parts` has their records, with numbers yet to
/// be moved to their place.
class Cutter {
 public:
  Cutter(const Dealing& dealing, std::vector<Strip> strips) : dealing_(dealing), strips_(std::move(strips)) {
    if (dealing.longest)
      std::stable_sort(strips_.begin(), strips_.end(),
                       [](const Strip& a, const Strip& b) { return a.count > b.count; });
  }

  void cut(std::int64_t columns) {
    const std::int64_t panel = dealing_.panel == 0 ? columns : dealing_.panel;
    for (std::int64_t from = 0; from < columns; from += panel)
      for (const Strip& strip : strips_)
        for (std::int64_t column = from; column < std::min(from + panel, columns); column += dealing_.width)
          cut(strip, static_cast<std::int32_t>(column));
  }

  std::vector<Tile> tiles;
  std::vector<Part> parts;

 private:
  void cut(const Strip& strip, std::int32_t column) {
    const std::int64_t most = dealing_.split;
    if (most == 0 || strip.count <= most) {
      tiles.push_back({strip.row, column, strip.first, strip.count});
      return;
    }
    const std::int64_t quanta = quotient_up(strip.count, dealing_.split_quantum),
                       wanted = quotient_up(strip.count, most);
    const auto length = static_cast<std::int32_t>(quotient_up(quanta, wanted) * dealing_.split_quantum);
    const auto count = static_cast<std::int32_t>(quotient_up(strip.count, length));
    const auto slot = static_cast<std::int32_t>(parts.size());
    for (std::int32_t i = 0; i < count; ++i) {
      tiles.push_back({~static_cast<std::int32_t>(parts.size()), column, strip.first + i * length,
                       std::min(length, strip.count - i * length)});
      parts.push_back({strip.row, slot + i, slot, count, static_cast<std::int32_t>(slot * dealing_.shares)});
    }
  }

  const Dealing& dealing_;
  std::vector<Strip> strips_;
};

/// Gives the parts their places in the plan: records, counters (0), and slots for sums behind the plan,
/// `slot_bytes` each. What is appended to the image later must be no larger than `later_bytes`.
inline void place_parts(Cutter& cutter, const Dealing& dealing, std::size_t slot_bytes,
                        std::size_t later_bytes, Image& image) {
  if (cutter.parts.empty()) return;
  const std::vector<std::uint32_t> zeros(cutter.parts.size() * static_cast<std::size_t>(dealing.shares));
  const std::int32_t counters = image.append(zeros);
  const std::size_t end = image.size() + 64 + cutter.parts.size() * sizeof(Part) + later_bytes;
  const auto slots = static_cast<std::int32_t>((end + slot_bytes - 1) / slot_bytes);
  for (Part& part : cutter.parts) {
    part.slot += slots;
    part.first_slot += slots;
    part.counter += counters;
  }
  const std::int32_t records = image.append(cutter.parts);
  for (Tile& tile : cutter.tiles)
    if (tile.row < 0) tile.row = ~(records + ~tile.row);
}

/// Deals tiles out: longest first to the list with least to do, or in turn. Each list keeps the order of
/// `tiles`.
inline std::vector<std::vector<Tile>> deal(const Dealing& dealing, const std::vector<Tile>& tiles) {
  std::vector<std::vector<Tile>> lists(static_cast<std::size_t>(dealing.lists));
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> loads;
  for (std::size_t i = 0; i < lists.size(); ++i) loads.push({0, i});
  std::size_t turn = 0;
  for (const Tile& tile : tiles) {
    if (!dealing.longest) {
      lists[turn++ % lists.size()].push_back(tile);
      continue;
    }
    const auto [load, list] = loads.top();
    loads.pop();
    lists[list].push_back(tile);
    loads.push({load + tile.count + dealing.epilogue, list});
  }
  return lists;
}

/// Lays lists out: at `firsts` the first tile of each; at `rests` where the others follow, counted in tiles
/// from `firsts`.
inline void append_lists(const std::vector<std::vector<Tile>>& lists, std::size_t firsts, std::size_t rests,
                         Image& image) {
  std::vector<Tile> heads, tails;
  std::vector<std::int32_t> starts;
  for (const std::vector<Tile>& list : lists) {
    heads.push_back(list.empty() ? kEnd : list[0]);
    starts.push_back(static_cast<std::int32_t>(tails.size()));
    if (!list.empty()) tails.insert(tails.end(), list.begin() + 1, list.end());
    tails.push_back(kEnd);
  }
  const std::int32_t start = image.append(tails) - static_cast<std::int32_t>(firsts / sizeof(Tile));
  for (std::int32_t& rest : starts) rest += start;
  image.put(firsts, heads);
  image.put(rests, starts);
}

}  // namespace detail

/// Where the kernel finds things in a plan: byte offsets that the launch code can tell without the plan.
struct Places {
  std::size_t tiles, rests;
};

inline Places places(const Dealing& dealing) {
  constexpr std::size_t kTiles = 32;  // behind the counter of the atomic schedule
  return {kTiles, kTiles + static_cast<std::size_t>(dealing.lists) * sizeof(Tile)};
}

/// The plan, and behind it room for the sums of parts.
inline Workspace make_plan(const Shape& shape, const Dealing& dealing) {
  bsr_spmm::detail::require(
      shape.row_ptr != nullptr,
      "deals out work by the lengths of block rows: the plan needs a host copy of row_ptr");
  const Places at = places(dealing);
  const auto lists = static_cast<std::size_t>(dealing.lists);
  detail::Image image;
  image.reserve<std::byte>(at.rests + lists * sizeof(std::int32_t));
  detail::Cutter cutter(dealing, detail::strips_of(shape, dealing, image));
  cutter.cut(shape.n);

  Workspace workspace;
  if (dealing.atomic) {
    cutter.tiles.resize(std::max(cutter.tiles.size(), lists), detail::kEnd);
    image.reserve<std::byte>(cutter.tiles.size() * sizeof(Tile));
    image.put(at.tiles, cutter.tiles);
  } else {
    const std::size_t slot_bytes = dealing.slot_bytes(shape.block);
    const std::size_t later_bytes = 64 + (cutter.tiles.size() + lists) * sizeof(Tile);
    detail::place_parts(cutter, dealing, slot_bytes, later_bytes, image);
    detail::append_lists(detail::deal(dealing, cutter.tiles), at.tiles, at.rests, image);
    if (!cutter.parts.empty())
      workspace.bytes = static_cast<std::size_t>(cutter.parts.back().slot + 1) * slot_bytes;
  }
  workspace.image = image.take();
  workspace.bytes = std::max(workspace.bytes, workspace.image.size());
  return workspace;
}

}  // namespace tilewright::bsr_spmm::wgmma
