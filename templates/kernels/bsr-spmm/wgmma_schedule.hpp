// wgmma_schedule.hpp - the schedule of the path `wgmma`: C in tiles, and the work list of each multiprocessor. It
// depends on A's structure and on no address, and lies in the workspace. Plain C++17.
#pragma once
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "wgmma_load_balancing.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// Records of tiles, and steps, that a warp reads at a time, one per lane.
constexpr std::size_t kBatch = 32;

namespace detail {

constexpr Tile kEnd{0, 0, 0, -1};

/// The bytes of a schedule, as it is built. Offsets are bytes from its start and multiples of 32, the largest record's size.
class ScheduleBuilder {
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
  /// The number of the first of `values`, counted from the start of the schedule.
  template <class T>
  std::int32_t append(const std::vector<T>& values) {
    const std::size_t at = reserve<T>(values.size());
    put(at, values);
    return static_cast<std::int32_t>(at / sizeof(T));
  }
  /// Number `index` of the values of its type, counted from the start of the schedule.
  template <class T>
  T get(std::size_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  /// The values at an offset, which stay there until more are reserved.
  template <class T>
  T* at(std::size_t offset) {
    return reinterpret_cast<T*>(bytes_.data() + offset);
  }
  std::size_t size() const { return bytes_.size(); }
  /// Makes room for so many more bytes at once.
  void expect(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Work of every tile along a block row, or a group of them. `row` and `first` as in Tile, but of a group: its
/// number, and counted from its first step.
struct RowWork {
  std::int32_t row, first, count;
};

inline std::vector<RowWork> work_of_rows(const Shape& shape) {
  std::vector<RowWork> work;
  for (std::int32_t row = 0; row < rows_of_blocks(shape); ++row)
    work.push_back({row, row_ptr(shape)[row], row_ptr(shape)[row + 1] - row_ptr(shape)[row]});
  return work;
}

/// Cuts rows into tiles: panel after panel, in each row after row, the tiles of a row side by side. A tile
/// longer than `split` comes as parts of about equal length. `parts` has their records, with numbers yet to
/// be moved to their place.
class Cutter {
 public:
  Cutter(const SchedulerParams& params, std::vector<RowWork> work) : params_(params), work_(std::move(work)) {
    if (params.longest)
      std::stable_sort(work_.begin(), work_.end(),
                       [](const RowWork& a, const RowWork& b) { return a.count > b.count; });
  }

  void cut(std::int64_t columns) {
    const std::int64_t panel = params_.panel == 0 ? columns : params_.panel;
    for (std::int64_t from = 0; from < columns; from += panel)
      for (const RowWork& row : work_)
        for (std::int64_t column = from; column < std::min(from + panel, columns); column += params_.width)
          cut(row, static_cast<std::int32_t>(column));
  }

  std::vector<Tile> tiles;
  std::vector<Part> parts;

 private:
  void cut(const RowWork& row, std::int32_t column) {
    const std::int64_t most = params_.split;
    if (most == 0 || row.count <= most) {
      tiles.push_back({row.row, column, row.first, row.count});
      return;
    }
    const std::int64_t quanta = quotient_up(row.count, params_.split_quantum),
                       wanted = quotient_up(row.count, most);
    const auto length = static_cast<std::int32_t>(quotient_up(quanta, wanted) * params_.split_quantum);
    const auto count = static_cast<std::int32_t>(quotient_up(row.count, length));
    const auto slot = static_cast<std::int32_t>(parts.size());
    for (std::int32_t i = 0; i < count; ++i) {
      tiles.push_back({~static_cast<std::int32_t>(parts.size()), column, row.first + i * length,
                       std::min(length, row.count - i * length)});
      parts.push_back({row.row, slot + i, slot, count, static_cast<std::int32_t>(slot * params_.shares)});
    }
  }

  const SchedulerParams& params_;
  std::vector<RowWork> work_;
};

/// Appends the rows and the steps of the groups that tiles name, and replaces the groups' numbers by their places.
class GroupPlacer {
 public:
  /// `stored`: as SchedulerParams has it.
  GroupPlacer(const Shape& shape, const Groups& groups, const std::int32_t* stored, ScheduleBuilder& builder)
      : shape_(shape),
        groups_(groups),
        stored_(stored),
        builder_(builder),
        places_(groups.count(), kNowhere) {}

  void place(Lists& lists, std::vector<Part>& parts) {
    builder_.expect(static_cast<std::size_t>(shape_.blocks) * sizeof(Step));  // no more steps than blocks
    for (std::vector<Tile>& list : lists)
      for (Tile& tile : list) {
        if (tile.row < 0) {
          tile.first += of(parts[static_cast<std::size_t>(~tile.row)].row).first;
        } else {
          const RowWork place = of(tile.row);
          tile = {place.row, tile.column, place.first, place.count};
        }
      }
    for (Part& part : parts) part.row = of(part.row).row;
  }

 private:
  static constexpr RowWork kNowhere{-1, 0, 0};

  RowWork of(std::int32_t group) {
    RowWork& place = places_[static_cast<std::size_t>(group)];
    if (place.row < 0) {
      const Rows& rows = groups_.rows(group);
      const std::int32_t first_row = builder_.append(std::vector<std::int32_t>(
          rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(groups_.size())));
      place = append_steps(rows);
      place.row = first_row;
    }
    return place;
  }

  RowWork append_steps(const Rows& rows) {
    const bool in_order = groups_.sets.in_order(rows);
    const std::vector<Step> merged = in_order ? std::vector<Step>() : steps_of(shape_, rows);
    const auto count = in_order ? groups_.sets.united(rows) : static_cast<std::int32_t>(merged.size());
    const std::size_t offset = builder_.reserve<Step>(static_cast<std::size_t>(count));
    Step* const steps = builder_.at<Step>(offset);
    if (in_order)
      put_steps(shape_, groups_.sets, rows, steps);
    else
      std::copy(merged.begin(), merged.end(), steps);
    if (stored_) number(steps, steps + count);
    return {0, static_cast<std::int32_t>(offset / sizeof(Step)), count};
  }

  void number(Step* step, const Step* end) const {
    for (; step != end; ++step)
      for (std::int32_t& block : step->block)
        if (block >= 0) block = stored_[block];
  }

  const Shape& shape_;
  const Groups& groups_;
  const std::int32_t* stored_;
  ScheduleBuilder& builder_;
  std::vector<RowWork> places_;  // of groups, by their numbers
};

/// Places the parts in the schedule: records, counters (0), and slots for sums behind the schedule, `slot_bytes`
/// each. At most `later_bytes` may be appended afterwards.
inline void place_parts(std::vector<Part>& parts, Lists& lists, const SchedulerParams& params,
                        std::size_t slot_bytes, std::size_t later_bytes, ScheduleBuilder& builder) {
  if (parts.empty()) return;
  const std::vector<std::uint32_t> zeros(parts.size() * static_cast<std::size_t>(params.shares));
  const std::int32_t counters = builder.append(zeros);
  const std::size_t end = builder.size() + 64 + parts.size() * sizeof(Part) + later_bytes;
  const auto slots = static_cast<std::int32_t>((end + slot_bytes - 1) / slot_bytes);
  for (Part& part : parts) {
    part.slot += slots;
    part.first_slot += slots;
    part.counter += counters;
  }
  const std::int32_t records = builder.append(parts);
  for (std::vector<Tile>& list : lists)
    for (Tile& tile : list)
      if (tile.row < 0) tile.row = ~(records + ~tile.row);
}

/// Lays lists out: at `firsts` the first kBatch tiles of each; at `places` where the others follow, counted
/// in tiles from `firsts`. Behind the last there are records enough for a kernel that reads kBatch at a time.
inline void append_lists(const Lists& lists, std::size_t firsts, std::size_t places,
                         ScheduleBuilder& builder) {
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
  const std::int32_t start = builder.append(tails) - static_cast<std::int32_t>(firsts / sizeof(Tile));
  for (std::int32_t& tail : starts) tail += start;
  builder.put(firsts, heads);
  builder.put(places, starts);
}

}  // namespace detail

/// Byte offsets in a schedule, known to the launch code without the schedule.
struct ScheduleLayout {
  std::size_t tiles, tails, first_steps, end;
};

inline ScheduleLayout schedule_layout(const SchedulerParams& params) {
  const auto lists = static_cast<std::size_t>(params.lists * params.along_k);
  constexpr std::size_t kTiles = 32;  // behind the counter of the atomic schedule
  const std::size_t firsts = params.atomic ? lists : lists * kBatch;
  const std::size_t tails = kTiles + firsts * sizeof(Tile), step = params.grouped ? sizeof(Step) : 4,
                    first_steps = (tails + lists * sizeof(std::int32_t) + 31) / 32 * 32;
  return {kTiles, tails, first_steps, first_steps + lists * kBatch * step};
}

namespace detail {

/// Groups whose tiles cost no more than a list's fair load, or than the longest row's tile. Longer groups are split
/// into single rows.
inline std::vector<Rows> fitting_groups(const Shape& shape, const SchedulerParams& params,
                                        const Groups& groups) {
  const std::vector<Rows> all = group_rows(shape, groups.sets, groups.size(), params.similar);
  std::vector<std::int32_t> weights;
  double fair = 0;  // load of a list, were all alike
  std::int32_t longest = 0;
  for (const Rows& rows : all) {
    weights.push_back(groups.weight(rows));
    fair += weights.back() + params.epilogue;
    for (const std::int32_t row : rows) longest = std::max(longest, groups.sets.count(row));
  }
  fair *= static_cast<double>(quotient_up(shape.n, params.width)) / static_cast<double>(params.lists);
  const double most = std::max(fair - params.epilogue, static_cast<double>(longest));
  std::vector<Rows> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (weights[i] <= most) {
      result.push_back(all[i]);
    } else {
      for (const std::int32_t row : all[i])
        if (row >= 0) result.push_back({row, -1, -1});
    }
  return result;
}

/// Groups whose tiles stay whole: `count` is their cost, which GroupPlacer replaces by their steps.
inline std::vector<RowWork> work_of_whole_groups(const Shape& shape, const SchedulerParams& params,
                                                 Groups& groups) {
  std::vector<RowWork> work;
  for (const Rows& rows : fitting_groups(shape, params, groups))
    work.push_back({groups.of(rows), 0, groups.weight(rows)});
  return work;
}

/// Groups whose tiles may be cut into parts: `count` is their steps.
inline std::vector<RowWork> work_of_split_groups(const Shape& shape, const SchedulerParams& params,
                                                 Groups& groups) {
  std::vector<RowWork> work;
  for (const Rows& rows : group_rows(shape, groups.sets, groups.size(), params.similar))
    work.push_back({groups.of(rows), 0,
                    groups.sets.in_order(rows) ? groups.sets.united(rows)
                                               : static_cast<std::int32_t>(steps_of(shape, rows).size())});
  return work;
}

/// Each list as `along_k` lists, with equal shares of the steps of every tile: whole stages, which may be none.
inline Lists share_steps(const SchedulerParams& params, const Lists& lists) {
  Lists result;
  for (const std::vector<Tile>& list : lists)
    for (std::int64_t rank = 0; rank < params.along_k; ++rank) {
      std::vector<Tile>& share = result.emplace_back();
      for (const Tile& tile : list) {
        const std::int64_t stages = quotient_up(tile.count, params.split_quantum);
        const auto begin_of = [&](std::int64_t part) {
          return static_cast<std::int32_t>(
              std::min<std::int64_t>(tile.count, stages * part / params.along_k * params.split_quantum));
        };
        share.push_back(
            {tile.row, tile.column, tile.first + begin_of(rank), begin_of(rank + 1) - begin_of(rank)});
      }
    }
  return result;
}

/// Lists of tiles, each a block row by `width` columns, or a part of it.
inline Lists schedule_rows(const Shape& shape, const SchedulerParams& params, std::vector<Part>& parts) {
  Cutter cutter(params, work_of_rows(shape));
  cutter.cut(shape.n);
  parts = std::move(cutter.parts);
  Lists lists = assign(params, cutter.tiles);
  if (params.longest) LoadBalancer(params, nullptr, lists).run();
  return params.along_k == 1 ? lists : share_steps(params, lists);
}

/// Lists of tiles, each a group of block rows by `width` columns, or a part of it. Appends the groups to the
/// schedule.
inline Lists schedule_groups(const Shape& shape, const SchedulerParams& params, std::vector<Part>& parts,
                             ScheduleBuilder& builder) {
  refuse_unless(col_idx(shape) != nullptr || shape.blocks == 0,
                "groups block rows by their columns: the plan needs a host copy of col_idx");
  Groups groups(shape, params.group);
  const bool whole = params.split == 0;
  Cutter cutter(params, whole ? work_of_whole_groups(shape, params, groups)
                              : work_of_split_groups(shape, params, groups));
  cutter.cut(shape.n);
  parts = std::move(cutter.parts);
  Lists lists = assign(params, cutter.tiles);
  if (params.longest) LoadBalancer(params, whole ? &groups : nullptr, lists).run();
  GroupPlacer(shape, groups, params.stored, builder).place(lists, parts);
  return lists;
}

/// The first steps of every list, and 0 where its first tile has no more.
template <class T, class StepAt>
void put_first_steps(const Lists& lists, std::size_t at, ScheduleBuilder& builder, const StepAt& step_at) {
  std::vector<T> steps(lists.size() * kBatch);
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (std::size_t i = 0; i < kBatch; ++i)
      if (!lists[list].empty() && static_cast<std::int32_t>(i) < lists[list][0].count)
        steps[list * kBatch + i] = step_at(static_cast<std::size_t>(lists[list][0].first) + i);
  builder.put(at, steps);
}

/// One work queue, which begins with a tile for every thread block.
inline void schedule_queue(const Shape& shape, const SchedulerParams& params, std::size_t at,
                           ScheduleBuilder& builder) {
  Cutter cutter(params, work_of_rows(shape));
  cutter.cut(shape.n);
  cutter.tiles.resize(std::max(cutter.tiles.size(), static_cast<std::size_t>(params.lists)), kEnd);
  builder.reserve<std::byte>(cutter.tiles.size() * sizeof(Tile));
  builder.put(at, cutter.tiles);
}

/// Appends the lists, and sets where in the workspace the sums of parts are.
inline void schedule_lists(const Shape& shape, const SchedulerParams& params, const ScheduleLayout& at,
                           ScheduleBuilder& builder, Workspace& workspace) {
  std::vector<Part> parts;
  Lists lists =
      params.grouped ? schedule_groups(shape, params, parts, builder) : schedule_rows(shape, params, parts);
  std::size_t tiles = lists.size();
  for (const std::vector<Tile>& list : lists) tiles += list.size();
  const std::size_t slot_bytes = params.slot_bytes(shape.block);
  place_parts(parts, lists, params, slot_bytes, 64 + (tiles + kBatch) * sizeof(Tile), builder);
  append_lists(lists, at.tiles, at.tails, builder);
  if (params.grouped)
    put_first_steps<Step>(lists, at.first_steps, builder,
                          [&](std::size_t i) { return builder.get<Step>(i); });
  else
    put_first_steps<std::int32_t>(lists, at.first_steps, builder,
                                  [&](std::size_t i) { return col_idx(shape) ? col_idx(shape)[i] : -1; });
  if (parts.empty()) return;
  workspace.scratch_offset = static_cast<std::size_t>(parts.front().slot) * slot_bytes;
  workspace.bytes = static_cast<std::size_t>(parts.back().slot + 1) * slot_bytes;
}

}  // namespace detail

/// The schedule, and behind it room for the sums of parts.
inline Workspace make_schedule(const Shape& shape, const SchedulerParams& params) {
  refuse_unless(row_ptr(shape) != nullptr,
                "balances load by the lengths of block rows: the plan needs a host copy of row_ptr");
  const ScheduleLayout at = schedule_layout(params);
  detail::ScheduleBuilder builder;
  builder.reserve<std::byte>(at.end);
  Workspace workspace;
  if (params.atomic)
    detail::schedule_queue(shape, params, at.tiles, builder);
  else
    detail::schedule_lists(shape, params, at, builder, workspace);
  workspace.bytes = std::max(workspace.bytes, builder.size());
  workspace.contents = builder.take();
  return workspace;
}

}  // namespace tilewright::bsr_spmm::wgmma
