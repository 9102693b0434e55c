// attention.cu - block-sparse flash attention, head dimension 64: online softmax with warp shuffles, keys and
// values by cp.async into two buffers, mma.sync for both products. One block per 64 queries, 16 per warp.
// With one bug at choice.
#include "kernels.hpp"

namespace bugs {
namespace {

enum class Bug { none, shuffle_missing, no_rescale, reuse_barrier_removed, divergent_shuffle };

struct AttentionArgs {
  const int *row_ptr, *col_idx;
  const __half *q, *k, *v;
  __half* o;
  float scale;  // of the scores, times log2(e)
};

constexpr int kThreads = 128;
constexpr std::uint32_t kSharedBytes = 5 * kTileBytes;  // Q, two of K, two of V

TW_DEVICE void load_tile(std::uint32_t to, const __half* from) {
  for (int c = static_cast<int>(threadIdx.x); c < 64 * 8; c += kThreads)
    ptx::cp_async<16>(to + tile_offset(c / 8, c % 8), from + c * 8);
}

/// scores = Q * K^T for the warp's 16 queries; the tile holds one key per row.
TW_DEVICE void score(float (&scores)[8][4], const std::uint32_t (&q)[4][4], std::uint32_t keys) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (auto& s : scores)
    for (float& x : s) x = 0;
#pragma unroll
  for (int n = 0; n < 4; ++n)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint32_t b[4];
      ptx::ldmatrix_x4(b, keys + tile_offset(n * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
      ptx::mma_m16n8k16<__half>(scores[2 * n], q[k], b[0], b[1]);
      ptx::mma_m16n8k16<__half>(scores[2 * n + 1], q[k], b[2], b[3]);
    }
}

/// Running maximum and sum of the two rows that a thread holds, 8 apart.
struct Softmax {
  float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

/// Turns scores into weights and rescales what was accumulated before.
template <Bug kBug>
TW_DEVICE void soften(float (&scores)[8][4], float (&out)[8][4], Softmax& state, float scale, bool diagonal) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int query = warp * 16 + half * 8 + lane / 4;
    float largest = state.largest[half], sum = 0;
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 2; ++e) {
        float& x = scores[n][half * 2 + e];
        x = diagonal && n * 8 + lane % 4 * 2 + e > query ? -INFINITY : x * scale;
        largest = fmaxf(largest, x);
      }
    largest = fmaxf(largest, __shfl_xor_sync(ptx::kAllLanes, largest, 1));
    if constexpr (kBug == Bug::divergent_shuffle) {
      if (lane < 16) largest = fmaxf(largest, __shfl_xor_sync(ptx::kAllLanes, largest, 2));
    } else if constexpr (kBug != Bug::shuffle_missing) {
      largest = fmaxf(largest, __shfl_xor_sync(ptx::kAllLanes, largest, 2));
    }
    const float shrink = exp2f(state.largest[half] - largest);
    state.largest[half] = largest;
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 2; ++e) {
        float& x = scores[n][half * 2 + e];
        x = exp2f(x - largest);
        sum += x;
        if constexpr (kBug != Bug::no_rescale) out[n][half * 2 + e] *= shrink;
      }
    state.sum[half] = state.sum[half] * shrink + sum;
  }
}

/// out += weights * V.
TW_DEVICE void weigh(float (&out)[8][4], const float (&weights)[8][4], std::uint32_t values) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const auto &low = weights[2 * k], &high = weights[2 * k + 1];
    const std::uint32_t a[4] = {ptx::pack<__half>(low[0], low[1]), ptx::pack<__half>(low[2], low[3]),
                                ptx::pack<__half>(high[0], high[1]), ptx::pack<__half>(high[2], high[3])};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      std::uint32_t b[4];
      ptx::ldmatrix_x4_trans(b, values + tile_offset(k * 16 + lane % 16, n * 2 + lane / 16));
      ptx::mma_m16n8k16<__half>(out[2 * n], a, b[0], b[1]);
      ptx::mma_m16n8k16<__half>(out[2 * n + 1], a, b[2], b[3]);
    }
  }
}

