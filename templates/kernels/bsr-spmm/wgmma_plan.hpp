// wgmma_plan.hpp - the schedule of the path `wgmma`: C cut into tiles, and the tiles dealt out to the
// multiprocessors. It depends on A's structure and on no address, and travels in the workspace. Plain C++17.
#pragma once
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "wgmma_deal.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// Records of tiles, and steps, that a warp reads at a time, one per lane.
constexpr std::size_t kBatch = 32;

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
  /// Number `index` of the values of its type, counted from the start of the plan.
  template <class T>
  T get(std::size_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// What is to be done for every tile along a row, or a group of rows, of blocks. `row` and `first` as in
/// Tile, but of a group: its number, and from its first step on.
struct Strip {
  std::int32_t row, first, count;
};

inline std::vector<Strip> strips_of_rows(const Shape& shape) {
  std::vector<Strip> strips;
  for (std::int32_t row = 0; row < shape.m / shape.block; ++row)
    strips.push_back({row, row_ptr(shape)[row], row_ptr(shape)[row + 1] - row_ptr(shape)[row]});
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

/// Appends the rows and the steps of the groups that tiles name, and has the tiles name their places instead.
class GroupPlacer {
 public:
  GroupPlacer(const Shape& shape, const Groups& groups, Image& image)
      : shape_(shape), groups_(groups), image_(image) {}

  void place(Lists& lists, std::vector<Part>& parts) {
    for (std::vector<Tile>& list : lists)
      for (Tile& tile : list) {
        if (tile.row < 0) {
          tile.first += of(parts[static_cast<std::size_t>(~tile.row)].row).first;
        } else {
          const Strip place = of(tile.row);
          tile = {place.row, tile.column, place.first, place.count};
        }
      }
    for (Part& part : parts) part.row = of(part.row).row;
  }

 private:
  Strip of(std::int32_t group) {
    const auto [found, is_new] = places_.try_emplace(group);
    if (is_new) {
      const Rows& rows = groups_.rows(group);
      const std::vector<Step> steps = steps_of(shape_, rows);
      found->second = {image_.append(std::vector<std::int32_t>(
                           rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(groups_.size()))),
                       image_.append(steps), static_cast<std::int32_t>(steps.size())};
    }
    return found->second;
  }

  const Shape& shape_;
  const Groups& groups_;
  Image& image_;
  std::map<std::int32_t, Strip> places_;
};

/// Gives the parts their places in the plan: records, counters (0), and slots for sums behind the plan,
/// `slot_bytes` each. What is appended to the image later must be no larger than `later_bytes`.
inline void place_parts(std::vector<Part>& parts, Lists& lists, const Dealing& dealing,
                        std::size_t slot_bytes, std::size_t later_bytes, Image& image) {
  if (parts.empty()) return;
  const std::vector<std::uint32_t> zeros(parts.size() * static_cast<std::size_t>(dealing.shares));
  const std::int32_t counters = image.append(zeros);
  const std::size_t end = image.size() + 64 + parts.size() * sizeof(Part) + later_bytes;
  const auto slots = static_cast<std::int32_t>((end + slot_bytes - 1) / slot_bytes);
  for (Part& part : parts) {
    part.slot += slots;
    part.first_slot += slots;
    part.counter += counters;
  }
  const std::int32_t records = image.append(parts);
  for (std::vector<Tile>& list : lists)
    for (Tile& tile : list)
      if (tile.row < 0) tile.row = ~(records + ~tile.row);
}

/// Lays lists out: at `firsts` the first kBatch tiles of each; at `places` where the others follow, counted
/// in tiles from `firsts`. Behind the last there are records enough for a kernel that reads kBatch at a time.
inline void append_lists(const Lists& lists, std::size_t firsts, std::size_t places, Image& image) {
  std::vector<Tile> heads(lists.size() * kBatch, kEnd), tails;
  std::vector<std::int32_t> starts;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::vector<Tile>& list = lists[i];
    const auto head = static_cast<std::ptrdiff_t>(std::min(kBatch, list.size()));
    std::copy(list.begin(), list.begin() + head, heads.begin() + static_cast<std::ptrdiff_t>(i * kBatch));
    starts.push_back(static_cast<std::int32_t>(tails.size()));
    tails.insert(tails.end(), list.begin() + head, list.end());
    if (list.size() >= kBatch) tails.push_back(kEnd);
  }
  tails.resize(tails.size() + kBatch - 1, kEnd);
  const std::int32_t start = image.append(tails) - static_cast<std::int32_t>(firsts / sizeof(Tile));
  for (std::int32_t& tail : starts) tail += start;
  image.put(firsts, heads);
  image.put(places, starts);
}

}  // namespace detail

