// sync.cpp - __syncthreads, named barriers, the cluster barrier, and the clocks that travel through them.
#include "sync.hpp"

#include "atomics.hpp"

#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt {
namespace core {

namespace {

/// `clock`, and what the thread itself and its asynchronous units have done.
void contribute_clock(const Thread& thread, const ClockRef& clock, ClockBuilder& into) {
  const Timeline& time = thread.time;
  into.join(clock);
  into.raise(thread.index, time.epoch);
  for (const Progress* progress : {&time.copy, &time.bulk_read, &time.bulk_write, &time.wgmma})
    if (progress->agent) into.raise(progress->agent, progress->done);
}

/// All but the writes that are to be read.
void contribute_order(const Thread& thread, Gathering& into) {
  const Timeline& time = thread.time;
  contribute_clock(thread, time.known.seen, into.seen);
  into.proxy.join(time.known.proxy);
  if (time.proxy_epoch) into.proxy.raise(thread.index, time.proxy_epoch);
  if (time.proxy_copy) into.proxy.raise(time.copy.agent, time.proxy_copy);
  into.fenced.join(time.known.fenced);
}

}  // namespace

void contribute_visible(const Thread& thread, ClockBuilder& into) {
  contribute_clock(thread, thread.time.known.visible, into);
}

void contribute(const Thread& thread, Gathering& into) {
  const Knowledge& known = thread.time.known;
  if (!(known.visible == known.seen)) into.differ();
  if (into.differs) contribute_visible(thread, into.visible);
  contribute_order(thread, into);
}

void release(Thread& thread, Gathering& into) {
  if (!machine.detect) return;
  contribute(thread, into);
  tick(thread);
}

void release_at_block_scope(Thread& thread, Gathering& into) {
  if (!machine.detect) return;
  into.differ();
  into.visible.join(thread.time.known.fenced);
  contribute_order(thread, into);
  tick(thread);
}

void acquire(Thread& thread, const Knowledge& released) {
  if (machine.detect) thread.time.known = join(thread.time.known, released);
}

namespace {

constexpr int kAllThreads = -1;

int expected_arrivals(const Block& block, const NamedBarrier& barrier) {
  return barrier.threads == kAllThreads ? static_cast<int>(block.live) : barrier.threads;
}

/// Reports a barrier that some threads of the block never reach: the programming guide forbids it, GPUs since Volta go on.
void check_reached_by_all(const Block& block, const NamedBarrier& barrier) {
  if (!barrier.site || block.live == machine.threads_per_block) return;
  report_once("early-exit", barrier.site,
              text("%u of the %u threads of %s have ended without reaching __syncthreads()",
                   machine.threads_per_block - block.live, machine.threads_per_block,
                   block_name(machine.first_block + block.index).c_str()) +
                  at(barrier.site_pc) + ", which all threads of a block must reach");
}

void check_same_call(const Thread& self, NamedBarrier& barrier, unsigned site) {
  if (barrier.arrived == 0) {
    barrier.site = site;
    barrier.site_pc = self.pc;
  } else if (site && barrier.site && site != barrier.site) {
    report("divergence", "threads of one block wait in different calls of __syncthreads(); another waits" +
                             at(barrier.site_pc));
  }
}

void complete(NamedBarrier& barrier) {
  for (const Thread* thread : barrier.waiting) settle_banks(*thread->warp, kWarpMask);
  if (machine.detect) {
    // Nothing to join: what each of them knows, it has contributed.
    const Knowledge released = barrier.gathering.freeze();
    for (Thread* thread : barrier.waiting) thread->time.known = released;
    barrier.gathering.clear();
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
bool arrive(Thread& self, int id, int threads, bool waits, unsigned site = 0) {
  NamedBarrier& barrier = self.block->barriers[id];
  check_same_call(self, barrier, site);
  if (barrier.arrived && barrier.threads != threads)
    fail("barrier", text("barrier %d is used with %d threads while others wait in it with %d (-1: all)", id,
                         threads, barrier.threads));
  barrier.threads = threads;
  ++barrier.arrived;
  release(self, barrier.gathering);
  if (waits) barrier.waiting.push_back(&self);
  const int expected = expected_arrivals(*self.block, barrier);
  if (barrier.arrived < expected) return false;
  if (barrier.arrived > expected)
    fail("barrier", text("barrier %d has %d arrivals, it expects %d", id, barrier.arrived, expected));
  check_reached_by_all(*self.block, barrier);
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

void sync(Thread& self, int id, int threads, unsigned site = 0) {
  if (arrive(self, id, threads, true, site))
    maybe_yield();
  else
    block_current(Wait::barrier, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(threads));
}

void complete(Cluster& cluster) {
  cluster.arrived = 0;
  ++cluster.generation;
  cluster.released = cluster.gathering.freeze();
  cluster.gathering.clear();
  for (const Thread* thread : cluster.waiting) settle_banks(*thread->warp, kWarpMask);
  for (Thread* thread : cluster.waiting) make_runnable(*thread);
  cluster.waiting.clear();
  note_progress();
}

void complete(GridBarrier& barrier) {
  for (const Thread* thread : barrier.waiting) settle_banks(*thread->warp, kWarpMask);
  const Knowledge released = barrier.gathering.freeze();
  for (Thread* thread : barrier.waiting) {
    acquire(*thread, released);
    if (thread != machine.current) make_runnable(*thread);
  }
  barrier = {};
  note_progress();
}

}  // namespace

namespace {

/// Arrived at the cluster's barrier in a phase that is not over.
bool has_arrived(const Thread& thread) {
  return thread.cluster_arrived && thread.cluster_generation == thread.block->cluster->generation;
}

/// Waiting for what other threads do, and for longer than until its next turn.
bool waits_for_others(const Thread& thread) {
  const bool waits = thread.wait == Wait::barrier || thread.wait == Wait::mbarrier ||
                     thread.wait == Wait::poll || thread.wait == Wait::grid;
  return waits && !thread.done && !(thread.warp->runnable & thread.lane_bit);
}

void report_apart(const Thread& waiting, const Thread& arrived) {
  report_once(
      "divergence", reinterpret_cast<std::uintptr_t>(arrived.pc),
      thread_name(waiting) + text(" (lane %u) waits for other threads", waiting.ids.lane) + at(waiting.pc) +
          text(" while lane %u of its warp is", arrived.ids.lane) + at(arrived.pc) +
          " in barrier.cluster.arrive.aligned, which all lanes of a warp must execute together: a "
          "__syncwarp() is missing in front of it");
}

}  // namespace

void check_together_when_waiting(const Thread& self) {
  if (self.block->cluster->arrived == 0 || has_arrived(self)) return;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (self.warp->absent >> lane & 1u) continue;
    const Thread& other = self.warp->threads[lane];
    if (other.cluster_aligned && has_arrived(other)) return report_apart(self, other);
  }
}

void check_together_when_arriving(const Thread& self) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (self.warp->absent >> lane & 1u) continue;
    const Thread& other = self.warp->threads[lane];
    if (!has_arrived(other) && waits_for_others(other)) return report_apart(other, self);
  }
}

void note_visit(Block& block, const char* what) {
  const Thread& self = *machine.current;
  if (machine.detect && &block != self.block)
    block.visits.insert_or_assign(self.index, Visit{self.time.epoch, what, self.pc});
}

void check_visits(const Thread& thread) {
  Block& block = *thread.block;
  if (!machine.detect || machine.blocks_per_cluster == 1) return;
  contribute_clock(thread, thread.time.known.seen, block.ended);
  if (block.live > 0 || block.visits.empty()) return;
  const ClockRef known = block.ended.freeze();
  for (const auto& [visitor, visit] : block.visits)
    if (visit.epoch > known->of(visitor))
      report_once("exit", reinterpret_cast<std::uintptr_t>(visit.pc),
                  block_name(machine.first_block + block.index) + " ends, and nothing orders its end behind the " +
                      visit.what + " of its shared memory by " + thread_name(machine.threads[visitor]) +
                      at(visit.pc) + ": the barrier of the cluster is missing before it");
}

void barrier_lost_thread(Block& block) {
  for (NamedBarrier& barrier : block.barriers)
    if (barrier.arrived && barrier.threads == kAllThreads &&
        barrier.arrived >= static_cast<int>(block.live)) {
      check_reached_by_all(block, barrier);
      complete(barrier);
    }
}

void cluster_lost_thread(Cluster& cluster) {
  if (cluster.arrived && cluster.arrived >= cluster.live) complete(cluster);
}

}  // namespace core

