// bsr_spmm.wgmma.b128.tn128.overlap.pn4.coopM.cl2-1bc2
// C[M,N] = alpha * A[M,K] * B[K,N] + beta * C, A in block sparse rows (BSR), B and C dense; B and C row-major
//
//   path            wgmma
//   block           128
//   input           f16
//   output          f16
//   layoutB         row
//   layoutC         row
//   transposeA      false
//   tileN           128
//   tileK           64
//   stages          4
//   producers       1
//   epilogue        overlap
//   panel           4
//   order           longest
//   role            coopM
//   consumers       2
//   blocksPerStage  1
//   cluster         2
//   wgmmaDepth      0
//   stagingN        64
//   schedule        static
//   split           0
//   l2Hint          none
//   fused           false
//   pdl             false
//
// Rendered from wgmma.cu.hbs by: gen render bsr-spmm bsr_spmm.wgmma.b128.tn128.overlap.pn4.coopM.cl2-1bc2
//
// Hopper, persistent and warp specialised. Each pair of thread blocks walks a work list of tiles.
// A tile is one block row by 128 columns of C per thread block.
// One producer warp keeps a ring of 4 stages full by TMA. 2 consumer warpgroups (each a part of the rows) multiply with wgmma.
// C is stored by stmatrix and TMA, while the next tile is multiplied, and not read: the launch code refuses a beta other than 0.
// Launched as clusters of 2 thread blocks.
#include "paths/wgmma/args.h"
#include "paths/wgmma/shared_memory.cuh"
#include "tw/tma_tile.cuh"
#include "tw/wgmma_result.cuh"
#include "tw/wgmma_tile.cuh"
#include "tw/work_list.cuh"

