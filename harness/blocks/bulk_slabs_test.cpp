// bulk_slabs.cuh: the shares of the warps of a row of blocks add up to its product, whatever the size of blocks, the stages, the rows of a warp,
// the layout of B and the width of indices.
#include "tw/bulk_slabs.cuh"

#include "slab_rows.hpp"

using namespace simt;
using namespace blocks;

namespace {

template <int Block, int Ahead, int TilesM, int Stages>
void run(const Config& config, int index_words, bool column_major) {
  using Slabs = tw::BulkSlabs<__half, Block, Ahead, TilesM, kTilesN, Stages, kWarps>;
  constexpr int kShared = kWarps * (Slabs::kBytes + Slabs::kBarrierBytes);
  // Rows of no blocks, of fewer than warps, and of so many that every stage is filled again, the last time not wholly.
  const SlabRows<Block, 16 * TilesM> rows({0, 1, 17}, index_words, column_major);
  CHECK_CLEAN(launch(config, {kRows}, {32 * kWarps}, kShared, {1}, [&] {
    TW_SHARED(bytes);
    const int row = static_cast<int>(ids->block.x), warp = static_cast<int>(ids->warp);
    const tw::SlabLane lane;
    const std::uint32_t shared = ptx::shared_address(bytes);
    const Slabs slabs{
        shared + static_cast<std::uint32_t>(warp * Slabs::kBytes),
        shared + static_cast<std::uint32_t>(kWarps * Slabs::kBytes + warp * Slabs::kBarrierBytes)};
    typename Slabs::Sums sums = {};
    tw::BlockShare share = Slabs::share_of(rows.target, row, warp);
    const __half* const first = &rows.values.at(rows.kFirst, 0);
    slabs.begin(first, share);
    for (typename Slabs::State stage; share.next < share.end; share.next += Slabs::kStep, stage.advance()) {
      typename Slabs::Right right;
      Slabs::load_right(right, rows.target, rows.columns_from(lane.column), kColumns - lane.column, share,
                        lane);
      slabs.multiply(sums, right, first, share, stage, lane);
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
        run<16, 2, 1, 1>(config, index_words, column_major);
        run<32, 1, 2, 2>(config, index_words, column_major);
        run<32, 2, 1, 4>(config, index_words, column_major);
        run<64, 2, 2, 1>(config, index_words, column_major);
        run<128, 4, 1, 2>(config, index_words, column_major);
      }
}
