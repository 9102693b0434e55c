// async_tile.cuh: every element where the swizzle puts it, zeros outside of the matrix, copies of each width.
#include "tw/async_tile.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

/// Loads the tile at (row, column) of a matrix of 40 rows by `columns` columns, rows `pitch` elements apart.
template <int Rows, int Columns, int Threads, int Bytes>
Result load_tile(const Config& config, int columns, int pitch, int row, int column) {
  constexpr int kHeight = 40;
  using Tile = tw::AsyncTile<__half, Rows, Columns, Threads, Bytes>;
  const Matrix matrix(kHeight, pitch);
  return launch(config, {1}, {Threads}, Tile::kBytes, {1}, [&] {
    const std::uint32_t base = shared_start();
    const Tile tile(&matrix.at(0, 0), pitch, kHeight, columns, static_cast<int>(ids->thread.x));
    tile.load(base, row, column);
    ptx::cp_async_wait_all();
    sync_threads();
    for (int i = static_cast<int>(ids->thread.x); i < Rows * Columns; i += Threads) {
      const int r = i / Columns, c = i % Columns;
      const bool inside = row + r < kHeight && column + c < columns;
      CHECK_EQ(shared_number(base + swizzled_offset<2 * Columns>(r, c)),
               inside ? number_at(row + r, column + c) : 0.0f);
    }
  });
}

}  // namespace

TEST_CASE("whole tiles and ragged ones") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN((load_tile<32, 64, 64, 16>(config, 128, 128, 0, 64)));
    CHECK_CLEAN(
        (load_tile<32, 64, 64, 16>(config, 101, 104, 16, 64)));  // beyond the last row and the last column
    CHECK_CLEAN((load_tile<16, 32, 64, 16>(config, 64, 64, 32, 32)));
    CHECK_CLEAN((load_tile<24, 128, 256, 16>(config, 130, 136, 32, 128)));  // rows no multiple of a round's
    CHECK_CLEAN((load_tile<16, 64, 64, 16>(config, 64, 64, 40, 64)));       // all of it outside
  }
}

TEST_CASE("narrow copies") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN((load_tile<16, 64, 64, 8>(config, 99, 100, 8, 64)));
    CHECK_CLEAN((load_tile<16, 64, 64, 4>(config, 71, 74, 32, 64)));
  }
}
