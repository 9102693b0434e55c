// wgmma_groups.hpp - row groups of the path `wgmma`: block rows that are computed together, so that rows of B
// which several of them need are loaded once. Plain C++17.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "paths/wgmma/args.h"
#include "shape.hpp"
#include "tw/bits.hpp"
#include "tw/random.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// The block rows of a group, -1 where there are fewer.
using Rows = std::array<std::int32_t, 3>;
constexpr Rows kNoRows{-1, -1, -1};

namespace detail {

using bsr_spmm::detail::quotient_up;

/// Block rows as they are, or by falling length: those of similar length make good groups, as none waits for another's blocks.
inline std::vector<std::int32_t> rows_in_order(const Shape& shape, bool by_length) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows_of_blocks(shape)));
  std::iota(order.begin(), order.end(), 0);
  if (!by_length) return order;
  const std::int32_t* start = row_ptr(shape);
  std::stable_sort(order.begin(), order.end(), [=](std::int32_t a, std::int32_t b) {
    return start[a + 1] - start[a] > start[b + 1] - start[b];
  });
  return order;
}

/// The block columns of every block row, as bits.
class ColumnSets {
 public:
  explicit ColumnSets(const Shape& shape)
      : words_(static_cast<std::size_t>(quotient_up(columns_of_blocks(shape), 64))) {
    bits_.resize(words_ * static_cast<std::size_t>(rows_of_blocks(shape)));
    for (std::int32_t row = 0; row < rows_of_blocks(shape); ++row)
      for (std::int32_t i = row_ptr(shape)[row]; i < row_ptr(shape)[row + 1]; ++i)
        bits_[at(row) + static_cast<std::size_t>(col_idx(shape)[i] / 64)] |= std::uint64_t{1}
                                                                            << col_idx(shape)[i] % 64;
  }

  /// Words of 64 bits of a row.
  std::size_t words() const { return words_; }

  /// Block columns that one of the rows has at least: the steps of the group.
  std::int32_t united(const Rows& rows) const {
    const std::uint64_t* sets[3] = {};
    std::size_t count = 0;
    for (const std::int32_t row : rows)
      if (row >= 0) sets[count++] = of(row);
    return count == 0 ? 0 : bits::count_any(sets[0], sets[count / 2], sets[count - 1], words_);
  }

  /// Block columns that all three rows have; they may be the same.
  std::int32_t common(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return bits::count_all(of(a), of(b), of(c), words_);
  }

 private:
  std::size_t at(std::int32_t row) const { return words_ * static_cast<std::size_t>(row); }
  const std::uint64_t* of(std::int32_t row) const { return bits_.data() + at(row); }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Groups among some rows, at first as they follow one another. What rows share is counted once, for all pairs.
class Grouping {
 public:
  Grouping(const ColumnSets& sets, const std::int32_t* rows, std::size_t count, std::size_t size)
      : sets_(sets), rows_(rows, rows + count), size_(size), common_(count * count) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        common_[i * count + j] = common_[j * count + i] = sets.common(rows_[i], rows_[j], rows_[j]);
    groups_.resize((count + size - 1) / size, kNoMembers);
    for (std::size_t i = 0; i < count; ++i) groups_[i / size][i % size] = static_cast<std::int32_t>(i);
    for (const Members& group : groups_) triples_.push_back(triple(group));
  }

