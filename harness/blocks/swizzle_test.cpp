// swizzle.cuh: the layout of TMA, and no bank conflicts.
#include "tw/swizzle.cuh"

#include <set>

#include "block_test.hpp"
#include "tw/tma_tile.cuh"

using namespace simt;
using namespace blocks;

namespace {

template <int RowBytes>
void check_against_tma(const Config& config) {
  constexpr int kRows = 16, kColumns = RowBytes / 2;
  const Matrix matrix(kRows, kColumns);
  const TensorMap map = matrix.map({kColumns, kRows}, {kColumns, kRows}, {kColumns}, RowBytes);
  CHECK_CLEAN(launch(config, {1}, {32}, kRows * RowBytes + 8, {1}, [&] {
    const std::uint32_t base = shared_start(), full = base + kRows * RowBytes;
    if (ids->thread.x == 0) {
      mbarrier_init(full, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(full, kRows * RowBytes);
      tw::load_box(base, tw::Tensor{&map}, {0, 0}, full);
    }
    sync_threads();
    mbarrier_wait(full, 0);
    for (int i = static_cast<int>(ids->lane); i < kRows * kColumns; i += 32) {
      const int row = i / kColumns, column = i % kColumns;
      const int offset = tw::swizzled<RowBytes>(row, column / 8) + column % 8 * 2;
      CHECK_EQ(shared_number(base + static_cast<std::uint32_t>(offset)), number_at(row, column));
    }
  }));
}

/// Lines of 16 bytes, of the eight that all banks make, in which chunk `chunk` of eight rows lies.
template <int RowBytes>
std::size_t lines(int first_row, int chunk) {
  std::set<int> found;
  for (int row = first_row; row < first_row + 8; ++row)
    found.insert(tw::swizzled<RowBytes>(row, chunk) / 16 % 8);
  return found.size();
}

template <int RowBytes>
void check_banks() {
  for (int row = 0; row < 32; row += 8)
    for (int chunk = 0; chunk < RowBytes / 16; ++chunk) CHECK_EQ(lines<RowBytes>(row, chunk), 8u);
}

}  // namespace

TEST_CASE("rows of up to 128 bytes have the layout of tma") {
  for (const Config& config : all_modes()) {
    check_against_tma<32>(config);
    check_against_tma<64>(config);
    check_against_tma<128>(config);
  }
}

TEST_CASE("a column of eight chunks is in all banks") {
  check_banks<32>();
  check_banks<64>();
  check_banks<128>();
  check_banks<256>();
  check_banks<512>();
}
