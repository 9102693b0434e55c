// task.cuh - what a thread block of the path general works on, and where its arguments have it: block row of op(A) and its blocks,
// columns of C, product of a batch.
#pragma once
#include "paths/general/args.h"
#include "tw/staged_result.cuh"

namespace tilewright::bsr_spmm::general {

struct Task {
  Row row;            // block row of op(A)
  int column;         // first column of C
  long long product;  // of the batch
};

/// The task of this thread block: x counts tiles of `TileN` columns within a panel, y block rows, z panels of one product after the
/// other. Behind the last column of C there may be none: `column` is no column. It stays below 2^31, since a grid has at most 65535
/// panels along z, of 8 tiles, or one of all tiles (launch.hpp).
template <int TileN, class Input, class Output>
TW_DEVICE Task task_of(const Args<Input, Output>& args) {
  const auto row_of = [&]() -> Row {
    if (args.order) return args.order[blockIdx.y];
    const long long at = static_cast<long long>(blockIdx.y) * args.index_words;
    const int first = args.row_ptr[at];
    return {static_cast<int>(blockIdx.y), first, args.row_ptr[at + args.index_words] - first};
  };
  return {row_of(), static_cast<int>((blockIdx.z % args.panels * gridDim.x + blockIdx.x) * TileN),
          blockIdx.z / args.panels};
}

/// Block `index` of a block row of op(A); with `Transposed` the workspace lists them.
template <bool Transposed, class Input, class Output>
TW_DEVICE Block block_at(const Args<Input, Output>& args, const Row& row, int index) {
  const int at = row.first + index;
  if constexpr (Transposed)
    return args.blocks[at];
  else
    return {at, args.col_idx[static_cast<long long>(at) * args.index_words]};
}

/// A product of the batch; with `Transposed` its rows are columns of C.
template <bool Transposed, class Input, class Output>
TW_DEVICE tw::Result<Output> result_of(const Args<Input, Output>& args, long long product) {
  const long long c = product * args.c_stride, addend = product * args.addend_stride;
  const int rows = Transposed ? args.columns : args.rows, columns = Transposed ? args.rows : args.columns;
  return {args.c + c,      args.addend + addend, args.bias,
          args.ldc,        args.ld_addend,       rows,
          columns,         args.aligned_c != 0,  args.aligned_addend != 0,
          args.activation, args.alpha,           args.beta};
}

}  // namespace tilewright::bsr_spmm::general
