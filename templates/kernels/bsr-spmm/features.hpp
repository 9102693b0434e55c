// features.hpp - numbers beside sizes by which the library compares a call with tuned workloads; see `features` in
// operation.ts.
#pragma once
#include <cstdint>
#include <optional>

#include "shape.hpp"

namespace tilewright::bsr_spmm::features {

/// Share of the blocks of A that are stored.
inline std::optional<double> density(const Shape& q) {
  const double places = static_cast<double>(rows_of_blocks(q)) * static_cast<double>(columns_of_blocks(q));
  return places > 0 ? static_cast<double>(q.blocks) / places : 0;
}

/// Mean square of the lengths of block rows over the square of their mean, 1 where all are equal. Unknown without
/// blocks or a host copy of row_ptr.
inline std::optional<double> unevenness(const Shape& q) {
  if (!q.host_row_ptr || q.index != Index::i32 || q.blocks == 0) return {};
  const auto* offsets = static_cast<const std::int32_t*>(q.host_row_ptr);
  const std::int64_t rows = rows_of_blocks(q);
  double squares = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double length = offsets[row + 1] - offsets[row];
    squares += length * length;
  }
  const auto blocks = static_cast<double>(q.blocks);
  return squares * static_cast<double>(rows) / (blocks * blocks);
}

}  // namespace tilewright::bsr_spmm::features
