// staging.cuh and epilogue.cuh: accumulators reach C, all of it and nothing else, by vectors, by elements and by TMA.
#include "tw/staging.cuh"

#include "block_test.hpp"
#include "tw/epilogue.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kColumns = 128;  // of a warp's 16 rows

float sum_at(int row, int column) { return static_cast<float>(row * 4 + column % 16) * 0.25f; }

using Sums = float[kColumns / 2];

void fill(Sums& sums) {
  const int lane = static_cast<int>(ids->lane);
  for (int i = 0; i < kColumns / 2; ++i)
    sums[i] = sum_at(lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2);
}

/// C of `rows` x `columns` in rows of `pitch` elements, of which (row, column) on were written.
void check_written(const Matrix& c, int height, int pitch, int rows, int columns, int row, int column) {
  for (int m = 0; m < height; ++m)
    for (int n = 0; n < pitch; ++n) {
      const bool inside = m >= row && m < row + 16 && n >= column && n < column + kColumns && m < rows && n < columns;
      CHECK_EQ(__half2float(c.at(m, n)), inside ? sum_at(m - row, n - column) : number_at(m, n));
    }
}

void by_rows(const Config& config, int rows, int columns, int pitch, int row, int column) {
  constexpr int kHeight = 40;
  const Matrix c(kHeight, pitch);
  using Staging = tw::RowStaging<__half, kColumns>;
  CHECK_CLEAN(launch(config, {1}, {32}, Staging::kBytes, {1}, [&] {
    Sums sums;
    fill(sums);
    Staging{shared_start()}.store(&c.at(0, 0), pitch, rows, columns, pitch % 8 == 0, sums, row, column);
  }));
  check_written(c, kHeight, pitch, rows, columns, row, column);
}

/// Three warps below each other, each twice: boxes are filled again while they may be on their way.
template <int Boxes>
void by_boxes(const Config& config, int columns, int column) {
  constexpr int kHeight = 90;
  const Matrix c(kHeight, columns);
  const TensorMap map = c.map({columns, kHeight}, {64, 16}, {columns}, 128);
  using Staging = tw::BoxStaging<__half, Boxes>;
  CHECK_CLEAN(launch(config, {1}, {96}, 3 * Staging::kBytes, {1}, [&] {
    const Staging staging{shared_start() + ids->warp * Staging::kBytes};
    Sums sums;
    fill(sums);
    for (int tile = 0; tile < 2; ++tile)
      staging.store(tw::Tensor{&map}, sums, 48 * tile + static_cast<int>(ids->warp) * 16, column);
    staging.drain();
  }));
  for (int m = 0; m < kHeight; ++m)
    for (int n = 0; n < columns; ++n) {
      const bool inside = n >= column && n < column + kColumns;
      CHECK_EQ(__half2float(c.at(m, n)), inside ? sum_at(m % 16, n - column) : number_at(m, n));
    }
}

}  // namespace

TEST_CASE("rows go out as vectors or elements") {
  for (const Config& config : all_modes()) {
    by_rows(config, 40, 256, 256, 8, 128);
    by_rows(config, 20, 133, 136, 8, 0);   // C ends within the tile
    by_rows(config, 40, 133, 133, 0, 0);   // rows that are not aligned
    by_rows(config, 40, 200, 200, 32, 128);
    by_rows(config, 8, 64, 64, 16, 64);    // all of it outside
  }
}

namespace {

template <int Boxes>
void one_warp(const Config& config, int columns, int row, int column) {
  constexpr int kHeight = 24;
  const Matrix c(kHeight, columns);
  const TensorMap map = c.map({columns, kHeight}, {64, 16}, {columns}, 128);
  using Staging = tw::BoxStaging<__half, Boxes>;
  CHECK_CLEAN(launch(config, {1}, {32}, Staging::kBytes, {1}, [&] {
    Sums sums;
    fill(sums);
    const Staging staging{shared_start()};
    staging.store(tw::Tensor{&map}, sums, row, column);
    staging.drain();
  }));
  check_written(c, kHeight, columns, kHeight, columns, row, column);
}

}  // namespace

TEST_CASE("boxes go out by tma") {
  for (const Config& config : all_modes()) {
    one_warp<1>(config, 256, 0, 128);
    one_warp<2>(config, 256, 8, 64);
    one_warp<2>(config, 104, 16, 0);  // C ends within the tile, in both directions
    by_boxes<1>(config, 128, 0);
    by_boxes<2>(config, 200, 128);
  }
}

TEST_CASE("the epilogue is the formula") {
  constexpr int kRows = 13, kWidth = 100;
  const Matrix c(kRows, kWidth), bias(1, kWidth);
  std::vector<float> results(16 * kColumns, -1);
  const auto run = [&](float alpha, float beta, bool with_bias) {
    CHECK_CLEAN(launch(all_modes()[0], {1}, {32}, 16, {1}, [&] {
      Sums sums;
      fill(sums);
      const tw::Epilogue<__half> epilogue{&c.at(0, 0), with_bias ? &bias.at(0, 0) : nullptr, kWidth, kRows, kWidth,
                                          alpha, beta};
      epilogue.finish<tilewright::Activation::relu>(sums, 0, 0);
      const int lane = static_cast<int>(ids->lane);
      for (int i = 0; i < kColumns / 2; ++i)
        results[static_cast<std::size_t>((lane / 4 + i / 2 % 2 * 8) * kColumns + i / 4 * 8 + lane % 4 * 2 + i % 2)] =
            sums[i];
    }));
    for (int m = 0; m < kRows; ++m)
      for (int n = 0; n < kWidth; ++n) {
        float value = alpha * sum_at(m, n) + beta * number_at(m, n) + (with_bias ? number_at(0, n) : 0);
        if (value < 0) value = 0;
        CHECK_EQ(results[static_cast<std::size_t>(m * kColumns + n)], value);
      }
  };
  run(1, 0, false);
  run(0.5f, 0, true);
  run(2, -0.25f, true);
  run(0, 1, false);
}
