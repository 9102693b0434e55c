// bsr_sddmm.wgmma.b128.bf16.bf16.g2.s4.w2.cl2-d3b0
// A = alpha * (X[M,K] * Y[N,K]^T) + beta * A at the stored blocks of A, in block sparse rows (BSR)
//
//   path       wgmma
//   block      128
//   input      bf16
//   output     bf16
//   layoutX    row
//   layoutY    row
//   group      2
//   tileK      64
//   stages     4
//   consumers  2
//   cluster    2
//   splits     1
//   inFlight   1
//
// Rendered from wgmma.cu.hbs by: gen render bsr-sddmm bsr_sddmm.wgmma.b128.bf16.bf16.g2.s4.w2.cl2-d3b0
//
// Hopper, warp specialised. A thread block computes up to 2 stored blocks of a block row: one warp keeps 4 stages of 64
// columns of X and Y full by TMA, 2 warpgroups multiply with wgmma. X is row-major, Y row-major. The 2 thread
// blocks of a cluster have blocks of one block row, and load X once, by multicast.
#include "args.h"
#include "tw/pipeline.cuh"
#include "tw/tma_tile.cuh"
#include "tw/wgmma_tile.cuh"

namespace {

using Input = __nv_bfloat16;
using Output = __nv_bfloat16;
using Args = tilewright::bsr_sddmm::MappedArgs<Output>;
using tilewright::bsr_sddmm::Tile;

constexpr int kBlock = 128;  // rows and columns of a block of A
constexpr int kGroup = 2;  // blocks of a tile
constexpr int kTileK = 64;  // columns of X and Y in a stage
constexpr int kStages = 4;
constexpr int kInFlight = 1;  // stages whose products may be under way while the next one is awaited
constexpr int kShares = 2;  // thread blocks that share X
constexpr int kSplits = 1;  // thread blocks that share the depth
constexpr int kCluster = kShares * kSplits;
constexpr int kConsumers = 2;  // warpgroups that multiply; behind them comes the warp that copies
constexpr int kThreads = 128 * kConsumers + 32;

// Of a tile, a warpgroup has so many rows, and so many blocks at most.
constexpr int kRows = 64;
constexpr int kBlocks = 256 / kBlock;
constexpr bool kShareRows = kRows < kBlock;

// A stage: kBlock rows of X, then as many rows of Y for each block. Lines lie along the depth in X, along the depth in Y.
using TileX = tw::KMajor<kTileK>;
using TileY = tw::KMajor<kTileK>;
using Pipeline = tw::Pipeline<kStages, kShares>;
constexpr int kBytesPerRow = 2 * kTileK;  // of X and Y in a stage, in either order
constexpr int kBlockBytes = kBlock * kBytesPerRow;
constexpr int kStageBytes = (1 + kGroup) * kBlockBytes;
constexpr int kBarriersAt = kStages * kStageBytes;
static_assert(kBarriersAt + Pipeline::kBytes == 196672, "the launch gives this much");

/// Stages' worth of the depth, from `first` to before `last`.
struct Steps {
  int first, last;
};

/// This thread block's part.
TW_DEVICE Steps steps_of(const Args& args) {
  const int all = (args.depth + kTileK - 1) / kTileK, rank = tw::cluster_rank<kSplits>();
  return {all * rank / kSplits, all * (rank + 1) / kSplits};
}

/// Loads `Lines` lines of `LineBytes` bytes, from place `first` of line `line` on, of this product of the batch, into each of `Cluster`
/// thread blocks: they fetch equal shares of the lines, which are the map's boxes, and each block's mbarrier gets all bytes.
template <int Lines, int LineBytes, int Cluster>
TW_DEVICE void load_lines(std::uint32_t to, const tw::Tensor& from, int line, int first, std::uint32_t full) {
  const int product = blockIdx.y;
  if constexpr (Cluster == 1) {
    tw::load_box(to, from, {first, line, product}, full);
  } else {
    const int share = tw::cluster_rank<Cluster>() * (Lines / Cluster);
    ptx::tensor_load_multicast(to + share * LineBytes, from.map, {first, line + share, product}, full, (1 << Cluster) - 1);
  }
}

/// Loads kBlock rows from `row` on, columns from `k` on.
template <class Operand, int Cluster>
TW_DEVICE void load_block(std::uint32_t to, const tw::Tensor& from, int row, int k, std::uint32_t full) {
  if constexpr (Operand::kMajor == ptx::Major::k) {
    load_lines<kBlock, Operand::kRowBytes, Cluster>(to, from, row, k, full);
  } else {
#pragma unroll
    for (int i = 0; i < kBlock; i += 64)
      load_lines<kTileK, 128, Cluster>(to + i * kBytesPerRow, from, k, row + i, full);
  }
}

/// Fills stages with X and Y. By one thread.
TW_DEVICE void produce(const Args& args, const tw::Tensor& x, const tw::Tensor& y, const Tile& tile, std::uint32_t shared) {
  const Pipeline pipeline{shared + kBarriersAt};
  int columns[kGroup];
#pragma unroll
  for (int i = 0; i < kGroup; ++i)
    columns[i] = i < tile.count ? args.col_idx[static_cast<long long>(tile.first + i) * args.index_words] * kBlock : 0;

  Pipeline::State at;
  const Steps steps = steps_of(args);
  for (int step = steps.first; step < steps.last; ++step, at.advance()) {
    const int k = step * kTileK;
    const std::uint32_t stage = shared + at.stage * kStageBytes, full = pipeline.full(at.stage);
    pipeline.acquire(at);
    pipeline.expect(at, (1 + tile.count) * kBlockBytes);
    load_block<TileX, kShares>(stage, x, tile.row * kBlock, k, full);
#pragma unroll
    for (int i = 0; i < kGroup; ++i)
      if (i < tile.count) load_block<TileY, 1>(stage + (1 + i) * kBlockBytes, y, columns[i], k, full);
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

/// A warpgroup's share of a tile: rows from `row` on of `Blocks` blocks. `block`: the first, of the tile.
template <int Blocks>
struct Share {
  static constexpr int kColumns = Blocks * kBlock;
  using Sums = tw::Accumulators<kRows / 64, 1, kColumns>;

  int row, block;

  TW_MEMBER void multiply(Sums& sums, int steps, std::uint32_t shared) const {
    const Pipeline pipeline{shared + kBarriersAt};
    Pipeline::State at, done;  // done: the next stage to be released
    for (int step = 0; step < steps; ++step, at.advance()) {
      const std::uint32_t stage = shared + at.stage * kStageBytes;
      pipeline.wait(at);
      ptx::wgmma_fence();
      tw::multiply<Input, 1>(sums, TileX{stage + row * kBytesPerRow}, TileY{stage + (1 + block) * kBlockBytes}, step > 0);
      ptx::wgmma_commit();
      ptx::wgmma_wait<kInFlight>();
      if (step < kInFlight) continue;
      pipeline.release(done.stage);
      done.advance();
    }
    ptx::wgmma_wait<0>();
    tw::fence(sums);
    if (steps == 0) tw::clear(sums);
  }

  TW_MEMBER void store(const Args& args, const Sums& sums, const Tile& tile) const {
    const long long first = static_cast<long long>(tile.first + block) * (kBlock * kBlock) + row * kBlock;
    Output* const values = args.values + blockIdx.y * args.values_stride + first;
    const int warp = ptx::warp_id() % 4, lane = ptx::lane_id();
#pragma unroll
    for (int t = 0; t < kRows / 64; ++t)
#pragma unroll
      for (int i = 0; i < kColumns / 2; i += 2) {
        const tw::AccumulatorPlace<1, kColumns> place(t, i, warp, lane);
        const int element = place.n / kBlock * (kBlock * kBlock) + place.m * kBlock + place.n % kBlock;
        finish(args, sums[t][i], sums[t][i + 1], reinterpret_cast<Pair*>(values + element));
      }
  }
};

/// Computes a warpgroup's share of a tile: `blocks` blocks from `first` on, at most `Blocks`.
template <int Blocks>
TW_DEVICE void consume(const Args& args, const Tile& tile, int row, int first, int blocks, std::uint32_t shared) {
  const Steps steps = steps_of(args);
  if constexpr (Blocks > 0) {
    if (blocks < Blocks) return consume<Blocks - 1>(args, tile, row, first, blocks, shared);
    const Share<Blocks> share{row, first};
    typename Share<Blocks>::Sums sums;
    share.multiply(sums, steps.last - steps.first, shared);
    share.store(args, sums, tile);
  } else {
    // Others of the cluster or thread block need the stages.
    const Pipeline pipeline{shared + kBarriersAt};
    Pipeline::State at;
    for (int step = steps.first; step < steps.last; ++step, at.advance()) {
      pipeline.wait(at);
      pipeline.release(at.stage);
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    bsr_sddmm_wgmma_b128_bf16_bf16_g2_s4_w2_cl2_d3b0(const Args args, const __grid_constant__ TensorMap map_x, const __grid_constant__ TensorMap map_y) {
  TW_SHARED(memory);
  const std::uint32_t shared = ptx::shared_address(memory);
  const Tile tile = args.tiles[blockIdx.x / kSplits];
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map_x);
    ptx::prefetch_tensor_map(&map_y);
    Pipeline{shared + kBarriersAt}.init<1, 4 * kConsumers>();
    ptx::fence_mbarrier_init();
  }
  tw::cluster_sync<kCluster>();

  const int warpgroup = ptx::warp_id() / 4;
  if (warpgroup == kConsumers) {
    if (ptx::lane_id() == 0) produce(args, {&map_x}, {&map_y}, tile, shared);
    __syncwarp();
    if (kSplits > 1) ptx::cluster_sync();  // all threads take part in the consumers' one
  } else if (kShareRows) {
    consume<kBlocks>(args, tile, warpgroup * kRows, 0, tile.count, shared);
  } else {
    // The first warpgroups have one block more where they cannot have equal numbers.
    const int first = (tile.count * warpgroup + kConsumers - 1) / kConsumers;
    const int last = (tile.count * (warpgroup + 1) + kConsumers - 1) / kConsumers;
    consume<kBlocks>(args, tile, 0, first, last - first, shared);
  }
  // A thread block must not end while another still copies into it, signals its barriers or reads its sums.
  if (kCluster > 1) tw::cluster_sync<kCluster>();
}

TW_EXPORT(bsr_sddmm_wgmma_b128_bf16_bf16_g2_s4_w2_cl2_d3b0)
