// block_row_copy.cuh - the operands of a block row of a block-sparse A times a dense, row-major B, copied to shared memory by
// cp.async: stages of some columns of a block of A and the rows of B that they multiply. Elements are of 16 bits.
//
//   tw::BlockRowCopy<__half, 64, 128, 32, kThreads> copy(args, row.first, row.count, n0, threadIdx.x);
//   for (int step = 0; step < row.count * copy.kStepsPerBlock; ++step) {
//     copy.load(step, stage_of(step));
//     ptx::cp_async_commit();
//   }
#pragma once
#include "tw/swizzle.cuh"

namespace tw {

/// One thread's share of the copies of a block row's stages by `Threads` threads: always the same column of its units, rows
/// kRowsPerRound apart. A stage has `Block` rows of A, each `Depth` of a block's columns, and at kBytesA `Depth` rows of B of
/// `Columns` columns, both in the layout of swizzle.cuh. `Bytes` per copy: 4, 8 or 16, to which B and its rows are aligned.
template <class T, int Block, int Columns, int Depth, int Threads, int Bytes = 16>
class BlockRowCopy {
 public:
  static constexpr int kStepsPerBlock = Block / Depth;
  static constexpr int kRowBytesA = Depth * 2, kRowBytesB = Columns * 2;
  static constexpr int kBytesA = Block * kRowBytesA, kBytes = kBytesA + Depth * kRowBytesB;

  /// The row's blocks are `count` from the block `first` on, its columns of B those from `column` on. `from` has A's blocks,
  /// `values`, each row-major, and their block columns, `col_idx`; B's address `b`, its leading dimension `ldb` and the number of its
  /// `columns`, behind which the copies bring zeros.
  template <class Operands>
  TW_MEMBER BlockRowCopy(const Operands& from, int first, int count, int column, int thread)
      : ldb_(from.ldb),
        blocks_(from.col_idx + first),
        count_(count),
        a_row_(thread / kUnitsA),
        a_unit_(thread % kUnitsA),
        b_row_(thread / kUnitsB),
        b_unit_(thread % kUnitsB) {
    const int mine = column + b_unit_ * kUnit, rest = from.columns - mine;
    b_bytes_ = rest <= 0 ? 0 : rest < kUnit ? rest * 2 : Bytes;
    a_ = from.values + static_cast<long long>(first) * Block * Block + a_row_ * Block + a_unit_ * kUnit;
    b_ = from.b + b_row_ * ldb_ + (rest > 0 ? mine : 0);
    if (count_ > 0) block_column_ = *blocks_;
  }

  /// Issues the copies of a step into the stage at `stage`. Steps must come in order, 0 first.
  TW_MEMBER void load(int step, std::uint32_t stage) {
    const int block = step / kStepsPerBlock, k = step % kStepsPerBlock * Depth;
    const T* a = a_ + static_cast<long long>(block) * Block * Block + k;
    const T* b = b_ + (static_cast<long long>(block_column_) * Block + k) * ldb_;
#pragma unroll
    for (int i = 0; i < kRoundsA; ++i)
      if (Block % kRowsPerRoundA == 0 || a_row_ + i * kRowsPerRoundA < Block)
        ptx::cp_async<Bytes>(stage + place<kRowBytesA>(a_row_ + i * kRowsPerRoundA, a_unit_),
                             a + i * kRowsPerRoundA * Block);
#pragma unroll
    for (int i = 0; i < kRoundsB; ++i)
      if (Depth % kRowsPerRoundB == 0 || b_row_ + i * kRowsPerRoundB < Depth)
        ptx::cp_async_zfill<Bytes>(stage + kBytesA + place<kRowBytesB>(b_row_ + i * kRowsPerRoundB, b_unit_),
                                   b + i * kRowsPerRoundB * ldb_, b_bytes_);
    // The column of the next step's block is on its way while this step is multiplied.
    const int next = (step + 1) / kStepsPerBlock;
    if (next < count_) block_column_ = blocks_[next];
  }

 private:
  static constexpr int kUnit = Bytes / 2;  // elements of a copy
  static constexpr int kUnitsA = Depth / kUnit, kUnitsB = Columns / kUnit;
  static constexpr int kRowsPerRoundA = Threads / kUnitsA, kRowsPerRoundB = Threads / kUnitsB;
  static constexpr int kRoundsA = (Block + kRowsPerRoundA - 1) / kRowsPerRoundA;
  static constexpr int kRoundsB = (Depth + kRowsPerRoundB - 1) / kRowsPerRoundB;
  static_assert(sizeof(T) == 2 && Block % Depth == 0, "steps within a block of 16-bit elements");
  static_assert(Threads % kUnitsA == 0 && Threads % kUnitsB == 0, "a thread keeps its column");

  template <int RowBytes>
  TW_MEMBER static int place(int row, int unit) {
    return swizzled<RowBytes>(row, unit * Bytes / 16) + unit * Bytes % 16;
  }

  long long ldb_;
  const int* blocks_;  // columns of the row's blocks
  int count_, a_row_, a_unit_, b_row_, b_unit_, b_bytes_;
  const T* a_;
  const T* b_;
  int block_column_ = 0;
};

}  // namespace tw
