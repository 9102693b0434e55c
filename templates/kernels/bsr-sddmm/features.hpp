// features.hpp - numbers beside sizes by which the library compares a call with tuned workloads; see `features` in
// operation.ts.
#pragma once
#include "operation.hpp"
#include "tw/bsr_features.hpp"

namespace tilewright::bsr_sddmm::features {

/// Share of the blocks of A that are stored.
inline std::optional<double> density(const Shape& q) {
  return bsr::density((q.m + q.block - 1) / q.block, (q.n + q.block - 1) / q.block, q.blocks);
}

/// Mean square of the lengths of block rows over the square of their mean, 1 where all are equal. Unknown without
/// blocks or a host copy of row_ptr.
inline std::optional<double> unevenness(const Shape& q) {
  return bsr::unevenness(q.host_row_ptr, q.index, (q.m + q.block - 1) / q.block, q.blocks);
}

}  // namespace tilewright::bsr_sddmm::features
