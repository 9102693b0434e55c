// pipeline.cuh - a pipeline of stages in shared memory between producers and consumers: one pair of mbarriers per
// stage, "full" and "empty".
//
//   producer                                consumer
//     pipeline.acquire(at);                   pipeline.wait(at);
//     pipeline.expect(at, bytes);             read the stage
//     copies that signal full(at.stage)       pipeline.release(at.stage);
//     at.advance();                           at.advance();
//
// Both sides walk the stages in the same order, each with a PipelineState of its own.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// A place in a pipeline of `Stages` stages. The phase flips whenever the stages wrap around. A parity cannot tell
/// phases two wraps apart: whoever waits must have seen, or be ordered behind, the phase before.
template <int Stages>
struct PipelineState {
  int stage = 0;
  std::uint32_t phase = 0;

  /// To the next stage.
  TW_MEMBER void advance() {
    if (++stage == Stages) {
      stage = 0;
      phase ^= 1;
    }
  }

  /// Past `stages` stages, which somebody else consumes.
  TW_MEMBER void skip(int stages) {
    stage += stages;
    phase ^= stage / Stages & 1;
    stage %= Stages;
  }
};

/// The mbarriers of a pipeline of `Stages` stages: at `barriers` in shared memory, 8-byte aligned, kBytes long. With a
/// cluster of `Cluster` thread blocks, each of which may copy into the others, a stage is free when all have released it.
template <int Stages, int Cluster = 1>
struct Pipeline {
  using State = PipelineState<Stages>;
  static constexpr int kBytes = 16 * Stages;

  std::uint32_t barriers;

  /// Completes when a stage has been filled: the mbarrier for copies to signal.
  TW_MEMBER std::uint32_t full(int stage) const { return barriers + 8 * stage; }
  /// Completes when a stage has been released by all consumers.
  TW_MEMBER std::uint32_t empty(int stage) const { return full(Stages + stage); }

  /// By one thread, before ptx::fence_mbarrier_init and a barrier of the thread block or cluster. `Producers`: arrivals
  /// that fill a stage, beside the bytes they announce; `Consumers`: warps of a thread block that release it.
  template <int Producers, int Consumers>
  TW_MEMBER void init() const {
    for (int stage = 0; stage < Stages; ++stage) {
      ptx::mbarrier_init(full(stage), Producers);
      ptx::mbarrier_init(empty(stage), Consumers * Cluster);
    }
  }

  /// Waits for the consumers' release of the stage. Passes in the first turn: nobody has used it.
  TW_MEMBER void acquire(const State& at) const { ptx::mbarrier_wait(empty(at.stage), at.phase ^ 1); }

  /// A producer's arrival; the stage is full when `bytes` bytes have come as well.
  TW_MEMBER void expect(const State& at, std::uint32_t bytes) const {
    ptx::mbarrier_arrive_expect_tx(full(at.stage), bytes);
  }

  /// Waits until the stage is full.
  TW_MEMBER void wait(const State& at) const { ptx::mbarrier_wait(full(at.stage), at.phase); }

  /// Consumer release: one arrival per warp at every thread block of the cluster, whose lanes have all read the stage.
  TW_MEMBER void release(int stage) const {
    if constexpr (Cluster == 1) {
      if (ptx::lane_id() == 0) ptx::mbarrier_arrive(empty(stage));
    } else {
      // At block scope: releasing at cluster scope costs a fence of all memory. What another thread block writes here
      // comes by TMA, and only the asynchronous proxy has read it.
      const std::uint32_t lane = ptx::lane_id();
      if (lane < Cluster) ptx::mbarrier_arrive_cluster(ptx::map_shared_rank(empty(stage), lane));
    }
  }
};

}  // namespace tw
