// sync.hpp - happens-before edges, and the barriers of a block and of a cluster.
#pragma once
#include "machine.hpp"

namespace simt::core {

/// Adds all that the thread has done and seen to a barrier's clocks; what it does next is newer. No-op
/// without detector.
void release(Thread& thread, ClockBuilder& seen, ClockBuilder& proxy);
/// The same without starting a new epoch: for several threads releasing together, tick() them afterwards.
void contribute(const Thread& thread, ClockBuilder& seen, ClockBuilder& proxy);
inline void tick(Thread& thread) { ++thread.time.epoch; }
/// The thread now knows what the clocks know.
void acquire(Thread& thread, const ClockRef& seen, const ClockRef& proxy);

/// The expected count of a block-wide or cluster-wide barrier shrinks as threads exit; completes it if that
/// was the last.
void barrier_lost_thread(Block& block);
void cluster_lost_thread(Cluster& cluster);

}  // namespace simt::core
