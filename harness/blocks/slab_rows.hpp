// slab_rows.hpp - what the tests of slabs.cuh and bulk_slabs.cuh have in common: rows of blocks of A, a few columns of B in either order, and the
// sums that shares of a row leave.
#pragma once
#include <numeric>

#include "block_test.hpp"

namespace blocks {

constexpr int kBlockColumns = 7;
constexpr int kColumns = 11, kTilesN = 2;  // of B, in a tile of 16
constexpr int kWarps = 2, kRows = 3;

struct Strides {
  long long row, column;
};
struct Target {
  const int *row_ptr, *col_idx;
  int index_words;
  Strides b_at;
  int vectors_b;
};

/// Block columns of a row in no order, each once in seven blocks.
inline int column_of(int block) { return (block * 3 + 2) % kBlockColumns; }

/// Puts indices of `words` words of 32 bits; the upper ones are none that a kernel may read.
inline void put_indices(const std::vector<int>& list, int words, const simt::Buffer<int>& to) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t at = i * static_cast<std::size_t>(words);
    to[at] = list[i];
    if (words == 2) to[at + 1] = -1;
  }
}

/// Rows of `counts` blocks each, of which kWarps warps sum rows `kFirst` to kFirst + RowsOfWarp - 1 of every block.
template <int Block, int RowsOfWarp>
struct SlabRows {
  static constexpr int kFirst = Block - RowsOfWarp, kDepth = Block * kBlockColumns;
  static constexpr int kTile = RowsOfWarp * kTilesN * 8;

  const std::vector<int> counts;
  const bool column_major;
  const int blocks = std::accumulate(counts.begin(), counts.end(), 0);
  const Matrix values{blocks * Block, Block};
  const Matrix b{column_major ? kColumns : kDepth, column_major ? kDepth : kColumns};
  const simt::Buffer<int> row_ptr, col_idx;
  const simt::Buffer<float> sums_of{kRows * kWarps * kTile, "sums"};
  const Target target;

  SlabRows(std::vector<int> lengths, int index_words, bool is_column_major)
      : counts(std::move(lengths)),
        column_major(is_column_major),
        row_ptr(static_cast<std::size_t>((kRows + 1) * index_words), "row_ptr"),
        col_idx(static_cast<std::size_t>(blocks * index_words), "col_idx"),
        target{row_ptr.data(), col_idx.data(), index_words,
               column_major ? Strides{1, kDepth} : Strides{kColumns, 1}, column_major} {
    std::vector<int> offsets{0}, columns;
    for (const int count : counts) offsets.push_back(offsets.back() + count);
    for (int block = 0; block < blocks; ++block) columns.push_back(column_of(block));
    put_indices(offsets, index_words, row_ptr);
    put_indices(columns, index_words, col_idx);
  }

  /// B from a column on.
  const __half* columns_from(int column) const { return &b.at(0, 0) + column * target.b_at.column; }

  /// Leaves a lane's sums of a row, as mma.sync has them.
  template <int TilesM>
  void put(int row, int warp, int lane, const float (&sums)[TilesM][kTilesN][4]) const {
    static_assert(16 * TilesM == RowsOfWarp);
    for (int m = 0; m < TilesM; ++m)
      for (int n = 0; n < kTilesN; ++n)
        for (int i = 0; i < 4; ++i) {
          const int down = m * 16 + i / 2 * 8 + lane / 4, right = n * 8 + lane % 4 * 2 + i % 2;
          sums_of[static_cast<std::size_t>((row * kWarps + warp) * kTile + down * kTilesN * 8 + right)] =
              sums[m][n][i];
        }
  }

  /// The shares add up to the rows' products.
  void check() const {
    for (int row = 0, first = 0; row < kRows; first += counts[static_cast<std::size_t>(row++)])
      for (int i = 0; i < kTile; ++i) {
        const int down = i / (kTilesN * 8), right = i % (kTilesN * 8);
        const int depth_of_row = counts[static_cast<std::size_t>(row)] * Block;
        float expected = 0, sum = 0;
        for (int k = 0; right < kColumns && k < depth_of_row; ++k) {
          const int block = first + k / Block, depth = column_of(block) * Block + k % Block;
          const float other = column_major ? number_at(right, depth) : number_at(depth, right);
          expected += number_at(block * Block + kFirst + down, k % Block) * other;
        }
        for (int warp = 0; warp < kWarps; ++warp)
          sum += sums_of[static_cast<std::size_t>((row * kWarps + warp) * kTile + i)];
        CHECK_EQ(sum, expected);
      }
  }
};

}  // namespace blocks
