// gemm.wgmma.bf16.relu.m256.n128.s3.cn2.f1.b1-3951
// C[M,N] = act(alpha * A[M,K] * B[K,N] + beta * C + bias), row-major, f16 or bf16
//
//   path        wgmma
//   element     bf16
//   activation  relu
//   tileM       256
//   tileN       128
//   stages      3
//   group       8
//   clusterM    1
//   clusterN    2
//   inFlight    1
//   boxes       1
//
// Rendered from wgmma.cu.hbs by: gen render gemm gemm.wgmma.bf16.relu.m256.n128.s3.cn2.f1.b1-3951
//
// Hopper, persistent and warp specialised. A thread block computes tiles of 256 x 128 elements of C: one warp keeps 3 stages
// full by TMA, two warpgroups multiply 128 rows each with wgmma and write C through staging by TMA. Clusters are 1 x 2
// thread blocks, which load what they share once, by multicast.
#include "args.h"
#include "tw/epilogue.cuh"
#include "tw/staging.cuh"
#include "tw/tile_scheduler.cuh"
#include "tw/wgmma_mainloop.cuh"

namespace {

using Element = __nv_bfloat16;
using Args = tilewright::gemm::MappedArgs<Element>;
using tilewright::Activation;

constexpr int kTileM = 256;  // rows and columns of C of a thread block
constexpr int kTileN = 128;
constexpr int kTileK = 64;  // depth of a stage
constexpr int kStages = 3;
constexpr int kInFlight = 1;  // stages whose products may be under way while the next one is awaited
constexpr int kGroup = 8;     // rows of tiles that clusters go down together

// Thread blocks of a cluster: those below each other share B, those side by side share A.
constexpr int kClusterM = 1;
constexpr int kClusterN = 2;
constexpr int kCluster = kClusterM * kClusterN;

// Two warpgroups that multiply, and one of which a warp copies. Threads begin with 168 registers each; the third warpgroup
// gives up what the others need.
constexpr int kConsumers = 2;
constexpr int kThreads = 128 * (kConsumers + 1);
constexpr int kProducerRegisters = 40;
constexpr int kConsumerRegisters = 232;

constexpr int kWarpgroupRows = kTileM / kConsumers;
using Accumulators = tw::Accumulators<kWarpgroupRows / 64, 1, kTileN>;
using Pipeline = tw::Pipeline<kStages, kCluster>;
using Staging = tw::BoxStaging<Element, 1>;

// Shared memory: stages, each a tile of A and one of B; staging of each warp; barriers.
using TileA = tw::KMajor<kTileK>;
using TileB = tw::MnMajor<kTileK>;
constexpr int kStageBytesA = kTileM * TileA::kRowBytes;
constexpr int kStageBytes = kStageBytesA + kTileN / 64 * TileB::kPanelBytes;
constexpr int kStagingAt = kStages * kStageBytes;
constexpr int kBarriersAt = kStagingAt + 4 * kConsumers * Staging::kBytes;
static_assert(kBarriersAt + Pipeline::kBytes == 163888, "the launch gives this much");

/// The tiles of this cluster; places count clusters.
TW_DEVICE tw::TileScheduler<kGroup> tiles_of(const Args& args) {
  constexpr int kRows = kTileM * kClusterM, kColumns = kTileN * kClusterN;
  return {(args.rows + kRows - 1) / kRows, (args.columns + kColumns - 1) / kColumns, static_cast<int>(blockIdx.x) / kCluster,
          static_cast<int>(gridDim.x) / kCluster};
}

/// First row and column of this thread block's tile.
TW_DEVICE int row_of(const tw::TilePlace& place) {
  return (place.m * kClusterM + tw::cluster_rank<kClusterM>()) * kTileM;
}
TW_DEVICE int column_of(const tw::TilePlace& place) {
  return (place.n * kClusterN + tw::cluster_rank<kClusterN>()) * kTileN;
}

TW_DEVICE int steps_of(const Args& args) { return (args.depth + kTileK - 1) / kTileK; }

/// Fills stages with the operands of all tiles. By one thread.
TW_DEVICE void produce(const Args& args, const tw::Tensor& a, const tw::Tensor& b, std::uint32_t shared) {
  const Pipeline pipeline{shared + kBarriersAt};
  Pipeline::State at;
  for (auto tiles = tiles_of(args); tiles.more(); tiles.advance()) {
    const int row = row_of(tiles.place()), column = column_of(tiles.place());
    for (int step = 0; step < steps_of(args); ++step, at.advance()) {
      const std::uint32_t stage = shared + at.stage * kStageBytes, full = pipeline.full(at.stage);
      pipeline.acquire(at);
      pipeline.expect(at, kStageBytes);
      tw::load_rows<kTileM, TileA::kRowBytes, kClusterN>(stage, a, row, step * kTileK, full);
      tw::load_column_panels<kTileK, kTileN, kClusterM>(stage + kStageBytesA, b, step * kTileK, column, full);
    }
  }
}

/// Sums a warpgroup's rows of a tile.
TW_DEVICE void multiply_tile(Accumulators& acc, const Pipeline& pipeline, Pipeline::State& at, int steps, std::uint32_t shared) {
  const int first_row = ptx::warp_id() / 4 * kWarpgroupRows * TileA::kRowBytes;
  const auto multiply = [&](std::uint32_t stage, bool accumulate) {
    tw::multiply<Element, 1>(acc, TileA{stage + first_row}, TileB{stage + kStageBytesA}, accumulate);
  };
  tw::wgmma_mainloop<kInFlight, kStageBytes, Pipeline::State&>(acc, pipeline, at, steps, shared, multiply);
}

/// Computes a warpgroup's rows of all tiles.
TW_DEVICE void consume(const Args& args, const tw::Tensor& c, std::uint32_t shared) {
  const Pipeline pipeline{shared + kBarriersAt};
  const Staging staging{shared + kStagingAt + ptx::warp_id() * Staging::kBytes};
  const tw::Epilogue<Element> epilogue{args.c, args.bias, args.ldc, args.rows, args.columns, args.alpha, args.beta};
  const int warp_row = ptx::warp_id() / 4 * kWarpgroupRows + ptx::warp_id() % 4 * 16;
  Pipeline::State at;
  Accumulators acc;
  for (auto tiles = tiles_of(args); tiles.more(); tiles.advance()) {
    multiply_tile(acc, pipeline, at, steps_of(args), shared);
    const int row = row_of(tiles.place()) + warp_row, column = column_of(tiles.place());
#pragma unroll
    for (int i = 0; i < kWarpgroupRows / 64; ++i) {
      epilogue.finish<Activation::relu>(acc[i], row + 64 * i, column);
      staging.store(c, acc[i], row + 64 * i, column);
    }
  }
  staging.drain();
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_wgmma_bf16_relu_m256_n128_s3_cn2_f1_b1_3951(const Args args, const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
        const __grid_constant__ TensorMap map_c) {
  TW_SHARED(memory);
  const std::uint32_t shared = ptx::shared_address(memory);
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map_a);
    ptx::prefetch_tensor_map(&map_b);
    ptx::prefetch_tensor_map(&map_c);
    Pipeline{shared + kBarriersAt}.init<1, 4 * kConsumers>();
    ptx::fence_mbarrier_init();
  }
  tw::cluster_sync<kCluster>();

  if (ptx::warp_id() < 4 * kConsumers) {
    ptx::setmaxnreg_inc<kConsumerRegisters>();
    consume(args, {&map_c}, shared);
  } else {
    ptx::setmaxnreg_dec<kProducerRegisters>();
    if (threadIdx.x == 128 * kConsumers) produce(args, {&map_a}, {&map_b}, shared);
    __syncwarp();
  }
  // A thread block must not end while another still copies into it or signals its barriers.
  if (kCluster > 1) tw::cluster_sync<kCluster>();
}

TW_EXPORT(gemm_wgmma_bf16_relu_m256_n128_s3_cn2_f1_b1_3951)
