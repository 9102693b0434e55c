// scheduler.hpp - which thread runs next, blocking and waking, and the convergence of a warp's lanes.
#pragma once
#include <bit>
#include <cstdint>

#include "banks.hpp"
#include "machine.hpp"

namespace simt::core {

/// Slow half of enter(): preemption, fairness towards threads that spin, the wall-clock limit.
void look_around();

/// Every primitive starts here. `pc`: where in the kernel it was called.
inline Thread& enter(const void* pc) {
  machine.current->pc = pc;
  if (--machine.budget < 0) look_around();
  return *machine.current;
}
#define SIMT_ENTER() (::simt::core::enter(__builtin_return_address(0)))

void make_runnable(Thread& thread);
void make_runnable(Warp& warp, std::uint32_t lanes);
/// Makes the threads that a phase has been awaited by runnable; perhaps one of them only when no other can go on (Config::lag).
void wake_all_but_laggard(const std::vector<Thread*>& waiting);
/// Suspends the running thread until somebody makes it runnable. The caller has noted what it waits for
/// elsewhere.
void block_current(Wait wait, std::uint32_t on = 0, std::uint32_t parity = 0, std::uint32_t phase = 0);
/// Lets others run where the order says so; the running thread stays runnable.
void maybe_yield();
/// Lets everybody else go first.
void yield_to_others();
/// The running thread has returned from the kernel; never comes back.
[[noreturn]] void leave_thread();
/// Thrown by fail() to unwind the thread that cannot go on; thread_main catches it and ends the launch. The
/// other fibers are simply never resumed.
struct Abandoned {};
/// Ends the launch from within a fiber, with nothing on its stack that needs unwinding.
[[noreturn]] void abandon_launch();

/// Starts the wave that launch.cpp has prepared; returns when all its threads are done or the launch is
/// abandoned.
void start_scheduler();
void run_wave();

/// An atomic or a volatile load, of [at, at + bytes). Ends the launch where a thread goes on to find the same and there are blocks
/// yet to come: Config::stop_at_waiting.
void note_poll(Thread& self, const void* at, std::size_t bytes);
/// Something happened that a polling thread could be waiting for.
void note_progress();

/// Exact description of a state in which no thread can run (deadlock.cpp).
std::string describe_deadlock();

struct Coordinates {
  Dim3 block;
  unsigned rank;  // in the cluster
};
/// Blocks are numbered cluster by cluster, so that a cluster's blocks are neighbours.
Coordinates block_coordinates(std::uint32_t number);

const char* collective_name(Collective operation);
/// Lanes that must take part in a collective with `mask`.
Convergence& join_convergence(Thread& self, Collective operation, std::uint32_t immediate, std::uint32_t mask,
                              const void* argument);
void end_convergence(Thread& self, std::uint32_t others);
/// Lanes that are at the same call as this one once no other lane of the warp can run, or one polls: those of one branch, as a GPU brings
/// them together.
std::uint32_t active_lanes(Thread& self);
inline bool is_complete(const Warp& warp, const Convergence& convergence) {
  const std::uint32_t needed = convergence.mask & ~(warp.exited | warp.absent);
  return (convergence.arrived & needed) == needed;
}
/// After a lane has exited: wakes one lane of each convergence that now is complete, to execute it.
void complete_convergences(Warp& warp);

/// Suspends a lane that waits for others of its warp. Mostly the next lane of the same warp simply runs on.
inline void wait_for_lanes(Thread& self, Collective operation, std::uint32_t mask) {
  Warp& warp = *self.warp;
  const std::uint32_t others = warp.runnable & ~self.lane_bit;
  if (!others || !machine.stay_in_warp) {
    block_current(Wait::collective, static_cast<std::uint32_t>(operation), mask);
    return;
  }
  self.wait = Wait::collective;
  self.wait_on = static_cast<std::uint32_t>(operation);
  self.wait_parity = mask;
  warp.runnable = others;
  const std::uint32_t later = others & -self.lane_bit;
  warp.last_lane = std::countr_zero(later ? later : others);
  Thread& next = warp.threads[warp.last_lane];
  ++machine.stats.switches;
  machine.current = &next;
  ids = &next.ids;
  Fiber::switch_to(self.fiber, next.fiber);
  self.wait = Wait::none;
}

/// Blocks until all lanes of `mask` have called with the same operation and immediate. The last to come runs
/// `execute(convergence)` for all, then all go on. Reports divergence.
template <class Execute>
inline void converge(Thread& self, Collective operation, std::uint32_t immediate, std::uint32_t mask,
                     const void* argument, Execute&& execute) {
  Convergence* convergence = &self.warp->convergences.front();
  if (convergence->arrived && convergence->mask == mask && convergence->operation == operation &&
      convergence->immediate == immediate && (mask & self.lane_bit)) {
    convergence->arrived |= self.lane_bit;
    convergence->arguments[self.ids.lane] = argument;
  } else {
    convergence = &join_convergence(self, operation, immediate, mask, argument);
  }
  if (!is_complete(*self.warp, *convergence)) {
    wait_for_lanes(self, operation, mask);
    if (self.leads < 0) return;
    // The last missing lane has exited.
    convergence = &self.warp->convergences[static_cast<std::size_t>(self.leads)];
    self.leads = -1;
  }
  ++machine.stats.collectives;
  settle_banks(*self.warp, mask);
  execute(*convergence);
  const std::uint32_t others = convergence->arrived & ~self.lane_bit;
  convergence->arrived = 0;
  end_convergence(self, others);
}

}  // namespace simt::core
