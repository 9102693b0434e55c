// wgmma_tile.cuh: products of operands as TMA lays them out, either operand along M, several wgmma tiles.
#include "tw/wgmma_tile.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

float a_at(int m, int k) { return static_cast<float>((m * 5 + k * 3) % 13) * 0.25f - 1.5f; }
float b_at(int k, int n) { return static_cast<float>((k * 7 + n * 2) % 11) * 0.5f - 2.5f; }

void put(std::uint32_t address, float value) { store_shared(address, __float2half(value)); }

/// The K-major operand of `count` rows, each of Depth elements; and the MN-major one, of `count` columns.
template <int Depth, class Value>
void fill_k_major(std::uint32_t base, int count, Value value) {
  for (int i = static_cast<int>(ids->thread.x); i < count * Depth; i += 128) {
    const int row = i / Depth, k = i % Depth;
    put(base + swizzled_offset<2 * Depth>(row, k), value(row, k));
  }
}
template <int Depth, int Columns, class Value>
void fill_mn_major(std::uint32_t base, int count, Value value) {
  for (int i = static_cast<int>(ids->thread.x); i < count * Depth; i += 128) {
    const int column = i % count, k = i / count;
    const std::uint32_t panel = base + column / Columns * (2 * Columns) * Depth;
    put(panel + swizzled_offset<2 * Columns>(k, column % Columns), value(column, k));
  }
}

/// c[M, N] = 2 * a * b by one warpgroup, K-major along M; `swapped`: along N, with the MN-major operand along M. `Columns`: of a panel
/// of the MN-major operand along N.
template <int Depth, int TilesM, int TilesN, int N, bool Swapped, int Columns = 64>
void check_product(const Config& config) {
  constexpr int kM = TilesM * 64, kN = TilesN * N;
  std::vector<float> c(kM * kN, -1);
  const auto expected = [](int m, int n) {
    float sum = 0;
    for (int k = 0; k < Depth; ++k) sum += a_at(m, k) * b_at(k, n);
    return 2 * sum;
  };
  CHECK_CLEAN(launch(config, {1}, {128}, 2 * Depth * (kM + kN), {1}, [&] {
    const auto a = [](int m, int k) { return a_at(m, k); };
    const auto b = [](int n, int k) { return b_at(k, n); };
    const std::uint32_t first = shared_start(), second = first + 2 * Depth * kM;
    tw::Accumulators<TilesM, TilesN, N> acc;
    if constexpr (Swapped) {
      fill_mn_major<Depth, 64>(first, kM, a);
      fill_k_major<Depth>(second, kN, b);
    } else {
      fill_k_major<Depth>(first, kM, a);
      fill_mn_major<Depth, Columns>(second, kN, b);
    }
    fence_proxy_async();
    sync_threads();
    ptx::wgmma_fence();
    for (bool again : {false, true})
      if constexpr (Swapped)
        tw::multiply<__half, TilesN>(acc, tw::MnMajor<Depth>{first}, tw::KMajor<Depth>{second}, again);
      else
        tw::multiply<__half, TilesN>(acc, tw::KMajor<Depth>{first}, tw::MnMajor<Depth, Columns>{second},
                                     again);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    tw::fence(acc);
    for (int tile = 0; tile < TilesM * TilesN; ++tile)
      for (int i = 0; i < N / 2; ++i) {
        const tw::AccumulatorPlace<TilesN, N> at(tile, i, static_cast<int>(ids->warp),
                                                 static_cast<int>(ids->lane));
        c[static_cast<std::size_t>(at.m * kN + at.n)] = acc[tile][i];
      }
  }));
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) CHECK_EQ(c[static_cast<std::size_t>(m * kN + n)], expected(m, n));
}

}  // namespace

TEST_CASE("a row major operand along m") {
  for (const Config& config : few_modes()) {
    check_product<64, 1, 1, 64, false>(config);
    check_product<32, 2, 1, 128, false>(config);
    check_product<64, 2, 2, 64, false>(config);
    check_product<16, 1, 2, 128, false>(config);
    check_product<32, 1, 1, 32, false, 32>(config);
    check_product<64, 2, 2, 32, false, 32>(config);
  }
}

TEST_CASE("a row major operand along n") {
  for (const Config& config : few_modes()) {
    check_product<32, 2, 1, 32, true>(config);
    check_product<64, 4, 1, 32, true>(config);
  }
}

TEST_CASE("accumulators are cleared and scaled") {
  float acc[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  tw::scale(acc, 0.5f);
  CHECK_EQ(acc[1][3], 4.0f);
  tw::clear(acc);
  for (const auto& tile : acc)
    for (float value : tile) CHECK_EQ(value, 0.0f);
}
