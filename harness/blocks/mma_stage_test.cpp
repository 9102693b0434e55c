// mma_stage.cuh: products of a warp's part of a stage, in every order of the operands, with and without prefetch.
#include "tw/mma_stage.cuh"

#include "stage_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

template <bool Prefetch>
void multiply_all(const Config& config) {
  check_every_order<__half, 32>(config, [](auto a, auto b, auto& sums, int bytes_a) {
    const std::uint32_t stage = shared_start();
    const int lane = static_cast<int>(ids->lane);
    tw::multiply_stage<__half, decltype(a), decltype(b), Prefetch>(sums, stage, kRow, stage + bytes_a,
                                                                   kColumn, lane);
  });
}

}  // namespace

TEST_CASE("fragments as they are multiplied") {
  for (const Config& config : all_modes()) multiply_all<false>(config);
}

TEST_CASE("fragments loaded before those in front of them are multiplied") {
  for (const Config& config : all_modes()) multiply_all<true>(config);
}
