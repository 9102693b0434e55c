// cluster_reduction.cuh: the first thread block of a cluster has the sums of all, added in the order of their ranks, tile after tile.
#include "tw/cluster_reduction.cuh"

#include "block_test.hpp"

using namespace simt;

namespace {

constexpr int kTiles = 3, kThreads = 256;
using Accumulators = tw::Accumulators<1, 2, 16>;

/// 1e8 and -1e8 make the result depend on the order.
float sum_at(int rank, int tile, int warp, int at) {
  const float large = rank == 0 ? 1e8f : rank == 1 ? -1e8f : 0.0f;
  return large + static_cast<float>(rank + 10 * warp + 100 * at + 1000 * tile);
}

/// Consumer warps, and a warp beside them that takes no part.
template <int Cluster>
Result run(const Config& config) {
  using Reduction = tw::ClusterReduction<Cluster, kThreads, Accumulators>;
  return launch(config, {Cluster}, {kThreads + 32}, Reduction::kBytes, {Cluster}, [&] {
    const int rank = static_cast<int>(ids->block.x), warp = static_cast<int>(ids->warp);
    Reduction reduction{shared_start()};
    if (ids->thread.x == 0) {
      reduction.init();
      ptx::fence_mbarrier_init();
    }
    tw::cluster_sync<Cluster>();
    for (int tile = 0; warp < kThreads / 32 && tile < kTiles; ++tile) {
      Accumulators acc;
      const int registers = sizeof(acc[0]) / sizeof(float);
      for (int i = 0; i < 2 * registers; ++i) acc[i / registers][i % registers] = sum_at(rank, tile, warp, i);
      CHECK_EQ(reduction.reduce(acc), rank == 0);
      for (int i = 0; rank == 0 && i < 2 * registers; ++i) {
        float expected = 0;
        for (int other = 0; other < Cluster; ++other) expected += sum_at(other, tile, warp, i);
        CHECK_EQ(acc[i / registers][i % registers], expected);
      }
    }
    tw::cluster_sync<Cluster>();
  });
}

}  // namespace

TEST_CASE("the first thread block of a cluster has the sums of all, tile after tile") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN(run<2>(config));
    CHECK_CLEAN(run<4>(config));
  }
}
