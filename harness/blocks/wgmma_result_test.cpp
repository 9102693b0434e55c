// wgmma_result.cuh, result_lines.cuh: a warpgroup's accumulators reach their places in C, in all four orientations, by every way of storing them,
// and nothing else changes.
#include "tw/wgmma_result.cuh"

#include "block_test.hpp"
#include "tw/result_lines.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kRows = 256, kColumns = 256;  // of C, of which a part is stored
constexpr int kWarpgroups = 2;
constexpr int kTilesM = 2, kTilesN = 1, kN = 64;
constexpr int kAlongM = kTilesM * 64, kAlongN = kTilesN * kN;  // a warpgroup's share

using Sums = tw::Accumulators<kTilesM, kTilesN, kN>;

/// The sum for a place along M and N of a warpgroup's share.
float sum_at(int m, int n) {
  return static_cast<float>(m % 16 * 4 + n % 32) * 0.25f + static_cast<float>(m / 16);
}

void fill(Sums& sums) {
  for (int tile = 0; tile < kTilesM * kTilesN; ++tile)
    for (int i = 0; i < kN / 2; ++i) {
      const tw::AccumulatorPlace<kTilesN, kN> at(tile, i, static_cast<int>(ids->warp) % 4,
                                                 static_cast<int>(ids->lane));
      sums[tile][i] = sum_at(at.m, at.n);
    }
}

/// C as tw::store_accumulators and tw::ResultLines take it.
struct Target {
  __half* c;
  long long ldc;
  int columns;
  float beta;
};

/// C, whose element (row, column) is element (line, place) of a buffer of lines.
template <bool ColumnMajor>
__half& element(const Matrix& c, int row, int column) {
  return ColumnMajor ? c.at(column, row) : c.at(row, column);
}

/// Two warpgroups store shares from (row, column) on, side by side along M; `store(sums, warpgroup, row, column)`. Checks all of C.
template <bool Swapped, bool ColumnMajor, class Store>
void check(const Config& config, std::uint32_t shared, const Matrix& c, int columns, float beta,
           const Store& store) {
  constexpr int kRow = Swapped ? 64 : 0, kColumn = Swapped ? 0 : 64;
  CHECK_CLEAN(launch(config, {1}, {128 * kWarpgroups}, shared, {1}, [&] {
    Sums sums;
    fill(sums);
    const int offset = static_cast<int>(ids->warp) / 4 * kAlongM;
    store(sums, kRow + (Swapped ? 0 : offset), kColumn + (Swapped ? offset : 0));
  }));
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const int m = Swapped ? column - kColumn : row - kRow, n = Swapped ? row - kRow : column - kColumn;
      const bool inside = m >= 0 && m < kWarpgroups * kAlongM && n >= 0 && n < kAlongN && column < columns;
      const float before = ColumnMajor ? number_at(column, row) : number_at(row, column);
      const float expected = inside ? sum_at(m % kAlongM, n) + beta * before : before;
      CHECK_EQ(__half2float(element<ColumnMajor>(c, row, column)), expected);
    }
}

template <bool Swapped, bool ColumnMajor>
using Layout = tw::ResultLayout<Swapped, ColumnMajor, kTilesM, kTilesN, kN>;
template <class Layout>
using Threads = std::conditional_t<Layout::kTurned, tw::StagingWarpgroup<1, kWarpgroups>, tw::StagingWarp>;

template <bool Swapped, bool ColumnMajor>
void directly(const Config& config, int columns, float beta) {
  const Matrix c(ColumnMajor ? kColumns : kRows, ColumnMajor ? kRows : kColumns);
  const Target target{&c.at(0, 0), ColumnMajor ? kRows : kColumns, columns, beta};
  check<Swapped, ColumnMajor>(config, 16, c, columns, beta, [&](const Sums& sums, int row, int column) {
    tw::store_accumulators<Layout<Swapped, ColumnMajor>>(target, sums, row, column);
  });
}

/// By whole lines, `pitch` elements apart: of an odd one, each line begins at another place of a vector.
template <bool Swapped, bool ColumnMajor, int AlongM>
void by_lines(const Config& config, int pitch, int columns, float beta) {
  using Orientation = Layout<Swapped, ColumnMajor>;
  using Staging = tw::ResultLines<__half, Orientation, Threads<Orientation>, AlongM, 32>;
  const Matrix c(ColumnMajor ? kColumns : kRows, pitch);
  const Target target{&c.at(0, 0), pitch, columns, beta};
  check<Swapped, ColumnMajor>(
      config, kWarpgroups * Staging::kBytes, c, columns, beta,
      [&](Sums& sums, int row, int column) { Staging{shared_start()}.store(target, sums, row, column); });
}

