// mma_result.cuh - a warp's accumulators of mma.sync become its share of a row-major C: alpha * sums + beta * C, straight from
// registers, or in vectors of 16 bytes through shared memory. `target` has C's address `c`, its leading dimension `ldc`, the
// number of its `columns`, behind which nothing is read or stored, `alpha`, `beta`, and `aligned_c`, whether all its rows begin
// at multiples of 16 bytes. Accumulators are laid out as WarpAccumulators (mma_tile.cuh).
#pragma once
#include "tw/result_pair.cuh"

namespace tw {

/// Results of two neighbouring sums for `c`, of which `count` elements exist. With beta 0, C is not read.
template <class T, class Target>
TW_DEVICE NeighbourPair<T> finish_neighbours(const Target& target, const float* sums, const T* c, int count) {
  float left = target.alpha * sums[0], right = target.alpha * sums[1];
  if (target.beta != 0) {
    if (count > 0) left += target.beta * static_cast<float>(c[0]);
    if (count > 1) right += target.beta * static_cast<float>(c[1]);
  }
  return {static_cast<T>(left), static_cast<T>(right)};
}

/// Stores a vector of elements, or the first `count` of them where C ends or its rows are not aligned.
template <class T, class Vector>
TW_DEVICE void store_vector(T* c, const Vector& vector, int count, bool aligned) {
  constexpr int kCount = sizeof(Vector) / sizeof(T);
  if (aligned && count >= kCount) {
    *reinterpret_cast<Vector*>(c) = vector;
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < count) c[i] = reinterpret_cast<const T*>(&vector)[i];
  }
}

/// Stores a warp's share, its first element at (row, first_column + column) of C, from registers. `column` is its place in
/// a tile.
template <class Target, int Tiles, int Registers>
TW_DEVICE void store_warp(const Target& target, const float (&acc)[Tiles][Registers], int row,
                          int first_column, int column, int lane) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int n = 0; n < Registers / 4; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = first_column + column + n * 8 + lane % 4 * 2;
        auto* const c = target.c + (row + tile * 16 + half * 8 + lane / 4) * target.ldc + at;
        const float* const sums = acc[tile] + n * 4 + half * 2;
        store_vector(c, finish_neighbours(target, sums, c, target.columns - at), target.columns - at,
                     target.aligned_c);
      }
}

/// A warp's staging buffer of 16 rows by `Columns` columns: kBytes, 16-byte aligned. Padding keeps rows in other banks.
template <class T, int Columns>
struct ResultStaging {
  static constexpr int kPitch = Columns + 8, kBytes = 16 * kPitch * static_cast<int>(sizeof(T));

  /// Stores a warp's share, its first element at (row, first_column + column) of C, 16 rows at a time through `staging`.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER static void store(const Target& target, const float (&acc)[Tiles][Registers], int row,
                              int first_column, int column, int lane, unsigned char* staging) {
    static_assert(Registers == Columns / 2, "an accumulator for every element");
    constexpr int kVector = 16 / sizeof(T),
                  kVectors = Columns / kVector;  // elements of a vector, and vectors of a row
    T* const buffer = reinterpret_cast<T*>(staging);
    const int rest = target.columns - first_column - column;
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
      T* const c = target.c + (row + tile * 16) * target.ldc + first_column + column;
      __syncwarp();  // the rows before have been read
#pragma unroll
      for (int i = 0; i < Registers; i += 2) {
        const int down = i / 2 % 2 * 8 + lane / 4, right = i / 4 * 8 + lane % 4 * 2;
        *reinterpret_cast<NeighbourPair<T>*>(buffer + down * kPitch + right) =
            finish_neighbours(target, acc[tile] + i, c + down * target.ldc + right, rest - right);
      }
      __syncwarp();
#pragma unroll
      for (int i = lane; i < 16 * kVectors; i += 32) {
        const int down = i / kVectors, right = i % kVectors * kVector;
        store_vector(c + down * target.ldc + right,
                     *reinterpret_cast<const uint4*>(buffer + down * kPitch + right), rest - right,
                     target.aligned_c);
      }
    }
  }
};

}  // namespace tw
