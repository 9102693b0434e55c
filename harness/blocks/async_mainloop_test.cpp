// async_mainloop.cuh: every step is multiplied once, in order, from the stage that it was loaded to, and what misuse is called.
#include "tw/async_mainloop.cuh"

#include "block_test.hpp"
#include "tw/async_operand.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kDepth = 64;

enum class Mistake { none, no_barrier };

/// Two warps walk a matrix twice, 16 rows a step, and read them all.
template <int Stages>
Result walk(const Config& config, int steps, Mistake mistake = Mistake::none) {
  using Operand = tw::AsyncOperand<__half, tw::Major::k, 16, kDepth, 64>;
  const Matrix matrix(16 * 12, kDepth);
  return launch(config, {1}, {64}, Stages * Operand::kBytes, {1}, [&] {
    const Operand operand(&matrix.at(0, 0), kDepth, 16 * 12, kDepth, static_cast<int>(ids->thread.x));
    for (int turn = 0; turn < 2; ++turn) {
      if (turn > 0 && mistake == Mistake::none) sync_threads();
      int multiplied = 0;
      tw::async_mainloop<Stages, Operand::kBytes>(
          steps, shared_start(),
          [&](int step, std::uint32_t stage) { operand.load(stage, (16 * step + 32 * turn) % 192, 0); },
          [&](std::uint32_t stage) {
            for (int i = 0; i < 16; ++i) {
              const int row = (i + static_cast<int>(ids->warp) * 8) % 16,
                        column = static_cast<int>(ids->lane);
              const float expected = number_at((16 * multiplied + 32 * turn) % 192 + row, column);
              const float value = shared_number(stage + swizzled_offset<2 * kDepth>(row, column));
              if (mistake == Mistake::none) CHECK_EQ(value, expected);
            }
            ++multiplied;
          });
      if (mistake == Mistake::none) CHECK_EQ(multiplied, steps);
    }
  });
}

}  // namespace

TEST_CASE("every step is multiplied in order") {
  for (const Config& config : all_modes())
    for (const int steps : {0, 1, 2, 3, 11}) {
      CHECK_CLEAN(walk<1>(config, steps));
      CHECK_CLEAN(walk<2>(config, steps));
      CHECK_CLEAN(walk<3>(config, steps));
      CHECK_CLEAN(walk<4>(config, steps));
    }
}

TEST_CASE("stages that are filled again without a barrier behind the last step are a race") {
  CHECK_FINDING(walk<1>(checked(Order::greedy, Async::now), 1, Mistake::no_barrier), "race", "write");
  CHECK_FINDING(walk<3>(checked(Order::greedy, Async::now), 1, Mistake::no_barrier), "race", "write");
}
