// mma_tile.cuh: products of warps side by side and below each other, in tiles of every width of row.
#include "tw/mma_tile.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

float a_at(int m, int k) { return static_cast<float>((m * 5 + k * 3) % 13) * 0.25f - 1.5f; }
float b_at(int k, int n) { return static_cast<float>((k * 7 + n * 2) % 11) * 0.5f - 2.5f; }

/// Puts rows of `Width` elements into a tile.
template <int Width, class Value>
void fill(std::uint32_t base, int rows, int threads, Value value) {
  for (int i = static_cast<int>(ids->thread.x); i < rows * Width; i += threads) {
    const int row = i / Width, column = i % Width;
    store_shared(base + swizzled_offset<2 * Width>(row, column), __float2half(value(row, column)));
  }
}

/// c[M, N] = 2 * a * b by warps of Rows x Columns.
template <int M, int N, int Depth, int Rows, int Columns, bool Prefetch = false>
void check_product(const Config& config) {
  constexpr int kWarpsN = N / Columns, kThreads = 32 * (M / Rows) * kWarpsN;
  std::vector<float> c(M * N, -1);
  CHECK_CLEAN(launch(config, {1}, {kThreads}, 2 * Depth * (M + N), {1}, [&] {
    const std::uint32_t a = shared_start(), b = a + 2 * Depth * M;
    fill<Depth>(a, M, kThreads, a_at);
    fill<N>(b, Depth, kThreads, b_at);
    sync_threads();
    const int warp = static_cast<int>(ids->warp), row = warp / kWarpsN * Rows,
              column = warp % kWarpsN * Columns;
    tw::WarpAccumulators<Rows, Columns> acc = {};
    for (int i = 0; i < 2; ++i) tw::multiply_warp<__half, Depth, 2 * N, Prefetch>(acc, a, row, b, column);
    const int lane = static_cast<int>(ids->lane);
    for (int tile = 0; tile < Rows / 16; ++tile)
      for (int i = 0; i < Columns / 2; ++i) {
        const int m = row + tile * 16 + lane / 4 + i / 2 % 2 * 8,
                  n = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        c[static_cast<std::size_t>(m * N + n)] = acc[tile][i];
      }
  }));
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 0;
      for (int k = 0; k < Depth; ++k) sum += a_at(m, k) * b_at(k, n);
      CHECK_EQ(c[static_cast<std::size_t>(m * N + n)], 2 * sum);
    }
}

}  // namespace

TEST_CASE("products of warps") {
  for (const Config& config : few_modes()) {
    check_product<32, 64, 16, 32, 64>(config);
    check_product<64, 64, 32, 32, 32>(config);
    check_product<32, 128, 64, 16, 64>(config);
    check_product<64, 256, 32, 64, 64>(config);
    check_product<32, 64, 32, 32, 64, true>(config);
    check_product<64, 128, 64, 16, 64, true>(config);
  }
}
