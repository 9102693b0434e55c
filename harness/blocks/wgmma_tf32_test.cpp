// wgmma_tf32.cuh: products of floats that are rounded to TF32, either operand in either order, several wgmma tiles.
#include "tw/wgmma_tf32.cuh"

#include <bit>
#include <cmath>

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kDepth = 32, kColumns = 32;  // of a tile and of a panel: rows of 128 bytes

/// Numbers that TF32 does not hold, and their products do not tell from those of truncated ones unless both are rounded.
float m_at(int m, int k) { return static_cast<float>((m * 5 + k * 3) % 13 - 6) * 0.25f * (1 + 0x1.8p-11f); }
float n_at(int n, int k) { return static_cast<float>((k * 7 + n * 2) % 11 - 5) * 0.5f * (1 + 0x1.8p-11f); }
float rounded(float value) { return std::bit_cast<float>(tw::round_to_tf32(value)); }

struct KMajorOperand {
  using Tile = tw::KMajor<kDepth, 4>;
  static std::uint32_t place(int mn, int k) {
    return static_cast<std::uint32_t>(tw::swizzled<128>(mn, k / 4) + k % 4 * 4);
  }
};
struct MnMajorOperand {
  using Tile = tw::MnMajor<kDepth, kColumns, 4>;
  static std::uint32_t place(int mn, int k) {
    return static_cast<std::uint32_t>(mn / kColumns * Tile::kPanelBytes +
                                      tw::swizzled<128>(k, mn % kColumns / 4) + mn % 4 * 4);
  }
};

template <class Operand, class Value>
void fill(std::uint32_t base, int count, Value value) {
  for (int i = static_cast<int>(ids->thread.x); i < count * kDepth; i += 128)
    store_shared(base + Operand::place(i / kDepth, i % kDepth), value(i / kDepth, i % kDepth));
}

/// c[64 * Tiles, N] = 2 * m * n by one warpgroup.
template <class OperandM, class OperandN, int Tiles, int N>
void check_product(const Config& config) {
  constexpr int kM = Tiles * 64;
  std::vector<float> c(kM * N, -1);
  CHECK_CLEAN(launch(config, {1}, {128}, 4 * kDepth * (kM + N), {1}, [&] {
    const std::uint32_t m = shared_start(), n = m + 4 * kDepth * kM;
    fill<OperandM>(m, kM, m_at);
    fill<OperandN>(n, N, n_at);
    sync_threads();
    tw::Accumulators<Tiles, 1, N> acc;
    const auto sync = [] { ptx::bar_sync<1, 128>(); };
    const tw::KMajor<kDepth, 4> rounded_n =
        tw::round_in_place<N, typename OperandM::Tile>(typename OperandN::Tile{n}, sync);
    for (bool again : {false, true}) tw::multiply_tf32(acc, typename OperandM::Tile{m}, rounded_n, again);
    tw::fence(acc);
    for (int tile = 0; tile < Tiles; ++tile)
      for (int i = 0; i < N / 2; ++i) {
        const tw::AccumulatorPlace<1, N> at(tile, i, static_cast<int>(ids->warp),
                                            static_cast<int>(ids->lane));
        c[static_cast<std::size_t>(at.m * N + at.n)] = acc[tile][i];
      }
  }));
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += 2.0 * static_cast<double>(rounded(m_at(m, k))) * static_cast<double>(rounded(n_at(n, k)));
      CHECK_EQ(std::abs(c[static_cast<std::size_t>(m * N + n)] - sum) < 0x1p-14, true);
    }
}

}  // namespace

TEST_CASE("an operand through registers in either order") {
  for (const Config& config : few_modes()) {
    check_product<KMajorOperand, KMajorOperand, 2, 64>(config);
    check_product<MnMajorOperand, KMajorOperand, 2, 64>(config);
  }
}

TEST_CASE("an operand in shared memory in either order, of every block size") {
  for (const Config& config : few_modes()) {
    check_product<KMajorOperand, MnMajorOperand, 1, 32>(config);
    check_product<KMajorOperand, MnMajorOperand, 1, 64>(config);
    check_product<MnMajorOperand, MnMajorOperand, 1, 128>(config);
    check_product<KMajorOperand, KMajorOperand, 1, 128>(config);
    check_product<KMajorOperand, KMajorOperand, 1, 32>(config);
  }
}
