// wgmma_load_balancing.hpp - static load balancing of the path `wgmma`: each tile of C is assigned to a work list, one
// per thread block or cluster, so that all lists take about as long. Plain C++17.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "wgmma_groups.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// Parameters of the tile scheduler, from the variant and the device.
struct SchedulerParams {
  std::int64_t width;  // columns of C that a thread block, or a cluster of them, computes at a time
  std::int64_t panel;  // columns of C that are worked through before the next, a multiple of width; 0: all
  std::int64_t group;  // block rows per tile
  std::int64_t split;  // steps of a tile at most; 0: any number
  std::int64_t split_quantum;  // parts have a multiple of so many steps
  std::int64_t shares;         // warpgroups that add up parts of a tile, each for itself
  std::int64_t lists;          // thread blocks, or clusters
  std::int64_t along_k;        // thread blocks that share the steps of a list's tiles
  double epilogue;             // what a tile costs beside its steps, in steps
  bool grouped, similar;       // block rows are grouped, and by likeness
  bool longest;                // longest processing time first, to the least loaded list; else round robin
  bool atomic;                 // one work queue behind an atomic counter, for all thread blocks
  const std::int32_t* stored;  // of groups: the numbers of the blocks in values; null: they are in order

  std::size_t slot_bytes(std::int64_t block) const {
    return static_cast<std::size_t>(group * block * width * 4);
  }
};

namespace detail {

using Lists = std::vector<std::vector<Tile>>;

/// Assigns tiles to lists: longest first to the least loaded list, or round robin. Each list keeps the order of
/// `tiles`.
inline Lists assign(const SchedulerParams& params, const std::vector<Tile>& tiles) {
  Lists lists(static_cast<std::size_t>(params.lists));
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> loads;
  for (std::size_t i = 0; i < lists.size(); ++i) loads.push({0, i});
  std::size_t turn = 0;
  for (const Tile& tile : tiles) {
    if (!params.longest) {
      lists[turn++ % lists.size()].push_back(tile);
      continue;
    }
    const auto [load, list] = loads.top();
    loads.pop();
    lists[list].push_back(tile);
    loads.push({load + tile.count + params.epilogue, list});
  }
  return lists;
}

/// The groups of block rows that tiles name by their number.
class Groups {
 public:
  Groups(const Shape& shape, std::int64_t size)
      : sets(shape),
        size_(static_cast<std::ptrdiff_t>(size)),
        newest_(static_cast<std::size_t>(rows_of_blocks(shape)), -1) {}
  const ColumnSets sets;

  /// The number of a group, a new one where it is new. Rows may come in any order.
  std::int32_t of(Rows rows) {
    std::sort(rows.begin(), rows.end(), std::greater<>());  // -1 last
    std::int32_t& newest = newest_[static_cast<std::size_t>(rows[0])];
    for (std::int32_t number = newest; number >= 0; number = older_[static_cast<std::size_t>(number)])
      if (this->rows(number) == rows) return number;
    older_.push_back(newest);
    groups_.push_back(rows);
    return newest = static_cast<std::int32_t>(groups_.size()) - 1;
  }
  const Rows& rows(std::int32_t number) const { return groups_[static_cast<std::size_t>(number)]; }
  std::size_t count() const { return groups_.size(); }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  /// Cost of a group's tile, in steps of copying. Two products to a step hide behind its copies; where rows
  /// share more, products decide.
  std::int32_t weight(const Rows& rows) const {
    const std::int32_t counts[] = {sets.count(rows[0]), sets.count(rows[1]), sets.count(rows[2])};
    const std::int32_t blocks = counts[0] + counts[1] + counts[2];
    if (std::find(counts, counts + 3, blocks) != counts + 3) return blocks;  // all are of one row
    return std::max(sets.united(rows), (blocks + 1) / 2);
  }
  bool has_place(std::int32_t number) const { return rows(number)[size() - 1] < 0; }

 private:
  std::ptrdiff_t size_;  // rows of a group at most
  std::vector<Rows> groups_;
  // Groups with the same first row are a chain: the number of the newest one of each row, and of the one before each; -1: none.
  std::vector<std::int32_t> newest_, older_;
};

/// Local search on the makespan, the load of the longest list. A move exchanges a tile for a shorter one of the
/// same panel; or, where tiles are groups of rows, moves one row to a list with less load, into a group with a
/// free place or a tile of its own. Few tiles of many rows leave lists that differ by a whole tile; rows are a
/// finer measure, and cost only the columns that they shared.
class LoadBalancer {
 public:
  /// Rows stay where they are if `groups` is null.
  LoadBalancer(const SchedulerParams& params, Groups* groups, Lists& lists)
      : params_(params), groups_(groups), lists_(lists) {
    for (const std::vector<Tile>& list : lists) {
      loads_.push_back(0);
      for (const Tile& tile : list) loads_.back() += cost(tile);
    }
    const double all = std::accumulate(loads_.begin(), loads_.end(), 0.0);
    worthwhile_ = std::max(0.25, all / static_cast<double>(lists.size()) / 500);
    by_load_.resize(lists.size());
    std::iota(by_load_.begin(), by_load_.end(), std::size_t{0});
    std::sort(by_load_.begin(), by_load_.end(), IsShorter{loads_});
  }

