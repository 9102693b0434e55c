// bsr_features.hpp - numbers by which calls with matrices in block sparse rows are told apart: a library compares them with
// those of tuned workloads.
#pragma once
#include <cstdint>
#include <optional>

#include "tw/operation.hpp"

namespace tilewright::bsr {

/// Share of the blocks of a matrix that are stored.
inline double density(std::int64_t block_rows, std::int64_t block_columns, std::int64_t blocks) {
  const double places = static_cast<double>(block_rows) * static_cast<double>(block_columns);
  return places > 0 ? static_cast<double>(blocks) / places : 0;
}

/// Mean square of the lengths of block rows over the square of their mean.
template <class Integer>
double unevenness(const Integer* offsets, std::int64_t block_rows) {
  double squares = 0;
  for (std::int64_t row = 0; row < block_rows; ++row) {
    const auto length = static_cast<double>(offsets[row + 1] - offsets[row]);
    squares += length * length;
  }
  const auto blocks = static_cast<double>(offsets[block_rows]);
  return squares * static_cast<double>(block_rows) / (blocks * blocks);
}

/// The same of a host copy of row_ptr, null where there is none. Unknown without it, and without blocks.
inline std::optional<double> unevenness(const void* row_ptr, Index type, std::int64_t block_rows,
                                        std::int64_t blocks) {
  if (!row_ptr || blocks == 0) return {};
  if (type == Index::i64) return unevenness(static_cast<const std::int64_t*>(row_ptr), block_rows);
  return unevenness(static_cast<const std::int32_t*>(row_ptr), block_rows);
}

}  // namespace tilewright::bsr
