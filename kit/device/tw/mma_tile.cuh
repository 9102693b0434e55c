// mma_tile.cuh - products of a warp by mma.sync of operands in swizzled tiles (swizzle.cuh), both row-major: A has rows of
// `Depth` elements, B has `Depth` rows. Elements are of 16 bits.
#pragma once
#include "tw/mma_operands.cuh"

namespace tw {

/// A warp's accumulators of `Rows` x `Columns`: tiles of 16 rows, one below the other. Register i of lane t is at row
/// t / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (t % 4) + i % 2 of its tile, as a warp's share of wgmma's.
template <int Rows, int Columns>
using WarpAccumulators = float[Rows / 16][Columns / 2];

/// Fragments of A's rows from `row` on and of B's columns from `column` on, 16 deep from 16 * `k` on.
template <int Depth, int RowBytesB, int TilesM, int TilesN>
TW_DEVICE void load_fragments(Fragments<TilesM, TilesN>& to, std::uint32_t a, int row, std::uint32_t b,
                              int column, int k, std::uint32_t lane) {
  // Lanes 0 to 15 address the 16 rows of a fragment in its left 8 columns, lanes 16 to 31 in the right 8. The parts of a
  // chunk's number have no bit in common: joined by XOR instead of addition, constant ones become immediates.
  const int line = lane % 16, half = lane / 16;
#pragma unroll
  for (int m = 0; m < TilesM; ++m)
    ptx::ldmatrix_x4(to.a[m], a + swizzled<2 * Depth>(row + m * 16 + line, half ^ k * 2));
#pragma unroll
  for (int n = 0; n < TilesN / 2; ++n)
    ptx::ldmatrix_x4_trans(to.b[n], b + swizzled<RowBytesB>(k * 16 + line, column / 8 ^ half ^ n * 2));
}

/// acc += products of fragments.
template <class T, int TilesM, int TilesN, int Registers>
TW_DEVICE void multiply_fragments(float (&acc)[TilesM][Registers],
                                  const Fragments<TilesM, TilesN>& fragments) {
  static_assert(Registers == 4 * TilesN, "an accumulator for every element");
#pragma unroll
  for (int m = 0; m < TilesM; ++m)
#pragma unroll
    for (int n = 0; n < TilesN; ++n)
      ptx::mma_m16n8k16<T>(reinterpret_cast<float(&)[4]>(acc[m][n * 4]), fragments.a[m],
                           fragments.b[n / 2][n % 2 * 2], fragments.b[n / 2][n % 2 * 2 + 1]);
}

/// acc += A * B for the warp's rows from `row` on of the tile of A at `a`, and its columns from `column` on of that of B at
/// `b`, whose rows are `RowBytesB` long. `row` is a multiple of 16, as is `column`. With `Prefetch`, fragments are loaded before
/// those in front of them are multiplied. `lane`: the thread's.
template <class T, int Depth, int RowBytesB, bool Prefetch = false, int Tiles, int Registers>
TW_DEVICE void multiply_warp(float (&acc)[Tiles][Registers], std::uint32_t a, int row, std::uint32_t b,
                             int column, std::uint32_t lane = ptx::lane_id()) {
  static_assert(Registers % 8 == 0, "columns in pairs of mma tiles");
  using StepFragments = Fragments<Tiles, Registers / 4>;
  if constexpr (Prefetch) {
    StepFragments fragments[2];
    load_fragments<Depth, RowBytesB>(fragments[0], a, row, b, column, 0, lane);
#pragma unroll
    for (int k = 0; k < Depth / 16; ++k) {
      if (k + 1 < Depth / 16)
        load_fragments<Depth, RowBytesB>(fragments[(k + 1) % 2], a, row, b, column, k + 1, lane);
      multiply_fragments<T>(acc, fragments[k % 2]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < Depth / 16; ++k) {
      StepFragments fragments;
      load_fragments<Depth, RowBytesB>(fragments, a, row, b, column, k, lane);
      multiply_fragments<T>(acc, fragments);
    }
  }
}

}  // namespace tw
