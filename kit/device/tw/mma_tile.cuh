// mma_tile.cuh - products of a warp by mma.sync of operands in swizzled tiles (swizzle.cuh), both row-major: A has rows of
// `Depth` elements, B has `Depth` rows. Elements are of 16 bits.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// A warp's accumulators of `Rows` x `Columns`: tiles of 16 rows, one below the other. Register i of lane t is at row
/// t / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (t % 4) + i % 2 of its tile, as a warp's share of wgmma's.
template <int Rows, int Columns>
using WarpAccumulators = float[Rows / 16][Columns / 2];

/// acc += A * B for the warp's rows from `row` on of the tile of A at `a`, and its columns from `column` on of that of B at
/// `b`, whose rows are `RowBytesB` long. `row` is a multiple of 16, as is `column`.
template <class T, int Depth, int RowBytesB, int Tiles, int Registers>
TW_DEVICE void multiply_warp(float (&acc)[Tiles][Registers], std::uint32_t a, int row, std::uint32_t b,
                             int column) {
  static_assert(Registers % 8 == 0, "columns in pairs of mma tiles");
  // Lanes 0 to 15 address the 16 rows of a fragment in its left 8 columns, lanes 16 to 31 in the right 8. The parts of a
  // chunk's number have no bit in common: joined by XOR instead of addition, constant ones become immediates.
  const int line = ptx::lane_id() % 16, half = ptx::lane_id() / 16;
#pragma unroll
  for (int k = 0; k < Depth / 16; ++k) {
    std::uint32_t left[Tiles][4], right[Registers / 8][4];
#pragma unroll
    for (int m = 0; m < Tiles; ++m)
      ptx::ldmatrix_x4(left[m], a + swizzled<2 * Depth>(row + m * 16 + line, half ^ k * 2));
#pragma unroll
    for (int n = 0; n < Registers / 8; ++n)
      ptx::ldmatrix_x4_trans(right[n], b + swizzled<RowBytesB>(k * 16 + line, column / 8 ^ half ^ n * 2));
#pragma unroll
    for (int m = 0; m < Tiles; ++m)
#pragma unroll
      for (int n = 0; n < Registers / 4; ++n)
        ptx::mma_m16n8k16<T>(reinterpret_cast<float(&)[4]>(acc[m][n * 4]), left[m], right[n / 2][n % 2 * 2],
                             right[n / 2][n % 2 * 2 + 1]);
  }
}

}  // namespace tw
