// features.hpp - numbers beside sizes by which the library compares a call with tuned workloads; see `features` in
// operation.ts.
#pragma once
#include "shape.hpp"
#include "tw/bsr_features.hpp"

namespace tilewright::bsr_spmm::features {

/// Share of the blocks of A that are stored.
inline std::optional<double> density(const Shape& q) {
  return bsr::density(rows_of_blocks(q), columns_of_blocks(q), q.blocks);
}

/// Mean square of the lengths of block rows over the square of their mean, 1 where all are equal. Unknown without
/// blocks or a host copy of row_ptr.
inline std::optional<double> unevenness(const Shape& q) {
  return bsr::unevenness(q.host_row_ptr, q.index, rows_of_blocks(q), q.blocks);
}

/// Bytes to which every line of B and C is aligned where the first one is, 16 at most.
inline std::optional<double> alignment(const Shape& q) {
  const std::int64_t bits = (q.ldb * input_bytes(q)) | (q.ldc * output_bytes(q)) | 16;
  return static_cast<double>(bits & -bits);
}

}  // namespace tilewright::bsr_spmm::features
