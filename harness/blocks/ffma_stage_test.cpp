// ffma_stage.cuh: products of a warp's part of a stage by CUDA cores, in every order of the operands.
#include "tw/ffma_stage.cuh"

#include "block_test.hpp"
#include "tw/operand_copy.cuh"

using namespace simt;
using namespace blocks;
using tw::Major;

namespace {

constexpr int kM = 32, kN = 64, kK = 16;  // of a stage
constexpr int kRows = 16, kColumns = 32;  // of a warp's part
constexpr int kRow = 16, kColumn = 32;    // where it begins
constexpr int kStride = 72;               // of both matrices

/// A row-major matrix, each element number_at its place.
class Floats {
 public:
  Floats() : buffer_(static_cast<std::size_t>(kStride) * kStride, "matrix") {
    for (int i = 0; i < kStride * kStride; ++i)
      buffer_[static_cast<std::size_t>(i)] = number_at(i / kStride, i % kStride);
  }
  const float* data() const { return &buffer_[0]; }

 private:
  simt::Buffer<float> buffer_;
};

float element(Major order, int i, int k) { return order == Major::k ? number_at(i, k) : number_at(k, i); }

template <Major OrderA, Major OrderB>
void multiply(const Config& config) {
  const Floats a, b;
  using A = tw::OperandCopy<float, OrderA, kM, kK, 4, 32>;
  using B = tw::OperandCopy<float, OrderB, kN, kK, 16, 32>;
  CHECK_CLEAN(launch(config, {1}, {32}, A::kBytes + B::kBytes, {1}, [&] {
    const int lane = static_cast<int>(ids->lane);
    A(lane).copy(shared_base(), 0, a.data(), kStride, kM, kK);
    B(lane).copy(shared_base(), A::kBytes, b.data(), kStride, kN, kK);
    ptx::cp_async_wait_all();
    sync_threads();
    const unsigned char* const stage = shared_base();
    tw::Sums<kRows / 16, kColumns / 8> sums;
    for (auto& tiles : sums)
      for (auto& tile : tiles)
        for (float& sum : tile) sum = 3;
    tw::multiply_stage<float, A, B, false>(sums, stage, kRow, stage + A::kBytes, kColumn, lane);
    for (int n = 0; n < kColumns / 8; ++n)
      for (int i = 0; i < 4; ++i) {
        const int row = kRow + i / 2 * 8 + lane / 4, column = kColumn + n * 8 + lane % 4 * 2 + i % 2;
        float sum = 3;
        for (int k = 0; k < kK; ++k) sum += element(OrderA, row, k) * element(OrderB, column, k);
        CHECK_EQ(sums[0][n][i], sum);
      }
  }));
}

}  // namespace

TEST_CASE("products of floats, of operands in every order") {
  for (const Config& config : all_modes()) {
    multiply<Major::k, Major::k>(config);
    multiply<Major::k, Major::mn>(config);
    multiply<Major::mn, Major::k>(config);
    multiply<Major::mn, Major::mn>(config);
  }
}