namespace {

using Input = __half;
using Output = __half;

constexpr int kBlock = 128;
// A tile of C is kGroup block rows by kTileN columns. kCluster thread blocks side by side along N share A by multicast.
constexpr int kGroup = 1;
constexpr int kTileN = 128;
constexpr int kCluster = 2;
constexpr int kClusterK = 1;  // thread blocks that share the steps of a tile
constexpr int kClusterSize = kCluster * kClusterK;
// A stage of the ring has kTileK columns of kBlocksPerStage blocks of each block row, and as many rows of B.
constexpr int kTileK = 64;
constexpr int kBlocksPerStage = 1;
constexpr int kStages = 4;
using Pipeline = tw::Pipeline<kStages, kCluster>;
// Consumer warpgroups, of which kSharers have one tile, and behind them producer warps: stage i belongs to producer i % kProducers.
constexpr int kConsumers = 2;
constexpr int kSharers = 2;
constexpr int kProducers = 1;
constexpr int kThreads = 384;

// A warpgroup's share of a tile is kTilesM x kTilesN wgmma tiles of 64 x kWgmmaN.
constexpr int kWarpgroupRows = 64;
constexpr int kWarpgroupColumns = 128;
constexpr int kTilesM = kWarpgroupRows / 64;
constexpr int kWgmmaN = 128;
constexpr int kTilesN = kWarpgroupColumns / kWgmmaN;
constexpr int kTiles = kTilesM * kTilesN;
using Accumulators = tw::Accumulators<kTilesM, kTilesN, kWgmmaN>;
using ResultLayout = tw::ResultLayout<false, false, kTilesM, kTilesN, kWgmmaN>;

// Named barriers, one per warpgroup from here on; 0 is __syncthreads'.
constexpr int kEpilogueBarrier = 1;

// A stage holds blocks of A, then of B, swizzled as wgmma's operands are: 128-byte rows of K where that is contiguous.
constexpr int kElementBytes = sizeof(Input);
using TileA = tw::KMajor<kTileK, kElementBytes>;
constexpr int kPanelB = 64;
using TileB = tw::MnMajor<kTileK, kPanelB, kElementBytes>;
constexpr int kBlockBytesA = kElementBytes * kBlock * kTileK;
constexpr int kBlockBytesB = kElementBytes * kTileN * kTileK;
constexpr int kStageBytesA = kBlocksPerStage * kGroup * kBlockBytesA;

using StagingThreads = tw::StagingWarp;
// C is stored in boxes of 16 lines by 64 elements. StagingThreads have staging for 1.
using Staging = tw::ResultBoxes<Output, ResultLayout, StagingThreads, 1, 64>;
using MapOfC = tw::Tensor;
constexpr int kPasses = 2;  // times that it is filled for a tile

/// Lengths of the parts of shared memory; 0 of what this variant does without.
struct Bytes {
  static constexpr int kStageA = kStageBytesA;
  static constexpr int kStage = kStageBytesA + kBlocksPerStage * kBlockBytesB;
  static constexpr int kStaging = kConsumers * 4 * Staging::kBytes;
  static constexpr int kMasks = 0, kQueue = 0, kFlags = 0;
  static constexpr int kReduction = 0;
};
using Shared = tilewright::bsr_spmm::wgmma::SharedMemory<Pipeline, kStages, Bytes>;
static_assert(Shared::kBytes == 147520, "shared-memory layout disagrees with wgmma-sizes.ts");

// Records of the schedule.
using tilewright::bsr_spmm::wgmma::Tile;
using Step = int;  // the block column of a block of A
using WorkList = tw::WorkList<Tile>;
using Args = tilewright::bsr_spmm::wgmma::PlainArgs<Output, Step>;

// -------------------------------------------------------------------------------------------------------- copies

/// A: its blocks one below the other, in boxes of kRowsA / 2 rows by kTileK columns.
/// B: columns of a panel, rows, panels, in boxes of all panels of a tile, or of one where B's last one is short (`clipped`).
struct Maps {
  tw::Tensor a;
  tw::Tensor b;
};

constexpr int kRowsA = kBlocksPerStage * kBlock;  // of A that one copy brings

/// Copies kRowsA rows of A from (row, k) on.
TW_DEVICE void load_a(const Maps& maps, std::uint32_t to, int k, int row, std::uint32_t full) {
  tw::load_rows<kRowsA, TileA::kRowBytes, kCluster>(to, maps.a, row, k, full);
}

/// Copies kTileK rows of B from `k` on, kTileN columns from `n` on.
TW_DEVICE void load_b(const Args& args, const Maps& maps, std::uint32_t to, int k, int n, std::uint32_t full) {
  tw::load_panels<kTileK, kTileN, kPanelB>(to, maps.b, k, n, args.clipped, full);
}

// ------------------------------------------------------------------------------------------------------ producer
// All producer warps take the steps of a tile in batches of 32, one per lane. In order, each lane waits for a free stage and issues
// the copies for its step, if the stage is its warp's.

/// Steps `from` to `from` + 31 of a tile, one per lane.
TW_DEVICE Step fetch(const Args& args, const Tile& tile, int from) {
  const int i = from + static_cast<int>(ptx::lane_id());
  return i < tile.count ? args.steps[tile.first + i] : Step{};
}

/// Fills a stage with up to kBlocksPerStage of the `count` steps that are left, at depth k within their blocks.
/// `first` is the number of the first one.
TW_DEVICE void fill_stage(const Args& args, const Maps& maps, const Shared& shared, const Pipeline::State& ring,
                          const Step (&steps)[kBlocksPerStage], int first, int count, int k, int n) {
  const Pipeline pipeline = shared.pipeline();
  const std::uint32_t full = pipeline.full(ring.stage), a = shared.a(ring.stage), b = shared.b(ring.stage);
  pipeline.acquire(ring);
  pipeline.expect(ring, kStageBytesA + min(count, kBlocksPerStage) * kBlockBytesB);
  load_a(maps, a, k, first * kBlock, full);
#pragma unroll
  for (int i = 0; i < kBlocksPerStage; ++i)
    if (i < count) load_b(args, maps, b + i * kBlockBytesB, steps[i] * kBlock + k, n, full);
}

/// Issues all copies of a tile into this warp's stages. Its steps come in batches of 32, one per lane; `batch` is the first.
TW_DEVICE void fill_tile(const Args& args, const Maps& maps, const Shared& shared, Pipeline::State& ring, const Tile& tile, Step batch) {
  const int n = tile.column + tw::cluster_rank<kCluster>() * kTileN;
  const int lane = ptx::lane_id();
  const int producer = kProducers == 1 ? 0 : ptx::warp_id() - 4 * kConsumers;
  for (int i = 0; i < tile.count; batch = fetch(args, tile, i)) {
    const Step steps[] = {batch};
    const int end = min(i + 32, tile.count);
    for (; i < end; i += kBlocksPerStage) {
#pragma unroll
      for (int k = 0; k < kBlock; k += kTileK) {
        if (lane == i % 32 && (kProducers == 1 || ring.stage % kProducers == producer))
          fill_stage(args, maps, shared, ring, steps, tile.first + i, tile.count - i, k, n);
        ring.advance();
        __syncwarp();  // in order: a parity wait cannot tell phases two wraps apart
      }
    }
  }
}

/// Copies the operands of a work list; `batch` has the first steps.
TW_DEVICE void produce(const Args& args, const Maps& maps, const Shared& shared, WorkList tiles, Step batch) {
  Pipeline::State ring;
  Tile tile = tiles.next();
  if (batch < 0) batch = fetch(args, tile, 0);
  while (tile.count >= 0) {
    fill_tile(args, maps, shared, ring, tile, batch);
    // Behind the copies of a tile, which hide this trip to memory.
    tile = tiles.next();
    batch = fetch(args, tile, 0);
  }
}

// ----------------------------------------------------------------------------------------------------- consumers

/// acc (+)= the block of A at `a` times the rows of B at `b`, kTileK deep; where `accumulate` is false acc may hold anything.
TW_DEVICE void multiply(Accumulators& acc, std::uint32_t a, std::uint32_t b, bool accumulate) {
  tw::multiply<Input, kTilesN>(acc, TileA{a}, TileB{b}, accumulate);
}

TW_DEVICE int stages_of(int count) { return (count + kBlocksPerStage - 1) / kBlocksPerStage * (kBlock / kTileK); }

/// Sums a warpgroup's share of a tile over all its steps.
/// `store_pending(pass)` stores a part of the tile before.
template <class StorePending>
TW_DEVICE void multiply_tile(
    const Shared& shared,
    Pipeline::State& ring,
    Accumulators& acc,
    const StorePending& store_pending,
    int count) {
  const int warpgroup = ptx::warp_id() / 4;
  const int stages = stages_of(count);
  for (int i = 0; i < stages; ++i) {
    shared.pipeline().wait(ring);
    const std::uint32_t a = shared.a(ring.stage) + warpgroup * kWarpgroupRows * TileA::kRowBytes;
    const std::uint32_t b = shared.b(ring.stage);
    ptx::wgmma_fence();
    multiply(acc, a, b, i > 0);
    ptx::wgmma_commit();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      if (i == pass) store_pending(pass);  // the pending tile is stored, a part with each of the first stages
    ptx::wgmma_wait<0>();
    shared.pipeline().release(ring.stage);
    ring.advance();
  }
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass)
    if (pass >= stages) store_pending(pass);
  tw::fence(acc);
  if (stages == 0) tw::clear(acc);
}

