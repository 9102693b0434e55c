// mbarrier.cpp - PTX ISA 9.7.13.15. A phase completes when no arrivals are pending and no bytes are
// outstanding. Waits name a parity only. A waiter that falls two phases behind cannot tell, which is reported
// when it is seen to happen. A waiter that comes two phases early passes at once, on the phase that it knows:
// that looks like any wait that need not wait, and is named as the cause once something has gone wrong.
#include "mbarrier.hpp"

#include <algorithm>
#include <cstring>

#include "async.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"
#include "variables.hpp"

namespace simt {
namespace core {

void Mbarriers::reset() {
  barriers_.clear();
  slots_.assign(shared_extent() / 8 + 1, 0);
}

Mbarrier* Mbarriers::find(std::uint32_t offset) {
  const std::uint32_t slot = (offset - kSharedBase) / 8;
  return slot < slots_.size() && slots_[slot] ? barriers_[slots_[slot] - 1u].get() : nullptr;
}

Mbarrier& Mbarriers::create(std::uint32_t offset) {
  barriers_.push_back(std::make_unique<Mbarrier>());
  slots_[(offset - kSharedBase) / 8] = static_cast<std::uint16_t>(barriers_.size());
  barriers_.back()->offset = offset;
  return *barriers_.back();
}

void Mbarriers::remove(std::uint32_t offset) { slots_[(offset - kSharedBase) / 8] = 0; }

std::uint32_t Mbarriers::newest_epoch() const {
  std::uint32_t newest = 0;
  for (const auto& barrier : barriers_) newest = std::max(newest, phase_epoch(*barrier));
  return newest;
}

void Mbarriers::check_exit(const Block& block) const {
  for (const auto& barrier : barriers_) {
    if (slots_[(barrier->offset - kSharedBase) / 8] == 0 || barrier->bytes == 0) continue;
    std::uint64_t flying = 0;
    if (loads_in_flight(block.index, barrier->offset, &flying))
      report("exit", text("the block ends while %llu bytes are in flight to mbarrier 0x%x",
                          static_cast<unsigned long long>(flying), barrier->offset));
    else
      report("mbarrier", text("mbarrier 0x%x ends in phase %u with %lld bytes %s", barrier->offset,
                              barrier->phase, static_cast<long long>(std::abs(barrier->bytes)),
                              barrier->bytes > 0 ? "announced by expect_tx that never came"
                                                 : "landed that no expect_tx announced"));
  }
}

namespace {

// In memory an mbarrier is a pattern of this kind, so that data written over it is noticed.
constexpr std::uint64_t kMark = 0x6d62617272696572ull;

void write_mark(Block& block, std::uint32_t offset) {
  const std::uint64_t mark = kMark ^ offset;
  std::memcpy(block.shared + offset, &mark, 8);
}

bool is_overwritten(const Block& block, std::uint32_t offset) {
  std::uint64_t mark;
  std::memcpy(&mark, block.shared + offset, 8);
  return mark != (kMark ^ offset);
}

/// A wait that has passed. What other blocks have released at the scope of the cluster, one at block scope only observes: a
/// fence after it acquires that (PTX ISA, "Release and Acquire Patterns").
void acquire_phase(Thread& self, const Mbarrier& barrier, Scope scope) {
  if (!barrier.remote || scope != Scope::block) return acquire(self, barrier.released);
  acquire(self, barrier.released_in_block);
  if (machine.detect) self.time.observed = join(self.time.observed, barrier.released);
}

/// `phase` is the one under way when the thread looked and the parity said "complete".
void pass(Thread& self, Mbarrier& barrier, Scope scope) {
  acquire_phase(self, barrier, scope);
  auto seen = std::find_if(self.passed.begin(), self.passed.end(),
                           [&](const PassedWait& wait) { return wait.barrier == barrier.offset; });
  const PassedWait wait{barrier.offset, barrier.phase, self.pc};
  if (seen == self.passed.end() ? barrier.phase == 0 : seen->phase == barrier.phase) self.passed_again = wait;
  if (seen == self.passed.end())
    self.passed.push_back(wait);
  else
    *seen = wait;
}

void check_aliasing(const Thread& self, const Mbarrier& barrier, std::uint32_t waited_for) {
  if (barrier.phase < waited_for + 2) return;
  report("phase", text("parity aliasing: the thread waits for phase %u of mbarrier 0x%x, which has gone on "
                       "to phase %u; the parity "
                       "cannot tell them apart. Nothing keeps the arrivals from lapping this waiter",
                       waited_for, barrier.offset, barrier.phase));
  (void)self;
}

void flip(Block& block, Mbarrier& barrier) {
  std::uint64_t flying = 0;
  if (const int loads = loads_in_flight(block.index, barrier.offset, &flying))
    report_once(
        "phase", barrier.offset,
        text("phase %u of mbarrier 0x%x of ", barrier.phase, barrier.offset) +
            block_name(machine.first_block + block.index) +
            text(" completes with %llu bytes of %d loads still in flight: expect_tx announces too few bytes",
                 static_cast<unsigned long long>(flying), loads));
  if (machine.detect) {
    if (barrier.agent) raise_progress(barrier, barrier.agent, phase_epoch(barrier));
    barrier.released = barrier.gathering.freeze();
    if (barrier.remote) barrier.released_in_block = barrier.gathering_in_block.freeze();
  }
  ++barrier.phase;
  barrier.pending = barrier.count;
  wake_all_but_laggard(barrier.waiting);
  barrier.waiting.clear();
  note_progress();
}

void flip_if_complete(Block& block, Mbarrier& barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) flip(block, barrier);
}

/// An arrival of the thread at a barrier of `block`: hands over what it has done, as far as its scope goes.
void release_to(Thread& self, const Block& block, Mbarrier& barrier, Scope scope) {
  if (!machine.detect) return;
  const bool remote = &block != self.block;
  if (remote && !barrier.remote) {
    barrier.remote = true;
    barrier.gathering_in_block.add(barrier.gathering.freeze());
    barrier.released_in_block = barrier.released;
  }
  if (remote)
    contribute_order_alone(self, barrier.gathering_in_block);
  else if (barrier.remote)
    contribute(self, barrier.gathering_in_block);
  if (remote && scope == Scope::block)
    contribute_at_block_scope(self, barrier.gathering);
  else
    contribute(self, barrier.gathering);
  tick(self);
}

bool has_completed(const Mbarrier& barrier, std::uint32_t parity) {
  return (barrier.phase & 1) != (parity & 1);
}

}  // namespace

Mbarrier* use_mbarrier(Thread& self, std::uint32_t address, const char* what) {
  Block& block = block_of(address);
  const std::uint32_t offset = address & kOffsetMask;
  if (!check_shared_alignment(address, 8, what) || !shared_memory(block, address, 8, what)) return nullptr;
  if (block.live == 0) {
    report("exit", text("%s on mbarrier 0x%x of block rank %u, which has exited", what, offset, block.rank));
    return nullptr;
  }
  note_visit(block, what);
  Mbarrier* barrier = block.mbarriers->find(offset);
  if (!barrier) {
    report("mbarrier", text("%s on mbarrier 0x%x, which is not initialised", what, offset));
    return nullptr;
  }
  if (is_overwritten(block, offset)) {
    report("mbarrier", text("%s on mbarrier 0x%x, which other data has overwritten", what, offset));
    write_mark(block, offset);
  }
  if (machine.detect) {
    // Only the initialisation can race: operations on the object are atomic. So look, but do not count as a
    // reader.
    const Access access = access_by(self, AccessKind::mbarrier_use, self.pc);
    check_shared_order(block, offset, access);
  }
  return barrier;
}

void count_arrivals(Block& block, Mbarrier& barrier, std::uint32_t count) {
  barrier.pending -= count;
  if (barrier.pending < 0) {
    report("mbarrier", text("more arrivals at mbarrier 0x%x in phase %u than its count %u", barrier.offset,
                            barrier.phase, barrier.count));
    barrier.pending = 0;
  }
  note_progress();
  flip_if_complete(block, barrier);
}

void raise_progress(Mbarrier& barrier, std::uint16_t agent, std::uint32_t epoch) {
  barrier.gathering.raise(agent, epoch);
  if (barrier.remote) barrier.gathering_in_block.raise(agent, epoch);
}

void complete_bytes(Block& block, Mbarrier& barrier, std::uint32_t bytes) {
  barrier.bytes -= bytes;
  flip_if_complete(block, barrier);
}

void explain_waiting(const Thread& thread) {
  explain_old_phase(thread);
  if (thread.wait != Wait::mbarrier && thread.wait != Wait::poll) return;
  const Mbarrier* barrier = thread.block->mbarriers->find(thread.wait_on & kOffsetMask);
  for (const PassedWait& seen : thread.passed)
    if (barrier && seen.barrier == barrier->offset && barrier->phase >= seen.phase + 2)
      report_once(
          "phase", reinterpret_cast<std::uintptr_t>(thread.pc),
          text("parity aliasing: on mbarrier 0x%x ", barrier->offset) + thread_name(thread) + at(thread.pc) +
              text(" last saw phase %u complete, and phase %u has completed since; it waits for ever, or "
                   "passes for the wrong phase",
                   seen.phase - 1, barrier->phase - 1));
}

void explain_old_phase(const Thread& thread) {
  const PassedWait& wait = thread.passed_again;
  const Mbarrier* barrier = wait.pc ? thread.block->mbarriers->find(wait.barrier) : nullptr;
  // Before the first phase only those who fill a stage have a reason to wait, never those for whom bytes
  // come.
  if (!barrier || (wait.phase == 0 && !barrier->takes_bytes)) return;
  const std::string passed = wait.phase == 0
                                 ? "as if a phase before the first had completed"
                                 : text("on phase %u, which the thread had passed before", wait.phase - 1);
  report_once(
      "phase", reinterpret_cast<std::uintptr_t>(wait.pc),
      text("parity aliasing: a wait on mbarrier 0x%x by ", wait.barrier) + thread_name(thread) + at(wait.pc) +
          " passed at once, " + passed +
          text("; phase %u has the same parity. Either the parity is wrong, or nothing keeps the thread "
               "from waiting two phases early",
               wait.phase + 1));
}

std::uint16_t agent_of(const Thread& issuer, Mbarrier& barrier) {
  if (!barrier.agent) barrier.agent = new_agent({Unit::tma, issuer.index, barrier.offset});
  machine.agents[barrier.agent - machine.threads.size()].owner = issuer.index;
  return barrier.agent;
}

}  // namespace core

