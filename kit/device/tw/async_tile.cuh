// async_tile.cuh - tiles of row-major matrices, copied to shared memory by cp.async into the layout of swizzle.cuh. What
// lies outside of the matrix becomes zeros.
//
//   const tw::AsyncTile<__half, 128, 64, kThreads> a(args.a, args.lda, args.rows, args.depth, threadIdx.x);
//   a.load(stage, row, column);
//   ptx::cp_async_commit();
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// One thread's share of the copies of tiles of `Rows` x `Columns` elements of 16 bits by `Threads` threads: the same
/// columns of every tile, in rows kRowsPerRound apart. `Bytes` per copy: 4, 8 or 16, to which the matrix and its rows must
/// be aligned; columns of tiles begin at multiples of that, too.
template <class T, int Rows, int Columns, int Threads, int Bytes = 16>
class AsyncTile {
 public:
  static constexpr int kRowBytes = 2 * Columns, kBytes = Rows * kRowBytes;

  /// Tiles of a matrix of `rows` x `columns` elements with `pitch` elements between rows.
  TW_MEMBER AsyncTile(const T* matrix, long long pitch, int rows, int columns, int thread)
      : matrix_(matrix),
        pitch_(pitch),
        rows_(rows),
        columns_(columns),
        row_(thread / kUnits),
        unit_(thread % kUnits) {}

  /// Issues the copies of the tile whose first element is (row, column) to the tile at `to`. May begin outside.
  TW_MEMBER void load(std::uint32_t to, int row, int column) const {
    const int first = column + unit_ * kUnit, last = min(first + kUnit, columns_);
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      const int r = row_ + i * kRowsPerRound;
      if (Rows % kRowsPerRound != 0 && r >= Rows) break;
      const bool inside = row + r < rows_ && first < last;
      const T* const from = inside ? matrix_ + (row + r) * pitch_ + first : matrix_;
      ptx::cp_async_zfill<Bytes>(to + place(r), from, inside ? 2 * (last - first) : 0);
    }
  }

 private:
  static constexpr int kUnit = Bytes / 2,
                       kUnits = Columns / kUnit;  // elements of a copy, and copies of a row
  static constexpr int kRowsPerRound = Threads / kUnits, kRounds = (Rows + kRowsPerRound - 1) / kRowsPerRound;
  static_assert(sizeof(T) == 2 && Threads % kUnits == 0, "whole rows of 16-bit elements for all threads");

  TW_MEMBER int place(int row) const {
    return swizzled<kRowBytes>(row, unit_ * Bytes / 16) + unit_ * Bytes % 16;
  }

  const T* matrix_;
  long long pitch_;
  int rows_, columns_, row_, unit_;
};

}  // namespace tw
