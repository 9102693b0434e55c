// async_operand.cuh: operands of either order, with edges; stages that hold each step in turn, and what misuse is called.
#include "tw/async_operand.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kExtent = 32, kDepth = 64, kPitch = 136;  // of an operand, and of its matrix of 40 lines

/// Loads the tile from `first` along M or N and `k` along K on of a matrix of `extent` by `depth`.
template <tw::Major Order>
void load(const Config& config, int extent, int depth, int first, int k) {
  constexpr bool kByDepth = Order == tw::Major::k;
  using Operand = tw::AsyncOperand<__half, Order, kExtent, kDepth, 64>;
  const Matrix matrix(40, kPitch);
  CHECK_CLEAN(launch(config, {1}, {64}, Operand::kBytes, {1}, [&] {
    const std::uint32_t base = shared_start();
    const Operand operand(&matrix.at(0, 0), kPitch, extent, depth, static_cast<int>(ids->thread.x));
    operand.load(base, first, k);
    ptx::cp_async_wait_all();
    sync_threads();
    for (int i = static_cast<int>(ids->thread.x); i < kExtent * kDepth; i += 64) {
      const int along = first + i / kDepth, deep = k + i % kDepth;
      const int row = kByDepth ? i / kDepth : i % kDepth, column = kByDepth ? i % kDepth : i / kDepth;
      const float expected = kByDepth ? number_at(along, deep) : number_at(deep, along);
      CHECK_EQ(shared_number(base + swizzled_offset<Operand::kRowBytes>(row, column)),
               along < extent && deep < depth ? expected : 0.0f);
    }
  }));
}

enum class Mistake { none, no_wait };

/// Two warps load 16 rows of a matrix a step and read them all.
template <int Stages>
Result walk(const Config& config, int steps, Mistake mistake = Mistake::none) {
  using Operand = tw::AsyncOperand<__half, tw::Major::k, 16, kDepth, 64>;
  const Matrix matrix(16 * 12, kDepth);
  return launch(config, {1}, {64}, Stages * Operand::kBytes, {1}, [&] {
    const std::uint32_t base = shared_start();
    const Operand operand(&matrix.at(0, 0), kDepth, 16 * 12, kDepth, static_cast<int>(ids->thread.x));
    const auto stage_of = [&](int step) {
      return base + static_cast<std::uint32_t>(step % Stages * Operand::kBytes);
    };
    const auto load_step = [&](int step) { operand.load(stage_of(step), 16 * step, 0); };
    const tw::AsyncStages<Stages, decltype(load_step)> stages(steps, load_step);
    for (int step = 0; step < steps; ++step) {
      if (mistake == Mistake::none) stages.wait(step);
      for (int i = 0; i < 16; ++i) {
        const int row = (i + static_cast<int>(ids->warp) * 8) % 16, column = static_cast<int>(ids->lane);
        const float value = shared_number(stage_of(step) + swizzled_offset<2 * kDepth>(row, column));
        if (mistake == Mistake::none) CHECK_EQ(value, number_at(16 * step + row, column));
      }
    }
  });
}

}  // namespace

TEST_CASE("operands of either order, whole and ragged") {
  for (const Config& config : all_modes()) {
    load<tw::Major::k>(config, 40, 136, 0, 64);
    load<tw::Major::k>(config, 39, 101, 32, 64);
    load<tw::Major::mn>(config, 136, 40, 64, 0);
    load<tw::Major::mn>(config, 93, 37, 64, 16);
  }
}

TEST_CASE("every step lies in its stage when it is read") {
  for (const Config& config : all_modes())
    for (const int steps : {0, 1, 2, 3, 12}) {
      CHECK_CLEAN(walk<2>(config, steps));
      CHECK_CLEAN(walk<3>(config, steps));
      CHECK_CLEAN(walk<4>(config, steps));
    }
}

TEST_CASE("a step that nobody waits for is a race") {
  CHECK_FINDING(walk<3>(checked(Order::greedy, Async::now), 2, Mistake::no_wait), "race", "write");
}
