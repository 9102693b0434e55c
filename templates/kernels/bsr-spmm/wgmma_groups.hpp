// wgmma_groups.hpp - row groups of the path `wgmma`: block rows that are computed together, so that rows of B
// which several of them need are loaded once. Plain C++17.
#pragma once
#include <algorithm>
#include <bitset>
#include <numeric>
#include <vector>

#include "shape.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// One block column of a group, as the kernel reads it: the number of each row's block, -1 where a row has
/// none.
struct Step {
  std::int32_t column;
  std::int32_t block[3];
};

struct Groups {
  std::vector<std::int32_t> rows;    // `size` block rows per group, -1 where there are no more
  std::vector<Step> steps;           // of all groups, by ascending column within one
  std::vector<std::int32_t> starts;  // where each group's steps start, and where the last group's end
};

namespace detail {

using bsr_spmm::detail::quotient_up;
using bsr_spmm::detail::require;

/// Block rows by falling length. Those of similar length make good groups: none waits for another's blocks.
inline std::vector<std::int32_t> by_length(const Shape& shape) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(shape.m / shape.block));
  std::iota(order.begin(), order.end(), 0);
  const std::int32_t* start = shape.row_ptr;
  std::stable_sort(order.begin(), order.end(), [=](std::int32_t a, std::int32_t b) {
    return start[a + 1] - start[a] > start[b + 1] - start[b];
  });
  return order;
}

/// Sets of block columns as bits.
class ColumnSets {
 public:
  explicit ColumnSets(const Shape& shape)
      : words_(static_cast<std::size_t>(quotient_up(shape.k / shape.block, 64))) {
    bits_.resize(words_ * static_cast<std::size_t>(shape.m / shape.block));
    for (std::int32_t row = 0; row < shape.m / shape.block; ++row)
      for (std::int32_t i = shape.row_ptr[row]; i < shape.row_ptr[row + 1]; ++i)
        of(row)[shape.col_idx[i] / 64] |= std::uint64_t{1} << shape.col_idx[i] % 64;
  }
  std::vector<std::uint64_t> copy(std::int32_t row) { return {of(row), of(row) + words_}; }
  /// Columns that are in `set` and in the row's.
  std::size_t common(const std::vector<std::uint64_t>& set, std::int32_t row) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < words_; ++i) count += std::bitset<64>(set[i] & of(row)[i]).count();
    return count;
  }
  void unite(std::vector<std::uint64_t>& set, std::int32_t row) {
    for (std::size_t i = 0; i < words_; ++i) set[i] |= of(row)[i];
  }

 private:
  std::uint64_t* of(std::int32_t row) { return bits_.data() + words_ * static_cast<std::size_t>(row); }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Puts rows in an order in which each `size` in a row share many columns: greedily, the next member of a
/// group is the one that has most columns in common with it, among the kWindow longest rows that are left.
inline std::vector<std::int32_t> by_likeness(const Shape& shape, std::size_t size) {
  constexpr std::size_t kWindow = 512;
  ColumnSets sets(shape);
  std::vector<std::int32_t> left = by_length(shape), order;
  std::vector<std::uint64_t> group;
  while (!left.empty()) {
    std::size_t best = 0;
    if (order.size() % size == 0) {
      group = sets.copy(left[0]);
    } else {
      const std::size_t end = std::min(left.size(), kWindow);
      std::vector<std::size_t> common(end);
      for (std::size_t i = 0; i < end; ++i) common[i] = sets.common(group, left[i]);
      best = static_cast<std::size_t>(std::max_element(common.begin(), common.end()) - common.begin());
      sets.unite(group, left[best]);
    }
    order.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return order;
}

/// The numbers of a row's blocks by ascending column.
inline std::vector<std::int32_t> sorted_blocks(const Shape& shape, std::int32_t row) {
  if (row < 0) return {};
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(shape.row_ptr[row + 1] - shape.row_ptr[row]));
  std::iota(blocks.begin(), blocks.end(), shape.row_ptr[row]);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::int32_t a, std::int32_t b) { return shape.col_idx[a] < shape.col_idx[b]; });
  return blocks;
}

/// Merges the rows of one group. A column that a row has twice takes two steps.
inline void append_steps(const Shape& shape, const std::int32_t* rows, std::size_t size,
                         std::vector<Step>& steps) {
  std::vector<std::vector<std::int32_t>> blocks;
  for (std::size_t row = 0; row < size; ++row) blocks.push_back(sorted_blocks(shape, rows[row]));
  std::vector<std::size_t> next(size, 0);
  constexpr std::int32_t kNone = INT32_MAX;
  const auto column = [&](std::size_t row) {
    return next[row] < blocks[row].size() ? shape.col_idx[blocks[row][next[row]]] : kNone;
  };
  for (;;) {
    Step step{kNone, {-1, -1, -1}};
    for (std::size_t row = 0; row < size; ++row) step.column = std::min(step.column, column(row));
    if (step.column == kNone) return;
    for (std::size_t row = 0; row < size; ++row)
      if (column(row) == step.column) step.block[row] = blocks[row][next[row]++];
    steps.push_back(step);
  }
}

}  // namespace detail

/// Groups block rows by `size`, neighbours or, if `similar`, rows that share many columns. Needs the host
/// copy of col_idx.
inline Groups group_rows(const Shape& shape, std::size_t size, bool similar) {
  detail::require(shape.col_idx != nullptr || shape.blocks == 0,
                  "groups block rows by their columns: the plan needs a host copy of col_idx");
  Groups groups;
  const auto rows = static_cast<std::size_t>(shape.m / shape.block);
  groups.rows.resize(rows);
  std::iota(groups.rows.begin(), groups.rows.end(), 0);
  if (similar) groups.rows = detail::by_likeness(shape, size);
  groups.rows.resize((rows + size - 1) / size * size, -1);
  groups.starts.push_back(0);
  for (std::size_t at = 0; at < groups.rows.size(); at += size) {
    detail::append_steps(shape, &groups.rows[at], size, groups.steps);
    groups.starts.push_back(static_cast<std::int32_t>(groups.steps.size()));
  }
  return groups;
}

}  // namespace tilewright::bsr_spmm::wgmma
