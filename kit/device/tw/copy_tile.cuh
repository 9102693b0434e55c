// copy_tile.cuh - swizzled tiles of a matrix, copied into shared memory by all threads of a thread block or by some of its
// warps. What lies outside the matrix becomes zeros.
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// One thread's share of the copies of a tile of `Rows` x `Columns` elements: always the same column, rows kRowsPerRound
/// apart. Copies are of `Bytes` bytes, to which the matrix's base and rows are aligned: cp.async of 16, 8 or 4; or 2, an
/// element at a time through registers, which any operand of 16-bit elements allows.
template <class T, int Rows, int Columns, int Bytes, int Threads>
class TileCopy {
 public:
  static constexpr int kRowBytes = Columns * sizeof(T), kBytes = Rows * kRowBytes;

  TW_MEMBER explicit TileCopy(int thread) : row_(thread / kUnits), column_(thread % kUnits * kUnit) {}

  /// Issues the copies of a tile to offset `to` of `shared`, from `source`, whose rows are `stride` elements apart. Of the
  /// tile, `rows` rows and `columns` columns exist; they may be more than it has, or none.
  TW_MEMBER void copy(unsigned char* shared, int to, const T* source, long long stride, int rows,
                      int columns) const {
    const int units = min(max(columns - column_, 0), kUnit);
    const T* from = source + row_ * stride + column_;
#pragma unroll
    for (int i = 0; i < kRounds; ++i, from += kRowsPerRound * stride) {
      const int row = row_ + i * kRowsPerRound;
      if (Rows % kRowsPerRound != 0 && row >= Rows) break;
      put(shared + to + place(row), from, row < rows ? units : 0);
    }
  }

 private:
  static constexpr int kUnit = Bytes / static_cast<int>(sizeof(T)), kUnits = Columns / kUnit;
  static constexpr int kRowsPerRound = Threads / kUnits, kRounds = (Rows + kRowsPerRound - 1) / kRowsPerRound;
  static_assert(kUnit > 0 && Threads % kUnits == 0, "a thread keeps its column");

  TW_MEMBER int place(int row) const {
    const int byte = column_ * static_cast<int>(sizeof(T));
    return swizzled<kRowBytes>(row, byte / 16) + byte % 16;
  }

  /// `count` elements at `from`, and zeros for the rest of the unit.
  TW_MEMBER static void put(unsigned char* to, const T* from, int count) {
    if constexpr (Bytes >= 4)
      ptx::cp_async_zfill<Bytes>(ptx::shared_address(to), from, count * static_cast<int>(sizeof(T)));
    else
      *reinterpret_cast<T*>(to) = count > 0 ? *from : T(0.0f);
  }

  int row_, column_;
};

}  // namespace tw
