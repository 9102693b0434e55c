// wgmma_result.cuh - a warpgroup's accumulators become its share of C: straight from registers, or in boxes by
// TMA; result_lines.cuh has whole lines. Lines of C are its contiguous dimension: rows, or columns of a column-major C.
#pragma once
#include <type_traits>

#include "tw/activation.cuh"
#include "tw/swizzle.cuh"
#include "tw/tma_tile.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {

/// Places of `TilesM` x `TilesN` wgmma tiles of 64 x N in C. `Swapped`: C's columns lie along M and its rows along N; else C's rows
/// lie along M. `ColumnMajor`: of C.
template <bool Swapped, bool ColumnMajor, int TilesM, int TilesN, int N>
struct ResultLayout {
  static constexpr bool kSwapped = Swapped, kColumnMajor = ColumnMajor;
  static constexpr bool kTurned = Swapped != ColumnMajor;  // C's lines lie along M
  static constexpr int kTilesM = TilesM, kTilesN = TilesN, kN = N;
};

/// The threads that stage a part of C together: a warp.
struct StagingWarp {
  TW_MEMBER static void sync(int) { __syncwarp(); }
};

/// Warpgroup `index` of the thread block's `Count`, by named barriers from `First` on.
template <int First, int Count>
struct StagingWarpgroup {
  TW_MEMBER static void sync(int index) { ptx::bar_sync_of<First, Count, 128>(index); }
};

/// function(sum) of every accumulator.
template <tilewright::Activation Function, int Tiles, int Registers>
TW_DEVICE void activate(float (&acc)[Tiles][Registers]) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; i += 4)
      tilewright::activate_four<Function>(acc[tile][i], acc[tile][i + 1], acc[tile][i + 2], acc[tile][i + 3]);
}

/// Sums of C's rows from `row` on become results: activation(sum + bias). `target` has the `bias`, per row of C or null, and
/// the `activation`.
template <class Layout, class Target, int Tiles, int Registers>
TW_DEVICE void finish(const Target& target, float (&acc)[Tiles][Registers], int row) {
  if (target.bias) {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
      for (int i = 0; i < Registers; ++i) {
        const AccumulatorPlace<Layout::kTilesN, Layout::kN> at(tile, i, ptx::warp_id() % 4, ptx::lane_id());
        acc[tile][i] += static_cast<float>(target.bias[row + (Layout::kSwapped ? at.n : at.m)]);
      }
  }
  using tilewright::Activation;
  switch (target.activation) {
    case Activation::relu:
      return activate<Activation::relu>(acc);
    case Activation::gelu_tanh:
      return activate<Activation::gelu_tanh>(acc);
    case Activation::gelu_erf:
      return activate<Activation::gelu_erf>(acc);
    case Activation::silu:
      return activate<Activation::silu>(acc);
    case Activation::none:
      return;
  }
}

/// product + beta * C at one element; C is not read when beta is 0.
template <class T>
TW_DEVICE T add_scaled(float product, float beta, const T* c) {
  return static_cast<T>(beta == 0.0f ? product : product + beta * static_cast<float>(*c));
}

/// Two neighbours in a line of C.
template <class T>
struct alignas(2 * sizeof(T)) ResultPair {
  T first, second;
};

/// Stores sums + beta * C, the first element at (row, column) of C, straight from registers. `target` has C's address `c`, its
/// leading dimension `ldc`, the number of its `columns`, behind which nothing is stored, and `beta`.
template <class Layout, class Target, int Tiles, int Registers>
TW_DEVICE void store_accumulators(const Target& target, const float (&acc)[Tiles][Registers], int row,
                                  int column) {
  const int warp = ptx::warp_id() % 4, lane = ptx::lane_id();
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; i += 2) {
      // Place of accumulators i and i + 1 along M and N.
      const int along_m = tile / Layout::kTilesN * 64 + warp * 16 + i / 2 % 2 * 8 + lane / 4,
                along_n = tile % Layout::kTilesN * Layout::kN + i / 4 * 8 + lane % 4 * 2;
      if constexpr (Layout::kTurned && Layout::kColumnMajor) {
        auto* c = target.c + (column + along_n) * target.ldc + row + along_m;
        if (column + along_n < target.columns) c[0] = add_scaled(acc[tile][i], target.beta, c);
        if (column + along_n + 1 < target.columns)
          c[target.ldc] = add_scaled(acc[tile][i + 1], target.beta, c + target.ldc);
      } else if constexpr (Layout::kTurned) {
        if (column + along_m >= target.columns) continue;
        auto* c = target.c + (row + along_n) * target.ldc + column + along_m;
        c[0] = add_scaled(acc[tile][i], target.beta, c);
        c[target.ldc] = add_scaled(acc[tile][i + 1], target.beta, c + target.ldc);
      } else {
        const int down = Layout::kSwapped ? along_n : along_m, right = Layout::kSwapped ? along_m : along_n;
        if (column + right >= target.columns) continue;
        auto* c = Layout::kColumnMajor ? target.c + (column + right) * target.ldc + row + down
                                       : target.c + (row + down) * target.ldc + column + right;
        using Pair = ResultPair<std::remove_reference_t<decltype(*c)>>;
        *reinterpret_cast<Pair*>(c) = {add_scaled(acc[tile][i], target.beta, c),
                                       add_scaled(acc[tile][i + 1], target.beta, c + 1)};
      }
    }
}