using core::Mbarrier;
using core::Thread;

void mbarrier_init(std::uint32_t address, std::uint32_t count) {
  Thread& self = SIMT_ENTER();
  core::Block& block = *self.block;
  if (!core::check_shared_alignment(address, 8, "mbarrier.init")) return;
  if (!core::own_shared_memory(block, address, 8, "mbarrier.init")) return;
  const std::uint32_t offset = address & core::kOffsetMask;
  if (count == 0 || count > (1u << 20) - 1)
    core::report("mbarrier", core::text("mbarrier.init with count %u; allowed is 1 to 1048575", count));
  if (block.mbarriers->find(offset)) {
    core::report("mbarrier", core::text("mbarrier 0x%x is initialised again without mbarrier.inval", offset));
    block.mbarriers->remove(offset);
  }
  Mbarrier& barrier = block.mbarriers->create(offset);
  barrier.count = count;
  barrier.initialised_by = self.index;
  barrier.initialised_at = self.pc;
  barrier.pending = count;
  core::write_mark(block, offset);
  if (core::machine.detect)
    core::note_shared_write(block, address, 8,
                            core::access_by(self, core::AccessKind::mbarrier_init, self.pc));
}

void mbarrier_inval(std::uint32_t address) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.inval");
  if (!barrier) return;
  if (!barrier->waiting.empty())
    core::report("mbarrier",
                 core::text("mbarrier.inval on mbarrier 0x%x while threads wait on it", barrier->offset));
  core::block_of(address).mbarriers->remove(barrier->offset);
}

