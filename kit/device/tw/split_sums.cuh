// split_sums.cuh - sums of a tile whose steps several thread blocks share (split K): each leaves its part in memory, and the
// last to come adds them up; or, in a cluster, in its shared memory, and the first adds them up.
#pragma once
#include "tw/cluster.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {

/// Leaves a warpgroup's sums of one part, `part.slot`, in memory. The warpgroup that comes last adds up all of `part.parts` parts, from
/// `part.first_slot` on, in their order, so that the result does not depend on who was last: true, and `acc` has the tile's sums; the
/// others are done: false. A tile is shared by `Sharers` of the `Warpgroups` of each thread block of a cluster; slots, and counters from
/// `part.counter` on, have a place for each. `target` has `partials`, and `counters`, 0 between launches. `flags`: 4 bytes of shared
/// memory for each warpgroup. Named barriers from `First` on belong to the warpgroups.
template <int Sharers, int Cluster, int First, int Warpgroups, class Target, class Part, int Tiles,
          int Registers>
TW_DEVICE bool combine_parts(const Target& target, std::uint32_t flags, float (&acc)[Tiles][Registers],
                             const Part& part) {
  constexpr int kShares = Sharers * Cluster;
  const int warpgroup = ptx::warp_id() / 4;
  const int share = (Sharers < Warpgroups ? 0 : warpgroup) * Cluster + cluster_rank<Cluster>();
  const auto sums = [&](int slot) {
    return target.partials + (static_cast<long long>(slot) * kShares + share) * (128 * Tiles * Registers) +
           threadIdx.x % 128;
  };
  float* mine = sums(part.slot);
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
    for (int i = 0; i < Registers; ++i) mine[128 * (tile * Registers + i)] = acc[tile][i];
  ptx::bar_sync_of<First, Warpgroups, 128>(warpgroup);
  if (ptx::warp_id() % 4 == 0 && ptx::lane_id() == 0) {
    __threadfence();  // the warpgroup's sums before its count, the others' counts before their sums
    const unsigned before = atomicInc(&target.counters[part.counter + share], part.parts - 1);
    __threadfence();
    ptx::store_shared<int>(flags + 4 * warpgroup, before + 1 == static_cast<unsigned>(part.parts));
  }
  ptx::bar_sync_of<First, Warpgroups, 128>(warpgroup);
  if (!ptx::load_shared<int>(flags + 4 * warpgroup)) return false;
  clear(acc);
  for (int slot = part.first_slot; slot < part.first_slot + part.parts; ++slot) {
    const float* from = sums(slot);
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
      for (int i = 0; i < Registers; ++i) acc[tile][i] += __ldcg(&from[128 * (tile * Registers + i)]);
  }
  return true;
}

/// Sums of a tile whose steps the `Cluster` thread blocks of a cluster share. `Threads` threads of each, the first ones, have
/// accumulators: they call `combine`, or `attend` where their share of the tile has none; all other threads of the cluster join
/// them by ptx::cluster_sync. Named barrier `Barrier` belongs to them. Shared memory must outlive the first thread block's reads.
template <int Cluster, int Threads, int Barrier>
struct ClusterSums {
  /// Bytes of the accumulators of all threads.
  template <class Accumulators>
  static constexpr int kBytes = Threads * static_cast<int>(sizeof(Accumulators));

  /// In thread block 0 `acc` becomes the sum of all, added in the order of their ranks. The others put theirs at `base`, kBytes long,
  /// where the products' operands may have been: no thread puts any before all have called.
  template <int Tiles, int Registers>
  TW_MEMBER static void combine(float (&acc)[Tiles][Registers], std::uint32_t base) {
    const int rank = cluster_rank<Cluster>();
    ptx::bar_sync<Barrier, Threads>();
    if (rank > 0)
      each_place<Threads>(acc, base, [](float sum, std::uint32_t at) { ptx::store_shared(at, sum); });
    ptx::cluster_sync();
    if (rank > 0) return;
    for (int part = 1; part < Cluster; ++part)
      each_place<Threads>(acc, base, [&](float& sum, std::uint32_t at) {
        sum += ptx::load_shared_cluster<float>(ptx::map_shared_rank(at, part));
      });
  }

  TW_MEMBER static void attend() {
    ptx::bar_sync<Barrier, Threads>();
    ptx::cluster_sync();
  }
};

}  // namespace tw
