// bsr_sddmm.mma.b128.bf16.bf16.xcolumn.ycolumn.g2.wm2.wn4-a02f
// A = alpha * (X[M,K] * Y[N,K]^T) + beta * A at the stored blocks of A, in block sparse rows (BSR)
//
//   path       mma
//   block      128
//   input      bf16
//   output     bf16
//   layoutX    column
//   layoutY    column
//   group      2
//   tileK      32
//   stages     3
//   warpsM     2
//   warpsN     4
//   copyBytes  16
//
// Rendered from mma.cu.hbs by: gen render bsr-sddmm bsr_sddmm.mma.b128.bf16.bf16.xcolumn.ycolumn.g2.wm2.wn4-a02f
//
// Tensor cores by mma.sync, operands by cp.async and ldmatrix. A thread block computes up to 2 stored blocks of a block row
// with 2 x 4 warps, from 3 stages of 32 columns of X and Y. X is column-major, Y column-major; they and their lines
// must be aligned to 16 bytes.
#include "args.h"
#include "tw/async_tile.cuh"
#include "tw/mma_operands.cuh"

namespace {

using Input = __nv_bfloat16;
using Output = __nv_bfloat16;
using Args = tilewright::bsr_sddmm::Args<Input, Output>;
using tilewright::bsr_sddmm::Tile;

constexpr int kBlock = 128;  // rows and columns of a block of A
constexpr int kGroup = 2;  // blocks of a tile
constexpr int kTileK = 32;  // columns of X and Y in a stage
constexpr int kStages = 3;
constexpr int kWarpsM = 2, kWarpsN = 4;
constexpr int kThreads = 32 * kWarpsM * kWarpsN;
constexpr int kWarpRows = kBlock / kWarpsM;
constexpr int kWarpColumns = kBlock * kGroup / kWarpsN;
constexpr int kTilesM = kWarpRows / 16, kTilesN = kWarpColumns / 8;  // mma tiles of a warp

// A stage: kBlock rows of X, then as many rows of Y for each block. Lines lie along the rows in X, along the rows in Y.
using TileX = tw::AsyncTile<Input, kTileK, kBlock, kThreads, 16>;
constexpr tw::Major kLeft = tw::Major::mn;
using TileY = tw::AsyncTile<Input, kTileK, kBlock, kThreads, 16>;
constexpr tw::Major kRight = tw::Major::mn;
constexpr int kStageBytes = TileX::kBytes + kGroup * TileY::kBytes;
static_assert(kStages * kStageBytes == 73728, "the launch gives this much");

/// Entry `i` of col_idx.
TW_DEVICE int column_of(const Args& args, long long i) { return args.col_idx[i * args.index_words]; }

/// Issues the copies of columns `k` on of X and Y to the stage at `stage`.
TW_DEVICE void load(const Args& args, const TileX& x, const TileY& y, const Tile& tile, std::uint32_t stage, int k) {
  const int row = tile.row * kBlock;
  x.load(stage, k, row);
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    if (i >= tile.count) break;
    const int column = column_of(args, tile.first + i) * kBlock;
    y.load(stage + TileX::kBytes + i * TileY::kBytes, k, column);
  }
}

using Sums = tw::Sums<kTilesM, kTilesN>;

/// Adds the products of a stage. `row`: the warp's first; `column`: its first, counted over the blocks of the tile, of which
/// there are `columns`.
TW_DEVICE void multiply(Sums& sums, std::uint32_t stage, int row, int column, int columns) {
  const int lane = ptx::lane_id();
#pragma unroll
  for (int k = 0; k < kTileK; k += 16) {
    std::uint32_t left[kTilesM][4];
#pragma unroll
    for (int m = 0; m < kTilesM; ++m) tw::load_a<Input, kLeft, TileX::kRowBytes>(left[m], stage, row + m * 16, k, lane);
#pragma unroll
    for (int n = 0; n < kTilesN; n += 2) {
      const int at = column + n * 8;
      if (at >= columns) break;  // no such block
      std::uint32_t right[4];
      const std::uint32_t block = stage + TileX::kBytes + at / kBlock * TileY::kBytes;
      tw::load_b<Input, kRight, TileY::kRowBytes>(right, block, at % kBlock, k, lane);
#pragma unroll
      for (int m = 0; m < kTilesM; ++m) {
        ptx::mma_m16n8k16<Input>(sums[m][n], left[m], right[0], right[1]);
        ptx::mma_m16n8k16<Input>(sums[m][n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

struct alignas(2 * sizeof(Output)) Pair {
  Output left, right;
};

/// alpha * sum + beta * A for two neighbouring elements. With beta 0, A is not read.
TW_DEVICE void finish(const Args& args, float left, float right, Pair* to) {
  left *= args.alpha, right *= args.alpha;
  if (args.beta != 0) {
    const Pair old = *to;
    left += args.beta * static_cast<float>(old.left);
    right += args.beta * static_cast<float>(old.right);
  }
  *to = {static_cast<Output>(left), static_cast<Output>(right)};
}

/// A lane holds rows lane / 4 and lane / 4 + 8 of a 16 x 8 mma tile, columns lane % 4 * 2 and the next.
TW_DEVICE void store(const Args& args, const Sums& sums, const Tile& tile, int row, int column) {
  const int lane = ptx::lane_id();
#pragma unroll
  for (int n = 0; n < kTilesN; ++n) {
    const int at = column + n * 8;
    if (at >= tile.count * kBlock) break;
    Output* const block = args.values + (static_cast<long long>(tile.first) + at / kBlock) * (kBlock * kBlock);
#pragma unroll
    for (int m = 0; m < kTilesM; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int element = (row + m * 16 + half * 8 + lane / 4) * kBlock + at % kBlock + lane % 4 * 2;
        finish(args, sums[m][n][half * 2], sums[m][n][half * 2 + 1], reinterpret_cast<Pair*>(block + element));
      }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) bsr_sddmm_mma_b128_bf16_bf16_xcolumn_ycolumn_g2_wm2_wn4_a02f(const Args args) {
  TW_SHARED(memory);
  const std::uint32_t shared = ptx::shared_address(memory);
  const Tile tile = args.tiles[blockIdx.x];
  const TileX x(args.x, args.ldx, args.depth, args.rows, threadIdx.x);
  const TileY y(args.y, args.ldy, args.depth, args.columns, threadIdx.x);
  const int steps = (args.depth + kTileK - 1) / kTileK;
  const auto stage_of = [&](int step) { return shared + step % kStages * kStageBytes; };
  const auto load_step = [&](int step) {
    if (step < steps) load(args, x, y, tile, stage_of(step), step * kTileK);
    ptx::cp_async_commit();  // empty behind the last step: waits count groups
  };

  const int warp = ptx::warp_id(), row = warp / kWarpsN * kWarpRows, column = warp % kWarpsN * kWarpColumns;
  Sums sums = {};
  for (int step = 0; step < kStages - 1; ++step) load_step(step);
  for (int step = 0; step < steps; ++step) {
    ptx::cp_async_wait<kStages - 2>();
    __syncthreads();  // everyone's copies for this step have landed, and everyone has left the stage that is filled next
    load_step(step + kStages - 1);
    multiply(sums, stage_of(step), row, column, tile.count * kBlock);
  }
  store(args, sums, tile, row, column);
}

TW_EXPORT(bsr_sddmm_mma_b128_bf16_bf16_xcolumn_ycolumn_g2_wm2_wn4_a02f)
