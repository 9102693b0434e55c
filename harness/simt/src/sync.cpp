// sync.cpp - __syncthreads, named barriers, the cluster barrier, and the clocks that travel through them.
#include "sync.hpp"

#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt {
namespace core {

void contribute(const Thread& thread, ClockBuilder& seen, ClockBuilder& proxy) {
  const Timeline& time = thread.time;
  seen.join(time.seen);
  seen.raise(thread.index, time.epoch);
  for (const Progress* progress : {&time.copy, &time.bulk_read, &time.bulk_write, &time.wgmma})
    if (progress->agent) seen.raise(progress->agent, progress->done);
  proxy.join(time.proxy);
  if (time.proxy_epoch) proxy.raise(thread.index, time.proxy_epoch);
  if (time.proxy_copy) proxy.raise(time.copy.agent, time.proxy_copy);
}

void release(Thread& thread, ClockBuilder& seen, ClockBuilder& proxy) {
  if (!machine.detect) return;
  contribute(thread, seen, proxy);
  tick(thread);
}

void acquire(Thread& thread, const ClockRef& seen, const ClockRef& proxy) {
  if (!machine.detect) return;
  thread.time.seen = join(thread.time.seen, seen);
  thread.time.proxy = join(thread.time.proxy, proxy);
}

namespace {

constexpr int kAllThreads = -1;

int expected_arrivals(const Block& block, const NamedBarrier& barrier) {
  return barrier.threads == kAllThreads ? static_cast<int>(block.live) : barrier.threads;
}

void complete(NamedBarrier& barrier) {
  if (machine.detect) {
    const ClockRef seen = barrier.seen.freeze(), proxy = barrier.proxy.freeze();
    for (Thread* thread : barrier.waiting) acquire(*thread, seen, proxy);
    barrier.seen.clear();
    barrier.proxy.clear();
  }
  for (Thread* thread : barrier.waiting)
    if (thread != machine.current) make_runnable(*thread);
  barrier.waiting.clear();
  barrier.arrived = 0;
  barrier.reduce_result = barrier.reduce_count;
  barrier.reduce_count = 0;
  note_progress();
}

/// Counts the running thread in; true when that completed the barrier.
bool arrive(Thread& self, int id, int threads, bool waits) {
  NamedBarrier& barrier = self.block->barriers[id];
  if (barrier.arrived && barrier.threads != threads)
    fail("barrier", text("barrier %d is used with %d threads while others wait in it with %d (-1: all)", id,
                         threads, barrier.threads));
  barrier.threads = threads;
  ++barrier.arrived;
  release(self, barrier.seen, barrier.proxy);
  if (waits) barrier.waiting.push_back(&self);
  const int expected = expected_arrivals(*self.block, barrier);
  if (barrier.arrived < expected) return false;
  if (barrier.arrived > expected)
    fail("barrier", text("barrier %d has %d arrivals, it expects %d", id, barrier.arrived, expected));
  complete(barrier);
  return true;
}

void check_barrier(int id, int threads) {
  if (id < 0 || id > 15) fail("barrier", text("there is no barrier %d: ids are 0 to 15", id));
  if (threads <= 0 || threads % 32)
    fail("barrier",
         text("barrier %d with %d threads: the count must be a positive multiple of 32", id, threads));
  if (threads > static_cast<int>((machine.threads_per_block + 31) / 32 * 32))
    fail("barrier",
         text("barrier %d expects %d threads, the block has %u", id, threads, machine.threads_per_block));
}

void sync(Thread& self, int id, int threads) {
  if (arrive(self, id, threads, true))
    maybe_yield();
  else
    block_current(Wait::barrier, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(threads));
}

void complete(Cluster& cluster) {
  cluster.arrived = 0;
  ++cluster.generation;
  cluster.released_seen = cluster.seen.freeze();
  cluster.released_proxy = cluster.proxy.freeze();
  cluster.seen.clear();
  cluster.proxy.clear();
  for (Thread* thread : cluster.waiting) make_runnable(*thread);
  cluster.waiting.clear();
  note_progress();
}

}  // namespace

void barrier_lost_thread(Block& block) {
  for (NamedBarrier& barrier : block.barriers)
    if (barrier.arrived && barrier.threads == kAllThreads && barrier.arrived >= static_cast<int>(block.live))
      complete(barrier);
}

void cluster_lost_thread(Cluster& cluster) {
  if (cluster.arrived && cluster.arrived >= cluster.live) complete(cluster);
}

}  // namespace core

void sync_threads() {
  core::Thread& self = SIMT_ENTER();
  core::sync(self, 0, core::kAllThreads);
}

int sync_threads_reduce(int predicate, int mode) {
  core::Thread& self = SIMT_ENTER();
  core::NamedBarrier& barrier = self.block->barriers[0];
  barrier.reduce_count += predicate != 0;
  const int live = static_cast<int>(self.block->live);
  core::sync(self, 0, core::kAllThreads);
  if (mode == 0) return barrier.reduce_result;
  return mode == 1 ? barrier.reduce_result == live : barrier.reduce_result > 0;
}

void bar_sync(int id, int threads) {
  core::Thread& self = SIMT_ENTER();
  core::check_barrier(id, threads);
  core::sync(self, id, threads);
}

void bar_arrive(int id, int threads) {
  core::Thread& self = SIMT_ENTER();
  core::check_barrier(id, threads);
  if (core::arrive(self, id, threads, false)) core::maybe_yield();
}

void cluster_arrive(bool release) {
  core::Thread& self = SIMT_ENTER();
  core::Cluster& cluster = *self.block->cluster;
  if (self.cluster_arrived)
    core::fail("barrier", "barrier.cluster.arrive twice without barrier.cluster.wait between");
  self.cluster_arrived = true;
  self.cluster_generation = cluster.generation;
  if (release) core::release(self, cluster.seen, cluster.proxy);
  if (++cluster.arrived >= cluster.live) core::complete(cluster);
}

void cluster_wait() {
  core::Thread& self = SIMT_ENTER();
  core::Cluster& cluster = *self.block->cluster;
  if (!self.cluster_arrived) core::fail("barrier", "barrier.cluster.wait without barrier.cluster.arrive");
  if (cluster.generation == self.cluster_generation) {
    cluster.waiting.push_back(&self);
    core::block_current(core::Wait::cluster);
  } else {
    core::maybe_yield();
  }
  self.cluster_arrived = false;
  core::acquire(self, cluster.released_seen, cluster.released_proxy);
}

}  // namespace simt
