// store_warps.cuh, bulk_lines.cuh: shares that warpgroups pass on reach their places in C, in lines that begin and end anywhere, and nothing else
// changes.
#include "tw/store_warps.cuh"

#include "block_test.hpp"
#include "tw/bulk_lines.cuh"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kWarpgroups = 2, kWarps = 3, kShares = 4;  // of each warpgroup, one of which is none
constexpr int kTilesM = 2, kN = 64, kAlongM = 64 * kTilesM, kMissing = 1;
constexpr int kAlong = kAlongM * kWarpgroups, kAcross = kN * kShares;  // C's extents along M and N

using Sums = tw::Accumulators<kTilesM, 1, kN>;

/// The sum for a place along M and N of C.
float sum_at(int m, int n) {
  return static_cast<float>(m % 16 * 4 + n % 32) * 0.25f + static_cast<float>(m / 16 + n / 64);
}

void fill(Sums& sums, int warpgroup, int share) {
  for (int tile = 0; tile < kTilesM; ++tile)
    for (int i = 0; i < kN / 2; ++i) {
      const tw::AccumulatorPlace<1, kN> at(tile, i, static_cast<int>(ids->warp) % 4,
                                           static_cast<int>(ids->lane));
      sums[tile][i] = sum_at(warpgroup * kAlongM + at.m, share * kN + at.n);
    }
}

template <class T>
struct Target {
  T* c;
  long long ldc;
  int columns;
  float beta;
};

/// C of `columns` columns, whose lines of which `pitch` elements lie from one to the next begin `offset` elements behind a vector. `Swapped`:
/// it is column-major, and its columns lie along M.
template <class T, bool Swapped, int AlongN>
void check(const Config& config, int pitch, int offset, int columns, float beta = 0) {
  using Layout = tw::ResultLayout<Swapped, Swapped, kTilesM, 1, kN>;
  using StoreWarps = tw::StoreWarps<tw::BulkLines<T, Layout, AlongN>, kWarpgroups, kWarps>;
  const MatrixOf<T> c(kAlong + 1, pitch);
  const Target<T> target{&c.at(0, offset), pitch, columns, beta};
  CHECK_CLEAN(launch(config, {1}, {128 * kWarpgroups + 32 * kWarps}, StoreWarps::kBytes, {1}, [&] {
    const StoreWarps store{shared_start()};
    if (ids->thread.x == 0) {
      store.init();
      fence_mbarrier_init();
    }
    tw::cluster_sync<1>();
    const int warpgroup = static_cast<int>(ids->warp) / 4, along = warpgroup * kAlongM;
    if (warpgroup == kWarpgroups) return store.write_all(target, 4 * kWarpgroups);
    typename StoreWarps::State at;
    for (int share = 0; share < kShares; ++share) {
      Sums sums;
      fill(sums, warpgroup, share);
      const int row = Swapped ? share * kN : along, column = Swapped ? along : share * kN;
      if (beta != 0 && share != kMissing) store.add_former(at, target, sums, row, column);
      store.pass(at, target, sums, share == kMissing ? -1 : row, column, share == kShares - 1);
    }
    store.end(at);
  }));
  for (int line = 0; line <= kAlong; ++line)
    for (int i = 0; i < pitch; ++i) {
      const int n = i - offset;
      const float before = number_at(line, i);
      const bool exists = line < kAlong && n >= 0 && n < kAcross && (Swapped ? line : n) < columns;
      const float expected = exists && n / kN != kMissing ? sum_at(line, n) + beta * before : before;
      CHECK_EQ(static_cast<float>(c.at(line, i)), expected);
    }
}

}  // namespace

TEST_CASE("rows of any length at any address") {
  for (const Config& config : all_modes())
    for (const int columns : {kAcross, kAcross - 3, kAcross - 61}) {
      check<__half, false, 32>(config, kAcross + 9, 1, columns);
      check<__half, false, 64>(config, kAcross + 8, 5, columns);
      check<float, false, 32>(config, kAcross + 9, 3, columns);
    }
}

TEST_CASE("the former C is added") {
  for (const Config& config : all_modes()) {
    check<__half, false, 32>(config, kAcross + 9, 1, kAcross - 3, 0.5f);
    check<float, true, 64>(config, kAcross + 8, 3, kAlong - 5, 2.0f);
  }
}

TEST_CASE("columns of operands that are swapped") {
  for (const Config& config : all_modes())
    for (const int columns : {kAlong, kAlong - 5}) {
      check<__half, true, 32>(config, kAcross + 3, 2, columns);
      check<float, true, 64>(config, kAcross + 5, 1, columns);
    }
}
