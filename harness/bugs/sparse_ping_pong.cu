// sparse_ping_pong.cu - C = A * B, A block-sparse, by persistent blocks whose two consumer warpgroups take whole tiles in
// turn. Each skips the other's stages of the ring. Without an order between them a warpgroup that runs ahead
// waits with the parity of a phase two turns back, which passes at once: parity aliasing.
#include "kernels.hpp"

namespace bugs {
namespace {

enum class Bug { none, no_order };

constexpr int kThreads = 288, kStages = 3, kConsumers = 2, kGroupBarrier = 1, kOrderBarrier = 3;
constexpr std::uint32_t kStageBytes = 2 * kTileBytes, kStaging = kStages * kStageBytes,
                        kFull = kStaging + kConsumers * kTileBytes, kEmpty = kFull + 8 * kStages,
                        kSharedBytes = kEmpty + 8 * kStages;

TW_DEVICE int stage_of(int turn) { return turn % kStages; }
TW_DEVICE int phase_of(int turn) { return turn / kStages % 2; }

TW_DEVICE void produce(const SparseArgs& args, const TensorMap* map_a, const TensorMap* map_b,
                       std::uint32_t base) {
  const int columns = args.n / 64, tiles = args.m / 64 * columns;
  int turn = 0;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int row = tile / columns, n0 = tile % columns * 64;
    for (int i = args.row_ptr[row]; i < args.row_ptr[row + 1]; ++i, ++turn) {
      const std::uint32_t full = base + kFull + 8 * stage_of(turn),
                          stage = base + stage_of(turn) * kStageBytes;
      ptx::mbarrier_wait(base + kEmpty + 8 * stage_of(turn), phase_of(turn) ^ 1);
      ptx::mbarrier_arrive_expect_tx(full, kStageBytes);
      ptx::tensor_load(stage, map_a, {0, i * 64}, full);
      ptx::tensor_load(stage + kTileBytes, map_b, {n0, args.col_idx[i] * 64}, full);
    }
  }
}

/// The other warpgroup may start its tile once this one has seen the last full stage of its own.
template <Bug kBug>
TW_DEVICE void let_other_go(int group, bool other_has_a_tile) {
  if (kBug != Bug::no_order && other_has_a_tile)
    ptx::bar_arrive_of<kOrderBarrier, kConsumers, 256>(1 - group);
}

template <Bug kBug>
TW_DEVICE void accumulate(float (&acc)[32], std::uint32_t base, int turn, int blocks, int group,
                          bool other_has_a_tile) {
  if (blocks == 0) let_other_go<kBug>(group, other_has_a_tile);
  for (int i = 0; i < blocks; ++i, ++turn) {
    const std::uint32_t tile_a = base + stage_of(turn) * kStageBytes, tile_b = tile_a + kTileBytes;
    ptx::mbarrier_wait(base + kFull + 8 * stage_of(turn), phase_of(turn));
    if (i + 1 == blocks) let_other_go<kBug>(group, other_has_a_tile);
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k)
      ptx::wgmma<__half, ptx::Major::k, ptx::Major::mn>(
          acc, ptx::wgmma_descriptor(tile_a + k * 32, 16, 1024, ptx::MatrixSwizzle::b128),
          ptx::wgmma_descriptor(tile_b + k * 2048, kTileBytes, 1024, ptx::MatrixSwizzle::b128),
          i > 0 || k > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(base + kEmpty + 8 * stage_of(turn));
  }
  if (blocks == 0)
    for (float& x : acc) x = 0;
}

template <Bug kBug>
TW_DEVICE void consume(const SparseArgs& args, const TensorMap* map_c, unsigned char* shared,
                       std::uint32_t base, int group) {
  const int columns = args.n / 64, tiles = args.m / 64 * columns,
            thread = static_cast<int>(threadIdx.x) % 128;
  const int step = static_cast<int>(gridDim.x);
  const std::uint32_t staging = kStaging + group * kTileBytes;
  float acc[32];
  int turn = 0, whose = 0;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += step, whose ^= 1) {
    const int row = tile / columns, n0 = tile % columns * 64,
              blocks = args.row_ptr[row + 1] - args.row_ptr[row];
    if (whose == group) {
      const bool first_of_all = tile == static_cast<int>(blockIdx.x);
      if (kBug != Bug::no_order && !first_of_all) ptx::bar_sync_of<kOrderBarrier, kConsumers, 256>(group);
      accumulate<kBug>(acc, base, turn, blocks, group, tile + step < tiles);
      if (thread == 0) ptx::bulk_wait_read<0>();
      ptx::bar_sync_of<kGroupBarrier, kConsumers, 128>(group);
      store_tile(shared + staging, acc, thread);
      ptx::fence_proxy_async_shared();
      ptx::bar_sync_of<kGroupBarrier, kConsumers, 128>(group);
      if (thread == 0) {
        ptx::tensor_store(map_c, {n0, row * 64}, base + staging);
        ptx::bulk_commit();
      }
    }
    turn += blocks;
  }
  if (thread == 0) ptx::bulk_wait<0>();
}

template <Bug kBug>
__global__ void __launch_bounds__(kThreads, 1)
    sparse_ping_pong(const SparseArgs args, const __grid_constant__ TensorMap map_a,
                     const __grid_constant__ TensorMap map_b, const __grid_constant__ TensorMap map_c) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(base + kFull + 8 * stage, 1);
      ptx::mbarrier_init(base + kEmpty + 8 * stage, 1);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 256)
    consume<kBug>(args, &map_c, shared, base, static_cast<int>(threadIdx.x) / 128);
  else if (threadIdx.x == 256)
    produce(args, &map_a, &map_b, base);
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
  const simt::Result result = simt::launch(config, {1, 1, 1}, {kThreads, 1, 1}, kSharedBytes, {1, 1, 1},
                                           [&] { sparse_ping_pong<kBug>(args, map_a, map_b, map_c); });
  return summarise(result, problem.wrong_elements(), problem.answer.size());
}

const Register kSubjects[] = {
    {"ping-pong", "", run<Bug::none>},
    {"ping-pong", "no order between the warpgroups (parity aliasing)", run<Bug::no_order>},
};
#else
template __global__ void sparse_ping_pong<Bug::none>(const SparseArgs, const __grid_constant__ TensorMap,
                                                     const __grid_constant__ TensorMap,
                                                     const __grid_constant__ TensorMap);
#endif

}  // namespace
}  // namespace bugs
