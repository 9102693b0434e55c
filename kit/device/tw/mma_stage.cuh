// mma_stage.cuh - a warp's products by mma.sync of a stage: a tile of each operand in shared memory, in either order.
//
//   tw::Sums<kTilesM, kTilesN> sums = {};
//   tw::multiply_stage<__half, OperandA, OperandB, kPrefetch>(sums, stage, row, stage + OperandA::kBytes, column, lane);
#pragma once
#include "tw/mma_operands.cuh"

namespace tw {

/// Fragments of A's elements from `m` on along M and of B's from `n` on along N, from `k` on along K. `A` and `B`: as multiply_stage's.
template <class T, class A, class B, int TilesM, int TilesN>
TW_DEVICE void load_stage(Fragments<TilesM, TilesN>& to, std::uint32_t a, int m, std::uint32_t b, int n,
                          int k, int lane) {
#pragma unroll
  for (int i = 0; i < TilesM; ++i) load_a<T, A::kMajor, A::kRowBytes>(to.a[i], a, m + i * 16, k, lane);
#pragma unroll
  for (int i = 0; i < TilesN / 2; ++i) load_b<T, B::kMajor, B::kRowBytes>(to.b[i], b, n + i * 16, k, lane);
}

/// sums += products of the tile of `A` at `a`, from `m` on along M, and that of `B` at `b`, from `n` on along N; both are multiples of 16.
/// `A` and `B` have `kMajor`, `kDepth` and `kRowBytes`, as OperandCopy and AsyncOperand do, and are equally deep. With `Prefetch`,
/// fragments are loaded before those in front of them are multiplied.
template <class T, class A, class B, bool Prefetch, int TilesM, int TilesN>
TW_DEVICE void multiply_stage(float (&sums)[TilesM][TilesN][4], std::uint32_t a, int m, std::uint32_t b,
                              int n, int lane) {
  constexpr int kStep = kMmaDepth<T>;
  static_assert(A::kDepth == B::kDepth && A::kDepth % kStep == 0, "whole mmas along K");
  using StepFragments = Fragments<TilesM, TilesN>;
  if constexpr (Prefetch) {
    StepFragments fragments[2];
    load_stage<T, A, B>(fragments[0], a, m, b, n, 0, lane);
#pragma unroll
    for (int k = 0; k < A::kDepth; k += kStep) {
      if (k + kStep < A::kDepth)
        load_stage<T, A, B>(fragments[k / kStep % 2 ^ 1], a, m, b, n, k + kStep, lane);
      multiply<T>(sums, fragments[k / kStep % 2]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < A::kDepth; k += kStep) {
      StepFragments fragments;
      load_stage<T, A, B>(fragments, a, m, b, n, k, lane);
      multiply<T>(sums, fragments);
    }
  }
}

}  // namespace tw
