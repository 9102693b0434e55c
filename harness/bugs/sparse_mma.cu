// sparse_mma.cu - C = A * B, A block-sparse, with cp.async, ldmatrix and mma.sync: one block per 64 x 64 tile of C, four
// warps of 32 x 32, a ring of three stages. With one bug at choice.
#include "kernels.hpp"

namespace bugs {
namespace {

enum class Bug {
  none,
  main_loop_barrier_removed,
  wait_dropped,
  wait_off_by_one,
  accumulator_not_zeroed,
  wrong_swizzle,
  prefetch_hits_live_stage,
  tail_commit_missing,
  barrier_before_reuse_removed,
  staging_barrier_removed,
  reads_past_the_end,
  last_wait_removed,
  output_read,
};

constexpr int kThreads = 128, kStages = 3, kStagingColumns = 64 + 8;
constexpr std::uint32_t kStageBytes = 2 * kTileBytes;

/// The ring slot of block i.
template <Bug kBug>
TW_DEVICE int slot_of(int i) {
  if (kBug == Bug::prefetch_hits_live_stage && i >= kStages - 1) return (i + 1) % kStages;
  return i % kStages;
}

template <Bug kBug>
TW_DEVICE std::uint32_t b_address(std::uint32_t tile, int row, int chunk) {
  if (kBug == Bug::wrong_swizzle) return tile + row * 128 + ((chunk ^ (row / 2 % 8)) * 16);
  return tile + tile_offset(row, chunk);
}

template <Bug kBug>
__global__ void __launch_bounds__(kThreads) sparse_mma(const SparseArgs args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int warp_row = warp % 2 * 32, warp_column = warp / 2 * 32;
  const int row = static_cast<int>(blockIdx.y), n0 = static_cast<int>(blockIdx.x) * 64;
  const int first = args.row_ptr[row], count = args.row_ptr[row + 1] - first;

  float acc[2][4][4];
  if constexpr (kBug != Bug::accumulator_not_zeroed)
    for (auto& m : acc)
      for (auto& n : m)
        for (float& x : n) x = 0;

  const auto load = [&](int slot, int i) {
    const __half* a = args.values + static_cast<std::size_t>(first + i) * 64 * 64;
    const __half* b = args.b + static_cast<std::size_t>(args.col_idx[first + i]) * 64 * args.n + n0;
    if constexpr (kBug == Bug::reads_past_the_end) b += args.n;
    const std::uint32_t to_a = base + slot * kStageBytes, to_b = to_a + kTileBytes;
    for (int c = thread; c < 64 * 8; c += kThreads) {
      ptx::cp_async<16>(to_a + tile_offset(c / 8, c % 8), a + c * 8);
      ptx::cp_async<16>(to_b + tile_offset(c / 8, c % 8),
                        b + static_cast<std::size_t>(c / 8) * args.n + c % 8 * 8);
    }
  };

  for (int i = 0; i < kStages - 1; ++i) {
    if (i < count) load(slot_of<kBug>(i), i);
    ptx::cp_async_commit();
  }
  for (int i = 0; i < count; ++i) {
    if constexpr (kBug == Bug::wait_off_by_one)
      ptx::cp_async_wait<kStages - 1>();
    else if constexpr (kBug != Bug::wait_dropped)
      ptx::cp_async_wait<kStages - 2>();
    if constexpr (kBug != Bug::main_loop_barrier_removed) __syncthreads();

    const int ahead = i + kStages - 1;
    if (ahead < count) load(slot_of<kBug>(ahead), ahead);
    if (kBug != Bug::tail_commit_missing || ahead < count) ptx::cp_async_commit();

    const std::uint32_t tile_a = base + slot_of<kBug>(i) * kStageBytes, tile_b = tile_a + kTileBytes;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint32_t a[2][4];
      for (int m = 0; m < 2; ++m)
        ptx::ldmatrix_x4(a[m], tile_a + tile_offset(warp_row + m * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        std::uint32_t b[4];
        const int chunk = warp_column / 8 + n * 2 + lane / 16;
        ptx::ldmatrix_x4_trans(b, b_address<kBug>(tile_b, k * 16 + lane % 16, chunk));
        for (int m = 0; m < 2; ++m) {
          ptx::mma_m16n8k16<__half>(acc[m][2 * n], a[m], b[0], b[1]);
          ptx::mma_m16n8k16<__half>(acc[m][2 * n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  // Epilogue: through shared memory, which the ring gives up, then rows of 16-byte stores.
  if constexpr (kBug != Bug::last_wait_removed) ptx::cp_async_wait<0>();
  if constexpr (kBug != Bug::barrier_before_reuse_removed) __syncthreads();
  auto* staging = reinterpret_cast<__half*>(shared);
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n)
      for (int half = 0; half < 2; ++half) {
        const int r = warp_row + m * 16 + half * 8 + lane / 4, c = warp_column + n * 8 + lane % 4 * 2;
        *reinterpret_cast<std::uint32_t*>(staging + r * kStagingColumns + c) =
            ptx::pack<__half>(acc[m][n][half * 2], acc[m][n][half * 2 + 1]);
      }
  if constexpr (kBug != Bug::staging_barrier_removed) __syncthreads();
  for (int c = thread; c < 64 * 8; c += kThreads) {
    __half* to = args.c + static_cast<std::size_t>(row * 64 + c / 8) * args.n + n0 + c % 8 * 8;
    const __half* from = staging + c / 8 * kStagingColumns + c % 8 * 8;
    if constexpr (kBug == Bug::output_read)  // where C holds NaN, the maximum is the other operand
      for (int i = 0; i < 8; ++i) to[i] = __hmax(from[i], to[i]);
    else
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  }
}

#if defined(TW_EMULATED)
template <Bug kBug>
Finding run(const simt::Config& config) {
  const Sparse& problem = sparse();
  problem.poison();
  const SparseArgs args = arguments(problem);
  const simt::Dim3 grid{static_cast<unsigned>(problem.n / 64), static_cast<unsigned>(problem.m / 64), 1};
  const simt::Result result = simt::launch(config, grid, {kThreads, 1, 1}, kStages * kStageBytes, {1, 1, 1},
                                           [&] { sparse_mma<kBug>(args); });
  return summarise(result, problem.wrong_elements(), problem.answer.size());
}

const Register kSubjects[] = {
    {"mma", "", run<Bug::none>},
    {"mma", "main-loop `__syncthreads` removed", run<Bug::main_loop_barrier_removed>},
    {"mma", "cp.async wait dropped", run<Bug::wait_dropped>},
    {"mma", "wait_group off by one", run<Bug::wait_off_by_one>},
    {"mma", "tail commit_group missing", run<Bug::tail_commit_missing>},
    {"mma", "prefetch overwrites the live stage", run<Bug::prefetch_hits_live_stage>},
    {"mma", "barrier before shared memory is reused removed", run<Bug::barrier_before_reuse_removed>},
    {"mma", "barrier between staging write and read removed", run<Bug::staging_barrier_removed>},
    {"mma", "accumulator not zeroed", run<Bug::accumulator_not_zeroed>},
    {"mma", "wrong XOR swizzle", run<Bug::wrong_swizzle>},
    {"mma", "B read one row past the end", run<Bug::reads_past_the_end>},
    {"mma", "C combined with what it held before it was written", run<Bug::output_read>},
    {"mma", "last wait_group removed (all groups are empty by then)", run<Bug::last_wait_removed>, true},
};
#else
template __global__ void sparse_mma<Bug::none>(SparseArgs);
#endif

}  // namespace
}  // namespace bugs