void sync_threads(unsigned site) {
  core::Thread& self = SIMT_ENTER();
  // Of somebody's own kernel: the last block's atomic, a barrier, then plain loads is what the programming guide shows.
  if (site != 0) core::acquire_atomics(self, Scope::gpu);
  core::sync(self, 0, core::kAllThreads, site);
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

void cluster_arrive(bool release, bool aligned) {
  core::Thread& self = SIMT_ENTER();
  core::Cluster& cluster = *self.block->cluster;
  if (self.cluster_arrived)
    core::fail("barrier", "barrier.cluster.arrive twice without barrier.cluster.wait between");
  self.cluster_arrived = true;
  self.cluster_generation = cluster.generation;
  self.cluster_aligned = aligned;
  if (aligned) core::check_together_when_arriving(self);
  if (release) core::release(self, cluster.gathering);
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
  core::acquire(self, cluster.released);
}

void grid_sync() {
  using namespace core;
  Thread& self = SIMT_ENTER();
  const std::size_t blocks = std::size_t{machine.clusters} * machine.blocks_per_cluster;
  if (machine.blocks.size() < blocks)
    fail("barrier", text("a barrier of the grid, but only %zu of its %zu blocks are resident: the launch is not cooperative",
                         machine.blocks.size(), blocks));
  GridBarrier& barrier = machine.grid_barrier;
  release(self, barrier.gathering);
  barrier.waiting.push_back(&self);
  if (++barrier.arrived < machine.threads.size()) {
    block_current(Wait::grid);
  } else {
    complete(barrier);
    maybe_yield();
  }
}

}  // namespace simt