/// Where the kernel finds things in a plan: byte offsets that the launch code can tell without the plan.
struct Places {
  std::size_t tiles, tails, first_steps, end;
};

inline Places places(const Dealing& dealing) {
  const auto lists = static_cast<std::size_t>(dealing.lists);
  constexpr std::size_t kTiles = 32;  // behind the counter of the atomic schedule
  const std::size_t firsts = dealing.atomic ? lists : lists * kBatch;
  const std::size_t tails = kTiles + firsts * sizeof(Tile), step = dealing.grouped ? sizeof(Step) : 4,
                    first_steps = (tails + lists * sizeof(std::int32_t) + 31) / 32 * 32;
  return {kTiles, tails, first_steps, first_steps + lists * kBatch * step};
}

namespace detail {

/// Groups whose tiles take no longer than a list should, or than the longest row's tile does. Rows of longer
/// ones go by themselves.
inline std::vector<Rows> fitting_groups(const Shape& shape, const Dealing& dealing, const Groups& groups) {
  const std::vector<Rows> all = group_rows(shape, groups.sets, groups.size(), dealing.similar);
  double share = 0;  // of all tiles, for one list
  std::int32_t longest = 0;
  for (const Rows& rows : all) {
    share += groups.weight(rows) + dealing.epilogue;
    for (const std::int32_t row : rows) longest = std::max(longest, groups.weight({row, -1, -1}));
  }
  share *= static_cast<double>(quotient_up(shape.n, dealing.width)) / static_cast<double>(dealing.lists);
  const double most = std::max(share - dealing.epilogue, static_cast<double>(longest));
  std::vector<Rows> result;
  for (const Rows& rows : all)
    if (groups.weight(rows) <= most) {
      result.push_back(rows);
    } else {
      for (const std::int32_t row : rows)
        if (row >= 0) result.push_back({row, -1, -1});
    }
  return result;
}

/// Strips for tiles that are dealt out whole: they count what they take, and GroupPlacer puts their steps in
/// its place.
inline std::vector<Strip> whole_strips(const Shape& shape, const Dealing& dealing, Groups& groups) {
  std::vector<Strip> strips;
  for (const Rows& rows : fitting_groups(shape, dealing, groups))
    strips.push_back({groups.of(rows), 0, groups.weight(rows)});
  return strips;
}

/// Strips for tiles that may be cut into parts: they count steps.
inline std::vector<Strip> strips_to_cut(const Shape& shape, const Dealing& dealing, Groups& groups) {
  std::vector<Strip> strips;
  for (const Rows& rows : group_rows(shape, groups.sets, groups.size(), dealing.similar))
    strips.push_back({groups.of(rows), 0, static_cast<std::int32_t>(steps_of(shape, rows).size())});
  return strips;
}

/// Lists of tiles, each a block row by `width` columns, or a part of it.
inline Lists deal_rows(const Shape& shape, const Dealing& dealing, std::vector<Part>& parts) {
  Cutter cutter(dealing, strips_of_rows(shape));
  cutter.cut(shape.n);
  parts = std::move(cutter.parts);
  Lists lists = deal(dealing, cutter.tiles);
  if (dealing.longest) Evener(dealing, nullptr, lists).run();
  return lists;
}

/// Lists of tiles, each a group of block rows by `width` columns, or a part of it. Appends the groups to the
/// plan.
inline Lists deal_groups(const Shape& shape, const Dealing& dealing, std::vector<Part>& parts, Image& image) {
  refuse_unless(col_idx(shape) != nullptr || shape.blocks == 0,
                "groups block rows by their columns: the plan needs a host copy of col_idx");
  Groups groups(shape, dealing.group);
  const bool whole = dealing.split == 0;
  Cutter cutter(dealing,
                whole ? whole_strips(shape, dealing, groups) : strips_to_cut(shape, dealing, groups));
  cutter.cut(shape.n);
  parts = std::move(cutter.parts);
  Lists lists = deal(dealing, cutter.tiles);
  if (dealing.longest) Evener(dealing, whole ? &groups : nullptr, lists).run();
  GroupPlacer(shape, groups, image).place(lists, parts);
  return lists;
}

/// The first steps of every list, and 0 where its first tile has no more.
template <class T, class StepAt>
void put_first_steps(const Lists& lists, std::size_t at, Image& image, const StepAt& step_at) {
  std::vector<T> steps(lists.size() * kBatch);
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (std::size_t i = 0; i < kBatch; ++i)
      if (!lists[list].empty() && static_cast<std::int32_t>(i) < lists[list][0].count)
        steps[list * kBatch + i] = step_at(static_cast<std::size_t>(lists[list][0].first) + i);
  image.put(at, steps);
}

/// One list, which begins with a tile for every thread block.
inline void plan_claims(const Shape& shape, const Dealing& dealing, std::size_t at, Image& image) {
  Cutter cutter(dealing, strips_of_rows(shape));
  cutter.cut(shape.n);
  cutter.tiles.resize(std::max(cutter.tiles.size(), static_cast<std::size_t>(dealing.lists)), kEnd);
  image.reserve<std::byte>(cutter.tiles.size() * sizeof(Tile));
  image.put(at, cutter.tiles);
}

/// The bytes that the plan needs, with room for the sums of parts.
inline std::size_t plan_lists(const Shape& shape, const Dealing& dealing, const Places& at, Image& image) {
  std::vector<Part> parts;
  Lists lists =
      dealing.grouped ? deal_groups(shape, dealing, parts, image) : deal_rows(shape, dealing, parts);
  std::size_t tiles = lists.size();
  for (const std::vector<Tile>& list : lists) tiles += list.size();
  const std::size_t slot_bytes = dealing.slot_bytes(shape.block);
  place_parts(parts, lists, dealing, slot_bytes, 64 + (tiles + kBatch) * sizeof(Tile), image);
  append_lists(lists, at.tiles, at.tails, image);
  if (dealing.grouped)
    put_first_steps<Step>(lists, at.first_steps, image, [&](std::size_t i) { return image.get<Step>(i); });
  else
    put_first_steps<std::int32_t>(lists, at.first_steps, image,
                                  [&](std::size_t i) { return col_idx(shape) ? col_idx(shape)[i] : -1; });
  return parts.empty() ? image.size() : static_cast<std::size_t>(parts.back().slot + 1) * slot_bytes;
}

}  // namespace detail

/// The plan, and behind it room for the sums of parts.
inline Workspace make_plan(const Shape& shape, const Dealing& dealing) {
  refuse_unless(row_ptr(shape) != nullptr,
                "deals out work by the lengths of block rows: the plan needs a host copy of row_ptr");
  const Places at = places(dealing);
  detail::Image image;
  image.reserve<std::byte>(at.end);
  Workspace workspace;
  if (dealing.atomic)
    detail::plan_claims(shape, dealing, at.tiles, image);
  else
    workspace.bytes = detail::plan_lists(shape, dealing, at, image);
  workspace.bytes = std::max(workspace.bytes, image.size());
  workspace.image = image.take();
  return workspace;
}

}  // namespace tilewright::bsr_spmm::wgmma
