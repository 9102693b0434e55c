// sync.hpp - happens-before edges, and the barriers of a block and of a cluster.
#pragma once
#include "machine.hpp"

namespace simt::core {

/// Adds all that the thread knows and has done to what a barrier passes on; what it does next is newer. No-op
/// without detector.
void release(Thread& thread, Gathering& into);
/// The same without starting a new epoch: for several threads releasing together, tick() them afterwards.
void contribute(const Thread& thread, Gathering& into);
/// Adds what the thread has done, and what it has seen and may read.
void contribute_visible(const Thread& thread, ClockBuilder& into);
/// An arrival at block scope on another block's mbarrier: those who wait there come after this thread, so
/// they may overwrite what it has read, but they may read what it has written only where a fence has come
/// after that.
void contribute_at_block_scope(const Thread& thread, Gathering& into);
/// A wait at block scope on a thread of another block: it comes after that thread, and learns no more.
void contribute_order_alone(const Thread& thread, Gathering& into);
inline void tick(Thread& thread) { ++thread.time.epoch; }
/// The thread learns what others have released.
void acquire(Thread& thread, const Knowledge& released);

/// The expected count of a block-wide or cluster-wide barrier shrinks as threads exit; completes it if that
/// was the last.
void barrier_lost_thread(Block& block);
/// In a deadlock: reports the block's barrier whose threads wait in several calls of __syncthreads().
void check_calls(const Block& block);
void cluster_lost_thread(Cluster& cluster);

/// A cluster's barrier that is `.aligned` (PTX ISA, barrier.cluster) is executed by all lanes of a warp together. Nothing brings
/// lanes together again that a wait has kept apart but __syncwarp(). Both look at the running thread's warp: one lane waits for
/// what others do while another has arrived.
void check_together_when_waiting(const Thread& self);
void check_together_when_arriving(const Thread& self);

/// The running thread accesses the shared memory of `block`, which may be another's of its cluster: that has to end behind it.
void note_visit(Block& block, const char* what);
/// The thread has ended. Once all of its block have: reports what others did to the block's shared memory unless something orders
/// it before the end of some thread of the block. In another schedule the block would have been gone.
void check_visits(const Thread& thread);

}  // namespace simt::core
