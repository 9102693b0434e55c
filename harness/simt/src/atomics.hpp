// atomics.hpp - happens-before through atomics and fences.
#pragma once
#include "machine.hpp"
#include "shadow.hpp"
#include "simt/kernel.hpp"

namespace simt::core {

/// Effect of an atomic operation, and the threads for which it is atomic.
struct AtomicUse {
  bool reads = true, writes = true;
  Scope scope = Scope::gpu;
};

AccessKind kind_of(AtomicUse use);

/// An atomic access: passes on what the thread's last fence released, remembers what a fence to come may
/// acquire.
void synchronise_atomic(Thread& self, const void* location, AtomicUse use);
/// __threadfence and its like.
void synchronise_fence(Thread& self, Scope scope);
/// Acquires what the thread's atomics have read.
void acquire_atomics(Thread& self, Scope scope);
/// Between waves (threads start over), and between launches.
void forget_fences();
void forget_atomics();

}  // namespace simt::core
