// bsr_spmm.naive.b64-2fac
// C[M,N] = alpha * A[M,K] * B[K,N] + beta * C, A in block sparse rows (BSR), B and C dense; B, residual and C row-major or column-major
//
//   path    naive
//   block   64
//   input   f16
//   output  f16
//
// Rendered from naive.cu.hbs by: gen render bsr-spmm bsr_spmm.naive.b64-2fac
//
// Reference: one thread computes one element of C, in fp64. Takes every problem; fast on none.
#include "paths/naive/args.h"
#include "tw/activation.cuh"
#include "tw/ptx.cuh"

namespace {

using Input = __half;
using Output = __half;
using Args = tilewright::bsr_spmm::naive::Args<Input, Output>;

constexpr int kBlock = 64;  // rows and columns of a block of A
constexpr int kThreads = 256;  // of a thread block: kRows rows by kColumns columns of C
constexpr int kColumns = 32;
constexpr int kRows = kThreads / kColumns;

/// Entry `i` of row_ptr or col_idx.
TW_DEVICE int index(const Args& args, const int* list, long long i) { return list[i * args.index_words]; }

/// Adds the products of one row of a block of op(A), at `a`, its elements `stride` apart, and the rows of B from `first` on.
TW_DEVICE void add(double& sum, const Args& args, const Input* a, long long stride, int first, const Input* b) {
  const int count = min(kBlock, args.inner - first);
  b += first * args.b_at.row;
  for (int k = 0; k < count; ++k)
    sum += static_cast<double>(static_cast<float>(a[k * stride])) * static_cast<float>(b[k * args.b_at.row]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
bsr_spmm_naive_b64_2fac(const Args args) {
  const int row = blockIdx.y * kRows + threadIdx.x / kColumns;
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  const long long product = blockIdx.z;
  if (row >= args.rows || column >= args.columns) return;

  const Input* const values = args.values + product * args.values_stride;
  const Input* const b = args.b + product * args.b_at.product + column * args.b_at.column;
  const int block_row = row / kBlock, inner_row = row % kBlock;
  double sum = 0;
  if (args.transposed_rows == 0) {
    for (int i = index(args, args.row_ptr, block_row); i < index(args, args.row_ptr, block_row + 1); ++i)
      add(sum, args, values + (static_cast<long long>(i) * kBlock + inner_row) * kBlock, 1,
          index(args, args.col_idx, i) * kBlock, b);
  } else {  // every block of A is looked at
    for (int from = 0; from < args.transposed_rows; ++from)
      for (int i = index(args, args.row_ptr, from); i < index(args, args.row_ptr, from + 1); ++i)
        if (index(args, args.col_idx, i) == block_row)
          add(sum, args, values + static_cast<long long>(i) * kBlock * kBlock + inner_row, kBlock, from * kBlock, b);
  }

  float value = args.alpha * sum;
  if (args.beta != 0) {
    const auto& at = args.addend_at;
    value += args.beta * static_cast<float>(args.addend[product * at.product + row * at.row + column * at.column]);
  }
  if (args.bias) value += static_cast<float>(args.bias[row]);
  value = tilewright::activate(args.activation, value);
  args.c[product * args.c_at.product + row * args.c_at.row + column * args.c_at.column] = static_cast<Output>(value);
}

TW_EXPORT(bsr_spmm_naive_b64_2fac)
