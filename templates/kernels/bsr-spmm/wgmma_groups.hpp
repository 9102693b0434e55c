// wgmma_groups.hpp - row groups of the path `wgmma`: block rows that are computed together, so that rows of B
// which several of them need are loaded once. Plain C++17.
#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <numeric>
#include <vector>

#include "paths/wgmma/args.h"
#include "tw/random.hpp"
#include "shape.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// The block rows of a group, -1 where there are fewer.
using Rows = std::array<std::int32_t, 3>;
constexpr Rows kNoRows{-1, -1, -1};

namespace detail {

using bsr_spmm::detail::quotient_up;

/// Block rows by falling length. Those of similar length make good groups: none waits for another's blocks.
inline std::vector<std::int32_t> by_length(const Shape& shape) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows_of_blocks(shape)));
  std::iota(order.begin(), order.end(), 0);
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

  /// Of a row's bits, 64 each.
  std::size_t words() const { return words_; }

  /// Block columns that one of the rows has at least: the steps of the group.
  std::int32_t united(const Rows& rows) const {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = 0;
      for (const std::int32_t row : rows)
        if (row >= 0) bits |= bits_[at(row) + word];
      count += std::bitset<64>(bits).count();
    }
    return static_cast<std::int32_t>(count);
  }

 private:
  std::size_t at(std::int32_t row) const { return words_ * static_cast<std::size_t>(row); }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Puts rows in an order in which each `size` in a row share many columns: greedily, the next member of a
/// group is the one that adds fewest columns to it for its own, among the kWindow longest rows that are left.
inline std::vector<std::int32_t> by_likeness(const Shape& shape, const ColumnSets& sets, std::size_t size) {
  constexpr std::size_t kWindow = 512;
  std::vector<std::int32_t> left = by_length(shape), order;
  Rows group = kNoRows;
  while (!left.empty()) {
    const std::size_t member = order.size() % size;
    std::size_t best = 0;
    std::int32_t most = -1;
    if (member == 0) group = kNoRows;
    for (std::size_t i = 0; member > 0 && i < std::min(left.size(), kWindow); ++i) {
      group[member] = left[i];
      const std::int32_t common = row_ptr(shape)[left[i] + 1] - row_ptr(shape)[left[i]] - sets.united(group);
      if (i == 0 || common > most) best = i, most = common;
    }
    group[member] = left[best];
    order.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return order;
}

/// Each `size` rows in a row as a group.
inline std::vector<Rows> in_groups(const std::vector<std::int32_t>& order, std::size_t size) {
  std::vector<Rows> groups((order.size() + size - 1) / size, kNoRows);
  for (std::size_t i = 0; i < order.size(); ++i) groups[i / size][i % size] = order[i];
  return groups;
}

/// Exchanges rows between groups, at random, while that shortens groups; to begin with also where it makes
/// them a little longer (simulated annealing). See bench/plan.cpp for what it saves.
inline void exchange_rows(const ColumnSets& sets, std::size_t size, std::vector<Rows>& groups) {
  constexpr std::int64_t kTrialsPerRow = 1000, kMostWords = 4'000'000;  // some 80 ms at most
  constexpr double kHot = 0.6, kCold = 0.05;                            // in steps
  if (groups.size() < 2 || sets.words() == 0) return;
  const auto rows = static_cast<std::int64_t>(groups.size() * size);
  const std::int64_t trials =
      std::min(kTrialsPerRow * rows, kMostWords / static_cast<std::int64_t>(sets.words()));
  if (trials < rows) return;
  Random random(1);  // the same groups for the same matrix
  const auto any_of = [&](std::size_t count) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(count)));
  };
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    // Few trials have no time to undo what heat does.
    const double heat =
        kHot * static_cast<double>(trials - trial) / static_cast<double>(kTrialsPerRow * rows);
    Rows &one = groups[any_of(groups.size())], &other = groups[any_of(groups.size())];
    if (&one == &other) continue;
    const std::int32_t before = sets.united(one) + sets.united(other);
    std::int32_t &left = one[any_of(size)], &right = other[any_of(size)];
    std::swap(left, right);
    const std::int32_t longer = sets.united(one) + sets.united(other) - before;
    if (longer > 0 && random.uniform() > std::exp(-longer / (heat + kCold))) std::swap(left, right);
  }
}

/// The numbers of a row's blocks by ascending column.
inline std::vector<std::int32_t> sorted_blocks(const Shape& shape, std::int32_t row) {
  if (row < 0) return {};
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(row_ptr(shape)[row + 1] - row_ptr(shape)[row]));
  std::iota(blocks.begin(), blocks.end(), row_ptr(shape)[row]);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::int32_t a, std::int32_t b) { return col_idx(shape)[a] < col_idx(shape)[b]; });
  return blocks;
}

}  // namespace detail

/// The steps of a group: its rows merged. A column that a row has twice takes two steps.
inline std::vector<Step> steps_of(const Shape& shape, const Rows& rows) {
  std::array<std::vector<std::int32_t>, 3> blocks;
  for (std::size_t row = 0; row < rows.size(); ++row) blocks[row] = detail::sorted_blocks(shape, rows[row]);
  std::array<std::size_t, 3> next{};
  constexpr std::int32_t kNone = INT32_MAX;
  const auto column = [&](std::size_t row) {
    return next[row] < blocks[row].size() ? col_idx(shape)[blocks[row][next[row]]] : kNone;
  };
  std::vector<Step> steps;
  for (;;) {
    Step step{kNone, {-1, -1, -1}};
    for (std::size_t row = 0; row < rows.size(); ++row) step.column = std::min(step.column, column(row));
    if (step.column == kNone) return steps;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (column(row) == step.column) step.block[row] = blocks[row][next[row]++];
    steps.push_back(step);
  }
}

/// Groups block rows by `size`, neighbours or, if `similar`, rows that share many columns. Needs the host
/// copy of col_idx.
inline std::vector<Rows> group_rows(const Shape& shape, const detail::ColumnSets& sets, std::size_t size,
                                    bool similar) {
  if (!similar) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(rows_of_blocks(shape)));
    std::iota(order.begin(), order.end(), 0);
    return detail::in_groups(order, size);
  }
  std::vector<Rows> groups = detail::in_groups(detail::by_likeness(shape, sets, size), size);
  detail::exchange_rows(sets, size, groups);
  return groups;
}

}  // namespace tilewright::bsr_spmm::wgmma
