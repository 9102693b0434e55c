// work_list.cuh - the work of a persistent thread block: records that the host has listed for it, or that all thread blocks
// take from one queue.
#pragma once
#include "tw/pipeline.cuh"

namespace tw {

/// A warp's place in a list of records of four integers. Loads queue behind TMA copies in flight; so the warp prefetches 32 records at once, one
/// per lane, and broadcasts them by shuffles. Behind its end the list must be readable up to a whole batch.
template <class Record>
struct WorkList {
  const Record* tail;  // behind `batch`
  Record batch;        // the lane's record; the first one from the caller
  int taken = 0;

  /// The next record, the same in all lanes. Changes each record that it reads by `prepare(record)`; the first 32 the caller
  /// has changed.
  template <class Prepare>
  TW_MEMBER Record next(const Prepare& prepare) {
    if (taken == 32) {
      batch = tail[ptx::lane_id()];
      prepare(batch);
      tail += 32;
      taken = 0;
    }
    const auto same = [&](int value) { return __shfl_sync(ptx::kAllLanes, value, taken); };
    const auto& [a, b, c, d] = batch;
    const Record record{same(a), same(b), same(c), same(d)};
    ++taken;
    return record;
  }

  TW_MEMBER Record next() {
    return next([](Record&) {});
  }
};

/// A thread block's side of a queue of records of 16 bytes, which all thread blocks share. Each begins with the record of its own
/// number; its producer warp pops the others, and passes them on to its consumer warps through shared memory: kBytes at
/// `base`, 16-byte aligned. Each warp has a WorkQueue of its own.
template <class Record>
struct WorkQueue {
  static_assert(sizeof(Record) == 16, "one vector");
  using Slot = Pipeline<1>;
  static constexpr int kBytes = 16 + Slot::kBytes;

  std::uint32_t base;
  typename Slot::State at;

  TW_MEMBER Slot slot() const { return {base + 16}; }

  /// By one thread, as Pipeline::init; `Consumers`: warps that receive.
  template <int Consumers>
  TW_MEMBER void init() const {
    slot().template init<1, Consumers>();
  }

  /// The thread block's next record out of `count`, and `none` behind the last, in all lanes of the producer warp; passes it on.
  /// `counter` is 0 before and after a launch: fetches behind the end count as well, and the last of `count` wraps it.
  TW_MEMBER Record pop(const Record* records, int count, unsigned* counter, const Record& none) {
    int index = 0;
    if (ptx::lane_id() == 0) index = gridDim.x + atomicInc(counter, count - 1);
    index = __shfl_sync(ptx::kAllLanes, index, 0);
    const Record record = index < count ? records[index] : none;
    if (ptx::lane_id() == 0) {
      slot().acquire(at);
      ptx::store_shared_v4(base, ptx::detail::bit_cast<uint4>(record));
      ptx::mbarrier_arrive(slot().full(0));
    }
    at.advance();
    return record;
  }

  /// The record that the producer passes on next, in all lanes of a consumer warp.
  TW_MEMBER Record receive() {
    slot().wait(at);
    const auto record = ptx::detail::bit_cast<Record>(ptx::load_shared_v4(base));
    __syncwarp();
    slot().release(0);
    at.advance();
    return record;
  }
};

}  // namespace tw
