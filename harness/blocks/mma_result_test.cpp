// mma_result.cuh: a warp's sums reach C, all of its part that exists and nothing else, from registers and through staging.
#include "tw/mma_result.cuh"

#include "block_test.hpp"
#include "tw/mma_tile.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kHeight = 48, kRows = 32, kColumns = 32;  // of C, and of a warp

template <class T>
struct Target {
  T* c;
  long long ldc;
  int columns, aligned_c;
  float alpha, beta;
};

float sum_at(int row, int column) { return static_cast<float>(row * 4 + column % 16) * 0.5f; }

/// Stores a warp's sums from (row, column) on of a C of `columns`, whose rows are `pitch` elements apart, and checks all of it.
template <class T, bool Staged>
void store(const Config& config, int columns, int pitch, int row, int column, float alpha, float beta) {
  using Staging = tw::ResultStaging<T, kColumns>;
  const Buffer<T> c(static_cast<std::size_t>(kHeight * pitch), "c");
  const auto at = [&](int m, int n) { return static_cast<std::size_t>(m * pitch + n); };
  for (int m = 0; m < kHeight; ++m)
    for (int n = 0; n < pitch; ++n) c[at(m, n)] = T(number_at(m, n));
  const bool aligned = pitch * static_cast<int>(sizeof(T)) % 16 == 0;
  const Target<T> target{c.data(), pitch, columns, aligned, alpha, beta};
  CHECK_CLEAN(launch(config, {1}, {32}, Staging::kBytes, {1}, [&] {
    const int lane = static_cast<int>(ids->lane);
    tw::WarpAccumulators<kRows, kColumns> acc;
    for (int tile = 0; tile < kRows / 16; ++tile)
      for (int i = 0; i < kColumns / 2; ++i)
        acc[tile][i] = sum_at(tile * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2);
    if constexpr (Staged)
      Staging::store(target, acc, row, column - 8, 8, lane, shared_base());
    else
      tw::store_warp(target, acc, row, column - 8, 8, lane);
  }));
  for (int m = 0; m < kHeight; ++m)
    for (int n = 0; n < pitch; ++n) {
      const bool inside = m >= row && m < row + kRows && n >= column && n < column + kColumns && n < columns;
      const float result = alpha * sum_at(m - row, n - column) + (beta == 0 ? 0 : beta * number_at(m, n));
      CHECK_EQ(static_cast<float>(c[at(m, n)]), inside ? result : number_at(m, n));
    }
}

template <class T, bool Staged>
void store_all(const Config& config) {
  store<T, Staged>(config, 64, 64, 16, 32, 1, 0);
  store<T, Staged>(config, 64, 64, 0, 24, 0.5f, -2);
  store<T, Staged>(config, 59, 64, 16, 32, 1, 2);  // C ends within a vector and a pair
  store<T, Staged>(config, 51, 51, 0, 32, 2, 1);   // rows that are not aligned
}

}  // namespace

TEST_CASE("from registers") {
  for (const Config& config : all_modes()) {
    store_all<__half, false>(config);
    store_all<float, false>(config);
  }
}

TEST_CASE("through staging") {
  for (const Config& config : all_modes()) {
    store_all<__half, true>(config);
    store_all<float, true>(config);
  }
}
