// stage_test.hpp - what multiply_stage must add to sums, in every order of the operands, whoever multiplies.
#pragma once
#include "block_test.hpp"
#include "tw/operand_copy.cuh"

namespace blocks {

using tw::Major;

constexpr int kM = 32, kN = 64;           // of a stage
constexpr int kRows = 16, kColumns = 32;  // of a warp's part
constexpr int kRow = 16, kColumn = 32;    // where it begins
constexpr int kStride = 72;               // of both matrices

inline float element(Major order, int i, int k) {
  return order == Major::k ? number_at(i, k) : number_at(k, i);
}

/// Checks sums of a stage of `Depth` elements T along K: `multiply(operand_a, operand_b, sums, bytes_a)` adds the products of the warp's
/// part, of the tile of A at the start of shared memory and that of B `bytes_a` behind it.
template <class T, Major OrderA, Major OrderB, int Depth, class Multiply>
void check_stage(const simt::Config& config, const Multiply& multiply) {
  const MatrixOf<T> a(kStride, kStride), b(kStride, kStride);
  using A = tw::OperandCopy<T, OrderA, kM, Depth, 16, 32>;
  using B = tw::OperandCopy<T, OrderB, kN, Depth, 16, 32>;
  CHECK_CLEAN(simt::launch(config, {1}, {32}, A::kBytes + B::kBytes, {1}, [&] {
    const int lane = static_cast<int>(simt::ids->lane);
    A(lane).copy(simt::shared_base(), 0, &a.at(0, 0), kStride, kM, Depth);
    B(lane).copy(simt::shared_base(), A::kBytes, &b.at(0, 0), kStride, kN, Depth);
    ptx::cp_async_wait_all();
    simt::sync_threads();
    tw::Sums<kRows / 16, kColumns / 8> sums;
    for (auto& tiles : sums)
      for (auto& tile : tiles)
        for (float& sum : tile) sum = 3;
    multiply(A(lane), B(lane), sums, A::kBytes);
    for (int n = 0; n < kColumns / 8; ++n)
      for (int i = 0; i < 4; ++i) {
        const int row = kRow + i / 2 * 8 + lane / 4, column = kColumn + n * 8 + lane % 4 * 2 + i % 2;
        float sum = 3;
        for (int k = 0; k < Depth; ++k) sum += element(OrderA, row, k) * element(OrderB, column, k);
        CHECK_EQ(sums[0][n][i], sum);
      }
  }));
}

template <class T, int Depth, class Multiply>
void check_every_order(const simt::Config& config, const Multiply& multiply) {
  check_stage<T, Major::k, Major::k, Depth>(config, multiply);
  check_stage<T, Major::k, Major::mn, Depth>(config, multiply);
  check_stage<T, Major::mn, Major::k, Depth>(config, multiply);
  check_stage<T, Major::mn, Major::mn, Depth>(config, multiply);
}

}  // namespace blocks
