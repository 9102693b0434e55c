// atomics.hpp - happens-before through atomics and fences.
#pragma once
#include "machine.hpp"

namespace simt::core {

/// An atomic access: passes on what the thread's last fence released, remembers what a fence to come may
/// acquire.
void synchronise_atomic(Thread& self, const void* location, bool releases, bool acquires);
/// __threadfence and its like.
void synchronise_fence(Thread& self);
/// Between waves (threads start over), and between launches.
/// Acquires what the thread's atomics have read.
void acquire_atomics(Thread& self);
void forget_fences();
void forget_atomics();

}  // namespace simt::core
