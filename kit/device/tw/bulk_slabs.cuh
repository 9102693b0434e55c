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
  static constexpr int kBlocks = Ahead * 32 / Block;               // of a turn
  static constexpr int kStep = Shares * kBlocks;                   // from a warp's turn to its next one
  static constexpr int kSlabs = Block > 32 ? Block / 32 : 1;       // of a block, or
  static constexpr int kSlabBlocks = Block < 32 ? 32 / Block : 1;  // blocks of a slab
  static constexpr int kRowBytes = Block * 2, kPieceBytes = TilesM * 16 * kRowBytes;
  static constexpr int kStageBytes = kBlocks * kPieceBytes, kBytes = Stages * kStageBytes;
  static constexpr int kBarrierBytes = 8 * Stages;

  std::uint32_t stages, barriers;

  /// A lane's vectors of B for a turn.
  using Right = uint4[Ahead][TilesN];

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

  /// Loads the present turn's part of B, zeros for blocks that it does not have. `b`: the lane's first column of B; `columns`: of B from
  /// there on.
  template <class Target>
  TW_MEMBER static void load_right(Right& right, const Target& target, const Input* b, int columns,
                                   const BlockShare& share, const SlabLane& lane) {
    // One branch for all loads: none waits for another's end. The likely side is the one that falls through.
    if (__builtin_expect(target.vectors_b, 1))
      load_right(right, target, b, columns, share, lane, 1,
                 [](const Input* from) { return Slabs::load_vector(from); });
    else
      load_right(right, target, b, columns, share, lane, target.b_at.row,
                 [&](const Input* from) { return Slabs::load_elements(target, from); });
  }

  /// Adds the products of the present turn when its blocks have come, and begins the copies of the turn that is next in their stage.
  TW_MEMBER void multiply(Sums& sums, const Right& right, const Input* values, const BlockShare& share,
                          const State& at, const SlabLane& lane) const {
    ptx::mbarrier_wait(barrier(at.stage), at.phase);
    const int blocks = share.end - share.next;
    const std::uint32_t row = stages + at.stage * kStageBytes + lane.row * kRowBytes;
#pragma unroll
    for (int m = 0; m < TilesM; ++m)
#pragma unroll
      for (int block = 0; block < kBlocks; block += kSlabBlocks) {
        if (block > 0 && block >= blocks) break;
        uint4 a[kSlabs][2];
        load_rows(a, row + block * kPieceBytes + m * (16 * kRowBytes), blocks - block, lane);
#pragma unroll
        for (int i = 0; i < kSlabs; ++i)
          Slabs::multiply(sums[m], a[i][0], a[i][1], right[block / kSlabBlocks * kSlabs + i]);
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

  template <class Target, class Load>
  TW_MEMBER static void load_right(Right& right, const Target& target, const Input* b, int columns,
                                   const BlockShare& share, const SlabLane& lane, long long row_distance,
                                   const Load& load) {
#pragma unroll
    for (int block = 0; block < kBlocks; block += kSlabBlocks) {
      const int stored = share.next + block + lane.vector / Slabs::kVectorsPerBlock;
      const bool exists = kBlocks == 1 || stored < share.end;
      const long long column = exists ? Slabs::index(target, target.col_idx, stored) : 0;
      const Input* const from =
          b + (column * Block + lane.vector % Slabs::kVectorsPerBlock * 8) * row_distance;
#pragma unroll
      for (int i = 0; i < kSlabs; ++i)
#pragma unroll
        for (int n = 0; n < TilesN; ++n)
          right[block / kSlabBlocks * kSlabs + i][n] =
              exists && n * 8 < columns ? load(from + i * 32 * row_distance + n * 8 * target.b_at.column)
                                        : uint4{};
    }
  }

  /// A lane's vectors of two rows, 8 apart, of a block, or of blocks of 16 of two, of `blocks` that have come; `row`: the first one. Rows of
  /// 128 bytes begin at one bank: there odd rows read the slabs of a pair in swapped order.
  TW_MEMBER static void load_rows(uint4 (&a)[kSlabs][2], std::uint32_t row, int blocks,
                                  const SlabLane& lane) {
    constexpr bool kPairs = kSlabs > 1;
    const bool swapped = kPairs && lane.row % 2 == 1;
    const int second = lane.vector / Slabs::kVectorsPerBlock;  // 1: of the second block of 16
    const std::uint32_t from =
        row + (second < blocks ? second * kPieceBytes : 0) + lane.vector % Slabs::kVectorsPerBlock * 16;
#pragma unroll
    for (int i = 0; i < kSlabs; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        a[i][half] = ptx::load_shared_v4(from + (swapped ? i ^ 1 : i) * 64 + half * (8 * kRowBytes));
        if (second >= blocks) a[i][half] = uint4{};
      }
    if constexpr (kPairs) {
#pragma unroll
      for (int i = 0; i < kSlabs; i += 2)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const uint4 first = a[i][half];
          a[i][half] = swapped ? a[i + 1][half] : first;
          a[i + 1][half] = swapped ? first : a[i + 1][half];
        }
    }
  }
};
#endif

}  // namespace tw
