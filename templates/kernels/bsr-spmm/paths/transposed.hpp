// transposed.hpp - the pattern of A's transpose, for kernels of op(A): made when a plan is made, from the host's copies of the
// indices; the values stay where they are. Plain C++17.
#pragma once
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace tilewright::bsr_spmm {

/// A's transpose in block sparse rows.
struct Transpose {
  std::vector<std::int32_t> row_ptr, col_idx;
  std::vector<std::int32_t> stored;  // the number of each block among A's
};

namespace detail {

/// Entry `i` of a host copy of indices.
inline std::int64_t index_at(const Shape& shape, const void* list, std::int64_t i) {
  return shape.index == Index::i64 ? static_cast<const std::int64_t*>(list)[i]
                                   : static_cast<const std::int32_t*>(list)[i];
}

}  // namespace detail

/// Columns of A become rows: counted, then filled in the order in which blocks are stored.
inline Transpose transpose_of(const Shape& shape) {
  refuse_unless(shape.host_row_ptr && (shape.host_col_idx || shape.blocks == 0),
                "transposes the pattern of A when a plan is made: needs host copies of row_ptr and col_idx");
  const std::int64_t rows = rows_of_blocks(shape);
  const auto row_start = [&](std::int64_t row) { return detail::index_at(shape, shape.host_row_ptr, row); };
  const auto column_of = [&](std::int64_t at) {
    return static_cast<std::size_t>(detail::index_at(shape, shape.host_col_idx, at));
  };
  const std::int64_t begin = row_start(0), end = row_start(rows);
  Transpose to;
  to.row_ptr.resize(static_cast<std::size_t>(columns_of_blocks(shape)) + 1);
  for (std::int64_t at = begin; at < end; ++at) ++to.row_ptr[column_of(at) + 1];
  for (std::size_t column = 1; column < to.row_ptr.size(); ++column)
    to.row_ptr[column] += to.row_ptr[column - 1];
  to.col_idx.resize(static_cast<std::size_t>(end - begin));
  to.stored.resize(to.col_idx.size());
  std::vector<std::int32_t> next(to.row_ptr.begin(),
                                 to.row_ptr.end() - 1);  // where a column's next block goes
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t at = row_start(row); at < row_start(row + 1); ++at) {
      const auto place = static_cast<std::size_t>(next[column_of(at)]++);
      to.col_idx[place] = static_cast<std::int32_t>(row);
      to.stored[place] = static_cast<std::int32_t>(at);
    }
  return to;
}

/// The product as one of the transpose, which is not transposed itself.
inline Shape product_of(const Transpose& transpose, const Shape& shape) {
  Shape changed = shape;
  changed.m = shape.k, changed.k = shape.m;
  changed.transpose_a = Switch::no;
  changed.index = Index::i32;
  changed.host_row_ptr = transpose.row_ptr.data();
  changed.host_col_idx = transpose.col_idx.data();
  return changed;
}

}  // namespace tilewright::bsr_spmm
