// pipeline.cuh: stages go from producer to consumers and back, over many wraps, and what misuse is called.
#include "tw/pipeline.cuh"

#include "block_test.hpp"
#include "tw/tma_tile.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kStages = 3, kSteps = 11;         // several wraps, none of them whole
constexpr int kRows = 8, kBytes = kRows * 128;  // of a stage
constexpr std::uint32_t kSharedBytes = kStages * kBytes + 16 * kStages;

enum class Mistake { none, early_release, no_release, too_few_bytes, no_convergence };

/// A warp fills stages with eight rows of a matrix each, for all blocks of the cluster; two warps read them.
template <int Cluster>
Result run(const Config& config, Mistake mistake = Mistake::none) {
  const Matrix matrix(kSteps * kRows, 64);
  const TensorMap map = matrix.map({64, kSteps * kRows}, {64, kRows / Cluster}, {64}, 128);
  return launch(config, {Cluster}, {96}, kSharedBytes, {Cluster}, [&] {
    const std::uint32_t base = shared_start();
    const tw::Pipeline<kStages, Cluster> pipeline{base + kStages * kBytes};
    if (ids->thread.x == 0) {
      pipeline.template init<1, 2>();
      fence_mbarrier_init();
    }
    tw::cluster_sync<Cluster>();
    tw::PipelineState<kStages> at;
    if (ids->warp == 2) {
      for (int step = 0; step < kSteps && ids->lane == 0; ++step, at.advance()) {
        pipeline.acquire(at);
        pipeline.expect(at, mistake == Mistake::too_few_bytes ? kBytes / 2 : kBytes);
        tw::load_rows<kRows, 128, Cluster>(base + at.stage * kBytes, tw::Tensor{&map}, step * kRows, 0,
                                           pipeline.full(at.stage));
      }
      sync_warp(0xffffffff);
    } else {
      for (int step = 0; step < kSteps; ++step, at.advance()) {
        pipeline.wait(at);
        if (mistake == Mistake::no_convergence) {
          pipeline.release(at.stage);
          continue;
        }
        if (mistake == Mistake::early_release) pipeline.release(at.stage);
        const std::uint32_t stage = base + static_cast<std::uint32_t>(at.stage * kBytes);
        for (int row = 0; row < kRows; ++row)
          CHECK_EQ(shared_number(stage + static_cast<std::uint32_t>(row * 128 + ((0 ^ row) << 4)) +
                                 ids->lane % 8 * 2),
                   number_at(step * kRows + row, static_cast<int>(ids->lane) % 8));
        fence_proxy_async();
        sync_warp(0xffffffff);
        if (mistake == Mistake::none) pipeline.release(at.stage);
      }
    }
    tw::cluster_sync<Cluster>();
  });
}

}  // namespace

TEST_CASE("stages go round") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN(run<1>(config));
    CHECK_CLEAN(run<2>(config));
  }
}

TEST_CASE("a stage that is never released is a deadlock of the producer") {
  for (const Config& config : few_modes())
    CHECK_FINDING(run<1>(config, Mistake::no_release), "deadlock", "arrivals missing");
}

TEST_CASE("a stage that is released before it is read is a race") {
  CHECK_FINDING(run<1>(checked(Order::greedy, Async::now), Mistake::early_release), "race",
                "write after read");
}

TEST_CASE("a stage that is released before all lanes have seen it full laps one that lags") {
  for (Config config : all_modes()) {
    config.lag = 0.125;
    CHECK_CLEAN(run<1>(config));
    CHECK_CLEAN(run<2>(config));
  }
  for (Order order : {Order::in_order, Order::random, Order::greedy}) {
    Config config = checked(order, Async::late);
    CHECK_CLEAN(run<1>(config, Mistake::no_convergence));  // nobody reads
    config.lag = 1;
    CHECK_FINDING(run<1>(config, Mistake::no_convergence), "phase",
                  "Nothing keeps the arrivals from lapping this waiter");
  }
}

TEST_CASE("bytes that nobody announced are named") {
  for (const Config& config : few_modes())
    CHECK_FINDING(run<1>(config, Mistake::too_few_bytes), "deadlock",
                  "512 bytes landed that no expect_tx announced");
}

TEST_CASE("a place is the same whether stages are skipped or walked") {
  for (int stages = 0; stages < 4 * kStages; ++stages)
    for (int start = 0; start < 2 * kStages; ++start) {
      tw::PipelineState<kStages> skipped, walked;
      for (int i = 0; i < start; ++i) skipped.advance(), walked.advance();
      skipped.skip(stages);
      for (int i = 0; i < stages; ++i) walked.advance();
      CHECK_EQ(skipped.stage, walked.stage);
      CHECK_EQ(skipped.phase, walked.phase);
      CHECK_EQ(walked.stage, (start + stages) % kStages);
      CHECK_EQ(walked.phase, static_cast<std::uint32_t>((start + stages) / kStages % 2));
    }
}
