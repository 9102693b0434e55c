// cluster_reduction.cuh - sums of tiles, one after the other, whose steps the thread blocks of a cluster share: the first adds up what the
// others leave in their shared memory, while producer warps go on with the next tile.
#pragma once
#include "tw/cluster.cuh"
#include "tw/pipeline.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {

/// One side of the exchange, held by each warp of `Threads` threads, the first ones of each of `Cluster` thread blocks. All of them take
/// the same tiles in the same order. At `base`, 8-byte aligned, lie kBytes of shared memory: sums, then two mbarriers.
///
///   rank 0                         others
///     waits until `full`             wait until `empty`
///     adds theirs to its own         store their sums
///     releases `empty` of each       release rank 0's `full`
template <int Cluster, int Threads, class Accumulators>
struct ClusterReduction {
  static constexpr int kSumBytes = Threads * static_cast<int>(sizeof(Accumulators));
  static constexpr int kBytes = kSumBytes + 16;

  std::uint32_t base;
  std::uint32_t phase = 0;

  TW_MEMBER std::uint32_t full() const { return base + kSumBytes; }
  TW_MEMBER std::uint32_t empty() const { return full() + 8; }

  /// By one thread, before ptx::fence_mbarrier_init and a barrier of the cluster.
  TW_MEMBER void init() const {
    ptx::mbarrier_init(full(), (Cluster - 1) * (Threads / 32));
    ptx::mbarrier_init(empty(), Threads / 32);
  }

  /// True in thread block 0, whose `acc` becomes the sum of all, added in the order of their ranks; the others are done with the tile.
  /// No thread block may end before all have called it for their last tile.
  TW_MEMBER bool reduce(Accumulators& acc) {
    const int rank = cluster_rank<Cluster>();
    if (rank > 0)
      leave(acc);
    else
      add_others(acc);
    phase ^= 1;
    return rank == 0;
  }

 private:
  TW_MEMBER void add_others(Accumulators& acc) const {
    ptx::mbarrier_wait(full(), phase);
    ptx::fence_cluster();  // the wait acquires from this thread block alone
    for (int other = 1; other < Cluster; ++other)
      each_place<Threads>(acc, base, [&](float& sum, std::uint32_t at) {
        sum += ptx::load_shared_cluster<float>(ptx::map_shared_rank(at, other));
      });
    __syncwarp();
    const int lane = ptx::lane_id();
    if (lane > 0 && lane < Cluster) ptx::mbarrier_arrive_cluster_release(ptx::map_shared_rank(empty(), lane));
  }

  TW_MEMBER void leave(Accumulators& acc) const {
    // At block scope: sums that have been read are written over, and none is read.
    ptx::mbarrier_wait(empty(), phase ^ 1);
    each_place<Threads>(acc, base, [](float& sum, std::uint32_t at) { ptx::store_shared(at, sum); });
    __syncwarp();
    if (ptx::lane_id() == 0) ptx::mbarrier_arrive_cluster_release(ptx::map_shared_rank(full(), 0));
  }
};

}  // namespace tw
