// staging.cuh - results of a warp on their way to memory: accumulators, rounded, become rows in shared memory, and those go
// out in whole lines. Accumulators are 16 rows laid out as WarpAccumulators (mma_tile.cuh) and as a warp's share of wgmma's.
#pragma once
#include "tw/swizzle.cuh"
#include "tw/tma_tile.cuh"

namespace tw {

/// Staging of 16 rows by `Columns` columns for vectors of 16 bytes: kBytes at `base`, 16-byte aligned. Padding keeps rows in
/// other banks.
template <class T, int Columns>
struct RowStaging {
  static constexpr int kPitch = 2 * Columns + 16, kBytes = 16 * kPitch;
  static_assert(sizeof(T) == 2 && Columns % 8 == 0, "whole vectors of 16-bit elements");

  std::uint32_t base;

  /// Writes 16 rows to (row, column) on of C, `ldc` elements between rows, as far as it goes: rows x columns. `aligned`: all
  /// rows begin at multiples of 16 bytes, and so does `column`.
  template <int Registers>
  TW_MEMBER void store(T* c, long long ldc, int rows, int columns, bool aligned,
                       const float (&acc)[Registers], int row, int column) const {
    static_assert(Registers == Columns / 2, "an accumulator for every element");
    const int lane = ptx::lane_id();
    __syncwarp();  // the rows before have been read
#pragma unroll
    for (int i = 0; i < Registers; i += 2)
      ptx::store_shared(base + (lane / 4 + i / 2 % 2 * 8) * kPitch + i / 4 * 16 + lane % 4 * 4,
                        ptx::pack<T>(acc[i], acc[i + 1]));
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 16 * (Columns / 8); i += 32) {
      const int m = i / (Columns / 8), n = i % (Columns / 8) * 8;
      if (row + m < rows && column + n < columns)
        put(c + (row + m) * ldc + column + n, ptx::load_shared_v4(base + m * kPitch + n * 2),
            aligned ? columns - column - n : 0, columns - column - n);
    }
  }

 private:
  /// Stores a vector where 8 elements may be `together`, else the `count` first ones.
  TW_MEMBER static void put(T* to, const uint4& vector, int together, int count) {
    if (together >= 8) {
      *reinterpret_cast<uint4*>(to) = vector;
      return;
    }
    const T* const elements = reinterpret_cast<const T*>(&vector);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (i < count) to[i] = elements[i];
  }
};

#if TW_HAS_SM90
/// Staging for TMA: `Boxes` boxes of 16 rows by 64 columns with a 128-byte swizzle, filled in turn, so that one is filled
/// while others are copied; kBytes at `base`, 1024-byte aligned. By one warp, which issues no other bulk groups.
template <class T, int Boxes>
struct BoxStaging {
  static constexpr int kBoxBytes = 16 * 128, kBytes = Boxes * kBoxBytes;

  std::uint32_t base;

  /// Writes 16 rows to the tensor, from (row, column) on; its map has boxes of 16 rows by 64 columns. Asynchronous.
  template <int Registers>
  TW_MEMBER void store(const Tensor& to, const float (&acc)[Registers], int row, int column) const {
    static_assert(Registers / 32 % Boxes == 0, "boxes come round with every call");
#pragma unroll
    for (int i = 0; i < Registers / 32; ++i) {
      const std::uint32_t box = base + i % Boxes * kBoxBytes;
      if (ptx::lane_id() == 0) ptx::bulk_wait_read<Boxes - 1>();  // what was in it has left
      __syncwarp();
      fill(box, acc + 32 * i);
      ptx::fence_proxy_async_shared();
      __syncwarp();
      if (ptx::lane_id() != 0) continue;
      store_box(to, {column + 64 * i, row}, box);
      ptx::bulk_commit();
    }
  }

  /// Waits until all boxes have been read: shared memory must outlive the copies.
  TW_MEMBER void drain() const {
    if (ptx::lane_id() == 0) ptx::bulk_wait_read<0>();
  }

 private:
  /// 16 columns at a time, as four 8x8 matrices.
  TW_MEMBER static void fill(std::uint32_t box, const float* acc) {
    const int row = ptx::lane_id() % 16, chunk = ptx::lane_id() / 16;
#pragma unroll
    for (int i = 0; i < 32; i += 8)
      ptx::stmatrix_x4(box + swizzled<128>(row, chunk ^ i / 4),
                       {ptx::pack<T>(acc[i], acc[i + 1]), ptx::pack<T>(acc[i + 2], acc[i + 3]),
                        ptx::pack<T>(acc[i + 4], acc[i + 5]), ptx::pack<T>(acc[i + 6], acc[i + 7])});
  }
};
#endif

}  // namespace tw
