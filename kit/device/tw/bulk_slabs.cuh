// bulk_slabs.cuh - the products of slabs.cuh, of blocks that come to shared memory by bulk copies: few instructions bring many bytes, and
// nothing waits for their way but the warp that multiplies them.
#pragma once
#include "tw/pipeline.cuh"
#include "tw/slabs.cuh"

namespace tw {
#if TW_HAS_SM90

/// Stored blocks that a warp multiplies: those of a turn, from `next` on, then those of later turns before `end`.
struct BlockShare {
  int next, end;
};

/// Stages of a warp, which no other warp reads: kBytes of shared memory at `stages`, 128-byte aligned, and their mbarriers, kBarrierBytes at
/// `barriers`. A stage has the `Ahead` slabs of a turn: TilesM x 16 rows of whole blocks, each as it lies in memory. `Shares` warps take
/// turns at the blocks of a block row.
template <class Input, int Block, int Ahead, int TilesM, int TilesN, int Stages, int Shares>
struct BulkSlabs {
  using Slabs = tw::Slabs<Input, Block, Ahead, TilesM, TilesN>;
  using Sums = typename Slabs::Sums;
  using State = PipelineState<Stages>;
  static_assert(Ahead * 32 % Block == 0, "whole blocks");
  static constexpr int kBlocks = Ahead * 32 / Block;  // of a turn
  static constexpr int kStep = Shares * kBlocks;      // from a warp's turn to its next one
  static constexpr int kRowBytes = Block * 2, kPieceBytes = TilesM * 16 * kRowBytes;
  static constexpr int kStageBytes = kBlocks * kPieceBytes, kBytes = Stages * kStageBytes;
  static constexpr int kBarrierBytes = 8 * Stages;

  std::uint32_t stages, barriers;

  /// A lane's vectors of B for a turn, and which of its blocks exist.
  struct Right {
    uint4 vectors[Ahead][TilesN];
    bool exists[Ahead];
  };

  /// Share number `share` of a block row; see Slabs for `Target`.
  template <class Target>
  TW_MEMBER static BlockShare share_of(const Target& target, int block_row, int share) {
    return {Slabs::index(target, target.row_ptr, block_row) + share * kBlocks,
            Slabs::index(target, target.row_ptr, block_row + 1)};
  }

  /// Begins the copies of the first turns. `values`: the warp's first row in a product's first block, aligned to 16 bytes.
  TW_MEMBER void begin(const Input* values, const BlockShare& share) const {
    if (ptx::lane_id() == 0) {
#pragma unroll
      for (int stage = 0; stage < Stages; ++stage) ptx::mbarrier_init(barrier(stage), 1);
      ptx::fence_mbarrier_init();
#pragma unroll
      for (int stage = 0; stage < Stages; ++stage) copy(values, share, stage, stage);
    }
    __syncwarp();
  }

  /// The share's present turn's part of B. `b`: the lane's first column of B; `columns`: of B from there on.
  template <class Target>
  TW_MEMBER static Right right_of(const Target& target, const Input* b, int columns, const BlockShare& share,
                                  const SlabLane& lane) {
    Right right;
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const int vector = i * Slabs::kVectorsPerSlab + lane.vector;
      const int block = share.next + vector / Slabs::kVectorsPerBlock;
      const int k = vector % Slabs::kVectorsPerBlock * 8;
      right.exists[i] = block < share.end;
      const int column = right.exists[i] ? Slabs::index(target, target.col_idx, block) : 0;
      const Input* const from = b + (static_cast<long long>(column) * Block + k) * target.b_at.row;
#pragma unroll
      for (int n = 0; n < TilesN; ++n)
        right.vectors[i][n] = right.exists[i] && n * 8 < columns
                                  ? Slabs::load_b(target, from + n * 8 * target.b_at.column)
                                  : uint4{};
    }
    return right;
  }

  /// Adds the products of the share's present turn when its blocks have come, and begins the copies of the turn that is next in
  /// their stage.
  TW_MEMBER void multiply(Sums& sums, const Right& right, const Input* values, const BlockShare& share, const State& at,
                          const SlabLane& lane) const {
    ptx::mbarrier_wait(barrier(at.stage), at.phase);
#pragma unroll
    for (int m = 0; m < TilesM; ++m) {
      uint4 a[Ahead][2];
      load_rows(a, right, stages + at.stage * kStageBytes + (m * 16 + lane.row) * kRowBytes, lane);
#pragma unroll
      for (int i = 0; i < Ahead; ++i) Slabs::multiply(sums[m], a[i][0], a[i][1], right.vectors[i]);
    }
    if (share.next + Stages * kStep >= share.end) return;
    __syncwarp();  // all lanes have read the stage
    if (ptx::lane_id() == 0) {
      ptx::fence_proxy_async_shared();
      copy(values, share, Stages, at.stage);
    }
  }

 private:
  TW_MEMBER std::uint32_t barrier(int stage) const { return barriers + 8 * stage; }

  /// Begins the copies of the blocks `turns` turns behind the present one.
  TW_MEMBER void copy(const Input* values, const BlockShare& share, int turns, int stage) const {
    const int first = share.next + turns * kStep, blocks = min(kBlocks, share.end - first);
    if (blocks <= 0) return;
    const std::uint32_t to = stages + stage * kStageBytes;
    const auto from = [&](int i) { return values + static_cast<long long>(first + i) * (Block * Block); };
    ptx::mbarrier_arrive_expect_tx(barrier(stage), blocks * kPieceBytes);
    if constexpr (TilesM * 16 == Block) {
      ptx::bulk_load(to, from(0), blocks * kPieceBytes, barrier(stage));
    } else {
      for (int i = 0; i < blocks; ++i)
        ptx::bulk_load(to + i * kPieceBytes, from(i), kPieceBytes, barrier(stage));
    }
  }

  /// A lane's vectors of two rows, 8 apart, of a stage; `row`: the first one in the first block. Rows of 128 bytes begin at one bank: there odd
  /// rows read the slabs of a pair the other way round.
  TW_MEMBER static void load_rows(uint4 (&a)[Ahead][2], const Right& right, std::uint32_t row, const SlabLane& lane) {
    constexpr bool kPairs = kRowBytes % 128 == 0;
    const bool turned = kPairs && lane.row % 2 == 1;
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const int vector = (turned ? i ^ 1 : i) * Slabs::kVectorsPerSlab + lane.vector;
      const std::uint32_t from = row + vector / Slabs::kVectorsPerBlock * kPieceBytes + vector % Slabs::kVectorsPerBlock * 16;
#pragma unroll
      for (int half = 0; half < 2; ++half)
        a[i][half] = right.exists[i] ? ptx::load_shared_v4(from + half * (8 * kRowBytes)) : uint4{};
    }
    if constexpr (kPairs) {
#pragma unroll
      for (int i = 0; i < Ahead; i += 2)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const uint4 first = a[i][half];
          a[i][half] = turned ? a[i + 1][half] : first;
          a[i + 1][half] = turned ? first : a[i + 1][half];
        }
    }
  }
};
#endif

}  // namespace tw
