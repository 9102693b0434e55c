// bsr_sddmm.wgmma.b128.bf16.bf16.g2.s4.w2.cl2-d3b0
// A = alpha * (X[M,K] * Y[N,K]^T) + beta * A at the stored blocks of A, in block sparse rows (BSR); X and Y row-major
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
// columns of X and Y full by TMA, consumer warpgroups multiply with wgmma. X is row-major, Y row-major.
// The 2 thread blocks of a cluster have blocks of one block row, and load X once, by multicast.
#include "args.h"
#include "tw/result_pair.cuh"
#include "tw/tma_operand.cuh"
#include "tw/wgmma_mainloop.cuh"

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

// A stage: kBlock rows of X, then as many rows of Y for each block.
using TileX = tw::WgmmaOperand<ptx::Major::k, kTileK>;
using TileY = tw::WgmmaOperand<ptx::Major::k, kTileK>;
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
    const int k = step * kTileK, product = blockIdx.y;  // of the batch
    const std::uint32_t stage = shared + at.stage * kStageBytes, full = pipeline.full(at.stage);
    pipeline.acquire(at);
    pipeline.expect(at, (1 + tile.count) * kBlockBytes);
    tw::load_operand<TileX, kBlock, kShares>(stage, x, tile.row * kBlock, k, product, full);
#pragma unroll
    for (int i = 0; i < kGroup; ++i)
      if (i < tile.count) tw::load_operand<TileY, kBlock, 1>(stage + (1 + i) * kBlockBytes, y, columns[i], k, product, full);
  }
}

/// Writes a warpgroup's share of a tile: rows from `row` on of blocks from `block` on.
template <int Tiles, int Registers>
TW_DEVICE void store(const Args& args, const float (&sums)[Tiles][Registers], const Tile& tile, int row, int block) {
  const long long first = static_cast<long long>(tile.first + block) * (kBlock * kBlock) + row * kBlock;
  Output* const values = args.values + blockIdx.y * args.values_stride + first;
  const int warp = ptx::warp_id() % 4, lane = ptx::lane_id();
#pragma unroll
  for (int t = 0; t < Tiles; ++t)
#pragma unroll
    for (int i = 0; i < Registers; i += 2) {
      const tw::AccumulatorPlace<1, 2 * Registers> place(t, i, warp, lane);
      const int element = place.n / kBlock * (kBlock * kBlock) + place.m * kBlock + place.n % kBlock;
      tw::store_neighbours(values + element, sums[t][i], sums[t][i + 1], args.alpha, args.beta);
    }
}

/// Computes a warpgroup's share of a tile: rows from `row` on of `blocks` blocks from `first` on, at most `Blocks`.
template <int Blocks>
TW_DEVICE void consume(const Args& args, const Tile& tile, int row, int first, int blocks, std::uint32_t shared) {
  const Pipeline pipeline{shared + kBarriersAt};
  const Steps steps = steps_of(args);
  if constexpr (Blocks > 0) {
    if (blocks < Blocks) return consume<Blocks - 1>(args, tile, row, first, blocks, shared);
    tw::Accumulators<kRows / 64, 1, Blocks * kBlock> sums;
    const auto multiply = [&](std::uint32_t stage, bool accumulate) {
      tw::multiply<Input, 1>(sums, TileX{stage + row * kBytesPerRow}, TileY{stage + (1 + first) * kBlockBytes}, accumulate);
    };
    tw::wgmma_mainloop<kInFlight, kStageBytes, Pipeline::State>(sums, pipeline, {}, steps.last - steps.first, shared, multiply);
    store(args, sums, tile, row, first);
  } else {
    // Others of the cluster or thread block need the stages.
    Pipeline::State at;
    for (int step = steps.first; step < steps.last; ++step, at.advance()) {
      pipeline.wait(at);
      __syncwarp();  // all lanes have seen the stage full; a released one may be filled twice before a late lane looks
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
