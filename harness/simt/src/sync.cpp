// sync.cpp - __syncthreads, named barriers, the cluster barrier, and the clocks that travel through them.
#include "sync.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

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
  into.fenced.join(known.fenced);
}

void release(Thread& thread, Gathering& into) {
  if (!machine.detect) return;
  contribute(thread, into);
  tick(thread);
}

void contribute_at_block_scope(const Thread& thread, Gathering& into) {
  into.differ();
  into.visible.join(thread.time.known.fenced);
  contribute_order(thread, into);
  into.fenced.join(thread.time.known.fenced);
}

void contribute_order_alone(const Thread& thread, Gathering& into) {
  into.differ();
  contribute_order(thread, into);
}

void acquire(Thread& thread, const Knowledge& released) {
  if (machine.detect) thread.time.known = join(thread.time.known, released);
}

namespace {

constexpr int kAllThreads = -1;

int expected_arrivals(const Block& block, const NamedBarrier& barrier) {
  return barrier.threads == kAllThreads ? static_cast<int>(block.live) : barrier.threads;
}

/// Numbers of threads of the block, by the call of __syncthreads() that they wait in.
std::map<unsigned, std::vector<unsigned>> waiting_by_call(const Block& block, const NamedBarrier& barrier) {
  std::map<unsigned, std::vector<unsigned>> calls;
  for (const Thread* thread : barrier.waiting)
    if (thread->barrier_call) calls[thread->barrier_call].push_back(thread->index - block.threads->index);
  for (auto& [call, numbers] : calls) std::sort(numbers.begin(), numbers.end());
  return calls;
}

std::string call_name(unsigned call) {
  if (call == kGroupSync) return "sync() of the thread block";
  return call == kDrawSync ? "curand() of MTGP32" : "__syncthreads()";
}

/// "threads 0-31 of block (0,0,0) wait in __syncthreads() at kernel.cu:57, threads 32-63 in __syncthreads() at kernel.cu:60".
std::string waiting_text(const Block& block, const std::map<unsigned, std::vector<unsigned>>& calls) {
  std::string words;
  for (const auto& [call, numbers] : calls) {
    const std::string verb = numbers.size() == 1 ? " waits in " : " wait in ";
    words += words.empty() ? threads_text(numbers) + " of " + block_name(machine.first_block + block.index) + verb
                           : ", " + threads_text(numbers) + " in ";
    words += call_name(call) + at(block.threads[numbers.front()].pc);
  }
  return words;
}

std::vector<unsigned> ended_threads(const Block& block) {
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < machine.threads_per_block; ++i)
    if (block.threads[i].done) numbers.push_back(i);
  return numbers;
}

constexpr const char* kSameForAll =
    "under a condition it is allowed only where the condition is the same for all threads of the block";

/// Reports a divergent barrier: __syncthreads() that other threads of the block have passed by. One barrier of the hardware
/// serves all calls, so that GPUs go on where threads wait in several, and since Volta where some have ended; CUDA allows neither.
void check_reached_by_all(const Block& block, const NamedBarrier& barrier) {
  if (!barrier.call) return;
  if (barrier.calls_differ)
    report_once("divergent-barrier", barrier.call,
                waiting_text(block, waiting_by_call(block, barrier)) +
                    ": all threads of a block must reach the same call of __syncthreads(); " + kSameForAll);
  else if (block.live < machine.threads_per_block)
    report_once("early-exit", barrier.call,
                "divergent barrier: " + waiting_text(block, waiting_by_call(block, barrier)) + ", which " +
                    threads_text(ended_threads(block)) + " ended without reaching: " + kSameForAll);
}

void note_call(NamedBarrier& barrier, unsigned call) {
  if (barrier.arrived == 0) {
    barrier.call = call;
    barrier.calls_differ = false;
  } else if (!barrier.call) {
    barrier.call = call;
  } else if (call && call != barrier.call) {
    barrier.calls_differ = true;
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
bool arrive(Thread& self, int id, int threads, bool waits, unsigned call = 0) {
  NamedBarrier& barrier = self.block->barriers[id];
  note_call(barrier, call);
  self.barrier_call = call;
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

void sync(Thread& self, int id, int threads, unsigned call = 0) {
  if (arrive(self, id, threads, true, call))
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

void check_calls(const Block& block) {
  for (const NamedBarrier& barrier : block.barriers)
    if (barrier.arrived && barrier.calls_differ) check_reached_by_all(block, barrier);
}

void cluster_lost_thread(Cluster& cluster) {
  if (cluster.arrived && cluster.arrived >= cluster.live) complete(cluster);
}

}  // namespace core

void sync_threads(unsigned call) {
  core::Thread& self = SIMT_ENTER();
  // Of somebody's own kernel: the last block's atomic, a barrier, then plain loads is what the programming guide shows.
  if (call != 0) core::acquire_atomics(self, Scope::gpu);
  core::sync(self, 0, core::kAllThreads, call);
}

int sync_threads_reduce(int predicate, int mode, unsigned call) {
  core::Thread& self = SIMT_ENTER();
  if (call != 0) core::acquire_atomics(self, Scope::gpu);
  core::NamedBarrier& barrier = self.block->barriers[0];
  barrier.reduce_count += predicate != 0;
  const int live = static_cast<int>(self.block->live);
  core::sync(self, 0, core::kAllThreads, call);
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
