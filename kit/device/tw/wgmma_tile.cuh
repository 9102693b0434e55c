// wgmma_tile.cuh - operands of wgmma in shared memory, as TMA lays them out, and products of them by a warpgroup.
// Elements are of 16 bits, or of 32 (wgmma_tf32.cuh). One wgmma is 64 rows along M by N columns, 32 bytes deep.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// An operand with contiguous K: rows (along M or N) of `Depth` elements, swizzled over the whole row. Row-major A.
/// `Bytes`: of an element.
template <int Depth, int Bytes = 2>
struct KMajor {
  static constexpr ptx::Major kMajor = ptx::Major::k;
  static constexpr int kDepth = Depth, kRowBytes = Bytes * Depth;

  std::uint32_t address;  // 1024-byte aligned

  /// From row `row`, a multiple of 8, and depth `k`, a multiple of 32 bytes, on: the row's swizzle is that of its address.
  TW_MEMBER std::uint64_t descriptor(int row, int k) const {
    constexpr int kLeading = 16;  // has no meaning under a swizzle
    return ptx::wgmma_descriptor(address + row * kRowBytes + k * Bytes, kLeading, 8 * kRowBytes,
                                 matrix_swizzle<kRowBytes>());
  }
};

/// An operand with contiguous M or N, in panels of `Columns`, 64 or 128 bytes: `Depth` rows, swizzled over the whole row, one panel
/// behind the other. Row-major B. wgmma takes elements of 16 bits so.
template <int Depth, int Columns = 64, int Bytes = 2>
struct MnMajor {
  static constexpr ptx::Major kMajor = ptx::Major::mn;
  static constexpr int kDepth = Depth, kRowBytes = Bytes * Columns, kPanelBytes = kRowBytes * Depth;

  std::uint32_t address;  // 1024-byte aligned

  /// From column `column`, a multiple of a panel's, and depth `k`, a multiple of 8, on.
  TW_MEMBER std::uint64_t descriptor(int column, int k) const {
    static_assert(Bytes == 2, "K-major");
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

/// Calls `visit` with each of a thread's accumulators and the address of its place in shared memory. At `base` lie those of `Threads`
/// threads: registers in their order, of each those of all threads side by side.
template <int Threads, int Tiles, int Registers, class Visit>
TW_DEVICE void each_place(float (&acc)[Tiles][Registers], std::uint32_t base, const Visit& visit) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; ++i)
      visit(acc[tile][i], base + ((tile * Registers + i) * Threads + threadIdx.x) * 4);
}

/// Keeps reads of the accumulators behind the wgmma_wait before it.
template <int Tiles, int Registers>
TW_DEVICE void fence(float (&acc)[Tiles][Registers]) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) ptx::fence_registers(acc[tile]);
}

}  // namespace tw
