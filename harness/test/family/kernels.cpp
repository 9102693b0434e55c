// kernels.cpp - variants of the tests' family for the emulated device, most of them broken in one way.
// Compiled like a rendered variant, but written against the emulated device itself, so that no CUDA header is
// needed.
#include <cstdlib>

#include "args.hpp"
#include "simt/kernel.hpp"

using tilewright::axpby::Args;

namespace {

struct Place {
  Args args;
  int i, j;
  bool inside;
};

Place place(void** arguments) {
  const Args& args = *static_cast<const Args*>(arguments[0]);
  const int j = static_cast<int>(simt::ids->block.x * simt::ids->block_dim.x + simt::ids->thread.x);
  return {args, static_cast<int>(simt::ids->block.y), j, j < args.n};
}

void store(const Place& at, float a) {
  float& c = at.args.c[at.i * at.args.ldc + at.j];
  c = at.args.alpha * a + (at.args.beta == 0 ? 0 : at.args.beta * c);
}

float load(const Place& at) { return at.args.a[at.i * at.args.lda + at.j]; }

void run(void** arguments) {
  if (const Place at = place(arguments); at.inside) store(at, load(at));
}

/// Hands each element to the thread on the right and back through shared memory.
void through_shared(void** arguments, bool synchronise) {
  const Place at = place(arguments);
  auto* shared = reinterpret_cast<float*>(simt::shared_base());
  const unsigned lane = simt::ids->thread.x;
  shared[lane] = at.inside ? load(at) : 0;
  if (synchronise) simt::sync_threads();
  const float neighbour = shared[lane ^ 1];
  if (synchronise) simt::sync_threads();
  shared[lane] = neighbour;
  if (synchronise) simt::sync_threads();
  if (at.inside) store(at, shared[lane ^ 1]);
}

}  // namespace

extern "C" {

void axpby_good_emulated(void** arguments) { run(arguments); }

void axpby_shared_emulated(void** arguments) { through_shared(arguments, true); }

void axpby_race_emulated(void** arguments) { through_shared(arguments, false); }

/// Right, but every second word of shared memory makes two lanes conflict in each bank.
void axpby_banks_emulated(void** arguments) {
  const Place at = place(arguments);
  auto* shared = reinterpret_cast<float*>(simt::shared_base());
  const unsigned word = simt::ids->thread.x * 2;
  shared[word] = at.inside ? load(at) : 0;
  simt::sync_threads();
  const float loaded = shared[word];
  if (at.inside) store(at, loaded);
}

/// Leaves the last row alone.
void axpby_unwritten_emulated(void** arguments) {
  if (const Place at = place(arguments); at.i + 1 < at.args.m) run(arguments);
}

/// Right, but reads C where there is nothing to add to: the value goes nowhere.
void axpby_reads_output_emulated(void** arguments) {
  const Place at = place(arguments);
  if (!at.inside) return;
  static_cast<void>(*static_cast<volatile float*>(&at.args.c[at.i * at.args.ldc + at.j]));
  store(at, load(at));
}

/// Forgets that the last block of columns is not full.
void axpby_ragged_emulated(void** arguments) {
  const Place at = place(arguments);
  store(at, load(at));
}

void axpby_null_emulated(void** arguments) {
  Place at = place(arguments);
  at.args.c = nullptr;
  if (at.inside) store(at, load(at));
}

/// Never ends and never gives way to other threads.
void axpby_loop_emulated(void** arguments) {
  for (;;) asm volatile("" ::"r"(arguments));
}

/// Never ends, but other threads get their turn.
void axpby_spin_emulated(void** arguments) {
  const Place at = place(arguments);
  while (at.inside) static_cast<void>(*static_cast<volatile const float*>(&at.args.a[at.i * at.args.lda]));
}

/// Every thread waits for a phase of an mbarrier that nobody completes.
void axpby_deadlock_emulated(void** arguments) {
  const std::uint32_t barrier = simt::shared_address(simt::shared_base());
  if (simt::ids->thread.x == 0) simt::mbarrier_init(barrier, 1);
  simt::sync_threads();
  simt::mbarrier_wait(barrier, 0);
  run(arguments);
}

void axpby_trap_emulated(void** arguments) {
  run(arguments);
  if (simt::ids->thread.x == 3) simt::trap("axpby gives up");
}

/// Takes the whole process down.
void axpby_crash_emulated(void**) { std::abort(); }

}  // extern "C"
