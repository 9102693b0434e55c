// async_operand.cuh - operands of mma.sync in either order, copied to shared memory by cp.async, and stages of them.
//
//   const tw::AsyncOperand<__half, tw::Major::k, 128, 64, kThreads> a(args.a, args.lda, args.rows, args.depth, threadIdx.x);
//   const auto load = [&](int step) { a.load(stage_of(step), row, step * 64); };
//   const tw::AsyncStages<kStages, decltype(load)> stages(steps, load);
//   for (int step = 0; step < steps; ++step) {
//     stages.wait(step);
//     multiply(stage_of(step));
//   }
#pragma once
#include "tw/async_tile.cuh"
#include "tw/mma_operands.cuh"

namespace tw {

/// One thread's share of the copies of tiles of an operand by `Threads` threads: `Extent` along M or N, `Depth` along K, of a
/// matrix that is contiguous along K or along M or N. `Bytes` per copy, as AsyncTile's.
template <class T, Major Order, int Extent, int Depth, int Threads, int Bytes = 16>
class AsyncOperand {
  static constexpr bool kByDepth = Order == Major::k;
  using Tile = AsyncTile<T, kByDepth ? Extent : Depth, kByDepth ? Depth : Extent, Threads, Bytes>;

 public:
  static constexpr Major kMajor = Order;
  static constexpr int kDepth = Depth, kRowBytes = Tile::kRowBytes, kBytes = Tile::kBytes;

  /// Tiles of a matrix of `extent` along M or N and `depth` along K, with `pitch` elements between its lines.
  TW_MEMBER AsyncOperand(const T* matrix, long long pitch, int extent, int depth, int thread)
      : tile_(matrix, pitch, kByDepth ? extent : depth, kByDepth ? depth : extent, thread) {}

  /// Issues the copies of the tile from `first` along M or N and `k` along K on to the tile at `to`. May begin outside.
  TW_MEMBER void load(std::uint32_t to, int first, int k) const {
    tile_.load(to, kByDepth ? first : k, kByDepth ? k : first);
  }

 private:
  Tile tile_;
};

/// Stages, at least 2, that all threads of a thread block fill by cp.async for `steps` steps: step i lies in stage i % Stages.
/// `load(step)` issues a thread's copies of a step. The first Stages - 1 steps are under way at once. A barrier must come behind the
/// last step before shared memory is used otherwise.
template <int Stages, class Load>
class AsyncStages {
 public:
  TW_MEMBER AsyncStages(int steps, const Load& load) : load_(load), steps_(steps) {
    for (int step = 0; step < Stages - 1; ++step) fetch(step);
  }

  /// Waits until everyone's copies of `step` have landed, and everyone has left the stage before it, which is filled again. By
  /// all threads, for one step after the other.
  TW_MEMBER void wait(int step) const {
    ptx::cp_async_wait<Stages - 2>();
    __syncthreads();
    fetch(step + Stages - 1);
  }

 private:
  TW_MEMBER void fetch(int step) const {
    if (step < steps_) load_(step);
    ptx::cp_async_commit();  // empty behind the last step: waits count groups
  }

  Load load_;
  int steps_;
};

}  // namespace tw
