// async_mainloop.cuh - the way of all threads of a thread block through stages that they fill by cp.async and multiply.
//
//   tw::async_mainloop<kStages, kStageBytes>(
//       steps, stages, [&](int step, std::uint32_t stage) { copy.load(step, stage); },
//       [&](std::uint32_t stage) { tw::multiply_warp<__half, 32, 256>(acc, stage, row, stage + kBytesA, column); });
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// `steps` steps through `Stages` stages, which lie `StageBytes` apart from `stages` on, an address or an offset. `load(step, stage)`
/// issues a thread's copies of a step, 0 first, to a stage; `multiply(stage)` reads a stage whose copies have landed. With one stage,
/// copies and products take turns; else copies of the next Stages - 1 steps are under way. A barrier must come before the stages are
/// used otherwise, as by the next call.
template <int Stages, int StageBytes, class Load, class Multiply>
TW_DEVICE void async_mainloop(int steps, std::uint32_t stages, const Load& load, const Multiply& multiply) {
  if constexpr (Stages == 1) {
    for (int step = 0; step < steps; ++step) {
      if (step > 0) __syncthreads();  // everyone has multiplied the step before
      load(step, stages);
      ptx::cp_async_wait_all();
      __syncthreads();
      multiply(stages);
    }
  } else {
    for (int step = 0; step < Stages - 1; ++step) {
      if (step < steps) load(step, stages + step * StageBytes);
      ptx::cp_async_commit();
    }
    const std::uint32_t last = stages + (Stages - 1) * StageBytes;
    const auto next = [&](std::uint32_t stage) { return stage == last ? stages : stage + StageBytes; };
    std::uint32_t read = stages, write = last;
    for (int step = 0; step < steps; ++step) {
      ptx::cp_async_wait<Stages - 2>();
      __syncthreads();  // everyone's copies for this step have landed, and everyone has left the stage written next
      if (step + Stages - 1 < steps) load(step + Stages - 1, write);
      ptx::cp_async_commit();  // empty behind the last step: the wait above counts groups
      multiply(read);
      read = next(read);
      write = next(write);
    }
  }
}

}  // namespace tw
