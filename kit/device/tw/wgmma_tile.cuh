// wgmma_tile.cuh - operands of wgmma in shared memory, as TMA lays them out, and products of them by a warpgroup.
// Elements are of 16 bits. One wgmma is 64 rows along M by N columns, 16 deep.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// An operand with contiguous K: rows (along M or N) of `Depth` elements, swizzled over the whole row. Row-major A.
template <int Depth>
struct KMajor {
  static constexpr ptx::Major kMajor = ptx::Major::k;
  static constexpr int kDepth = Depth, kRowBytes = 2 * Depth;

  std::uint32_t address;  // 1024-byte aligned

  /// From row `row`, a multiple of 8, and depth `k`, a multiple of 16, on: the row's swizzle is that of its address.
  TW_MEMBER std::uint64_t descriptor(int row, int k) const {
    constexpr int kLeading = 16;  // has no meaning under a swizzle
    return ptx::wgmma_descriptor(address + row * kRowBytes + k * 2, kLeading, 8 * kRowBytes,
                                 matrix_swizzle<kRowBytes>());
  }
};

/// An operand with contiguous M or N, in panels of `Columns`, 32 or 64: `Depth` rows, swizzled over the whole row, one panel behind
/// the other. Row-major B.
template <int Depth, int Columns = 64>
struct MnMajor {
  static constexpr ptx::Major kMajor = ptx::Major::mn;
  static constexpr int kDepth = Depth, kRowBytes = 2 * Columns, kPanelBytes = kRowBytes * Depth;

  std::uint32_t address;  // 1024-byte aligned

  /// From column `column`, a multiple of a panel's, and depth `k`, a multiple of 8, on.
  TW_MEMBER std::uint64_t descriptor(int column, int k) const {
    return ptx::wgmma_descriptor(address + column / Columns * kPanelBytes + k * kRowBytes, kPanelBytes,
                                 8 * kRowBytes, matrix_swizzle<kRowBytes>());
  }
};

/// A warpgroup's accumulators of `TilesM` x `TilesN` wgmma tiles of 64 x N, tile after tile, those along N first.
/// Registers 2i and 2i + 1 of a tile are neighbours along N: AccumulatorPlace.
template <int TilesM, int TilesN, int N>
using Accumulators = float[TilesM * TilesN][N / 2];

/// Place of accumulator `i` of wgmma tile `tile`, along M and N of the warpgroup's tiles. `warp`: of the warpgroup.
template <int TilesN, int N>
struct AccumulatorPlace {
  int m, n;
  TW_MEMBER AccumulatorPlace(int tile, int i, int warp, int lane)
      : m(tile / TilesN * 64 + warp * 16 + i / 2 % 2 * 8 + lane / 4),
        n(tile % TilesN * N + i / 4 * 8 + lane % 4 * 2 + i % 2) {}
};

/// acc (+)= m * n over the operands' whole depth, asynchronously; where `accumulate` is false acc may hold anything. Behind
/// ptx::wgmma_fence; ptx::wgmma_commit and ptx::wgmma_wait follow.
template <class T, int TilesN, class OperandM, class OperandN, int Tiles, int Registers>
TW_DEVICE void multiply(float (&acc)[Tiles][Registers], const OperandM& m, const OperandN& n,
                        bool accumulate) {
  static_assert(OperandM::kDepth == OperandN::kDepth, "operands of one depth");
#pragma unroll
  for (int k = 0; k < OperandM::kDepth; k += 16)
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile)
      ptx::wgmma<T, OperandM::kMajor, OperandN::kMajor>(acc[tile], m.descriptor(tile / TilesN * 64, k),
                                                        n.descriptor(tile % TilesN * (2 * Registers), k),
                                                        accumulate || k > 0);
}

template <int Tiles, int Registers>
TW_DEVICE void clear(float (&acc)[Tiles][Registers]) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; ++i) acc[tile][i] = 0.0f;
}

template <int Tiles, int Registers>
TW_DEVICE void scale(float (&acc)[Tiles][Registers], float factor) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; ++i) acc[tile][i] *= factor;
}

/// Keeps reads of the accumulators behind the wgmma_wait before it.
template <int Tiles, int Registers>
TW_DEVICE void fence(float (&acc)[Tiles][Registers]) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) ptx::fence_registers(acc[tile]);
}

}  // namespace tw
