// sparse_persistent.cu - C = A * B, A block-sparse, by persistent blocks: a producer warpgroup and two consumer warpgroups,
// each with 64 of a tile's 128 columns; registers moved by setmaxnreg, a named barrier per warpgroup, a ring
// that lives across tiles. With one bug at choice.
#include "kernels.hpp"

namespace bugs {
namespace {

enum class Bug {
  none,
  producer_ring_reset,
  consumer_ring_reset,
  one_barrier_for_both,
  barrier_counts_disagree,
  staging_reused_early,
  second_barrier_gone,
  setmaxnreg_out_of_range,
  empty_row_not_zeroed,
};

constexpr int kThreads = 384, kStages = 3, kTileN = 128, kConsumers = 2, kFirstBarrier = 1;
constexpr std::uint32_t kStageBytes = 3 * kTileBytes, kStaging = kStages * kStageBytes,
                        kFull = kStaging + kConsumers * kTileBytes, kEmpty = kFull + 8 * kStages,
                        kSharedBytes = kEmpty + 8 * kStages;

/// A role's position in the ring.
struct Ring {
  int stage = 0, phase = 0;
  TW_MEMBER void next() {
    if (++stage < kStages) return;
    stage = 0;
    phase ^= 1;
  }
};

template <Bug kBug>
TW_DEVICE void produce(const SparseArgs& args, const TensorMap* map_a, const TensorMap* map_b,
                       std::uint32_t base) {
  const int columns = args.n / kTileN, tiles = args.m / 64 * columns;
  Ring ring;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    if constexpr (kBug == Bug::producer_ring_reset) ring = Ring{};
    const int row = tile / columns, n0 = tile % columns * kTileN;
    for (int i = args.row_ptr[row]; i < args.row_ptr[row + 1]; ++i) {
      const std::uint32_t full = base + kFull + 8 * ring.stage, stage = base + ring.stage * kStageBytes;
      ptx::mbarrier_wait(base + kEmpty + 8 * ring.stage, ring.phase ^ 1);
      ptx::mbarrier_arrive_expect_tx(full, kStageBytes);
      ptx::tensor_load(stage, map_a, {0, i * 64}, full);
      for (int half = 0; half < kConsumers; ++half)
        ptx::tensor_load(stage + (1 + half) * kTileBytes, map_b, {n0 + half * 64, args.col_idx[i] * 64},
                         full);
      ring.next();
    }
  }
}

/// A * B of one tile, this warpgroup's 64 columns.
TW_DEVICE void accumulate(float (&acc)[32], Ring& ring, std::uint32_t base, int group, int blocks) {
  for (int i = 0; i < blocks; ++i) {
    const std::uint32_t tile_a = base + ring.stage * kStageBytes, tile_b = tile_a + (1 + group) * kTileBytes;
    ptx::mbarrier_wait(base + kFull + 8 * ring.stage, ring.phase);
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k)
      ptx::wgmma<__half, ptx::Major::k, ptx::Major::mn>(
          acc, ptx::wgmma_descriptor(tile_a + k * 32, 16, 1024, ptx::MatrixSwizzle::b128),
          ptx::wgmma_descriptor(tile_b + k * 2048, kTileBytes, 1024, ptx::MatrixSwizzle::b128),
          i > 0 || k > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(base + kEmpty + 8 * ring.stage);
    ring.next();
  }
}

template <Bug kBug>
TW_DEVICE void group_sync(int group) {
  if constexpr (kBug == Bug::one_barrier_for_both) {
    ptx::bar_sync<kFirstBarrier, 128>();
  } else if constexpr (kBug == Bug::barrier_counts_disagree) {
    if (group == 0)
      ptx::bar_sync<kFirstBarrier, 256>();
    else
      ptx::bar_sync<kFirstBarrier + 1, 128>();
  } else {
    ptx::bar_sync_of<kFirstBarrier, kConsumers, 128>(group);
  }
}

template <Bug kBug>
TW_DEVICE void consume(const SparseArgs& args, const TensorMap* map_c, unsigned char* shared,
                       std::uint32_t base, int group) {
  const int columns = args.n / kTileN, tiles = args.m / 64 * columns,
            thread = static_cast<int>(threadIdx.x) % 128;
  const std::uint32_t staging = kStaging + group * kTileBytes;
  Ring ring;
  float acc[32];
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    if constexpr (kBug == Bug::consumer_ring_reset) ring.phase = 0;
    const int row = tile / columns, n0 = tile % columns * kTileN;
    const int blocks = args.row_ptr[row + 1] - args.row_ptr[row];
    accumulate(acc, ring, base, group, blocks);
    if (kBug != Bug::empty_row_not_zeroed && blocks == 0)
      for (float& x : acc) x = 0;
    if constexpr (kBug != Bug::staging_reused_early) {  // the last tile's store has read the staging tile
      if (thread == 0) ptx::bulk_wait_read<0>();
      if constexpr (kBug != Bug::second_barrier_gone) ptx::bar_sync_of<kFirstBarrier, kConsumers, 128>(group);
    }
    store_tile(shared + staging, acc, thread);
    ptx::fence_proxy_async_shared();
    group_sync<kBug>(group);
    if (thread == 0) {
      ptx::tensor_store(map_c, {n0 + group * 64, row * 64}, base + staging);
      ptx::bulk_commit();
    }
  }
  if (thread == 0) ptx::bulk_wait<0>();
}

