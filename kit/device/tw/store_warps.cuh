// store_warps.cuh - warps of their own write C: a consumer warpgroup stages its share of a tile, passes it on and multiplies the next tile.
//
//   consumer warpgroup                      store warps, together
//     for each tile                           for each tile but the last
//       multiply                                for each warpgroup
//       store.pass(at, sums, …)                   write what it passes on
//     store.end(at)                           until one ends
#pragma once
#include "tw/bulk_lines.cuh"
#include "tw/pipeline.cuh"

namespace tw {
#if TW_HAS_SM90

/// The former C as an addend.
template <class T>
struct FormerResult {
  const T* addend;
  long long ld_addend;
  int columns;
  float beta;
};

/// Staging of `Warpgroups` warpgroups, whose shares of C `Warps` store warps write: kBytes at `base`, 1024-byte aligned. `Lines`: a
/// warpgroup's staging, BulkLines. `target`: as there.
template <class Lines, int Warpgroups, int Warps>
struct StoreWarps {
  using Slot = Pipeline<1>;
  using State = Slot::State;
  static constexpr int kBarriers = Warpgroups * Lines::kBytes, kSlotBytes = 16 + Slot::kBytes;
  static constexpr int kBytes = kBarriers + 1024;  // the next part of shared memory may have swizzled tiles
  static_assert(Warpgroups * kSlotBytes <= 1024);

  std::uint32_t base;

  /// By one thread, as Pipeline::init.
  TW_MEMBER void init() const {
    for (int i = 0; i < Warpgroups; ++i) slot(i).template init<4, Warps>();
  }

  /// Adds beta * addend to a warpgroup's share, its first element at (row, column) of C, by way of its staging. `target`: as for
  /// ResultLines.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void add_addend(const State& at, const Target& target, float (&sums)[Tiles][Registers], int row,
                            int column) const {
    slot(ptx::warp_id() / 4).acquire(at);
    typename Lines::Addend{base}.add_addend(target, sums, row, column);
    __syncwarp();  // the warp's lines have been read
  }

  /// Adds beta * C, of which `target` has the address and the leading dimension as well.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void add_former(const State& at, const Target& target, float (&sums)[Tiles][Registers], int row,
                            int column) const {
    add_addend(at, FormerResult<typename Lines::Element>{target.c, target.ldc, target.columns, target.beta},
               sums, row, column);
  }

  /// Passes a warpgroup's share on, its first element at (row, column) of C; none of a row below 0. The `last` one its warps write
  /// themselves, which have nothing else to do.
  template <class Target, int Tiles, int Registers>
  TW_MEMBER void pass(State& at, const Target& target, const float (&sums)[Tiles][Registers], int row,
                      int column, bool last) const {
    Lines::Addend::each_part([&](int tile, int along_n, int m, int n) {
      const int warp = ptx::warp_id(), part_row = row + (Lines::kSwapped ? n : m),
                part_column = column + (Lines::kSwapped ? m : n);
      slot(warp / 4).acquire(at);
      const Lines lines = staging(warp / 4);
      const int first = warp % 4 * Lines::kLinesOfWarp;
      if (row >= 0) lines.stage(target, sums[tile], along_n, part_row, part_column);
      __syncwarp();  // all lanes have seen staging free, and have filled it
      if (!last)
        commit(at, warp, row < 0 ? kNothing : part_row, part_column);
      else if (row >= 0)
        lines.write(target, part_row, part_column, first, first + Lines::kLinesOfWarp);
    });
  }

  /// Ends the store warps' work, behind a warpgroup's last share, which has found its staging free.
  TW_MEMBER void end(State& at) const { commit(at, ptx::warp_id(), kEnd, 0); }

  /// Writes all that is passed on. By the store warps, the first of which is warp `first_warp` of the thread block.
  template <class Target>
  TW_MEMBER void write_all(const Target& target, int first_warp) const {
    constexpr int kEach = (Lines::kLines + Warps - 1) / Warps;
    static_assert(kEach <= 32, "a lane copies one line");
    const int first = (ptx::warp_id() - first_warp) * kEach;
    for (State at;; at.advance())
      for (int i = 0; i < Warpgroups; ++i) {
        slot(i).wait(at);
        const auto row = ptx::load_shared<int>(place(i)), column = ptx::load_shared<int>(place(i) + 4);
        __syncwarp();  // all lanes have read the place
        if (row == kEnd) return;
        if (row >= 0) staging(i).write(target, row, column, first, min(first + kEach, Lines::kLines));
        slot(i).release(0);
      }
  }

 private:
  static constexpr int kNothing = -1, kEnd = -2;  // rows

  TW_MEMBER std::uint32_t place(int warpgroup) const { return base + kBarriers + warpgroup * kSlotBytes; }
  TW_MEMBER Slot slot(int warpgroup) const { return {place(warpgroup) + 16}; }

  TW_MEMBER Lines staging(int warpgroup) const { return {base + warpgroup * Lines::kBytes}; }

  /// Passes on what the warpgroup has staged, and its place. By all warps; `warp`: the caller.
  TW_MEMBER void commit(State& at, int warp, int row, int column) const {
    if (warp % 4 == 0 && ptx::lane_id() == 0) {
      ptx::store_shared(place(warp / 4), row);
      ptx::store_shared(place(warp / 4) + 4, column);
    }
    if (ptx::lane_id() == 0) ptx::mbarrier_arrive(slot(warp / 4).full(0));
    at.advance();
  }
};
#endif

}  // namespace tw
