// warp_sums.cuh: the sums of warps, and of thread blocks, are added in their order; the last thread block to come sees all.
#include "tw/warp_sums.cuh"

#include "block_test.hpp"

using namespace simt;

namespace {

constexpr int kWarpsM = 2, kWarpsK = 2, kTilesM = 1, kTilesN = 2, kParts = 3;
constexpr int kThreads = 32 * kWarpsM * kWarpsK;
using WarpSums = tw::WarpSums<kWarpsM, kWarpsK, kTilesM, kTilesN>;
using TileParts = tw::TileParts<kParts, WarpSums::kElements, kThreads>;

struct Target {
  unsigned* counters;
  bool c_by_columns;
};

/// A warp's share of an element; 1e8 and -1e8 make the result depend on the order.
float sum_at(int part, int share, int row, int column) {
  const float large = share == 0 ? 1e8f : -1e8f;
  return (part == 1 ? 3 : 1) * large + static_cast<float>(part + 10 * share + 100 * row + column);
}

/// Of a part, in the order of its warps.
float part_at(int part, int row, int column) {
  float sum = 0;
  for (int share = 0; share < kWarpsK; ++share) sum += sum_at(part, share, row, column);
  return sum;
}

void leave_sums(const WarpSums& sums, int part) {
  const int lane = static_cast<int>(ids->lane), warp = static_cast<int>(ids->warp);
  float acc[kTilesM][kTilesN][4];
  for (int n = 0; n < kTilesN; ++n)
    for (int i = 0; i < 4; ++i)
      acc[0][n][i] = sum_at(part, warp / kWarpsM, warp % kWarpsM * 16 + i / 2 * 8 + lane / 4,
                            n * 8 + lane % 4 * 2 + i % 2);
  sums.put(warp, acc);
  __syncthreads();
}

}  // namespace

TEST_CASE("sums of warps, by rows and by columns") {
  for (const Config& config : all_modes())
    for (const bool by_columns : {false, true})
      CHECK_CLEAN(launch(config, {1}, {kThreads}, WarpSums::kFloats * 4, {1}, [&] {
        const WarpSums sums{reinterpret_cast<float*>(shared_base())};
        leave_sums(sums, 0);
        for (int i = static_cast<int>(ids->thread.x); i < WarpSums::kElements; i += kThreads) {
          const WarpSums::Element at(Target{nullptr, by_columns}, i);
          CHECK_EQ(
              by_columns ? at.column * WarpSums::kRows + at.row : at.row * WarpSums::kColumns + at.column, i);
          CHECK_EQ(sums.at(at), part_at(0, at.row, at.column));
        }
      }));
}

TEST_CASE("the last thread block has the sums of all parts, and the counters return to 0") {
  const Buffer<float> partials(kParts * WarpSums::kElements, "partials");
  const Buffer<unsigned> counters(2, "counters");  // the first is another tile's
  const Target target{counters.data(), false};
  for (const Config& config : all_modes()) {
    int finishers = 0;
    CHECK_CLEAN(launch(config, {kParts}, {kThreads}, WarpSums::kFloats * 4 + 16, {1}, [&] {
      const int part = static_cast<int>(ids->block.x);
      const WarpSums sums{reinterpret_cast<float*>(shared_base())};
      leave_sums(sums, part);
      const TileParts parts{partials.data(), 1};
      int* const last = reinterpret_cast<int*>(sums.base + WarpSums::kFloats);
      const auto sum_of = [&](int i) { return sums.at(WarpSums::Element(target, i)); };
      if (!parts.comes_last(target, parts.of(part), last, sum_of)) return;
      if (ids->thread.x == 0) ++finishers;
      for (int i = static_cast<int>(ids->thread.x); i < WarpSums::kElements; i += kThreads) {
        float expected = 0;
        for (int other = 0; other < kParts; ++other)
          expected += part_at(other, i / WarpSums::kColumns, i % WarpSums::kColumns);
        CHECK_EQ(parts.at(i), expected);
      }
    }));
    CHECK_EQ(finishers, 1);
    CHECK_EQ(counters[0] + counters[1], 0u);
  }
}