template <Bug kBug>
__global__ void __launch_bounds__(kThreads, 1)
    sparse_persistent(const SparseArgs args, const __grid_constant__ TensorMap map_a,
                      const __grid_constant__ TensorMap map_b, const __grid_constant__ TensorMap map_c) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(base + kFull + 8 * stage, 1);
      ptx::mbarrier_init(base + kEmpty + 8 * stage, kConsumers);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
#if defined(TW_EMULATED)
    // ptx::setmaxnreg_dec<20> does not compile: the device itself is asked.
    if constexpr (kBug == Bug::setmaxnreg_out_of_range)
      simt::setmaxnreg(20, false);
    else
#endif
      ptx::setmaxnreg_dec<40>();
    if (threadIdx.x == 0) produce<kBug>(args, &map_a, &map_b, base);
  } else {
    ptx::setmaxnreg_inc<232>();
    consume<kBug>(args, &map_c, shared, base, static_cast<int>(threadIdx.x) / 128 - 1);
  }
}

#if defined(TW_EMULATED)
template <Bug kBug>
Finding run(const simt::Config& config) {
  const Sparse& problem = sparse();
  problem.poison();
  const SparseArgs args = arguments(problem);
  const TensorMap map_a = matrix_map(args.values, static_cast<int>(problem.values.size()) / 64, 64, 64);
  const TensorMap map_b = matrix_map(args.b, problem.k, problem.n, 64),
                  map_c = matrix_map(args.c, problem.m, problem.n, 64);
  const simt::Result result = simt::launch(config, {2, 1, 1}, {kThreads, 1, 1}, kSharedBytes, {1, 1, 1},
                                           [&] { sparse_persistent<kBug>(args, map_a, map_b, map_c); });
  return summarise(result, problem.wrong_elements(), problem.answer.size());
}

const Register kSubjects[] = {
    {"persistent", "", run<Bug::none>},
    {"persistent", "producer's ring state reset per tile", run<Bug::producer_ring_reset>},
    {"persistent", "consumer's ring state reset per tile", run<Bug::consumer_ring_reset>},
    {"persistent", "both warpgroups use one barrier id", run<Bug::one_barrier_for_both>},
    {"persistent", "bar.sync counts disagree", run<Bug::barrier_counts_disagree>},
    {"persistent", "staging reused before the store has read it", run<Bug::staging_reused_early>},
    {"persistent", "barrier after the store's wait gone", run<Bug::second_barrier_gone>},
    {"persistent", "setmaxnreg out of range", run<Bug::setmaxnreg_out_of_range>},
    {"persistent", "empty row not zeroed", run<Bug::empty_row_not_zeroed>},
};
#else
template __global__ void sparse_persistent<Bug::none>(const SparseArgs, const __grid_constant__ TensorMap,
                                                      const __grid_constant__ TensorMap,
                                                      const __grid_constant__ TensorMap);
#endif

}  // namespace
}  // namespace bugs
