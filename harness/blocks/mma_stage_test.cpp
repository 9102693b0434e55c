// mma_stage.cuh: products of a warp's part of a stage, in every order of the operands, with and without prefetch.
#include "tw/mma_stage.cuh"

#include "block_test.hpp"
#include "tw/operand_copy.cuh"

using namespace simt;
using namespace blocks;
using tw::Major;

namespace {

constexpr int kM = 32, kN = 64, kK = 32;  // of a stage
constexpr int kRows = 16, kColumns = 32;  // of a warp's part
constexpr int kRow = 16, kColumn = 32;    // where it begins
constexpr int kStride = 72;               // of both matrices

float element(Major order, int i, int k) { return order == Major::k ? number_at(i, k) : number_at(k, i); }

template <Major OrderA, Major OrderB, bool Prefetch>
void multiply(const Config& config) {
  const Matrix a(kStride, kStride), b(kStride, kStride);
  using A = tw::OperandCopy<__half, OrderA, kM, kK, 16, 32>;
  using B = tw::OperandCopy<__half, OrderB, kN, kK, 16, 32>;
  CHECK_CLEAN(launch(config, {1}, {32}, A::kBytes + B::kBytes, {1}, [&] {
    const int lane = static_cast<int>(ids->lane);
    A(lane).copy(shared_base(), 0, &a.at(0, 0), kStride, kM, kK);
    B(lane).copy(shared_base(), A::kBytes, &b.at(0, 0), kStride, kN, kK);
    ptx::cp_async_wait_all();
    sync_threads();
    const std::uint32_t stage = shared_start();
    tw::Sums<kRows / 16, kColumns / 8> sums;
    for (auto& tiles : sums)
      for (auto& tile : tiles)
        for (float& sum : tile) sum = 3;
    tw::multiply_stage<__half, A, B, Prefetch>(sums, stage, kRow, stage + A::kBytes, kColumn, lane);
    for (int n = 0; n < kColumns / 8; ++n)
      for (int i = 0; i < 4; ++i) {
        const int row = kRow + i / 2 * 8 + lane / 4, column = kColumn + n * 8 + lane % 4 * 2 + i % 2;
        float sum = 3;
        for (int k = 0; k < kK; ++k) sum += element(OrderA, row, k) * element(OrderB, column, k);
        CHECK_EQ(sums[0][n][i], sum);
      }
  }));
}

template <bool Prefetch>
void multiply_all(const Config& config) {
  multiply<Major::k, Major::k, Prefetch>(config);
  multiply<Major::k, Major::mn, Prefetch>(config);
  multiply<Major::mn, Major::k, Prefetch>(config);
  multiply<Major::mn, Major::mn, Prefetch>(config);
}

}  // namespace

TEST_CASE("fragments as they are multiplied") {
  for (const Config& config : all_modes()) multiply_all<false>(config);
}

TEST_CASE("fragments loaded before those in front of them are multiplied") {
  for (const Config& config : all_modes()) multiply_all<true>(config);
}
