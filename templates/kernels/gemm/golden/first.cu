// gemm.naive-e3b0
// C[M,N] = act(alpha * A[M,K] * B[K,N] + beta * C + bias), row-major, f16 or bf16
//
//   path        naive
//   element     f16
//   activation  none
//
// Rendered from naive.cu.hbs by: gen render gemm gemm.naive-e3b0
//
// Reference: one thread computes one element of C. Takes every problem; fast on none.
#include "args.h"
#include "tw/activation.cuh"
#include "tw/ptx.cuh"

namespace {

using Element = __half;
using Args = tilewright::gemm::Args<Element>;
using tilewright::Activation;

constexpr int kTileM = 8;  // rows and columns of C of a thread block
constexpr int kTileN = 32;

}  // namespace

extern "C" __global__ void __launch_bounds__(kTileM * kTileN) gemm_naive_e3b0(const Args args) {
  const int tiles_n = (args.columns + kTileN - 1) / kTileN;
  const int row = blockIdx.x / tiles_n * kTileM + threadIdx.x / kTileN;
  const int column = blockIdx.x % tiles_n * kTileN + threadIdx.x % kTileN;
  if (row >= args.rows || column >= args.columns) return;

  const Element* a = args.a + row * args.lda;
  const Element* b = args.b + column;
  double sum = 0;
  for (int k = 0; k < args.depth; ++k)
    sum += static_cast<double>(static_cast<float>(a[k])) * static_cast<float>(b[k * args.ldb]);

  Element* c = args.c + row * args.ldc + column;
  float value = args.alpha * sum;
  if (args.beta != 0) value += args.beta * static_cast<float>(*c);
  if (args.bias) value += static_cast<float>(args.bias[column]);
  *c = static_cast<Element>(tilewright::activate(Activation::none, value));
}

TW_EXPORT(gemm_naive_e3b0)
