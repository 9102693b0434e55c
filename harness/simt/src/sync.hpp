// sync.hpp - happens-before edges, and the barriers of a block and of a cluster.
#pragma once
#include "machine.hpp"

namespace simt::core {

/// Adds all that the thread knows and has done to what a barrier passes on; what it does next is newer. No-op
/// without detector.
void release(Thread& thread, Gathering& into);
/// The same without starting a new epoch: for several threads releasing together, tick() them afterwards.
void contribute(const Thread& thread, Gathering& into);
/// Only what the thread has done and seen.
void contribute_seen(const Thread& thread, ClockBuilder& into);
inline void tick(Thread& thread) { ++thread.time.epoch; }
/// The thread learns what others have released.
void acquire(Thread& thread, const Knowledge& released);

/// The expected count of a block-wide or cluster-wide barrier shrinks as threads exit; completes it if that
/// was the last.
void barrier_lost_thread(Block& block);
void cluster_lost_thread(Cluster& cluster);

}  // namespace simt::core
