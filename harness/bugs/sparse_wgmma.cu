// sparse_wgmma.cu - C = A * B, A block-sparse, with TMA and wgmma: a producer warp and a consumer warpgroup over a ring of
// mbarriers, one block per 64 x 64 tile of C; clusters of two along N share A by multicast, and the first
// tells the second where their row begins. With one bug at choice.
#include "kernels.hpp"

namespace bugs {
namespace {

enum class Bug {
  none,
  no_full_wait,
  phase_flipped,
  phase_never_toggles,
  empty_parity_wrong,
  no_empty_wait,
  stage_released_early,
  wgmma_wait_dropped,
  accumulates_first,
  restarts_every_block,
  offsets_swapped,
  wrong_k_advance,
  expects_a_only,
  no_barrier_after_init,
  no_fence_after_init,
  no_proxy_fence,
  empty_count_too_small,
  no_wgmma_fence,
  no_barrier_before_store,
  no_store_wait,
  no_cluster_barrier_after_init,
  arrives_on_own_block_only,
  handed_over_at_block_scope,
  taken_over_at_block_scope,
};

constexpr int kThreads = 160, kStages = 3, kConsumerBarrier = 1;
constexpr std::uint32_t kStageBytes = 2 * kTileBytes, kStaging = kStages * kStageBytes,
                        kFull = kStaging + kTileBytes, kEmpty = kFull + 8 * kStages,
                        kTold = kEmpty + 8 * kStages, kFirst = kTold + 8, kSharedBytes = kFirst + 8;

struct Maps {
  const TensorMap *a, *b, *c;
};

template <Bug kBug, int kCluster>
TW_DEVICE void init_barriers(std::uint32_t base) {
  constexpr std::uint32_t arrivals = (kBug == Bug::empty_count_too_small ? 3 : 4) * kCluster;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(base + kFull + 8 * stage, 1);
      ptx::mbarrier_init(base + kEmpty + 8 * stage, arrivals);
    }
    ptx::mbarrier_init(base + kTold, 1);
    if constexpr (kBug != Bug::no_fence_after_init) ptx::fence_mbarrier_init();
  }
  if constexpr (kBug != Bug::no_barrier_after_init) __syncthreads();
  if constexpr (kCluster > 1 && kBug != Bug::no_cluster_barrier_after_init) ptx::cluster_sync();
}

/// First block of the cluster's row: the second thread block gets it from the first.
template <Bug kBug>
TW_DEVICE int agree_on_first(std::uint32_t base, int first) {
  if (ptx::cluster_rank() == 1) {
    ptx::mbarrier_wait(base + kTold, 0);
    if constexpr (kBug != Bug::taken_over_at_block_scope) ptx::fence_cluster();
    return ptx::load_shared<int>(base + kFirst);
  }
  ptx::store_shared_cluster(ptx::map_shared_rank(base + kFirst, 1), first);
  const std::uint32_t told = ptx::map_shared_rank(base + kTold, 1);
  if constexpr (kBug == Bug::handed_over_at_block_scope)
    ptx::mbarrier_arrive_cluster(told);
  else
    ptx::mbarrier_arrive_cluster_release(told);
  return first;
}

/// One thread keeps the ring filled.
template <Bug kBug, int kCluster>
TW_DEVICE void produce(const SparseArgs& args, const Maps& maps, std::uint32_t base, int first, int count,
                       int n0) {
  if constexpr (kCluster > 1) first = agree_on_first<kBug>(base, first);
  for (int i = 0; i < count; ++i) {
    const int stage = i % kStages, phase = i / kStages % 2;
    const std::uint32_t full = base + kFull + 8 * stage, empty = base + kEmpty + 8 * stage;
    const std::uint32_t tile_a = base + stage * kStageBytes, tile_b = tile_a + kTileBytes;
    if constexpr (kBug == Bug::empty_parity_wrong)
      ptx::mbarrier_wait(empty, phase);
    else if constexpr (kBug != Bug::no_empty_wait)
      ptx::mbarrier_wait(empty, phase ^ 1);
    ptx::mbarrier_arrive_expect_tx(full, kBug == Bug::expects_a_only ? kTileBytes : kStageBytes);
    if constexpr (kCluster > 1) {
      const int rank = static_cast<int>(ptx::cluster_rank());
      ptx::tensor_load_multicast(tile_a + rank * (kTileBytes / 2), maps.a, {0, (first + i) * 64 + rank * 32},
                                 full, 3);
    } else {
      ptx::tensor_load(tile_a, maps.a, {0, (first + i) * 64}, full);
    }
    ptx::tensor_load(tile_b, maps.b, {n0, args.col_idx[first + i] * 64}, full);
  }
}