void mbarrier_arrive(std::uint32_t address, std::uint32_t count, Scope scope) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.arrive");
  if (!barrier) return;
  core::Block& block = core::block_of(address);
  core::release_to(self, block, *barrier, scope);
  core::count_arrivals(block, *barrier, count);
}

std::uint32_t mbarrier_parity(std::uint32_t address) {
  Thread& self = SIMT_ENTER();
  const Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.arrive");
  return barrier ? barrier->phase & 1 : 0;
}

void mbarrier_expect_tx(std::uint32_t address, std::uint32_t bytes) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.expect_tx");
  if (!barrier) return;
  barrier->bytes += bytes;
  barrier->takes_bytes = true;
}

void mbarrier_arrive_expect_tx(std::uint32_t address, std::uint32_t bytes) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.arrive.expect_tx");
  if (!barrier) return;
  barrier->bytes += bytes;
  barrier->takes_bytes = true;
  core::Block& block = core::block_of(address);
  core::release_to(self, block, *barrier, Scope::block);
  core::count_arrivals(block, *barrier, 1);
}

bool mbarrier_try_wait(std::uint32_t address, std::uint32_t parity, Scope scope) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.try_wait");
  if (!barrier) return true;
  const std::uint32_t phase = barrier->phase;
  if (!core::has_completed(*barrier, parity)) {
    self.timed_out = false;
    barrier->waiting.push_back(&self);
    core::block_current(core::Wait::poll, address, parity, phase);
    std::erase(barrier->waiting, &self);
    if (!core::has_completed(*barrier, parity)) {
      if (!self.timed_out) core::check_aliasing(self, *barrier, phase);
      return false;
    }
  }
  core::pass(self, *barrier, scope);
  return true;
}

void mbarrier_wait(std::uint32_t address, std::uint32_t parity, Scope scope) {
  Thread& self = SIMT_ENTER();
  Mbarrier* barrier = core::use_mbarrier(self, address, "mbarrier.try_wait");
  if (!barrier) return;
  while (!core::has_completed(*barrier, parity)) {
    const std::uint32_t phase = barrier->phase;
    barrier->waiting.push_back(&self);
    core::block_current(core::Wait::mbarrier, address, parity, phase);
    core::check_aliasing(self, *barrier, phase);
  }
  core::pass(self, *barrier, scope);
}

}  // namespace simt
