// copy_tile.cuh and mma_operands.cuh: operands in either order, with edges, multiplied by one warp.
#include "tw/mma_operands.cuh"

#include "block_test.hpp"
#include "tw/copy_tile.cuh"

using namespace simt;
using namespace blocks;
using tw::Major;

namespace {

constexpr int kM = 32, kN = 32, kK = 32;

/// A tile of `Extent` rows along M or N, `Order` as it lies in memory.
template <Major Order, int Extent, int Bytes>
using Copy =
    tw::TileCopy<__half, Order == Major::k ? Extent : kK, Order == Major::k ? kK : Extent, Bytes, 32>;

/// Element (i, k) of an operand that ends at `extent` and `depth`.
float expected(Major order, int i, int k, int extent, int depth) {
  if (i >= extent || k >= depth) return 0;
  return order == Major::k ? number_at(i, k) : number_at(k, i);
}

template <Major OrderA, Major OrderB, int Bytes>
void check_product(const Config& config, int rows, int columns, int depth) {
  constexpr int kStride = 40;
  const Matrix a(kM, kStride), b(kM, kStride);
  using CopyA = Copy<OrderA, kM, Bytes>;
  using CopyB = Copy<OrderB, kN, Bytes>;
  const auto copy = [&](const auto& share, int to, const Matrix& from, Major order, int extent) {
    share.copy(shared_base(), to, &from.at(0, 0), kStride, order == Major::k ? extent : depth,
               order == Major::k ? depth : extent);
  };
  CHECK_CLEAN(launch(config, {1}, {32}, CopyA::kBytes + CopyB::kBytes, {1}, [&] {
    const int lane = static_cast<int>(ids->lane);
    copy(CopyA(lane), 0, a, OrderA, rows);
    copy(CopyB(lane), CopyA::kBytes, b, OrderB, columns);
    ptx::cp_async_wait_all();
    sync_threads();
    const std::uint32_t tile = ptx::shared_address(shared_base());
    tw::Sums<kM / 16, kN / 8> sums = {};
    for (int k = 0; k < kK; k += 16) {
      tw::Fragments<kM / 16, kN / 8> fragments;
      for (int m = 0; m < kM / 16; ++m)
        tw::load_a<__half, OrderA, CopyA::kRowBytes>(fragments.a[m], tile, m * 16, k, lane);
      for (int n = 0; n < kN / 16; ++n)
        tw::load_b<__half, OrderB, CopyB::kRowBytes>(fragments.b[n], tile + CopyA::kBytes, n * 16, k, lane);
      tw::multiply<__half>(sums, fragments);
    }
    for (int m = 0; m < kM / 16; ++m)
      for (int n = 0; n < kN / 8; ++n)
        for (int i = 0; i < 4; ++i) {
          const int row = m * 16 + i / 2 * 8 + lane / 4, column = n * 8 + lane % 4 * 2 + i % 2;
          float sum = 0;
          for (int k = 0; k < kK; ++k)
            sum += expected(OrderA, row, k, rows, depth) * expected(OrderB, column, k, columns, depth);
          CHECK_EQ(sums[m][n][i], sum);
        }
  }));
}

template <int Bytes>
void check_orders(int rows, int columns, int depth) {
  for (const Config& config : all_modes()) {
    check_product<Major::k, Major::k, Bytes>(config, rows, columns, depth);
    check_product<Major::k, Major::mn, Bytes>(config, rows, columns, depth);
    check_product<Major::mn, Major::k, Bytes>(config, rows, columns, depth);
    check_product<Major::mn, Major::mn, Bytes>(config, rows, columns, depth);
  }
}

}  // namespace

TEST_CASE("operands are multiplied in every order") { check_orders<16>(kM, kN, kK); }

TEST_CASE("what lies outside of the matrix is zero") { check_orders<16>(19, 27, 21); }

TEST_CASE("copies may be of 8 bytes") { check_orders<8>(32, 31, 30); }

TEST_CASE("copies may be of 4 bytes") { check_orders<4>(31, 32, 29); }
