// block_row_copy.cuh: stages of a row of blocks hold A's columns and the rows of B that they multiply, step by step, with zeros behind B's
// last column.
#include "tw/block_row_copy.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kBlockRows = 4, kBlocks = 5;  // of B, and of A

struct Operands {
  const __half* values;
  const int* col_idx;
  const __half* b;
  long long ldb;
  int columns;
};

/// Loads all steps of the `count` blocks from `first` on, beside the columns of B from `column` on.
template <int Block, int Columns, int Depth, int Threads, int Bytes>
Result load_row(const Config& config, int first, int count, int columns, int pitch, int column) {
  using Copy = tw::BlockRowCopy<__half, Block, Columns, Depth, Threads, Bytes>;
  const Matrix a(kBlocks * Block, Block), b(kBlockRows * Block, pitch);
  const Buffer<int> col_idx(kBlocks, "col_idx");
  for (int i = 0; i < kBlocks; ++i) col_idx[static_cast<std::size_t>(i)] = (i * 3 + 1) % kBlockRows;
  const Operands operands{&a.at(0, 0), col_idx.data(), &b.at(0, 0), pitch, columns};
  return launch(config, {1}, {Threads}, Copy::kBytes, {1}, [&] {
    const std::uint32_t stage = shared_start();
    const int thread = static_cast<int>(ids->thread.x);
    Copy copy(operands, first, count, column, thread);
    for (int step = 0; step < count * Copy::kStepsPerBlock; ++step) {
      copy.load(step, stage);
      ptx::cp_async_wait_all();
      sync_threads();
      const int block = first + step / Copy::kStepsPerBlock, k = step % Copy::kStepsPerBlock * Depth;
      for (int i = thread; i < Block * Depth; i += Threads) {
        CHECK_EQ(shared_number(stage + swizzled_offset<Copy::kRowBytesA>(i / Depth, i % Depth)),
                 number_at(block * Block + i / Depth, k + i % Depth));
      }
      for (int i = thread; i < Depth * Columns; i += Threads) {
        const int row = i / Columns, n = i % Columns;
        const int row_of_b = col_idx[static_cast<std::size_t>(block)] * Block + k + row;
        CHECK_EQ(shared_number(stage + Copy::kBytesA + swizzled_offset<Copy::kRowBytesB>(row, n)),
                 column + n < columns ? number_at(row_of_b, column + n) : 0.0f);
      }
      sync_threads();
    }
  });
}

}  // namespace

TEST_CASE("rows of several blocks, of one and of none") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN((load_row<32, 64, 32, 64, 16>(config, 1, 4, 128, 128, 64)));
    CHECK_CLEAN((load_row<64, 64, 32, 64, 16>(config, 4, 1, 64, 64, 0)));
    CHECK_CLEAN((load_row<32, 64, 32, 64, 16>(config, 5, 0, 64, 64, 0)));
    CHECK_CLEAN(
        (load_row<32, 128, 16, 256, 16>(config, 0, 2, 128, 128, 0)));  // rows no multiple of a round's
  }
}

TEST_CASE("columns that end within a tile and within a copy, narrow copies") {
  for (const Config& config : all_modes()) {
    CHECK_CLEAN((load_row<32, 64, 32, 64, 16>(config, 0, 2, 99, 104, 64)));
    CHECK_CLEAN((load_row<32, 64, 32, 64, 8>(config, 0, 1, 97, 100, 64)));
    CHECK_CLEAN((load_row<32, 64, 32, 64, 4>(config, 2, 1, 71, 74, 64)));
    CHECK_CLEAN((load_row<32, 64, 32, 64, 16>(config, 0, 1, 64, 64, 64)));  // all of it outside
  }
}
