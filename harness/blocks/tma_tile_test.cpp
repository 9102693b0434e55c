// tma_tile.cuh: every element of a tile where its layout says, whole panels or clipped ones, and stores of boxes.
#include "tw/tma_tile.cuh"

#include "block_test.hpp"
#include "tw/swizzle.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kRows = 16, kColumns = 128;  // of a tile: two panels
constexpr int kBytes = kRows * kColumns * 2;

/// Loads a tile at (row, column) of a matrix with `columns` columns and checks all of it.
template <class From>
Result load_tile(const Config& config, int columns, int row, int column, const From& from) {
  constexpr int kHeight = 40;
  const int pitch = (columns + 7) / 8 * 8;
  const Matrix matrix(kHeight, pitch);
  const bool clipped = columns % 64 != 0;
  const TensorMap map =
      clipped ? matrix.map({columns, kHeight, 1}, {64, kRows, 1}, {pitch, pitch}, 128)
              : matrix.map({64, kHeight, columns / 64}, {64, kRows, kColumns / 64}, {pitch, 64}, 128);
  return launch(config, {1}, {32}, kBytes + 8, {1}, [&] {
    const std::uint32_t base = shared_start(), full = base + kBytes;
    if (ids->thread.x == 0) {
      mbarrier_init(full, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(full, kBytes);
      tw::load_panels<kRows, kColumns>(base, from(&map), row, column, clipped, full);
    }
    sync_threads();
    mbarrier_wait(full, 0);
    for (int i = static_cast<int>(ids->lane); i < kRows * kColumns; i += 32) {
      const int r = i / kColumns, c = i % kColumns;
      const std::uint32_t panel = base + c / 64 * (kRows * 128);
      const bool inside = row + r < kHeight && column + c < columns;
      CHECK_EQ(shared_number(panel + swizzled_offset<128>(r, c % 64)),
               inside ? number_at(row + r, column + c) : 0.0f);
    }
  });
}

const auto plain = [](const TensorMap* map) { return tw::Tensor{map}; };
const auto hinted = [](const TensorMap* map) { return tw::HintedTensor{map, ptx::policy_evict_last()}; };

}  // namespace

TEST_CASE("panels lie one behind the other") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN(load_tile(config, 256, 0, 128, plain));
    CHECK_CLEAN(load_tile(config, 256, 32, 192, plain));  // beyond the last row and the last panel
    CHECK_CLEAN(load_tile(config, 256, 8, 64, hinted));
  }
}

TEST_CASE("clipped panels end in zeros") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN(load_tile(config, 136, 0, 0, plain));
    CHECK_CLEAN(load_tile(config, 136, 32, 64, plain));
    CHECK_CLEAN(load_tile(config, 72, 5, 0, hinted));
  }
}

TEST_CASE("panels are shared by a cluster") {
  const Matrix matrix(kRows, 200);
  const TensorMap map = matrix.map({200, kRows}, {64, kRows}, {200}, 128);
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {2}, {32}, kBytes + 8, {2}, [&] {
      const std::uint32_t base = shared_start(), full = base + kBytes;
      if (ids->thread.x == 0) {
        mbarrier_init(full, 1);
        fence_mbarrier_init();
        mbarrier_arrive_expect_tx(full, kBytes);
      }
      tw::cluster_sync<2>();
      if (ids->thread.x == 0)
        tw::load_column_panels<kRows, kColumns, 2>(base, tw::Tensor{&map}, 0, 128, full);
      mbarrier_wait(full, 0);
      for (int i = static_cast<int>(ids->lane); i < kRows * kColumns; i += 32) {
        const int r = i / kColumns, c = i % kColumns;
        const std::uint32_t panel = base + c / 64 * (kRows * 128);
        CHECK_EQ(shared_number(panel + swizzled_offset<128>(r, c % 64)),
                 128 + c < 200 ? number_at(r, 128 + c) : 0.0f);
      }
      tw::cluster_sync<2>();
    }));
}

namespace {

template <class To>
void store_at(const Config& config, int row, int column, const To& to) {
  constexpr int kHeight = 24, kWidth = 72;
  const Matrix matrix(kHeight, kWidth);
  const TensorMap map = matrix.map({kWidth, kHeight}, {64, 16}, {kWidth}, 128);
  CHECK_CLEAN(launch(config, {1}, {32}, 16 * 128, {1}, [&] {
    const std::uint32_t base = shared_start();
    for (int i = static_cast<int>(ids->lane); i < 16 * 64; i += 32) {
      store_shared(base + swizzled_offset<128>(i / 64, i % 64),
                   __float2half(static_cast<float>(100 + i / 64 + i % 64)));
    }
    ptx::fence_proxy_async_shared();
    sync_warp(0xffffffff);
    if (ids->lane == 0) {
      tw::store_box(to(&map), {column, row}, base);
      ptx::bulk_commit();
      ptx::bulk_wait<0>();
    }
  }));
  for (int r = 0; r < kHeight; ++r)
    for (int c = 0; c < kWidth; ++c) {
      const bool inside = r >= row && r < row + 16 && c >= column && c < column + 64;
      CHECK_EQ(__half2float(matrix.at(r, c)),
               inside ? static_cast<float>(100 + r - row + c - column) : number_at(r, c));
    }
}

}  // namespace

TEST_CASE("a box is stored as far as the tensor goes") {
  for (const Config& config : all_modes()) {
    store_at(config, 8, 8, plain);
    store_at(config, 16, 64, plain);
    store_at(config, 0, 0, hinted);
  }
}
