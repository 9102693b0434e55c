// wgmma_mainloop.cuh - a consumer warpgroup's way through the stages of a pipeline: the products of all of them in its
// accumulators.
//
//   tw::wgmma_mainloop<1, kStageBytes, Pipeline::State&>(acc, pipeline, at, steps, stages, [&](std::uint32_t stage, bool accumulate) {
//     tw::multiply<__half, 1>(acc, TileA{stage}, TileB{stage + kStageBytesA}, accumulate);
//   });
#pragma once
#include <type_traits>

#include "tw/pipeline.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {

/// Sums the products of `steps` stages from `at` on, 0 without steps. Stages lie `StageBytes` apart from `stages` on.
/// `multiply(stage, accumulate)` issues the products of the stage at an address; without `accumulate` they replace what `acc`
/// holds. Products of `InFlight` stages, 0 or 1, may be under way while the next stage is awaited: it is released so much later.
/// `At`: Pipeline::State& of a warpgroup with more to come, which moves past the stages, all released; Pipeline::State of the
/// last stages of all: those whose products end last are not released, as no producer waits for them.
template <int InFlight, int StageBytes, class At, class Pipeline, int Tiles, int Registers, class Multiply>
TW_DEVICE void wgmma_mainloop(float (&acc)[Tiles][Registers], const Pipeline& pipeline, At at, int steps,
                              std::uint32_t stages, const Multiply& multiply) {
  static_assert(InFlight == 0 || InFlight == 1, "at most one stage is left to be released");
  typename Pipeline::State done = at;  // the next stage to be released
  for (int step = 0; step < steps; ++step, at.advance()) {
    const std::uint32_t stage = stages + at.stage * StageBytes;
    pipeline.wait(at);
    ptx::wgmma_fence();
    multiply(stage, step > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<InFlight>();
    if (step < InFlight) continue;
    pipeline.release(done.stage);
    done.advance();
  }
  ptx::wgmma_wait<0>();
  fence(acc);
  if (std::is_reference_v<At> && InFlight > 0 && steps > 0) pipeline.release(done.stage);
  if (steps == 0) clear(acc);
}

}  // namespace tw