TW_DEVICE void write_out(const AttentionArgs& args, const float (&out)[8][4], Softmax& state) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int half = 0; half < 2; ++half) {
    float sum = state.sum[half];
    sum += __shfl_xor_sync(ptx::kAllLanes, sum, 1);
    sum += __shfl_xor_sync(ptx::kAllLanes, sum, 2);
    const float norm = sum > 0 ? 1 / sum : 0;
    const std::size_t row = blockIdx.x * 64 + warp * 16 + half * 8 + lane / 4;
    for (int n = 0; n < 8; ++n)
      *reinterpret_cast<std::uint32_t*>(args.o + row * 64 + n * 8 + lane % 4 * 2) =
          ptx::pack<__half>(out[n][half * 2] * norm, out[n][half * 2 + 1] * norm);
  }
}

template <Bug kBug>
__global__ void __launch_bounds__(kThreads) attend(const AttentionArgs args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = static_cast<int>(blockIdx.x), first = args.row_ptr[row],
            count = args.row_ptr[row + 1] - first;
  const auto keys = [&](int i) { return base + (1 + i % 2 * 2) * kTileBytes; };
  const auto load = [&](int i) {
    const std::size_t at = static_cast<std::size_t>(args.col_idx[first + i]) * 64 * 64;
    load_tile(keys(i), args.k + at);
    load_tile(keys(i) + kTileBytes, args.v + at);
  };

  load_tile(base, args.q + static_cast<std::size_t>(row) * 64 * 64);
  if (count > 0) load(0);
  ptx::cp_async_commit();
  Softmax state;
  float out[8][4] = {}, scores[8][4];
  std::uint32_t q[4][4];
  for (int i = 0; i < count; ++i) {
    if (i + 1 < count) load(i + 1);
    ptx::cp_async_commit();
    ptx::cp_async_wait<1>();
    __syncthreads();
    if (i == 0)
      for (int k = 0; k < 4; ++k)
        ptx::ldmatrix_x4(q[k], base + tile_offset(warp * 16 + lane % 16, k * 2 + lane / 16));
    score(scores, q, keys(i));
    soften<kBug>(scores, out, state, args.scale, args.col_idx[first + i] == row);
    weigh(out, scores, keys(i) + kTileBytes);
    if constexpr (kBug != Bug::reuse_barrier_removed) __syncthreads();
  }
  write_out(args, out, state);
}

#if defined(TW_EMULATED)
template <Bug kBug>
Finding run(const simt::Config& config) {
  const Attention& problem = attention();
  problem.poison();
  const AttentionArgs args{problem.row_ptr.get(), problem.col_idx.get(), problem.q.get(), problem.k.get(),
                           problem.v.get(),       problem.o.get(),       1.44269504f / 8};
  const simt::Dim3 grid{static_cast<unsigned>(problem.length / 64), 1, 1};
  const simt::Result result =
      simt::launch(config, grid, {kThreads, 1, 1}, kSharedBytes, {1, 1, 1}, [&] { attend<kBug>(args); });
  return summarise(result, problem.wrong_elements(), problem.answer.size());
}

const Register kSubjects[] = {
    {"attention", "", run<Bug::none>},
    {"attention", "one shuffle of the row maximum missing", run<Bug::shuffle_missing>},
    {"attention", "output not rescaled when the maximum grows", run<Bug::no_rescale>},
    {"attention", "barrier before the buffer is refilled removed", run<Bug::reuse_barrier_removed>},
    {"attention", "shuffle inside a divergent branch", run<Bug::divergent_shuffle>},
};
#else
template __global__ void attend<Bug::none>(AttentionArgs);
#endif

}  // namespace
}  // namespace bugs
