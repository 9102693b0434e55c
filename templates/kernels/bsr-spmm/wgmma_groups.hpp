// wgmma_groups.hpp - row groups of the path `wgmma`: block rows that are computed together, so that rows of B
// which several of them need are loaded once. Plain C++17.
#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "paths/wgmma/args.h"
#include "wgmma_grouping.hpp"

namespace tilewright::bsr_spmm::wgmma {

namespace detail {

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

/// Each `size` block rows in a row as a group.
inline std::vector<Rows> neighbours(const Shape& shape, std::size_t size) {
  const auto rows = static_cast<std::size_t>(rows_of_blocks(shape));
  std::vector<Rows> groups((rows + size - 1) / size, kNoRows);
  for (std::size_t row = 0; row < rows; ++row)
    groups[row / size][row % size] = static_cast<std::int32_t>(row);
  return groups;
}

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

namespace detail {

/// Writes the steps of rows whose blocks are stored in order, sets.united(rows) of them: bit after bit of the columns that one of them
/// has, where each row that has it goes on to its next block. No branch depends on the pattern but at the end of a word.
inline void put_steps(const Shape& shape, const ColumnSets& sets, const Rows& rows, Step* to) {
  const std::uint64_t* columns[3];
  std::int32_t next[3];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    columns[i] = sets.of(rows[i]);
    next[i] = rows[i] < 0 ? 0 : row_ptr(shape)[rows[i]];
  }
  for (std::size_t word = 0; word < sets.words(); ++word) {
    const std::uint64_t has[3] = {columns[0][word], columns[1][word], columns[2][word]};
    for (std::uint64_t left = has[0] | has[1] | has[2]; left != 0; left &= left - 1) {
      const int bit = __builtin_ctzll(left);
      to->column = static_cast<std::int32_t>(word * 64) + bit;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto here = static_cast<std::int32_t>(has[i] >> bit & 1);
        to->block[i] = next[i] | (here - 1);  // -1 where it is not here
        next[i] += here;
      }
      ++to;
    }
  }
}

}  // namespace detail

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
  if (!similar) return detail::neighbours(shape, size);
  const std::vector<std::int32_t> order = detail::by_length(shape);
  std::vector<Rows> groups;
  if (order.empty()) return groups;
  const std::size_t part = rows_of_part(sets, order.size(), size);
  for (std::size_t from = 0; from < order.size(); from += part) {
    detail::Grouping grouping(sets, order.data() + from, std::min(part, order.size() - from), size);
    // A millisecond. Of more rows so few trials would undo what was chosen.
    if (order.size() <= 256) grouping.anneal(32'000);
    grouping.exchange();
    const std::vector<Rows> some = grouping.groups();
    groups.insert(groups.end(), some.begin(), some.end());
  }
  return groups;
}

}  // namespace tilewright::bsr_spmm::wgmma