  void run() {
    for (std::size_t round = 0; round < kRoundsPerList * lists_.size(); ++round)
      if (!shorten()) return;
  }

 private:
  static constexpr std::size_t kRoundsPerList = 16, kNone = static_cast<std::size_t>(-1);
  /// Candidate lists per round; of short lists, which are hard to balance, more as long as nothing is found.
  static constexpr std::size_t kTargets = 32, kShort = 64;

  /// Of tile `tile` in list `from`, row `member` goes to list `to`, into its tile `other` or a new one
  /// (kNone); or, without a member (kNone), the two tiles change places.
  struct Move {
    std::size_t from, tile, member, to, other;
    double load_from, load_to;  // after it
    double peak() const { return std::max(load_from, load_to); }
  };
  /// A row that may leave the longest list.
  struct Leaving {
    std::size_t tile, member;
    std::int32_t row;
    double load_from, alone;  // of the list then, and of a tile of its own
  };

  /// Order of lists: by load, and equal ones by their numbers.
  struct IsShorter {
    const std::vector<double>& loads;
    bool operator()(std::size_t a, std::size_t b) const {
      return loads[a] < loads[b] || (loads[a] == loads[b] && a < b);
    }
  };

  /// The list with most load, the first one of several.
  std::size_t longest() const {
    auto found = by_load_.end() - 1;
    while (found != by_load_.begin() && loads_[*(found - 1)] == loads_[*found]) --found;
    return *found;
  }

  bool shorten() {
    const std::size_t from = longest();
    best_.load_from = loads_[from] - worthwhile_;
    best_.load_to = 0;
    best_.to = kNone;
    const std::size_t targets =
        lists_[from].size() >= kShort ? std::min(kTargets, by_load_.size()) : by_load_.size();
    const std::vector<Leaving> rows = leaving_rows(from);
    for (std::size_t i = 0; i < targets && (i < kTargets || best_.to == kNone); ++i) {
      const std::size_t to = by_load_[i];
      if (loads_[to] >= best_.peak()) break;  // nor do lists behind it get shorter by a move
      if (to == from) continue;
      consider_exchanges(from, to);
      consider_row_moves(rows, from, to);
    }
    if (best_.to == kNone) return false;
    set_load(best_.from, best_.load_from);
    set_load(best_.to, best_.load_to);
    best_.member == kNone ? exchange(best_) : move_row(best_);
    return true;
  }

  void set_load(std::size_t list, double load) {
    const IsShorter is_shorter{loads_};
    by_load_.erase(std::lower_bound(by_load_.begin(), by_load_.end(), list, is_shorter));
    loads_[list] = load;
    by_load_.insert(std::lower_bound(by_load_.begin(), by_load_.end(), list, is_shorter), list);
  }

  void consider(const Move& move) {
    if (move.peak() < best_.peak()) best_ = move;
  }

  void consider_exchanges(std::size_t from, std::size_t to) {
    // The two lists together stay as long as they are.
    if ((loads_[from] + loads_[to]) / 2 >= best_.peak()) return;
    // Differences outside of these make neither list short enough.
    const auto least = static_cast<std::int64_t>(std::floor(loads_[from] - best_.peak()));
    const auto most = static_cast<std::int64_t>(std::ceil(best_.peak() - loads_[to]));
    const std::vector<Tile>&lefts = lists_[from], &rights = lists_[to];
    std::int64_t panel_end = -1;     // in columns
    std::size_t begin = 0, end = 0;  // of the panel's tiles in `rights`: lists have panel after panel
    for (std::size_t tile = 0; tile < lefts.size(); ++tile) {
      if (lefts[tile].column >= panel_end) {
        const std::int64_t panel_begin = begin_of_panel(lefts[tile]);
        panel_end = params_.panel == 0 ? INT64_MAX : panel_begin + params_.panel;
        for (begin = end; begin < rights.size() && rights[begin].column < panel_begin;) ++begin;
        for (end = begin; end < rights.size() && rights[end].column < panel_end;) ++end;
      }
      for (std::size_t other = begin; other < end; ++other) {
        const int difference = lefts[tile].count - rights[other].count;
        if (difference >= least && difference <= most)
          consider({from, tile, kNone, to, other, loads_[from] - difference, loads_[to] + difference});
      }
    }
  }

