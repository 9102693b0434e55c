// ffma_stage.cuh - a warp's products of floats by multiply-adds of CUDA cores, unrounded, of a stage: a tile of each operand in
// shared memory, in either order, as those of mma_stage.cuh. Sums lie in registers as mma.sync leaves them.
//
//   tw::Sums<kTilesM, kTilesN> sums = {};
//   tw::multiply_stage<float, OperandA, OperandB, false>(sums, stage, row, stage + OperandA::kBytes, column, lane);
#pragma once
#include <type_traits>

#include "tw/mma_operands.cuh"

namespace tw {

/// Elements `k` to `k + 3` along K of `Count` neighbours, one or two, along M or N from `i` on, of a tile of `Operand`. `k` is a
/// multiple of 4, `i` one of `Count`.
template <class Operand, int Count>
TW_DEVICE void load_four(float (&to)[Count][4], const unsigned char* tile, int i, int k) {
  static_assert(Count == 1 || Count == 2, "a float, or a float2");
  if constexpr (Operand::kMajor == Major::k) {
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      const auto four = *reinterpret_cast<const float4*>(tile + swizzled<Operand::kRowBytes>(i + j, k / 4));
      to[j][0] = four.x, to[j][1] = four.y, to[j][2] = four.z, to[j][3] = four.w;
    }
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned char* const at = tile + swizzled<Operand::kRowBytes>(k + j, i / 4) + i % 4 * 4;
      if constexpr (Count == 2) {
        const auto two = *reinterpret_cast<const float2*>(at);
        to[0][j] = two.x, to[1][j] = two.y;
      } else {
        to[0][j] = *reinterpret_cast<const float*>(at);
      }
    }
  }
}

/// sums += products of the tile of `A` at `a`, from `m` on along M, and that of `B` at `b`, from `n` on along N, both 16-byte aligned.
/// `A` and `B` have `kMajor`, `kDepth` and `kRowBytes`, as OperandCopy does, and are equally deep.
template <class T, class A, class B, bool Prefetch, int TilesM, int TilesN>
TW_DEVICE void multiply_stage(float (&sums)[TilesM][TilesN][4], const unsigned char* a, int m,
                              const unsigned char* b, int n, int lane) {
  static_assert(std::is_same_v<T, float> && !Prefetch, "of floats, loaded where they are multiplied");
  static_assert(A::kDepth == B::kDepth && A::kDepth % 4 == 0, "whole vectors along K");
#pragma unroll 2  // not more: loads would move so far ahead that registers do not suffice
  for (int k = 0; k < A::kDepth; k += 4) {
    float left[2 * TilesM][1][4];  // a lane's rows of A
#pragma unroll
    for (int i = 0; i < 2 * TilesM; ++i) load_four<A>(left[i], a, m + i * 8 + lane / 4, k);
#pragma unroll
    for (int j = 0; j < TilesN; ++j) {
      float right[2][4];  // its columns of B
      load_four<B>(right, b, n + j * 8 + lane % 4 * 2, k);
#pragma unroll
      for (int at = 0; at < 4; ++at)
#pragma unroll
        for (int i = 0; i < 2 * TilesM; ++i) {
          sums[i / 2][j][i % 2 * 2] += left[i][0][at] * right[0][at];
          sums[i / 2][j][i % 2 * 2 + 1] += left[i][0][at] * right[1][at];
        }
    }
  }
}

}  // namespace tw
