// mma_operands.cuh - operands of mma.sync m16n8k16 in shared memory, swizzled (tw/swizzle.cuh), and products of them by a warp.
// Either operand may lie K-major (rows along M or N, contiguous K) or MN-major (rows along K, contiguous M or N): ldmatrix
// transposes on its way to registers. Elements are of 16 bits.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

enum class Major { k, mn };

/// Place of a lane's ldmatrix row among the four 8 x 8 matrices of a 16 x 16 tile: those one below the other come first.
struct DownThenRight {
  int row, chunk;
  TW_MEMBER explicit DownThenRight(int lane) : row(lane % 16), chunk(lane / 16) {}
};
/// The same with matrices side by side first.
struct RightThenDown {
  int row, chunk;
  TW_MEMBER explicit RightThenDown(int lane) : row(lane % 8 + lane / 16 * 8), chunk(lane / 8 % 2) {}
};

/// 16 x 16 elements from row `row` and 16-byte chunk `chunk`, an even one, of a tile with rows of `RowBytes` bytes. Chunks
/// are joined by XOR instead of addition, which is the same here and makes the constant ones immediates.
template <int RowBytes, class Place>
TW_DEVICE void load_matrices(std::uint32_t (&to)[4], std::uint32_t tile, int row, int chunk, const Place& at) {
  ptx::ldmatrix_x4(to, tile + swizzled<RowBytes>(row + at.row, chunk ^ at.chunk));
}
template <int RowBytes, class Place>
TW_DEVICE void load_transposed(std::uint32_t (&to)[4], std::uint32_t tile, int row, int chunk, const Place& at) {
  ptx::ldmatrix_x4_trans(to, tile + swizzled<RowBytes>(row + at.row, chunk ^ at.chunk));
}

/// Operand A of an mma tile: 16 rows from `m` on by 16 from `k` on, of a tile with rows of `RowBytes` bytes.
template <Major Order, int RowBytes>
TW_DEVICE void load_a(std::uint32_t (&to)[4], std::uint32_t tile, int m, int k, int lane) {
  if constexpr (Order == Major::k)
    load_matrices<RowBytes>(to, tile, m, k / 8, DownThenRight(lane));
  else
    load_transposed<RowBytes>(to, tile, k, m / 8, RightThenDown(lane));
}

/// Operand B of two neighbouring mma tiles: 16 columns from `n` on by 16 from `k` on. The first has registers 0 and 1.
template <Major Order, int RowBytes>
TW_DEVICE void load_b(std::uint32_t (&to)[4], std::uint32_t tile, int n, int k, int lane) {
  if constexpr (Order == Major::k)
    load_matrices<RowBytes>(to, tile, n, k / 8, RightThenDown(lane));
  else
    load_transposed<RowBytes>(to, tile, k, n / 8, DownThenRight(lane));
}

/// Fragments of a warp's part of a step of 16 along K: `TilesM` x 16 rows by `TilesN` x 8 columns.
template <int TilesM, int TilesN>
struct Fragments {
  std::uint32_t a[TilesM][4];
  std::uint32_t b[TilesN / 2][4];  // two neighbouring mma tiles each
};

/// Accumulators of a warp. A lane holds rows lane / 4 and lane / 4 + 8 of a 16 x 8 mma tile, columns lane % 4 * 2 and the next.
template <int TilesM, int TilesN>
using Sums = float[TilesM][TilesN][4];

/// sums += a * b.
template <class T, int TilesM, int TilesN>
TW_DEVICE void multiply(float (&sums)[TilesM][TilesN][4], const Fragments<TilesM, TilesN>& fragments) {
#pragma unroll
  for (int m = 0; m < TilesM; ++m)
#pragma unroll
    for (int n = 0; n < TilesN; ++n)
      ptx::mma_m16n8k16<T>(sums[m][n], fragments.a[m], fragments.b[n / 2][n % 2 * 2], fragments.b[n / 2][n % 2 * 2 + 1]);
}

}  // namespace tw