  std::vector<Leaving> leaving_rows(std::size_t from) {
    std::vector<Leaving> result;
    shortest_alone_ = INFINITY;
    for (std::size_t tile = 0; groups_ && tile < lists_[from].size(); ++tile)
      for (std::size_t member = 0; member < groups_->size(); ++member) {
        Rows rest = rows_of(lists_[from][tile]);
        const std::int32_t row = std::exchange(rest[member], -1);
        if (row < 0) continue;
        const double after = loads_[from] - cost(lists_[from][tile]) + cost(rest);
        if (after >= best_.peak()) continue;
        result.push_back({tile, member, row, after, cost(with(kNoRows, row))});
        shortest_alone_ = std::min(shortest_alone_, result.back().alone);
      }
    return result;
  }

  void consider_row_moves(const std::vector<Leaving>& rows, std::size_t from, std::size_t to) {
    if (rows.empty()) return;
    if (loads_[to] + shortest_alone_ < best_.peak())
      for (const Leaving& leaving : rows)
        consider(
            {from, leaving.tile, leaving.member, to, kNone, leaving.load_from, loads_[to] + leaving.alone});
    for (std::size_t other = 0; other < lists_[to].size(); ++other) {
      const Tile& tile = lists_[to][other];
      if (!groups_->has_place(tile.row)) continue;
      const double without = loads_[to] - cost(tile);
      if (without + shortest_alone_ >= best_.peak()) continue;
      // The tile gets no shorter than one of the row alone. Only where that is short enough are its steps counted.
      for (const Leaving& leaving : rows)
        if (lists_[from][leaving.tile].column == tile.column && leaving.load_from < best_.peak() &&
            without + leaving.alone < best_.peak())
          consider({from, leaving.tile, leaving.member, to, other, leaving.load_from,
                    without + cost(with(rows_of(tile), leaving.row))});
    }
  }

  void exchange(const Move& move) {
    const Tile tile = remove(move.from, move.tile), other = remove(move.to, move.other);
    insert(move.from, other);
    insert(move.to, tile);
  }

  void move_row(const Move& move) {
    const Tile tile = remove(move.from, move.tile);
    Rows rest = rows_of(tile), joined = kNoRows;
    const std::int32_t row = std::exchange(rest[move.member], -1);
    if (rest != kNoRows) insert(move.from, tile_of(rest, tile.column));
    if (move.other != kNone) joined = rows_of(remove(move.to, move.other));
    insert(move.to, tile_of(with(joined, row), tile.column));
  }

  Tile remove(std::size_t list, std::size_t at) {
    const Tile tile = lists_[list][at];
    lists_[list].erase(lists_[list].begin() + static_cast<std::ptrdiff_t>(at));
    return tile;
  }

  /// At the end of its panel.
  void insert(std::size_t list, const Tile& tile) {
    std::vector<Tile>& tiles = lists_[list];
    tiles.insert(std::upper_bound(tiles.begin(), tiles.end(), tile,
                                  [&](const Tile& a, const Tile& b) { return a.column < begin_of_panel(b); }),
                 tile);
  }

  std::int64_t begin_of_panel(const Tile& tile) const {
    return params_.panel == 0 ? 0 : tile.column / params_.panel * params_.panel;
  }
  const Rows& rows_of(const Tile& tile) const { return groups_->rows(tile.row); }
  Tile tile_of(const Rows& rows, std::int32_t column) {
    return {groups_->of(rows), column, 0, groups_->weight(rows)};
  }
  /// In steps. Of a group's tile, `count` is the group's weight.
  double cost(const Tile& tile) const { return tile.count + params_.epilogue; }
  double cost(const Rows& rows) const {
    return rows == kNoRows ? 0 : groups_->weight(rows) + params_.epilogue;
  }
  static Rows with(Rows rows, std::int32_t row) {
    *std::find(rows.begin(), rows.end(), -1) = row;
    return rows;
  }

  const SchedulerParams& params_;
  Groups* groups_;
  Lists& lists_;
  std::vector<double> loads_;         // of lists, in steps
  std::vector<std::size_t> by_load_;  // all lists, by IsShorter
  double shortest_alone_ = 0;         // of the rows that may leave the longest list
  double worthwhile_;                 // to be shorter by less is not
  Move best_{};
};

}  // namespace detail
}  // namespace tilewright::bsr_spmm::wgmma
