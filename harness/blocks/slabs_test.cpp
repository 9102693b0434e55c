// slabs.cuh: the shares of the warps of a row of blocks add up to its product, whatever their number, the layout of B and the width of indices.
#include "tw/slabs.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kBlock = 32, kBlockColumns = 7, kDepth = kBlock * kBlockColumns;
constexpr int kColumns = 11, kTilesN = 2;  // of B, in a tile of 16
constexpr int kWarps = 2, kTilesM = kBlock / 16;
/// Rows of no blocks, of fewer slabs than warps, and of several that are loaded together, the last time not all of them.
constexpr int kCounts[] = {0, 1, 5}, kRows = 3, kBlocks = 6;

struct Strides {
  long long row, column;
};
struct Target {
  const int *row_ptr, *col_idx;
  int index_words;
  Strides b_at;
  int vectors_b;
};

/// Block columns of a row in no order, each once.
int column_of(int block) { return (block * 3 + 2) % kBlockColumns; }

/// Puts indices of `words` words of 32 bits; the upper ones are none that a kernel may read.
void put_indices(const std::vector<int>& list, int words, const Buffer<int>& to) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t at = i * static_cast<std::size_t>(words);
    to[at] = list[i];
    if (words == 2) to[at + 1] = -1;
  }
}

template <int Ahead>
void run(const Config& config, int index_words, bool column_major) {
  using Slabs = tw::Slabs<__half, kBlock, Ahead, kTilesM, kTilesN>;
  const Matrix values(kBlocks * kBlock, kBlock);
  const Matrix b(column_major ? kColumns : kDepth, column_major ? kDepth : kColumns);
  const Buffer<int> row_ptr(static_cast<std::size_t>((kRows + 1) * index_words), "row_ptr");
  const Buffer<int> col_idx(static_cast<std::size_t>(kBlocks * index_words), "col_idx");
  put_indices({0, 0, 1, 6}, index_words, row_ptr);
  std::vector<int> columns;
  for (int block = 0; block < kBlocks; ++block) columns.push_back(column_of(block));
  put_indices(columns, index_words, col_idx);
  const Strides at = column_major ? Strides{1, kDepth} : Strides{kColumns, 1};
  const Target target{row_ptr.data(), col_idx.data(), index_words, at, column_major};
  constexpr int kTile = kBlock * kTilesN * 8;
  const Buffer<float> sums_of(kRows * kWarps * kTile, "sums");
  CHECK_CLEAN(launch(config, {kRows}, {32 * kWarps}, 0, {1}, [&] {
    const int row = static_cast<int>(ids->block.x), warp = static_cast<int>(ids->warp);
    const tw::SlabLane lane;
    typename Slabs::Sums sums = {};
    tw::SlabShare share = Slabs::template share_of<kWarps>(target, row, warp);
    for (; share.next < share.end; share.next += Slabs::kVectors) {
      Slabs slabs;
      slabs.load(target, &values.at(lane.row, 0), share, lane);
      slabs.multiply(sums, target, &b.at(0, 0) + lane.column * at.column, kColumns - lane.column, share.next,
                     lane);
    }
    for (int m = 0; m < kTilesM; ++m)
      for (int n = 0; n < kTilesN; ++n)
        for (int i = 0; i < 4; ++i) {
          const int down = m * 16 + i / 2 * 8 + lane.row, right = n * 8 + lane.vector * 2 + i % 2;
          sums_of[static_cast<std::size_t>(((row * kWarps + warp) * kBlock + down) * kTilesN * 8 + right)] =
              sums[m][n][i];
        }
  }));
  for (int row = 0, first = 0; row < kRows; first += kCounts[row++])
    for (int i = 0; i < kTile; ++i) {
      const int down = i / (kTilesN * 8), right = i % (kTilesN * 8);
      float expected = 0, sum = 0;
      for (int k = 0; right < kColumns && k < kCounts[row] * kBlock; ++k) {
        const int block = first + k / kBlock, depth = column_of(block) * kBlock + k % kBlock;
        const float other = column_major ? number_at(right, depth) : number_at(depth, right);
        expected += number_at(block * kBlock + down, k % kBlock) * other;
      }
      for (int warp = 0; warp < kWarps; ++warp)
        sum += sums_of[static_cast<std::size_t>((row * kWarps + warp) * kTile + i)];
      CHECK_EQ(sum, expected);
    }
}

}  // namespace

TEST_CASE("shares of a row of blocks add up to its product") {
  for (const Config& config : all_modes())
    for (const int index_words : {1, 2})
      for (const bool column_major : {false, true}) {
        run<1>(config, index_words, column_major);
        run<2>(config, index_words, column_major);
      }
}