/// Issues the four wgmma of one block.
template <Bug kBug>
TW_DEVICE void multiply(float (&acc)[32], std::uint32_t tile_a, std::uint32_t tile_b, bool first_block) {
  constexpr std::uint32_t leading = kBug == Bug::offsets_swapped ? 1024 : kTileBytes;
  constexpr std::uint32_t stride = kBug == Bug::offsets_swapped ? kTileBytes : 1024;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t advance = kBug == Bug::wrong_k_advance ? 16 : 32;
    const std::uint64_t a = ptx::wgmma_descriptor(tile_a + k * advance, 16, 1024, ptx::MatrixSwizzle::b128);
    const std::uint64_t b =
        ptx::wgmma_descriptor(tile_b + k * 2048, leading, stride, ptx::MatrixSwizzle::b128);
    bool accumulate = !first_block || k > 0;
    if (kBug == Bug::accumulates_first) accumulate = true;
    if (kBug == Bug::restarts_every_block) accumulate = k > 0;
    ptx::wgmma<__half, ptx::Major::k, ptx::Major::mn>(acc, a, b, accumulate);
  }
}

template <Bug kBug, int kCluster>
TW_DEVICE void release(std::uint32_t empty) {
  if (threadIdx.x % 32 != 0) return;
  if constexpr (kCluster == 1 || kBug == Bug::arrives_on_own_block_only)
    ptx::mbarrier_arrive(empty);
  else
    for (int rank = 0; rank < kCluster; ++rank)
      ptx::mbarrier_arrive_cluster(ptx::map_shared_rank(empty, rank));
}

template <Bug kBug, int kCluster>
TW_DEVICE void consume(float (&acc)[32], std::uint32_t base, int count) {
  for (int i = 0; i < count; ++i) {
    const int stage = i % kStages, phase = i / kStages % 2;
    const std::uint32_t full = base + kFull + 8 * stage, tile_a = base + stage * kStageBytes;
    if constexpr (kBug == Bug::phase_flipped)
      ptx::mbarrier_wait(full, phase ^ 1);
    else if constexpr (kBug == Bug::phase_never_toggles)
      ptx::mbarrier_wait(full, 0);
    else if constexpr (kBug != Bug::no_full_wait)
      ptx::mbarrier_wait(full, phase);
    if constexpr (kBug != Bug::no_wgmma_fence) ptx::wgmma_fence();
    multiply<kBug>(acc, tile_a, tile_a + kTileBytes, i == 0);
    ptx::wgmma_commit();
    if constexpr (kBug == Bug::stage_released_early)
      ptx::wgmma_wait<1>();
    else if constexpr (kBug != Bug::wgmma_wait_dropped)
      ptx::wgmma_wait<0>();
    release<kBug, kCluster>(base + kEmpty + 8 * stage);
  }
  if constexpr (kBug == Bug::stage_released_early) ptx::wgmma_wait<0>();
  if (count == 0)
    for (float& x : acc) x = 0;
}

template <Bug kBug, int kCluster>
__global__ void __launch_bounds__(kThreads)
    sparse_wgmma(const SparseArgs args, const __grid_constant__ TensorMap map_a,
                 const __grid_constant__ TensorMap map_b, const __grid_constant__ TensorMap map_c) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  const int row = static_cast<int>(blockIdx.y), n0 = static_cast<int>(blockIdx.x) * 64;
  const int first = args.row_ptr[row], count = args.row_ptr[row + 1] - first;
  init_barriers<kBug, kCluster>(base);

  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) produce<kBug, kCluster>(args, {&map_a, &map_b, &map_c}, base, first, count, n0);
    __syncwarp();
  } else {
    float acc[32];
    consume<kBug, kCluster>(acc, base, count);
    store_tile(shared + kStaging, acc, static_cast<int>(threadIdx.x));
    if constexpr (kBug != Bug::no_proxy_fence) ptx::fence_proxy_async_shared();
    if constexpr (kBug != Bug::no_barrier_before_store) ptx::bar_sync<kConsumerBarrier, 128>();
    if (threadIdx.x == 0) {
      ptx::tensor_store(&map_c, {n0, row * 64}, base + kStaging);
      ptx::bulk_commit();
      if constexpr (kBug != Bug::no_store_wait) ptx::bulk_wait<0>();
    }
  }
  if constexpr (kCluster > 1) ptx::cluster_sync();  // nobody leaves while the other may still arrive here
}

