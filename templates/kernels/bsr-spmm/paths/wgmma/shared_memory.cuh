// shared_memory.cuh - places in the shared memory of the kernels of the path wgmma.
#pragma once
#include "tw/pipeline.cuh"

namespace tilewright::bsr_spmm::wgmma {

/// Shared memory from `base`, 1024-byte aligned, on: `Stages` stages, each A's part and B's; staging for C, the stages' barriers, and
/// what the schedule needs. `Bytes` has the length of each part, 0 for what a kernel does without:
///   kStage, kStageA   a stage, and A's part of it
///   kStaging          staging, of all warpgroups; swizzled tiles lie in stages and staging, all of which are aligned to 1024 bytes
///   kMasks            4 for each block of each stage
///   kQueue            a work queue's
///   kFlags            4 for each warpgroup
///   kReduction        sums of a cluster's thread blocks
template <class Pipeline, int Stages, class Bytes>
struct SharedMemory {
  static constexpr int kStaging = Stages * Bytes::kStage, kBarriers = kStaging + Bytes::kStaging;
  static constexpr int kMasks = kBarriers + Pipeline::kBytes, kQueue = kMasks + Bytes::kMasks;
  static constexpr int kFlags = kQueue + Bytes::kQueue, kReduction = kFlags + Bytes::kFlags;
  static constexpr int kBytes = kReduction + Bytes::kReduction;
  static_assert(Bytes::kStage % 1024 == 0 && Bytes::kStageA % 1024 == 0 && kBarriers % 1024 == 0,
                "bases of swizzled tiles must be 1024-byte aligned");

  std::uint32_t base;

  TW_MEMBER std::uint32_t a(int stage) const { return base + stage * Bytes::kStage; }
  TW_MEMBER std::uint32_t b(int stage) const { return a(stage) + Bytes::kStageA; }
  TW_MEMBER std::uint32_t staging() const { return a(Stages); }
  TW_MEMBER Pipeline pipeline() const { return {base + kBarriers}; }
  /// The rows of a group of block rows that have block `block` of a stage, one bit each.
  TW_MEMBER std::uint32_t mask(int stage, int block) const {
    return base + kMasks + 4 * (stage * (Bytes::kMasks / 4 / Stages) + block);
  }
  TW_MEMBER std::uint32_t queue() const { return base + kQueue; }
  /// For each warpgroup, whether it has the last part of a tile.
  TW_MEMBER std::uint32_t flags() const { return base + kFlags; }
  TW_MEMBER std::uint32_t reduction() const { return base + kReduction; }
};

}  // namespace tilewright::bsr_spmm::wgmma
