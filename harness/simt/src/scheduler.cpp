// scheduler.cpp - the adversary: picks the next thread, preempts, and notices that nobody can go on.
#include "scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "async.hpp"
#include "mbarrier.hpp"
#include "report.hpp"
#include "sync.hpp"

namespace simt::core {
namespace {

constexpr std::int64_t kFairness =
    1 << 14;  // primitives and accesses after which a thread must let others run

constexpr std::uint32_t kMostPolls =
    2 * kFairness;  // then a thread waits for what its own blocks do not bring

constexpr int kMostLags = 2;  // so often others must run before a laggard does, where some thread spins

struct Scheduler {
  std::vector<std::uint64_t> runnable;  // warps with a runnable lane
  std::uint32_t warp = 0;               // the one running
  std::int64_t lowest = 0;              // priorities handed out downwards to warps that yield
  std::uint64_t progress = 0, progress_at_timeout = 0;
  Thread* laggard = nullptr;  // its wait is over, and it is to run last
  int lags = 0;               // calls of look_around since
};
Scheduler scheduler;

void set_bit(std::uint32_t i) { scheduler.runnable[i / 64] |= std::uint64_t{1} << (i % 64); }
void clear_bit(std::uint32_t i) { scheduler.runnable[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

bool any_runnable() {
  for (std::uint64_t word : scheduler.runnable)
    if (word) return true;
  return false;
}

/// First runnable warp at or after `from`, round the end. There must be one.
std::uint32_t next_warp(std::uint32_t from) {
  const auto words = static_cast<std::uint32_t>(scheduler.runnable.size());
  if (from >= words * 64) from = 0;
  std::uint32_t i = from / 64;
  std::uint64_t word = scheduler.runnable[i] & (~std::uint64_t{0} << (from % 64));
  while (!word) {
    i = (i + 1) % words;
    word = scheduler.runnable[i];
  }
  return i * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
}

std::uint32_t random_warp() {
  std::uint32_t count = 0;
  for (std::uint64_t word : scheduler.runnable) count += static_cast<std::uint32_t>(std::popcount(word));
  std::uint32_t chosen = machine.random.below(count);
  for (std::uint32_t i = 0;; ++i) {
    std::uint64_t word = scheduler.runnable[i];
    const auto here = static_cast<std::uint32_t>(std::popcount(word));
    if (chosen >= here) {
      chosen -= here;
      continue;
    }
    while (chosen--) word &= word - 1;
    return i * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
  }
}

std::uint32_t highest_priority_warp() {
  std::uint32_t best = ~0u;
  for (std::uint32_t i = 0; i < scheduler.runnable.size(); ++i)
    for (std::uint64_t word = scheduler.runnable[i]; word; word &= word - 1) {
      const std::uint32_t w = i * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
      if (best == ~0u || machine.warps[w].priority > machine.warps[best].priority) best = w;
    }
  return best;
}

int lane_after(std::uint32_t lanes, int last) {
  const std::uint32_t later = last >= 31 ? 0 : lanes & (kWarpMask << (last + 1));
  return std::countr_zero(later ? later : lanes);
}

int random_lane(std::uint32_t lanes) {
  const auto rotation = static_cast<int>(machine.random.next() & 31);
  return (std::countr_zero(std::rotr(lanes, rotation)) + rotation) & 31;
}

void reprioritise(Warp& warp) { warp.priority = machine.random.next() >> 1; }

Warp& choose_warp() {
  Warp& same = machine.warps[scheduler.warp];
  switch (machine.config.order) {
    case Order::in_order:
      if (!same.runnable) {
        scheduler.warp = next_warp(scheduler.warp);
        machine.warps[scheduler.warp].last_lane = -1;
      }
      break;
    case Order::random:
      scheduler.warp = random_warp();
      break;
    case Order::greedy:
      if ((machine.random.next() & 63) == 0) {
        reprioritise(same);
        machine.stay_in_warp = false;
      }
      if (!same.runnable || !machine.stay_in_warp) scheduler.warp = highest_priority_warp();
      machine.stay_in_warp = true;
      break;
  }
  return machine.warps[scheduler.warp];
}

/// False when there is none.
bool wake_laggard() {
  if (!scheduler.laggard) return false;
  make_runnable(*std::exchange(scheduler.laggard, nullptr));
  return true;
}

/// Wakes threads in a bounded wait with the answer "not yet"; false when the last time led nowhere.
bool time_out_pollers() {
  if (scheduler.progress == scheduler.progress_at_timeout) return false;
  scheduler.progress_at_timeout = scheduler.progress;
  bool any = false;
  for (Thread& thread : machine.threads)
    if (!thread.done && thread.wait == Wait::poll) {
      thread.timed_out = true;
      make_runnable(thread);
      any = true;
    }
  return any;
}

[[noreturn]] void fail_in_deadlock() {
  for (const Block& block : machine.blocks) check_calls(block);
  report_once("deadlock", 0, describe_deadlock());
  for (const Thread& thread : machine.threads)
    if (!thread.done) explain_waiting(thread);
  throw Abandoned();
}

/// The thread to run next. Null: the wave is over, or the launch has been abandoned.
Thread* next_thread() {
  if (async_pending() && machine.config.async == Async::random && (machine.random.next() & 63) == 0)
    run_async();
  while (!any_runnable()) {
    if (machine.live == 0) return nullptr;
    if (run_async() || wake_laggard()) continue;
    if (!time_out_pollers()) fail_in_deadlock();
  }
  Warp& warp = choose_warp();
  const bool ordered = machine.config.order == Order::in_order;
  warp.last_lane = ordered ? lane_after(warp.runnable, warp.last_lane) : random_lane(warp.runnable);
  return &warp.threads[warp.last_lane];
}

void resume(Thread* thread) {
  Thread* self = machine.current;
  if (thread == self) return;
  ++machine.stats.switches;
  machine.current = thread;
  if (thread) ids = &thread->ids;
  Fiber::switch_to(self ? self->fiber : machine.launcher, thread ? thread->fiber : machine.launcher);
}

void set_budget() {
  machine.budget = kFairness;
  machine.preempting = machine.config.preempt > 0;
  if (!machine.preempting) return;
  // Steps until the next preemption, each step having the same chance.
  const double uniform = (machine.random.next() + 1.0) / 4294967297.0;
  const double steps = std::log(uniform) / std::log1p(-std::min(machine.config.preempt, 0.999));
  machine.budget = static_cast<std::int64_t>(std::min(steps, static_cast<double>(kFairness)));
}

}  // namespace

void make_runnable(Warp& warp, std::uint32_t lanes) {
  if (!lanes) return;
  if (!warp.runnable) set_bit(warp.index);
  warp.runnable |= lanes;
  if (machine.config.order == Order::greedy && warp.priority > machine.warps[scheduler.warp].priority)
    machine.stay_in_warp = false;
}

void wake_all_but_laggard(const std::vector<Thread*>& waiting) {
  const bool one_lags = machine.config.lag > 0 && !scheduler.laggard && !waiting.empty() &&
                        machine.random.next() < machine.config.lag * 4294967296.0;
  if (one_lags) {
    scheduler.laggard = waiting[machine.random.below(static_cast<std::uint32_t>(waiting.size()))];
    scheduler.lags = 0;
  }
  for (Thread* thread : waiting)
    if (thread != scheduler.laggard) make_runnable(*thread);
}

constexpr int kMostPassedOver =
    1000;  // preemptions of a warp, which may poll, before its lanes that ask are answered

/// Answers lanes that ask which lanes are active: those at one call together, the first in the code. Others go on asking, since those
/// may come to them.
static void answer_lanes(Warp& warp) {
  warp.passed_over = 0;
  const void* first = nullptr;
  std::uint32_t together = 0;
  for (std::uint32_t lanes = warp.asking; lanes; lanes &= lanes - 1) {
    const void* call = warp.threads[std::countr_zero(lanes)].pc;
    if (!first || call < first) {
      first = call;
      together = 0;
    }
    if (call == first) together |= lanes & -lanes;
  }
  for (std::uint32_t lanes = together; lanes; lanes &= lanes - 1)
    warp.threads[std::countr_zero(lanes)].active = together;
  warp.asking &= ~together;
  make_runnable(warp, together);
}

void make_runnable(Thread& thread) { make_runnable(*thread.warp, thread.lane_bit); }

void block_current(Wait wait, std::uint32_t on, std::uint32_t parity, std::uint32_t phase) {
  Thread& self = *machine.current;
  self.wait = wait;
  self.wait_on = on;
  self.wait_parity = parity;
  self.wait_phase = phase;
  if (wait != Wait::collective && wait != Wait::wgmma && wait != Wait::cluster)
    check_together_when_waiting(self);
  Warp& warp = *self.warp;
  warp.runnable &= ~self.lane_bit;
  if (!warp.runnable) {
    clear_bit(warp.index);
    answer_lanes(warp);
  }
  resume(next_thread());
  self.wait = Wait::none;
}

std::uint32_t active_lanes(Thread& self) {
  self.warp->asking |= self.lane_bit;
  block_current(Wait::collective, static_cast<std::uint32_t>(Collective::syncwarp), self.lane_bit);
  return self.active;
}

void maybe_yield() {
  if (machine.config.order != Order::in_order) resume(next_thread());
}

void yield_to_others() {
  Warp& warp = *machine.current->warp;
  if (machine.config.order == Order::in_order) {
    scheduler.warp = next_warp(warp.index + 1);
    machine.warps[scheduler.warp].last_lane = scheduler.warp == warp.index ? warp.last_lane : -1;
  } else {
    warp.priority = --scheduler.lowest;
    machine.stay_in_warp = false;
  }
  resume(next_thread());
}

void look_around() {
  const bool preempted = machine.preempting && machine.budget < 0;
  if (machine.config.seconds > 0 && cpu_seconds() > machine.deadline)
    fail("hang", text("the launch has run for more than %g s of CPU time", machine.config.seconds));
  set_budget();
  if (Warp& warp = *machine.current->warp;
      warp.asking && (!preempted || ++warp.passed_over > kMostPassedOver))
    answer_lanes(warp);
  if (++scheduler.lags > kMostLags) wake_laggard();
  if (preempted && machine.config.order == Order::in_order) {
    scheduler.warp = random_warp();
    machine.warps[scheduler.warp].last_lane = static_cast<int>(machine.random.next() & 31) - 1;
    resume(next_thread());
  } else {
    yield_to_others();
  }
}

void leave_thread() {
  Thread& self = *machine.current;
  Warp& warp = *self.warp;
  self.done = true;
  warp.exited |= self.lane_bit;
  warp.runnable &= ~self.lane_bit;
  if (!warp.runnable) clear_bit(warp.index);
  --self.block->live;
  --self.block->cluster->live;
  --machine.live;
  note_progress();
  thread_left(self);
  if (!warp.runnable) answer_lanes(warp);
  if (machine.live == 0)
    while (run_async()) {
    }
  resume(next_thread());
  __builtin_unreachable();
}

void note_poll(Thread& self, const void* at, std::size_t bytes) {
  if (!machine.config.stop_at_waiting ||
      machine.blocks.size() == machine.clusters * machine.blocks_per_cluster)
    return;
  Polling& polling = self.polling;
  std::uint64_t value = 0;
  std::memcpy(&value, at, std::min(bytes, sizeof value));
  if (polling.at == at && polling.value == value) {
    if (++polling.times < kMostPolls) return;
    machine.waits = true;
    abandon_launch();
  }
  polling = {at, value, 0};
}

void abandon_launch() {
  machine.aborted = true;
  resume(nullptr);
  __builtin_unreachable();
}

void start_scheduler() {
  scheduler.runnable.assign((machine.warps.size() + 63) / 64, 0);
  scheduler.warp = 0;
  machine.stay_in_warp = machine.config.order != Order::random;
  scheduler.lowest = 0;
  scheduler.progress = 1;
  scheduler.progress_at_timeout = 0;
  scheduler.laggard = nullptr;
  for (Warp& warp : machine.warps) {
    warp.last_lane = -1;
    reprioritise(warp);
    make_runnable(warp, ~warp.absent);
  }
  // Random, but the last warp before the first: in-order schedules have the other way round.
  if (Warp& first = machine.warps.front(), &last = machine.warps.back(); first.priority > last.priority)
    std::swap(first.priority, last.priority);
  if (machine.config.order == Order::greedy) scheduler.warp = highest_priority_warp();
  set_budget();
}

void run_wave() {
  machine.current = nullptr;
  resume(next_thread());
}

void note_progress() { ++scheduler.progress; }

/// The collective in which a lane arrives. A pending collective that names it is a later one of this lane where this call names none of the lanes that
/// wait there: those wait in `__syncwarp()` behind a branch, and this lane first takes part in the branch's own collectives. Where the
/// call names one of them, each would wait for the other, unless both calls are the same.
static Convergence& convergence_for(Warp& warp, Collective operation, std::uint32_t immediate,
                                    std::uint32_t mask, std::uint32_t lane_bit) {
  Convergence *unused = nullptr, *same = nullptr;
  for (Convergence& pending : warp.convergences) {
    if (!pending.arrived) {
      if (!unused) unused = &pending;
    } else if ((pending.mask & lane_bit) && (pending.arrived & mask)) {
      if (pending.operation != operation || pending.mask != mask || pending.immediate != immediate)
        return pending;
      same = &pending;
    }
  }
  if (same) return *same;
  return unused ? *unused : warp.convergences.emplace_back();
}

Convergence& join_convergence(Thread& self, Collective operation, std::uint32_t immediate, std::uint32_t mask,
                              const void* argument) {
  Warp& warp = *self.warp;
  const auto lane = self.ids.lane;
  Convergence* place = &convergence_for(warp, operation, immediate, mask, self.lane_bit);
  if (!place->arrived) {
    place->mask = mask;
    place->operation = operation;
    place->immediate = immediate;
  }
  if (!(mask & self.lane_bit))
    fail("divergence", text("%s with mask 0x%08x, which does not name the calling lane %u",
                            collective_name(operation), mask, lane));
  if (place->operation != operation || place->mask != mask || place->immediate != immediate) {
    const int other = std::countr_zero(place->arrived);
    fail("divergence",
         text("lanes of one warp converge on different instructions: lane %u in %s (mask 0x%08x, %u), "
              "lane %d in "
              "%s (mask 0x%08x, %u)%s",
              lane, collective_name(operation), mask, immediate, other, collective_name(place->operation),
              place->mask, place->immediate, at(warp.threads[other].pc).c_str()));
  }
  if (operation >= Collective::ldmatrix && (warp.exited & mask))
    fail("divergence", text("%s needs all lanes of the warp; lanes 0x%08x have exited",
                            collective_name(operation), warp.exited & mask));
  place->arrived |= self.lane_bit;
  place->arguments[lane] = argument;
  return *place;
}

void complete_convergences(Warp& warp) {
  for (std::size_t i = 0; i < warp.convergences.size(); ++i) {
    const Convergence& convergence = warp.convergences[i];
    if (!convergence.arrived || !is_complete(warp, convergence)) continue;
    if (convergence.operation >= Collective::ldmatrix)
      fail("divergence", text("the last missing lanes of %s exit instead of taking part",
                              collective_name(convergence.operation)));
    Thread& leader = warp.threads[std::countr_zero(convergence.arrived)];
    leader.leads = static_cast<int>(i);
    make_runnable(leader);
  }
}

void end_convergence(Thread& self, std::uint32_t others) {
  make_runnable(*self.warp, others);
  if (machine.config.order == Order::random) resume(next_thread());
}

}  // namespace simt::core