/// C, and a matrix that is added in place of the former C, as tw::ResultLines takes them.
struct AddendTarget : Target {
  const __half* addend;
  long long ld_addend;
};

/// By lines, with what another matrix holds added: the same numbers as C at first, in lines of another pitch.
template <bool Swapped, bool ColumnMajor, int AlongM>
void by_lines_of_both(const Config& config, int pitch, int columns) {
  using Orientation = Layout<Swapped, ColumnMajor>;
  using Staging = tw::ResultLines<__half, Orientation, Threads<Orientation>, AlongM, 32>;
  const int lines = ColumnMajor ? kColumns : kRows;
  const Matrix c(lines, kRows + 1), addend(lines, pitch);
  const AddendTarget target{{&c.at(0, 0), kRows + 1, columns, 0.5f}, &addend.at(0, 0), pitch};
  check<Swapped, ColumnMajor>(config, kWarpgroups * Staging::kBytes, c, columns, target.beta,
                              [&](Sums& sums, int row, int column) {
                                const Staging staging{shared_start()};
                                staging.add_addend(target, sums, row, column);
                                staging.write(target, sums, row, column);
                              });
}

/// By TMA, whole or in parts, of accumulators or of pairs that are rounded already.
template <bool Swapped, bool ColumnMajor, int Boxes, bool InParts>
void by_boxes(const Config& config) {
  using Orientation = Layout<Swapped, ColumnMajor>;
  using Staging = tw::ResultBoxes<__half, Orientation, Threads<Orientation>, Boxes, 32>;
  const int width = ColumnMajor ? kRows : kColumns, height = ColumnMajor ? kColumns : kRows;
  const Matrix c(height, width);
  const TensorMap map =
      c.map({width, height}, {Staging::kLineBytes / 2, Staging::kLines}, {width}, Staging::kLineBytes);
  const std::uint32_t bytes = kWarpgroups * (Orientation::kTurned ? 1 : 4) * Staging::kBytes;
  check<Swapped, ColumnMajor>(config, bytes, c, kColumns, 0, [&](const Sums& sums, int row, int column) {
    const Staging staging{shared_start()};
    if (InParts) {
      std::uint32_t pairs[kTilesM * kTilesN][kN / 4];
      for (int tile = 0; tile < kTilesM * kTilesN; ++tile)
        for (int i = 0; i < kN / 4; ++i) pairs[tile][i] = tw::rounded_pair<__half>(sums[tile], i);
      for (int part = 0; part < kTilesM * kTilesN * Staging::kPerTile / Boxes; ++part)
        staging.store_part(tw::StreamedTensor{&map}, pairs, row, column, part);
    } else {
      staging.store(tw::Tensor{&map}, sums, row, column);
    }
    ptx::bulk_wait_read<0>();
  });
}

template <bool Swapped, bool ColumnMajor>
void every_way(const Config& config) {
  for (const int columns : {kColumns, 102}) {
    directly<Swapped, ColumnMajor>(config, columns, 0);
    directly<Swapped, ColumnMajor>(config, columns, 0.5f);
    by_lines<Swapped, ColumnMajor, 64>(config, kRows + 1, columns - 1, 0);
    by_lines<Swapped, ColumnMajor, 64>(config, kRows, columns, 0.5f);
    by_lines_of_both<Swapped, ColumnMajor, 64>(config, kRows, columns);
    by_lines_of_both<Swapped, ColumnMajor, 64>(config, kRows + 1, columns);
    if constexpr (Layout<Swapped, ColumnMajor>::kTurned)
      by_lines<Swapped, ColumnMajor, 128>(config, kRows + 1, columns, 0.5f);
  }
  by_boxes<Swapped, ColumnMajor, 1, false>(config);
  by_boxes<Swapped, ColumnMajor, 2, false>(config);
  by_boxes<Swapped, ColumnMajor, 2, true>(config);
}

}  // namespace

TEST_CASE("accumulators reach a row-major C") {
  for (const Config& config : few_modes()) every_way<false, false>(config);
}
TEST_CASE("accumulators reach a column-major C") {
  for (const Config& config : few_modes()) every_way<false, true>(config);
}
TEST_CASE("accumulators of swapped operands reach a row-major C") {
  for (const Config& config : few_modes()) every_way<true, false>(config);
}
TEST_CASE("accumulators of swapped operands reach a column-major C") {
  for (const Config& config : few_modes()) every_way<true, true>(config);
}
