// wgmma_column_sets.hpp - the block columns of every block row as bits, for groups of the path `wgmma`. Plain C++17.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "shape.hpp"
#include "tw/bits.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// The block rows of a group, -1 where there are fewer.
using Rows = std::array<std::int32_t, 3>;
constexpr Rows kNoRows{-1, -1, -1};

namespace detail {

using bsr_spmm::detail::quotient_up;

/// The block columns of every block row, as bits; of row -1 none.
class ColumnSets {
 public:
  explicit ColumnSets(const Shape& shape)
      : words_(static_cast<std::size_t>(quotient_up(columns_of_blocks(shape), 64))),
        bits_(words_ * (static_cast<std::size_t>(rows_of_blocks(shape)) + 1)),
        columns_(static_cast<std::size_t>(rows_of_blocks(shape)) + 1),
        in_order_(columns_.size(), true) {
    for (std::int32_t row = 0; row < rows_of_blocks(shape); ++row)
      add(row, col_idx(shape) + row_ptr(shape)[row], row_ptr(shape)[row + 1] - row_ptr(shape)[row]);
  }

  /// Words of 64 bits of a row, and these.
  std::size_t words() const { return words_; }
  const std::uint64_t* of(std::int32_t row) const { return bits_.data() + words_ * index(row); }

  /// Block columns that a row has.
  std::int32_t count(std::int32_t row) const { return columns_[index(row)]; }

  /// Whether a row's blocks are stored by ascending column, none of them twice.
  bool in_order(std::int32_t row) const { return in_order_[index(row)]; }
  bool in_order(const Rows& rows) const {
    return in_order(rows[0]) && in_order(rows[1]) && in_order(rows[2]);
  }

  /// Block columns that one of the rows has at least: the steps of the group.
  std::int32_t united(const Rows& rows) const {
    return bits::count_any(of(rows[0]), of(rows[1]), of(rows[2]), words_);
  }

  /// Block columns that all three rows have.
  std::int32_t common(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return bits::count_all(of(a), of(b), of(c), words_);
  }

 private:
  /// Behind the last row there is an empty one.
  std::size_t index(std::int32_t row) const {
    return row < 0 ? columns_.size() - 1 : static_cast<std::size_t>(row);
  }

  void add(std::int32_t row, const std::int32_t* columns, std::int32_t count) {
    std::uint64_t* const bits = bits_.data() + words_ * index(row);
    std::int32_t before = -1;
    bool in_order = true;
    for (std::int32_t i = 0; i < count; ++i) {
      const auto column = static_cast<std::uint32_t>(columns[i]);
      bits[column / 64] |= std::uint64_t{1} << column % 64;
      in_order &= columns[i] > before;
      before = columns[i];
    }
    in_order_[index(row)] = in_order;
    columns_[index(row)] = in_order ? count : bits::count_any(bits, bits, bits, words_);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int32_t> columns_;
  std::vector<bool> in_order_;
};

}  // namespace detail
}  // namespace tilewright::bsr_spmm::wgmma
