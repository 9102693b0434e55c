// strides.h - where the elements of a dense operand lie, for arguments of kernels that take every layout.
#pragma once

namespace tilewright::bsr_spmm {

/// Elements from one row, one column and one product of a batch to the next.
struct Strides {
  long long row, column, product;
};
static_assert(sizeof(Strides) == 24, "one layout for host and device");

}  // namespace tilewright::bsr_spmm