#if defined(TW_EMULATED)
template <Bug kBug, int kCluster = 1, int kSwizzleA = 3>
Finding run(const simt::Config& config) {
  const Sparse& problem = sparse();
  problem.poison();
  const SparseArgs args = arguments(problem);
  const int rows_a = static_cast<int>(problem.values.size()) / 64;
  const TensorMap map_a = matrix_map(args.values, rows_a, 64, 64 / kCluster, kSwizzleA);
  const TensorMap map_b = matrix_map(args.b, problem.k, problem.n, 64),
                  map_c = matrix_map(args.c, problem.m, problem.n, 64);
  if (const std::string why = simt::check_tensor_map(map_a); !why.empty()) return {"M", "tensor map: " + why};
  const simt::Dim3 grid{static_cast<unsigned>(problem.n / 64), static_cast<unsigned>(problem.m / 64), 1};
  const simt::Result result = simt::launch(config, grid, {kThreads, 1, 1}, kSharedBytes, {kCluster, 1, 1},
                                           [&] { sparse_wgmma<kBug, kCluster>(args, map_a, map_b, map_c); });
  return summarise(result, problem.wrong_elements(), problem.answer.size());
}

const Register kSubjects[] = {
    {"wgmma", "", run<Bug::none>},
    {"wgmma", "consumer does not wait on full", run<Bug::no_full_wait>},
    {"wgmma", "phase bit flipped", run<Bug::phase_flipped>},
    {"wgmma", "phase never toggles", run<Bug::phase_never_toggles>},
    {"wgmma", "producer's empty parity wrong", run<Bug::empty_parity_wrong>},
    {"wgmma", "producer does not wait on empty", run<Bug::no_empty_wait>},
    {"wgmma", "stage released before its wgmma is done", run<Bug::stage_released_early>},
    {"wgmma", "wgmma wait dropped", run<Bug::wgmma_wait_dropped>},
    {"wgmma", "first block accumulates", run<Bug::accumulates_first>},
    {"wgmma", "accumulator restarted at every block", run<Bug::restarts_every_block>},
    {"wgmma", "map of A swizzles 64 B, descriptor 128 B", run<Bug::none, 1, 2>},
    {"wgmma", "map of A does not swizzle, descriptor does", run<Bug::none, 1, 0>},
    {"wgmma", "leading and stride offsets swapped", run<Bug::offsets_swapped>},
    {"wgmma", "wrong K advance", run<Bug::wrong_k_advance>},
    {"wgmma", "expect_tx counts A only", run<Bug::expects_a_only>},
    {"wgmma", "no `__syncthreads` after mbarrier init", run<Bug::no_barrier_after_init>},
    {"wgmma", "no fence after mbarrier init", run<Bug::no_fence_after_init>},
    {"wgmma", "no fence.proxy.async before the TMA store", run<Bug::no_proxy_fence>},
    {"wgmma", "empty count 3 instead of 4", run<Bug::empty_count_too_small>},
    {"wgmma", "wgmma.fence missing", run<Bug::no_wgmma_fence>},
    {"wgmma", "barrier before the TMA store dropped", run<Bug::no_barrier_before_store>},
    {"wgmma", "wait for the TMA store dropped", run<Bug::no_store_wait>},
    {"cluster", "", run<Bug::none, 2>},
    {"cluster", "no cluster barrier after mbarrier init", run<Bug::no_cluster_barrier_after_init, 2>},
    {"cluster", "arrives only on the own block's mbarrier", run<Bug::arrives_on_own_block_only, 2>},
    {"cluster", "word for the other block handed over at block scope",
     run<Bug::handed_over_at_block_scope, 2>},
    {"cluster", "word of the other block taken over at block scope", run<Bug::taken_over_at_block_scope, 2>},
};
#else
template __global__ void sparse_wgmma<Bug::none, 1>(const SparseArgs, const __grid_constant__ TensorMap,
                                                    const __grid_constant__ TensorMap,
                                                    const __grid_constant__ TensorMap);
template __global__ void sparse_wgmma<Bug::none, 2>(const SparseArgs, const __grid_constant__ TensorMap,
                                                    const __grid_constant__ TensorMap,
                                                    const __grid_constant__ TensorMap);
#endif

}  // namespace
}  // namespace bugs
