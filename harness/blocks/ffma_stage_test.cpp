// ffma_stage.cuh: products of a warp's part of a stage by CUDA cores, in every order of the operands.
#include "tw/ffma_stage.cuh"

#include "stage_test.hpp"

using namespace simt;
using namespace blocks;

TEST_CASE("products of floats, of operands in every order") {
  for (const Config& config : all_modes())
    check_every_order<float, 16>(config, [](auto a, auto b, auto& sums, int bytes_a) {
      const unsigned char* const stage = shared_base();
      const int lane = static_cast<int>(ids->lane);
      tw::multiply_stage<float, decltype(a), decltype(b), false>(sums, stage, kRow, stage + bytes_a, kColumn,
                                                                 lane);
    });
}
