// slabs.cuh: the shares of the warps of a row of blocks add up to its product, whatever their number, the layout of B and the width of indices.
#include "tw/slabs.cuh"

#include "slab_rows.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kBlock = 32, kTilesM = kBlock / 16;

template <int Ahead>
void run(const Config& config, int index_words, bool column_major) {
  using Slabs = tw::Slabs<__half, kBlock, Ahead, kTilesM, kTilesN>;
  // Rows of no blocks, of fewer slabs than warps, and of several that are loaded together, the last time not all of them.
  const SlabRows<kBlock, kBlock> rows({0, 1, 5}, index_words, column_major);
  CHECK_CLEAN(launch(config, {kRows}, {32 * kWarps}, 0, {1}, [&] {
    const int row = static_cast<int>(ids->block.x), warp = static_cast<int>(ids->warp);
    const tw::SlabLane lane;
    typename Slabs::Sums sums = {};
    tw::SlabShare share = Slabs::template share_of<kWarps>(rows.target, row, warp);
    for (; share.next < share.end; share.next += Slabs::kVectors) {
      Slabs slabs;
      slabs.load(rows.target, &rows.values.at(lane.row, 0), share, lane);
      slabs.multiply(sums, rows.target, rows.columns_from(lane.column), kColumns - lane.column, share.next,
                     lane);
    }
    rows.put(row, warp, ptx::lane_id(), sums);
  }));
  rows.check();
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
