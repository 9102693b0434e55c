// wgmma_mainloop.cuh: tile after tile, the products of all stages of each, released so that the producer goes on.
#include "tw/wgmma_mainloop.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kDepth = 16, kN = 32, kStages = 3;
constexpr int kBytesA = 2 * 64 * kDepth, kBytesB = 2 * 64 * kDepth, kStageBytes = kBytesA + kBytesB;
constexpr int kSharedBytes = kStages * kStageBytes + tw::Pipeline<kStages>::kBytes;
constexpr int kSteps[] = {5, 0, 1, 4};  // of each tile: more than there are stages, none, one
using TileA = tw::KMajor<kDepth>;
using TileB = tw::MnMajor<kDepth>;
using Pipeline = tw::Pipeline<kStages>;

float a_at(int step, int m, int k) { return static_cast<float>((m * 5 + k * 3 + step) % 13) * 0.25f - 1.5f; }
float b_at(int step, int k, int n) { return static_cast<float>((k * 7 + n * 2 + step) % 11) * 0.5f - 2.5f; }

void put(std::uint32_t address, float value) { store_shared(address, __float2half(value)); }

/// Fills a stage with A and B of a step, by a warp.
void fill(std::uint32_t stage, int step) {
  for (int i = static_cast<int>(ids->lane); i < 64 * kDepth; i += 32) {
    const int along = i / kDepth, k = i % kDepth;
    put(stage + swizzled_offset<2 * kDepth>(along, k), a_at(step, along, k));
    put(stage + kBytesA + swizzled_offset<128>(k, along), b_at(step, k, along));
  }
}

/// The sum of the products of `steps` steps from `first` on.
float sum_at(int first, int steps, int m, int n) {
  float sum = 0;
  for (int step = first; step < first + steps; ++step)
    for (int k = 0; k < kDepth; ++k) sum += a_at(step, m, k) * b_at(step, k, n);
  return sum;
}

template <int InFlight>
Result run(const Config& config) {
  return launch(config, {1}, {160}, kSharedBytes, {1}, [&] {
    const std::uint32_t base = shared_start();
    const Pipeline pipeline{base + kStages * kStageBytes};
    if (ids->thread.x == 0) pipeline.template init<32, 4>();
    sync_threads();
    Pipeline::State at;
    int first = 0;
    for (int tile = 0; tile < 4; ++tile) {
      const int steps = kSteps[tile];
      if (ids->warp == 4) {
        for (int step = 0; step < steps; ++step, at.advance()) {
          pipeline.acquire(at);
          fill(base + static_cast<std::uint32_t>(at.stage * kStageBytes), first + step);
          fence_proxy_async();
          ptx::mbarrier_arrive(pipeline.full(at.stage));
        }
      } else {
        tw::Accumulators<1, 1, kN> acc;
        const auto multiply = [&](std::uint32_t stage, bool accumulate) {
          tw::multiply<__half, 1>(acc, TileA{stage}, TileB{stage + kBytesA}, accumulate);
        };
        if (tile < 3)
          tw::wgmma_mainloop<InFlight, kStageBytes, Pipeline::State&>(acc, pipeline, at, steps, base,
                                                                      multiply);
        else
          tw::wgmma_mainloop<InFlight, kStageBytes, Pipeline::State>(acc, pipeline, at, steps, base,
                                                                     multiply);
        for (int i = 0; i < kN / 2; ++i) {
          const tw::AccumulatorPlace<1, kN> place(0, i, static_cast<int>(ids->warp),
                                                  static_cast<int>(ids->lane));
          CHECK_EQ(acc[0][i], sum_at(first, steps, place.m, place.n));
        }
        CHECK_EQ(at.stage, (tile < 3 ? first + steps : first) % kStages);
      }
      first += steps;
    }
  });
}

}  // namespace

TEST_CASE("each tile has the products of its own stages") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN(run<0>(config));
    CHECK_CLEAN(run<1>(config));
  }
}
