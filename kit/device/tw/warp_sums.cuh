// warp_sums.cuh - sums of a tile of C whose products are shared: by warps of a thread block, which leave theirs in shared memory, and by
// thread blocks, which leave theirs in memory, where the last to come adds them up. Both add in a fixed order.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// Sums of WarpsM x WarpsK warps, each of TilesM x TilesN tiles of mma.sync: WarpsM below one another, WarpsK share products. At `base`
/// lie kFloats of shared memory, each warp's sums by columns. The padding keeps the banks of a fragment's columns apart.
template <int WarpsM, int WarpsK, int TilesM, int TilesN>
struct WarpSums {
  static constexpr int kWarpRows = TilesM * 16;
  static constexpr int kRows = WarpsM * kWarpRows, kColumns = TilesN * 8;  // of the tile
  static constexpr int kElements = kRows * kColumns;
  static constexpr int kPitch = kWarpRows + 4;
  static constexpr int kWarpFloats = kColumns * kPitch;
  static constexpr int kFloats = WarpsM * WarpsK * kWarpFloats;

  float* base;

  /// Row and column, within the tile, of its element number `i` in the order of C: by rows, or by columns if
  /// `target.c_by_columns`.
  struct Element {
    int row, column;

    template <class Target>
    TW_MEMBER Element(const Target& target, int i)
        : row(target.c_by_columns ? i % kRows : i / kColumns),
          column(target.c_by_columns ? i / kRows : i % kColumns) {}
  };

  /// Leaves a warp's sums; a barrier of the thread block must follow. A lane holds rows lane / 4 and lane / 4 + 8 of a 16 x 8
  /// tile, columns lane % 4 * 2 and the next.
  TW_MEMBER void put(int warp, const float (&sums)[TilesM][TilesN][4]) const {
    float* const to = base + warp * kWarpFloats;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int m = 0; m < TilesM; ++m)
#pragma unroll
      for (int n = 0; n < TilesN; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          to[(n * 8 + lane % 4 * 2 + i % 2) * kPitch + m * 16 + i / 2 * 8 + lane / 4] = sums[m][n][i];
  }

  /// The sum over the warps that share products, in their order.
  TW_MEMBER float at(const Element& at) const {
    const float* from = base + at.row / kWarpRows * kWarpFloats + at.column * kPitch + at.row % kWarpRows;
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < WarpsK; ++warp) sum += from[warp * WarpsM * kWarpFloats];
    return sum;
  }
};

/// Sums of a tile of `Elements` in `Parts` parts, each of a thread block of `Threads` threads: at `partials`, part by part.
template <int Parts, int Elements, int Threads>
struct TileParts {
  float* partials;
  int tile;

  /// Place of a part's sums.
  TW_MEMBER float* of(int part) const { return partials + part * Elements; }

  /// Stores sum_at(i) for each element i at `mine`, the place of the thread block's part. True in the thread block that comes
  /// last, which sees all. Number `tile` of `target.counters` is 0 between launches; `last` is an int of shared memory.
  template <class Target, class SumAt>
  TW_MEMBER bool comes_last(const Target& target, float* mine, int* last, const SumAt& sum_at) const {
    for (int i = threadIdx.x; i < Elements; i += Threads) mine[i] = sum_at(i);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();  // the thread block's sums before its count, the others' counts before their sums
      const unsigned before = atomicInc(&target.counters[tile], Parts - 1);
      __threadfence();
      *last = before + 1 == Parts;
    }
    __syncthreads();
    return *last;
  }

  /// The sum of all parts of element i, in their order.
  TW_MEMBER float at(int i) const {
    float sum = 0;
#pragma unroll
    for (int part = 0; part < Parts; ++part) sum += __ldcg(&partials[part * Elements + i]);
    return sum;
  }
};

}  // namespace tw