  /// Greedily, each group around the first row that is left: the next member is the one that shares most columns with those before it.
  void choose() {
    std::vector<std::int32_t> left(rows_.size());
    std::iota(left.begin(), left.end(), 0);
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      Members& group = groups_[at] = kNoMembers;
      for (std::size_t i = 0; i < size_ && !left.empty(); ++i) {
        const auto best = i == 0 ? left.begin() : most_shared(left, group);
        group[i] = *best;
        left.erase(best);
      }
      triples_[at] = triple(group);
    }
  }

  /// Exchanges rows between groups at random, to begin with also where that makes steps of a few more (simulated annealing).
  void anneal(std::int64_t trials) {
    constexpr double kHot = 0.6, kCold = 0.05;  // in steps
    Random random(1);                           // the same groups for the same matrix
    const auto any_of = [&](std::size_t count) {
      return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(count)));
    };
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      const double heat = kHot * static_cast<double>(trials - trial) / static_cast<double>(trials) + kCold;
      const double least = heat * std::log(random.uniform());
      exchange(any_of(groups_.size()), any_of(groups_.size()), any_of(size_), any_of(size_),
               [=](std::int32_t saved) { return saved >= least; });
    }
  }

  /// Exchanges rows between groups as long as that leaves fewer steps.
  void exchange() {
    constexpr int kPasses = 2;  // a third one saves next to nothing
    bool better = true;
    for (int pass = 0; pass < kPasses && better; ++pass) {
      better = false;
      for (std::size_t one = 1; one < groups_.size(); ++one)
        for (std::size_t other = 0; other < one; ++other)
          for (std::size_t i = 0; i < (size_ == 2 ? 1 : size_); ++i)  // two pairs have three ways to be paired
            for (std::size_t j = 0; j < size_; ++j)
              better |= exchange(one, other, i, j, [](std::int32_t saved) { return saved > 0; });
    }
  }

  std::vector<Rows> groups() const {
    std::vector<Rows> result;
    for (const Members& group : groups_) {
      Rows& rows = result.emplace_back(kNoRows);
      for (std::size_t i = 0; i < size_; ++i)
        if (group[i] >= 0) rows[i] = rows_[static_cast<std::size_t>(group[i])];
    }
    return result;
  }

 private:
  using Members = std::array<std::int32_t, 3>;  // places in rows_, -1 where there are fewer
  static constexpr Members kNoMembers{-1, -1, -1};

  /// Block columns that two have, and that all of a group have, if it is one of three. 0 where one is not there.
  std::int32_t common(std::int32_t a, std::int32_t b) const {
    return a < 0 || b < 0 ? 0 : common_[static_cast<std::size_t>(a) * rows_.size() + static_cast<std::size_t>(b)];
  }
  std::int32_t triple(const Members& group) const {
    if (group[0] < 0 || group[1] < 0 || group[2] < 0) return 0;
    const auto row = [&](std::size_t i) { return rows_[static_cast<std::size_t>(group[i])]; };
    return sets_.common(row(0), row(1), row(2));
  }

  std::vector<std::int32_t>::iterator most_shared(std::vector<std::int32_t>& left, const Members& group) const {
    auto best = left.begin();
    std::int32_t most = -1;
    for (auto one = left.begin(); one != left.end(); ++one) {
      const std::int32_t shared = common(group[0], *one) + common(group[1], *one);
      if (shared <= most) continue;  // not more without what all three have, which counts twice
      const std::int32_t exact = shared - triple({group[0], group[1], *one});
      if (exact > most) best = one, most = exact;
    }
    return best;
  }

  /// Lets member `i` of one group and `j` of another change places if the steps that this saves are accepted. A group has as many as its
  /// rows are long, less what pairs of them share, and what all three do more.
  template <class Accept>
  bool exchange(std::size_t one, std::size_t other, std::size_t i, std::size_t j, const Accept& accept) {
    if (one == other) return false;
    Members &left = groups_[one], &right = groups_[other];
    const std::int32_t a = left[i], b = right[j];
    std::int32_t saved = triples_[one] + triples_[other];
    for (std::size_t k = 0; k < size_; ++k) {
      if (k != i) saved += common(left[k], b) - common(left[k], a);
      if (k != j) saved += common(a, right[k]) - common(b, right[k]);  // the row of `a` is in a cache
    }
    if (!accept(saved)) return false;  // nor what is left of it
    std::swap(left[i], right[j]);
    const std::int32_t of_left = triple(left), of_right = triple(right);
    if (!accept(saved - of_left - of_right)) {
      std::swap(left[i], right[j]);
      return false;
    }
    triples_[one] = of_left, triples_[other] = of_right;
    return true;
  }

  const ColumnSets& sets_;
  std::vector<std::int32_t> rows_;
  std::size_t size_;
  std::vector<std::uint16_t> common_;  // of all pairs; at most 65535
  std::vector<Members> groups_;
  std::vector<std::int32_t> triples_;  // what all three rows of each share
};

