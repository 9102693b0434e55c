// mma_operands.cuh - operands of mma.sync in shared memory, swizzled (tw/swizzle.cuh), and products of them by a warp: m16n8k16
// with elements of 16 bits, m16n8k8 with floats, which are rounded to TF32. Either operand may lie K-major (rows along M or N,
// contiguous K) or MN-major (rows along K, contiguous M or N): ldmatrix transposes elements of 16 bits on their way to
// registers, floats are loaded one by one.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

using ptx::Major;

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
TW_DEVICE void load_matrices(std::uint32_t (&to)[4], std::uint32_t tile, int row, int chunk,
                             const Place& at) {
  ptx::ldmatrix_x4(to, tile + swizzled<RowBytes>(row + at.row, chunk ^ at.chunk));
}
template <int RowBytes, class Place>
TW_DEVICE void load_transposed(std::uint32_t (&to)[4], std::uint32_t tile, int row, int chunk,
                               const Place& at) {
  ptx::ldmatrix_x4_trans(to, tile + swizzled<RowBytes>(row + at.row, chunk ^ at.chunk));
}

/// Depth of an mma of elements T: two chunks of 16 bytes.
template <class T>
inline constexpr int kMmaDepth = 32 / static_cast<int>(sizeof(T));

/// 16 columns from `column` on of 8 rows of floats from `row` on, transposed: registers as for 16 x 8 elements by ldmatrix in
/// the order of `Place`.
template <int RowBytes, class Place>
TW_DEVICE void load_floats(std::uint32_t (&to)[4], std::uint32_t tile, int row, int column, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Place at(8 * i);  // of matrix i, a row of which is a column here
    const int x = column + at.row + lane / 4, y = row + at.chunk * 4 + lane % 4;
    to[i] = ptx::load_shared(tile + swizzled<RowBytes>(y, x / 4) + x % 4 * 4);
  }
}

template <class T>
TW_DEVICE void round_operand(std::uint32_t (&registers)[4]) {
  if constexpr (sizeof(T) == 4)
#pragma unroll
    for (int i = 0; i < 4; ++i) registers[i] = ptx::to_tf32(ptx::detail::bit_cast<float>(registers[i]));
}

/// Operand A of an mma tile: 16 rows from `m` on by kMmaDepth<T> from `k` on, of a tile with rows of `RowBytes` bytes.
template <class T, Major Order, int RowBytes>
TW_DEVICE void load_a(std::uint32_t (&to)[4], std::uint32_t tile, int m, int k, int lane) {
  constexpr int kChunk = 16 / static_cast<int>(sizeof(T));
  if constexpr (Order == Major::k)
    load_matrices<RowBytes>(to, tile, m, k / kChunk, DownThenRight(lane));
  else if constexpr (sizeof(T) == 4)
    load_floats<RowBytes, DownThenRight>(to, tile, k, m, lane);
  else
    load_transposed<RowBytes>(to, tile, k, m / kChunk, RightThenDown(lane));
  round_operand<T>(to);
}

/// Operand B of two neighbouring mma tiles: 16 columns from `n` on by kMmaDepth<T> from `k` on. The first has registers 0 and 1.
template <class T, Major Order, int RowBytes>
TW_DEVICE void load_b(std::uint32_t (&to)[4], std::uint32_t tile, int n, int k, int lane) {
  constexpr int kChunk = 16 / static_cast<int>(sizeof(T));
  if constexpr (Order == Major::k)
    load_matrices<RowBytes>(to, tile, n, k / kChunk, RightThenDown(lane));
  else if constexpr (sizeof(T) == 4)
    load_floats<RowBytes, RightThenDown>(to, tile, k, n, lane);
  else
    load_transposed<RowBytes>(to, tile, k, n / kChunk, DownThenRight(lane));
  round_operand<T>(to);
}

/// One mma of elements T: sums += a * b.
template <class T>
TW_DEVICE void multiply_tile(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
  if constexpr (sizeof(T) == 4)
    ptx::mma_m16n8k8_tf32(sums, a, b0, b1);
  else
    ptx::mma_m16n8k16<T>(sums, a, b0, b1);
}

/// Fragments of a warp's part of a step along K: `TilesM` x 16 rows by `TilesN` x 8 columns.
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
      multiply_tile<T>(sums[m][n], fragments.a[m], fragments.b[n / 2][n % 2 * 2],
                       fragments.b[n / 2][n % 2 * 2 + 1]);
}

}  // namespace tw
