// atomics.cpp - fences and atomic operations. They synchronise as in PTX's memory model: a fence followed by
// an atomic releases, an atomic followed by a fence acquires (both may be farther apart than one
// instruction).
#include "atomics.hpp"

#include <cstring>
#include <unordered_map>

#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"

namespace simt {
namespace core {
namespace {

/// Knowledge together with the wave that it belongs to: agents of different waves have the same numbers.
struct Released {
  std::uint32_t wave = 0;  // its wave_epoch
  Knowledge knowledge;
};

std::unordered_map<const void*, Released> locations;  // what atomics have written to each location
std::unordered_map<std::uint32_t, Released>
    gained;  // by thread: what its atomics have read and no fence has acquired

ClockRef with_earlier(const ClockRef& own, std::uint32_t wave, const ClockRef& earlier) {
  ClockBuilder builder;
  builder.join(own);
  builder.add_earlier(wave, earlier);
  return builder.freeze();
}

Knowledge with_earlier(const Knowledge& own, const Released& earlier) {
  return {with_earlier(own.seen, earlier.wave, earlier.knowledge.seen),
          with_earlier(own.proxy, earlier.wave, earlier.knowledge.proxy),
          with_earlier(own.fenced, earlier.wave, earlier.knowledge.fenced),
          with_earlier(own.visible, earlier.wave, earlier.knowledge.visible)};
}

/// Adds to knowledge of this wave.
void add(Knowledge& into, const Released& from) {
  into = from.wave == machine.wave_epoch ? join(into, from.knowledge) : with_earlier(into, from);
}

}  // namespace

void synchronise_atomic(Thread& self, const void* location, bool releases, bool acquires) {
  if (!machine.detect) return;
  const auto place = locations.find(location);
  if (acquires && place != locations.end()) add(gained[self.index].knowledge, place->second);
  if (!releases) return;
  // Released: accesses that this thread, or others before a barrier, have fenced; and the location's own, for this is a
  // read-modify-write and so continues the release sequence.
  const ClockRef& fenced = self.time.known.fenced;
  Released released{machine.wave_epoch, {fenced, self.time.known.proxy, fenced, fenced}};
  if (place != locations.end()) add(released.knowledge, place->second);
  locations[location] = released;
}

void acquire_atomics(Thread& self) {
  const auto in = gained.find(self.index);
  if (in == gained.end()) return;
  acquire(self, in->second.knowledge);
  gained.erase(in);
}

void synchronise_fence(Thread& self) {
  if (!machine.detect) return;
  acquire_atomics(self);
  ClockBuilder all;
  contribute_visible(self, all);
  self.time.known.fenced = all.freeze();
  tick(self);
}

void forget_fences() { gained.clear(); }

void forget_atomics() {
  forget_fences();
  locations.clear();
}

namespace {

/// True when the location can be accessed.
bool check_atomic(Thread& self, void* pointer, std::size_t bytes) {
  if (!check_alignment(pointer, bytes, "atomic")) return false;
  const Access access = access_by(self, AccessKind::atomic, self.pc);
  if (is_emulated(pointer) && !is_global(pointer)) {
    const auto offset = static_cast<std::size_t>(static_cast<unsigned char*>(pointer) - address_space.base);
    if (offset / kArenaStride >= machine.blocks.size()) return true;
    Block& block = machine.blocks[offset / kArenaStride];
    const auto address = static_cast<std::uint32_t>(offset % kArenaStride);
    if (!shared_memory(block, address, static_cast<std::uint32_t>(bytes), "atomic")) return false;
    if (!check_live(block, "atomic")) return false;
    if (machine.detect) note_shared_write(block, address, static_cast<std::uint32_t>(bytes), access);
    return true;
  }
  if (!check_global(pointer, bytes, "atomic")) return false;
  if (machine.detect) note_global_write(pointer, bytes, access);
  return true;
}

}  // namespace
}  // namespace core

void note_swap(const void* pointer, int bytes) {
  if (!core::machine.detect) return;
  const auto* at = static_cast<const unsigned char*>(pointer);
  for (int i = 0; i < bytes; i += 4) {
    if (!core::is_emulated(pointer) || core::is_global(pointer)) {
      core::note_swap(core::global_cell(at + i));
      continue;
    }
    const auto offset = static_cast<std::size_t>(at + i - core::address_space.base);
    core::note_swap(core::shared_cell(static_cast<unsigned>(offset / core::kArenaStride),
                                      static_cast<std::uint32_t>(offset % core::kArenaStride)));
  }
}

void thread_fence(Scope) {
  core::Thread& self = SIMT_ENTER();
  core::synchronise_fence(self);
}

void atomic(void* pointer, int bytes, void (*apply)(void* location, const void* operand, void* old),
            const void* operand, void* old) {
  core::Thread& self = SIMT_ENTER();
  if (!core::check_atomic(self, pointer, static_cast<std::size_t>(bytes))) {
    std::memset(old, 0xff, static_cast<std::size_t>(bytes));
    return;
  }
  core::machine.current = nullptr;  // what `apply` does is not the thread's own plain access
  apply(pointer, operand, old);
  core::machine.current = &self;
  core::synchronise_atomic(self, pointer, true, true);
  core::note_progress();
  core::maybe_yield();
}

}  // namespace simt
