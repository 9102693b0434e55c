// bsr_sddmm.naive.b16-e3b0
// A = alpha * (X[M,K] * Y[N,K]^T) + beta * A at the stored blocks of A, in block sparse rows (BSR); X and Y row-major or column-major
//
//   path    naive
//   block   16
//   input   f16
//   output  f16
//
// Rendered from naive.cu.hbs by: gen render bsr-sddmm bsr_sddmm.naive.b16-e3b0
//
// Reference: one thread computes one element of a stored block. Takes every problem; fast on none.
#include "args.h"
#include "tw/ptx.cuh"

namespace {

using Input = __half;
using Output = __half;
using Args = tilewright::bsr_sddmm::Args<Input, Output>;

constexpr int kBlock = 16;  // rows and columns of a block of A
constexpr int kThreads = 256;
constexpr int kShares = kBlock * kBlock / kThreads;  // thread blocks of a block of A
static_assert(kShares * kThreads == kBlock * kBlock, "whole thread blocks");

/// Entry `i` of row_ptr or col_idx.
TW_DEVICE int index(const Args& args, const int* list, long long i) { return list[i * args.index_words]; }

/// The block row that has stored block `block`: the last that begins at it or before.
TW_DEVICE int row_of(const Args& args, int block) {
  int first = 0, last = args.block_rows - 1;
  while (first < last) {
    const int middle = first + (last - first + 1) / 2;
    if (index(args, args.row_ptr, middle) <= block)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) bsr_sddmm_naive_b16_e3b0(const Args args) {
  const int block = blockIdx.x / kShares, element = blockIdx.x % kShares * kThreads + threadIdx.x;
  const int row = row_of(args, block) * kBlock + element / kBlock;
  const int column = index(args, args.col_idx, block) * kBlock + element % kBlock;

  const int product = blockIdx.y;  // of the batch
  const Input* const x = args.x + product * args.x_stride + row * args.x_row;
  const Input* const y = args.y + product * args.y_stride + column * args.y_row;
  double sum = 0;
  const int depth = row < args.rows && column < args.columns ? args.depth : 0;  // none behind the matrix
  for (int k = 0; k < depth; ++k)
    sum += static_cast<double>(static_cast<float>(x[k * args.x_column])) * static_cast<float>(y[k * args.y_column]);

  Output* const to = args.values + product * args.values_stride + static_cast<long long>(block) * (kBlock * kBlock) + element;
  float value = args.alpha * sum;
  if (args.beta != 0) value += args.beta * static_cast<float>(*to);
  *to = static_cast<Output>(value);
}

TW_EXPORT(bsr_sddmm_naive_b16_e3b0)