#if TW_HAS_SM90
/// Accumulators 2i and 2i + 1 of a wgmma tile, rounded, in one register; `values`: the accumulators, or registers rounded already.
template <class T>
TW_DEVICE std::uint32_t rounded_pair(const float* values, int i) {
  return ptx::pack<T>(values[2 * i], values[2 * i + 1]);
}
template <class T>
TW_DEVICE std::uint32_t rounded_pair(const std::uint32_t* values, int i) {
  return values[i];
}

/// Staging of `Boxes` boxes for TMA, filled in turn, so that one is filled while others are copied: each kBytes, at `base`,
/// 1024-byte aligned. A box has `AlongN` elements along N: 16 lines of as many, staged by a warp; or, of a turned layout, as many lines
/// of 64 elements, staged by a warpgroup (`Threads`). The tensor map has such boxes, swizzled over whole lines.
template <class T, class Layout, class Threads, int Boxes, int AlongN>
struct ResultBoxes {
  static constexpr bool kTurned = Layout::kTurned;
  static constexpr int kLines = kTurned ? AlongN : 16, kLineBytes = 2 * (kTurned ? 64 : AlongN);
  static constexpr int kBoxBytes = kLines * kLineBytes, kBytes = Boxes * kBoxBytes;
  static constexpr int kPerTile = Layout::kN / AlongN;        // boxes to a wgmma tile
  static constexpr int kAlongN = Layout::kTilesN * kPerTile;  // boxes side by side along N
  static_assert(kLineBytes == 128 || kLineBytes == 64, "TMA's swizzle spans a line");

  std::uint32_t base;

  /// Stores the warpgroup's share of C, its first element at (row, column), asynchronously. `values`: of all wgmma tiles.
  template <class To, class Value, int Tiles, int Registers>
  TW_MEMBER void store(const To& to, const Value (&values)[Tiles][Registers], int row, int column) const {
    store_each(to, values, row, column, [](int) { return true; });
  }

  /// Stores part `part` of it: the boxes for which there is staging at once.
  template <class To, class Value, int Tiles, int Registers>
  TW_MEMBER void store_part(const To& to, const Value (&values)[Tiles][Registers], int row, int column,
                            int part) const {
    store_each(to, values, row, column, [=](int i) { return i / Boxes == part; });
  }

 private:
  /// Stores the boxes for which `wanted(i)` holds: not the loop's bounds, as `values` must be indexed by what the compiler knows.
  template <class To, class Value, int Tiles, int Registers, class Wanted>
  TW_MEMBER void store_each(const To& to, const Value (&values)[Tiles][Registers], int row, int column,
                            const Wanted& wanted) const {
    // Bulk groups belong to a thread: the one that issues the stores of a box waits for them.
    const int warpgroup = kTurned ? ptx::warp_id() / 4 : 0;
    const bool leader = (!kTurned || ptx::warp_id() % 4 == 0) && ptx::lane_id() == 0;
    const std::uint32_t staging = base + (kTurned ? warpgroup : ptx::warp_id()) * kBytes;
    if constexpr (!kTurned) {
      const int first_line = ptx::warp_id() % 4 * kLines;
      Layout::kSwapped ? column += first_line : row += first_line;
    }
#pragma unroll
    for (int i = 0; i < Tiles * kPerTile; ++i) {
      if (!wanted(i)) continue;
      const std::uint32_t box = staging + i % Boxes * kBoxBytes;
      if (leader) ptx::bulk_wait_read<Boxes - 1>();  // the box is free: its last store has read it
      Threads::sync(warpgroup);
      fill(box, values[i / kPerTile], i % kPerTile * (AlongN / 4));
      ptx::fence_proxy_async_shared();
      Threads::sync(warpgroup);
      if (!leader) continue;
      // Along M and N, and 0 where all boxes have it: `row` and `column` stay out of the loop.
      const int m = Layout::kTilesM == 1 ? 0 : i / kAlongN * 64;
      const int n = kAlongN == 1 ? 0 : Layout::kTilesM == 1 ? i * AlongN : i % kAlongN * AlongN;
      const int down = Layout::kSwapped ? n : m, right = Layout::kSwapped ? m : n;
      const int at[] = {Layout::kColumnMajor ? row + down : column + right,
                        Layout::kColumnMajor ? column + right : row + down};
      tw::store_box(to, at, box);
      ptx::bulk_commit();
    }
  }

  /// Stages values from pair `first` on, 16 elements along N at a time, as four 8x8 matrices.
  template <class Value>
  TW_MEMBER static void fill(std::uint32_t box, const Value* values, int first) {
    if constexpr (kTurned) {
      const unsigned lane = ptx::lane_id(), row = lane / 16 * 8 + lane % 8,
                     chunk = ptx::warp_id() % 4 * 2 + lane / 8 % 2;
#pragma unroll
      for (int i = 0; i < kLines; i += 16) {
        const int at = first + i / 4;
        ptx::stmatrix_x4_trans(box + swizzled<kLineBytes>(row, chunk) + i * kLineBytes,
                               {rounded_pair<T>(values, at), rounded_pair<T>(values, at + 1),
                                rounded_pair<T>(values, at + 2), rounded_pair<T>(values, at + 3)});
      }
    } else {
      const unsigned row = ptx::lane_id() % 16, chunk = ptx::lane_id() / 16;
#pragma unroll
      for (int i = 0; i < AlongN; i += 16) {
        const int at = first + i / 4;
        ptx::stmatrix_x4(box + swizzled<kLineBytes>(row, chunk + i / 8),
                         {rounded_pair<T>(values, at), rounded_pair<T>(values, at + 1),
                          rounded_pair<T>(values, at + 2), rounded_pair<T>(values, at + 3)});
      }
    }
  }
};
#endif

}  // namespace tw