/// A row's blocks by ascending column, one after the other; none of row -1.
class BlocksInOrder {
 public:
  static constexpr std::int32_t kNone = INT32_MAX;

  BlocksInOrder(const Shape& shape, std::int32_t row) : columns_(col_idx(shape)) {
    if (row < 0) return;
    block_ = row_ptr(shape)[row], end_ = row_ptr(shape)[row + 1];
    if (block_ == end_ || std::is_sorted(columns_ + block_, columns_ + end_)) return;
    order_.resize(static_cast<std::size_t>(end_ - block_));
    std::iota(order_.begin(), order_.end(), block_);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int32_t a, std::int32_t b) { return columns_[a] < columns_[b]; });
    first_ = block_;
  }

  /// Of the next block: its column, kNone behind the last; its number.
  std::int32_t column() const { return block_ == end_ ? kNone : columns_[number()]; }
  std::int32_t number() const {
    return order_.empty() ? block_ : order_[static_cast<std::size_t>(block_ - first_)];
  }
  void advance() { ++block_; }

 private:
  const std::int32_t* columns_;
  std::int32_t block_ = 0, end_ = 0, first_ = 0;
  std::vector<std::int32_t> order_;  // empty where they are stored in order
};

}  // namespace detail

/// The steps of a group: its rows merged. A column that a row has twice takes two steps.
inline std::vector<Step> steps_of(const Shape& shape, const Rows& rows) {
  using detail::BlocksInOrder;
  std::array<BlocksInOrder, 3> blocks{BlocksInOrder(shape, rows[0]), BlocksInOrder(shape, rows[1]),
                                      BlocksInOrder(shape, rows[2])};
  std::vector<Step> steps;
  for (;;) {
    Step step{BlocksInOrder::kNone, {-1, -1, -1}};
    for (const BlocksInOrder& row : blocks) step.column = std::min(step.column, row.column());
    if (step.column == BlocksInOrder::kNone) return steps;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (blocks[row].column() == step.column) {
        step.block[row] = blocks[row].number();
        blocks[row].advance();
      }
    steps.push_back(step);
  }
}

/// Rows that are grouped among themselves: in parts of about one size, so small that comparing all pairs of each takes some milliseconds.
inline std::size_t rows_of_part(const detail::ColumnSets& sets, std::size_t rows, std::size_t size) {
  constexpr std::size_t kMost = 512, kWords = 24'000'000;
  const std::size_t affordable = kWords / std::max<std::size_t>(1, rows * sets.words());
  const std::size_t most = std::clamp(affordable, 4 * size, kMost), parts = (rows + most - 1) / most;
  return (rows + parts * size - 1) / (parts * size) * size;
}

/// Groups block rows by `size`, neighbours or, if `similar`, rows that share many columns. Needs the host
/// copy of col_idx.
inline std::vector<Rows> group_rows(const Shape& shape, const detail::ColumnSets& sets, std::size_t size,
                                    bool similar) {
  const std::vector<std::int32_t> order = detail::rows_in_order(shape, similar);
  std::vector<Rows> groups;
  if (order.empty()) return groups;
  const std::size_t part = similar ? rows_of_part(sets, order.size(), size) : size;
  for (std::size_t from = 0; from < order.size(); from += part) {
    const std::size_t count = std::min(part, order.size() - from);
    detail::Grouping grouping(sets, order.data() + from, count, size);
    if (similar) {
      grouping.choose();
      // A millisecond. Of more rows so few trials would undo what was chosen.
      if (order.size() <= 256) grouping.anneal(32'000);
      grouping.exchange();
    }
    const std::vector<Rows> some = grouping.groups();
    groups.insert(groups.end(), some.begin(), some.end());
  }
  return groups;
}

}  // namespace tilewright::bsr_spmm::wgmma
