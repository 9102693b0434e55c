// block_row.cuh - the blocks of a block row of A, which a warp of the path multirow loads to registers in their order, and what a
// result is made of.
#pragma once
#include "paths/multirow/args.h"
#include "tw/mma_operands.cuh"
#include "tw/staged_result.cuh"

namespace tilewright::bsr_spmm::multirow {

/// A walk along the blocks of 16 x 16 of a block row, in the order of their columns. A lane holds its part of each as an operand of
/// mma.sync: of the first, or with `Second` of the second, in which they are two tiles. Blocks behind the one at hand are on their way.
template <class Input, bool Second>
class BlockRow {
 public:
  template <class Output>
  __device__ BlockRow(const Args<Input, Output>& args, int row, int lane) : index_words_(args.index_words) {
    if (row < args.block_rows) {
      const long long at = static_cast<long long>(row) * args.index_words;
      const int first = args.row_ptr[at];
      rest_ = args.row_ptr[at + args.index_words] - first;
      column_ = args.col_idx + static_cast<long long>(first) * args.index_words;
      values_ =
          args.values + static_cast<long long>(first) * (kBlock * kBlock) + lane / 4 * kBlock + lane % 4 * 2;
    }
#pragma unroll
    for (int i = 0; i <= kAhead; ++i) load(blocks_[i]);
  }

  /// Block column of the block at hand; behind the last block one that no matrix has.
  TW_MEMBER int column() const { return blocks_[0].column; }
  TW_MEMBER const std::uint32_t (&operand() const)[4] { return blocks_[0].elements; }

  TW_MEMBER void advance() {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) blocks_[i] = blocks_[i + 1];
    load(blocks_[kAhead]);
  }

 private:
  static constexpr int kBlock = 16, kAhead = 2, kNoColumn = 0x7fffffff;

  struct Block {
    int column;
    std::uint32_t elements[4];  // two each
  };

  TW_MEMBER void load(Block& to) {
    to.column = kNoColumn;
    if (rest_ <= 0) return;
    to.column = *column_;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // Quarters of 8 x 8: the first operand has them column by column, the second row by row.
      const long long row = 8 * (Second ? i / 2 : i % 2);
      const int column = 8 * (Second ? i % 2 : i / 2);
      to.elements[i] = *reinterpret_cast<const std::uint32_t*>(values_ + row * kBlock + column);
    }
    --rest_;
    column_ += index_words_;
    values_ += kBlock * kBlock;
  }

  const int index_words_;
  int rest_ = 0;                   // blocks to load
  const int* column_ = nullptr;    // of the first of them
  const Input* values_ = nullptr;  // and this lane's first elements
  Block blocks_[kAhead + 1];
};

/// The product; with `Transposed` its rows are columns of C.
template <bool Transposed, class Input, class Output>
TW_DEVICE tw::Result<Output> result_of(const Args<Input, Output>& args) {
  const int rows = Transposed ? args.columns : args.rows, columns = Transposed ? args.rows : args.columns;
  return {args.c,          args.addend,         args.bias,
          args.ldc,        args.ld_addend,      rows,
          columns,         args.aligned_c != 0, args.aligned_addend != 0,
          args.activation, args.alpha,          args.beta};
}

}  // namespace tilewright::bsr_spmm::multirow
