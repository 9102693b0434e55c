// split_sums.cuh: of a tile whose steps several thread blocks share, the last to come has the sums of all, added in order; in
// a cluster the first has.
#include "tw/split_sums.cuh"

#include "block_test.hpp"

using namespace simt;

namespace {

constexpr int kParts = 3, kWarpgroups = 2;
constexpr int kTilesM = 1, kTilesN = 2, kN = 16, kRegisters = kN / 2;

struct Part {
  int slot, first_slot, parts, counter;
};
struct Target {
  float* partials;
  unsigned* counters;
};

/// Part `part` of a sum of warpgroup `share`; 1e8 and -1e8 make the result depend on the order.
float sum_at(int part, int share, int tile, int i) {
  const float large = part == 0 ? 1e8f : part == 1 ? -1e8f : 0.0f;
  return large + static_cast<float>(part + 10 * share + 100 * tile + i);
}

/// A thread block for each part; `finishers`: how many warpgroups had the tile.
Result run(const Config& config, const Target& target, int& finishers) {
  return launch(config, {kParts}, {128 * kWarpgroups}, 4 * kWarpgroups, {1}, [&] {
    const int part = static_cast<int>(ids->block.x), warpgroup = static_cast<int>(ids->warp) / 4;
    tw::Accumulators<kTilesM, kTilesN, kN> acc;
    for (int tile = 0; tile < kTilesN; ++tile)
      for (int i = 0; i < kRegisters; ++i) acc[tile][i] = sum_at(part, warpgroup, tile, i);
    const Part mine{1 + part, 1, kParts, 1};  // behind a slot and a counter of another tile
    if (!tw::combine_parts<kWarpgroups, 1, 1, kWarpgroups>(target, shared_start(), acc, mine)) return;
    if (ids->thread.x % 128 == 0) ++finishers;
    for (int tile = 0; tile < kTilesN; ++tile)
      for (int i = 0; i < kRegisters; ++i) {
        float expected = 0;
        for (int other = 0; other < kParts; ++other) expected += sum_at(other, warpgroup, tile, i);
        CHECK_EQ(acc[tile][i], expected);
      }
  });
}

}  // namespace

TEST_CASE("the last part has the sums of all, in their order, and the counters return to 0") {
  const Buffer<float> partials((1 + kParts) * kWarpgroups * 128 * kTilesN * kRegisters, "partials");
  const Buffer<unsigned> counters(1 + kWarpgroups, "counters");
  for (const Config& config : all_modes()) {
    int finishers = 0;
    CHECK_CLEAN(run(config, {partials.data(), counters.data()}, finishers));
    CHECK_EQ(finishers, kWarpgroups);
    for (int i = 0; i < 1 + kWarpgroups; ++i) CHECK_EQ(counters[static_cast<std::size_t>(i)], 0u);
  }
}

namespace {

/// Two warpgroups, of which the second has no accumulators if `attending`, and a warp beside them.
template <int Cluster>
Result in_cluster(const Config& config, bool attending) {
  constexpr int kThreads = 128 * kWarpgroups;
  using Sums = tw::ClusterSums<Cluster, kThreads, 1>;
  using Accumulators = tw::Accumulators<kTilesM, kTilesN, kN>;
  constexpr int kBytes = Sums::template kBytes<Accumulators>;
  return launch(config, {Cluster}, {kThreads + 32}, kBytes, {Cluster}, [&] {
    const int part = static_cast<int>(ids->block.x), warpgroup = static_cast<int>(ids->warp) / 4;
    if (warpgroup == kWarpgroups) {
      tw::cluster_sync<Cluster>();
    } else if (attending && warpgroup == 1) {
      Sums::attend();
    } else {
      Accumulators acc;
      for (int tile = 0; tile < kTilesN; ++tile)
        for (int i = 0; i < kRegisters; ++i) acc[tile][i] = sum_at(part, warpgroup, tile, i);
      Sums::combine(acc, shared_start());
      for (int tile = 0; tile < kTilesN; ++tile)
        for (int i = 0; i < kRegisters; ++i) {
          float expected = 0;
          for (int other = 0; other < Cluster; ++other) expected += sum_at(other, warpgroup, tile, i);
          CHECK_EQ(acc[tile][i], part == 0 ? expected : sum_at(part, warpgroup, tile, i));
        }
    }
    tw::cluster_sync<Cluster>();
  });
}

}  // namespace

TEST_CASE("the first thread block of a cluster has the sums of all, in the order of their ranks") {
  for (const Config& config : all_modes())
    for (const bool attending : {false, true}) {
      CHECK_CLEAN(in_cluster<2>(config, attending));
      CHECK_CLEAN(in_cluster<4>(config, attending));
    }
}
