// bsr_spmm.naive.b64.f16.f16
// C[M,N] = alpha * A[M,K] * B[K,N] + beta * C, A in block sparse rows (BSR), B and C dense and row-major
//
//   path    naive
//   block   64
//   input   f16
//   output  f16
//
// Rendered from naive.cu.hbs by: gen render bsr-spmm bsr_spmm.naive.b64.f16.f16
//
// Reference: one thread computes one element of C. Takes every problem; fast on none.
#include "paths/naive/args.h"
#include "tw/ptx.cuh"

namespace {

using Input = __half;
using Output = __half;
using Args = tilewright::bsr_spmm::naive::Args<Input, Output>;

constexpr int kBlock = 64;  // rows and columns of a block of A
constexpr int kThreads = 256;  // of a thread block: kRows rows by kColumns columns of C
constexpr int kColumns = 32;
constexpr int kRows = kThreads / kColumns;

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
bsr_spmm_naive_b64_f16_f16(const Args args) {
  const int row = blockIdx.y * kRows + threadIdx.x / kColumns;
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  if (row >= args.rows || column >= args.columns) return;

  float sum = 0;
  for (int i = args.row_ptr[row / kBlock]; i < args.row_ptr[row / kBlock + 1]; ++i) {
    const Input* a = args.values + (static_cast<long long>(i) * kBlock + row % kBlock) * kBlock;
    const Input* b = args.b + static_cast<long long>(args.col_idx[i]) * kBlock * args.ldb + column;
    for (int k = 0; k < kBlock; ++k) sum += static_cast<float>(a[k]) * static_cast<float>(b[k * args.ldb]);
  }

  Output* c = args.c + row * args.ldc + column;
  float value = args.alpha * sum;
  if (args.beta != 0) value += args.beta * static_cast<float>(*c);
  *c = static_cast<Output>(value);
}

TW_EXPORT(bsr_spmm_naive_b64_f16_f16)
