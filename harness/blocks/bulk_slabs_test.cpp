// bulk_slabs.cuh: the shares of the warps of a row of blocks add up to its product, whatever the size of blocks, the stages, the rows of a warp,
// the layout of B and the width of indices.
#include "tw/bulk_slabs.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kBlockColumns = 7;
constexpr int kColumns = 11, kTilesN = 2;  // of B, in a tile of 16
constexpr int kWarps = 2;
/// Rows of no blocks, of fewer than warps, and of so many that every stage is filled again, the last time not wholly.
constexpr int kCounts[] = {0, 1, 17}, kRows = 3, kBlocks = 18;

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

template <int Block, int Ahead, int TilesM, int Stages>
void run(const Config& config, int index_words, bool column_major) {
  using Slabs = tw::BulkSlabs<__half, Block, Ahead, TilesM, kTilesN, Stages, kWarps>;
  constexpr int kDepth = Block * kBlockColumns, kRowsOfWarp = 16 * TilesM;
  const Matrix values(kBlocks * Block, Block);
  const Matrix b(column_major ? kColumns : kDepth, column_major ? kDepth : kColumns);
  const Buffer<int> row_ptr(static_cast<std::size_t>((kRows + 1) * index_words), "row_ptr");
  const Buffer<int> col_idx(static_cast<std::size_t>(kBlocks * index_words), "col_idx");
  put_indices({0, 0, 1, 18}, index_words, row_ptr);
  std::vector<int> columns;
  for (int block = 0; block < kBlocks; ++block) columns.push_back(column_of(block));
  put_indices(columns, index_words, col_idx);
  const Strides at = column_major ? Strides{1, kDepth} : Strides{kColumns, 1};
  const Target target{row_ptr.data(), col_idx.data(), index_words, at, column_major};
  constexpr int kTile = kRowsOfWarp * kTilesN * 8;
  const Buffer<float> sums_of(kRows * kWarps * kTile, "sums");
  constexpr int kShared = kWarps * (Slabs::kBytes + Slabs::kBarrierBytes);
  // The warps have the last rows of their blocks.
  constexpr int kFirst = Block - kRowsOfWarp;
  CHECK_CLEAN(launch(config, {kRows}, {32 * kWarps}, kShared, {1}, [&] {
    TW_SHARED(bytes);
    const int row = static_cast<int>(ids->block.x), warp = static_cast<int>(ids->warp);
    const tw::SlabLane lane;
    const std::uint32_t shared = ptx::shared_address(bytes);
    const Slabs slabs{
        shared + static_cast<std::uint32_t>(warp * Slabs::kBytes),
        shared + static_cast<std::uint32_t>(kWarps * Slabs::kBytes + warp * Slabs::kBarrierBytes)};
    typename Slabs::Sums sums = {};
    tw::BlockShare share = Slabs::share_of(target, row, warp);
    const __half* const first = &values.at(kFirst, 0);
    slabs.begin(first, share);
    for (typename Slabs::State stage; share.next < share.end; share.next += Slabs::kStep, stage.advance()) {
      typename Slabs::Right right;
      Slabs::load_right(right, target, &b.at(0, 0) + lane.column * at.column, kColumns - lane.column, share,
                        lane);
      slabs.multiply(sums, right, first, share, stage, lane);
    }
    for (int m = 0; m < TilesM; ++m)
      for (int n = 0; n < kTilesN; ++n)
        for (int i = 0; i < 4; ++i) {
          const int down = m * 16 + i / 2 * 8 + lane.row, right = n * 8 + lane.vector * 2 + i % 2;
          sums_of[static_cast<std::size_t>(((row * kWarps + warp) * kRowsOfWarp + down) * kTilesN * 8 +
                                           right)] = sums[m][n][i];
        }
  }));
  for (int row = 0, first = 0; row < kRows; first += kCounts[row++])
    for (int i = 0; i < kTile; ++i) {
      const int down = i / (kTilesN * 8), right = i % (kTilesN * 8);
      float expected = 0, sum = 0;
      for (int k = 0; right < kColumns && k < kCounts[row] * Block; ++k) {
        const int block = first + k / Block, depth = column_of(block) * Block + k % Block;
        const float other = column_major ? number_at(right, depth) : number_at(depth, right);
        expected += number_at(block * Block + kFirst + down, k % Block) * other;
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
        run<16, 2, 1, 1>(config, index_words, column_major);
        run<32, 1, 2, 2>(config, index_words, column_major);
        run<32, 2, 1, 4>(config, index_words, column_major);
        run<64, 2, 2, 1>(config, index_words, column_major);
        run<128, 4, 1, 2>(config, index_words, column_major);
      }
}
