// staged_result.cuh: a warp's sums become act(alpha * sum + beta * addend + bias), all of the result that exists and nothing else.
#include "tw/staged_result.cuh"

#include "block_test.hpp"
#include "tw/mma_operands.cuh"

using namespace simt;
using namespace blocks;
using tw::BiasPer;

namespace {

constexpr int kHeight = 48, kRows = 32, kColumns = 32;  // of the result, and of a warp

float sum_at(int row, int column) { return static_cast<float>(row * 4 + column % 16) * 0.5f; }

struct Case {
  int rows, columns, pitch, row, column;
  float alpha, beta;
  bool biased;
};

/// Writes a warp's results from (row, column) on of a result of `rows` x `columns`, and checks all of its buffer.
template <class T, BiasPer Bias>
void write(const Config& config, const Case& one) {
  const auto [rows, columns, pitch, row, column, alpha, beta, biased] = one;
  const auto at = [&](int m, int n) { return static_cast<std::size_t>(m * one.pitch + n); };
  const Buffer<T> c(at(kHeight, 0), "c"), addend(at(kHeight, 0), "addend"), bias(64, "bias");
  for (int m = 0; m < kHeight; ++m)
    for (int n = 0; n < pitch; ++n) c[at(m, n)] = T(7.0f), addend[at(m, n)] = T(number_at(m, n));
  for (int i = 0; i < 64; ++i) bias[static_cast<std::size_t>(i)] = T(static_cast<float>(i % 9 - 4));
  const bool aligned = pitch * static_cast<int>(sizeof(T)) % 16 == 0;
  const tw::Result<T> to{c.data(), addend.data(), biased ? bias.data() : nullptr, pitch, pitch, rows, columns,
                         aligned,  aligned,       tilewright::Activation::relu,   alpha, beta};
  CHECK_CLEAN(launch(config, {1}, {32}, tw::Staging<kColumns>::kBytes, {1}, [&] {
    const int lane = static_cast<int>(ids->lane);
    tw::Sums<kRows / 16, kColumns / 8> sums;
    for (int m = 0; m < kRows / 16; ++m)
      for (int n = 0; n < kColumns / 8; ++n)
        for (int i = 0; i < 4; ++i)
          sums[m][n][i] = sum_at(m * 16 + lane / 4 + i / 2 * 8, n * 8 + lane % 4 * 2 + i % 2);
    tw::write_results<Bias>(to, sums, one.row, one.column, lane, reinterpret_cast<float*>(shared_base()));
  }));
  for (int m = 0; m < kHeight; ++m)
    for (int n = 0; n < pitch; ++n) {
      float expected = 7;
      if (m >= row && m < std::min(row + kRows, rows) && n >= column &&
          n < std::min(column + kColumns, columns)) {
        const float added = biased ? static_cast<float>((Bias == BiasPer::row ? m : n) % 9 - 4) : 0.0f;
        expected = alpha * sum_at(m - row, n - column) + (beta == 0 ? 0 : beta * number_at(m, n)) + added;
        expected = std::max(expected, 0.0f);
      }
      CHECK_EQ(static_cast<float>(c[at(m, n)]), expected);
    }
}

template <class T, BiasPer Bias>
void write_all(const Config& config) {
  write<T, Bias>(config, {48, 64, 64, 16, 32, 1, 0, false});
  write<T, Bias>(config, {48, 64, 64, 0, 16, 0.5f, -2, true});
  write<T, Bias>(config, {41, 59, 64, 16, 32, 1, 2, true});  // ends within a vector
  write<T, Bias>(config, {48, 51, 51, 16, 32, 2, 1, true});  // rows that are not aligned
  write<T, Bias>(config, {16, 64, 64, 16, 32, 1, 1, true});  // nothing of the tile exists
}

}  // namespace

TEST_CASE("a bias per row") {
  for (const Config& config : all_modes()) {
    write_all<__half, BiasPer::row>(config);
    write_all<float, BiasPer::row>(config);
  }
}

TEST_CASE("a bias per column") {
  for (const Config& config : all_modes()) {
    write_all<__half, BiasPer::column>(config);
    write_all<float, BiasPer::column>(config);
  }
}