// ------------------------------------------------------------------------------------------------------ epilogue

/// A warpgroup's share of a tile of C, rounded: accumulators 2i and 2i + 1 in one register.
using Values = std::uint32_t[kTiles][kWgmmaN / 4];

TW_DEVICE void pack_tile(const Accumulators& acc, Values& values) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
    for (int i = 0; i < kWgmmaN / 4; ++i) values[tile][i] = ptx::pack<Output>(acc[tile][2 * i], acc[tile][2 * i + 1]);
}

/// Writes part `pass`, of kPasses, of the warpgroup's share of a tile to C, its first element at (row, column).
TW_DEVICE void store(const TensorMap* map, const Shared& shared, const Values& values, int row, int column, int pass) {
  Staging{shared.staging()}.store_part(MapOfC{map}, values, row, column, pass);
}

/// First row of C of the warpgroup's share of a tile.
TW_DEVICE int row_of(int tile_row) {
  return tile_row * kBlock + ptx::warp_id() / 4 * kWarpgroupRows;
}

/// First column of C of the warpgroup's share of a tile.
TW_DEVICE int column_of(const Tile& tile) {
  return tile.column + tw::cluster_rank<kCluster>() * kTileN;
}

// --------------------------------------------------------------------------------------------- a consumer's tiles

/// Computes and stores this warpgroup's share of each tile.
TW_DEVICE void consume(
    const Args& args,
    const TensorMap* map_c,
    const Shared& shared,
    WorkList tiles) {
  Pipeline::State ring;
  Accumulators acc;
  Values pending;  // the tile before, stored while this one is multiplied
  int pending_row = -1, pending_column = 0;
  const auto store_pending = [&](int pass) {
    if (pending_row >= 0) store(map_c, shared, pending, pending_row, pending_column, pass);
  };
  const auto next_tile = [&] { return tiles.next(); };
  Tile tile = next_tile();
  for (; tile.count >= 0; tile = next_tile()) {
    const int row = row_of(tile.row);
    multiply_tile(shared, ring, acc, store_pending, tile.count);
    if (args.alpha != 1.0f) tw::scale(acc, args.alpha);
    pack_tile(acc, pending);
    pending_row = row;
    pending_column = column_of(tile);
  }
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) store_pending(pass);
  ptx::bulk_wait_read<0>();  // shared memory must outlive the stores that read it
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    bsr_spmm_wgmma_b128_tn128_overlap_pn4_coopM_cl2_1bc2(
        const Args args, const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
        const __grid_constant__ TensorMap map_c) {
  TW_SHARED(memory);
  const Shared shared{ptx::shared_address(memory)};
  const int list = blockIdx.x / kCluster;
  // All at once: copies can begin when this trip to memory ends.
  const WorkList tiles{args.tiles + args.tails[list], args.tiles[list * 32 + ptx::lane_id()]};
  Step start{};
  if (ptx::warp_id() == 4 * kConsumers) start = args.first_steps[list * 32 + ptx::lane_id()];
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map_a);
    ptx::prefetch_tensor_map(&map_b);
    ptx::prefetch_tensor_map(&map_c);
    shared.pipeline().init<1, 4 * kSharers>();
    ptx::fence_mbarrier_init();
  }
  tw::cluster_sync<kClusterSize>();

  if (ptx::warp_id() >= 4 * kConsumers) {
    // 384 threads begin with 168 each; the producer's warpgroup gives up what the consumers need.
    ptx::setmaxnreg_dec<40>();
    if (ptx::warp_id() == 4 * kConsumers) {
      const Maps maps{ {&map_a}, {&map_b} };
      produce(args, maps, shared, tiles, start);
    }
  } else {
    ptx::setmaxnreg_inc<232>();
    consume(args, &map_c, shared, tiles);
  }
  // A thread block must outlive the others' copies into it and arrivals at its mbarriers.
  if constexpr (kClusterSize > 1) tw::cluster_sync<kClusterSize>();
}
TW_EXPORT(bsr_spmm_wgmma_b128_tn128_overlap_pn4_coopM_cl2_1bc2)
