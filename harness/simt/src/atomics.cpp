// atomics.cpp - fences and atomic operations. They synchronise as in PTX's memory model: a fence followed by
// an atomic releases, an atomic followed by a fence acquires (both may be farther apart than one
// instruction). At block scope, of the fence or of the atomic, they do so among the threads of one block; the scopes of a
// cluster, of the GPU and of the system count as one.
#include "atomics.hpp"

#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

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

// The same among threads of one block, where a fence and an atomic at block scope do.
std::unordered_map<std::uint32_t, ClockRef> fenced_for_block;  // by thread, as of its last fence
std::unordered_map<std::uint32_t, Knowledge> gained_in_block;
std::vector<std::unordered_map<const void*, Knowledge>> locations_in_block;

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

/// Knowledge that an atomic passes on: accesses that this thread, or others before a barrier, have fenced.
Knowledge released_by(const Thread& self, const ClockRef& fenced) {
  return {fenced, self.time.known.proxy, fenced, fenced};
}

void synchronise_in_block(Thread& self, const void* location, AtomicUse use) {
  const auto own = fenced_for_block.find(self.index);
  const ClockRef& fenced_for_all = self.time.known.fenced;
  const ClockRef fenced = own == fenced_for_block.end() ? fenced_for_all : join(own->second, fenced_for_all);
  if (locations_in_block.size() < machine.blocks.size()) locations_in_block.resize(machine.blocks.size());
  auto& places = locations_in_block[self.block->index];
  const auto place = places.find(location);
  const bool known = place != places.end();
  if (use.reads && known) {
    Knowledge& gains = gained_in_block[self.index];
    gains = join(gains, place->second);
  }
  if (!use.writes || (!known && fenced == ClockRef())) return;
  Knowledge released = released_by(self, fenced);
  if (use.reads && known) released = join(released, place->second);
  places[location] = released;
}

}  // namespace

AccessKind kind_of(AtomicUse use) {
  const bool in_block = use.scope == Scope::block;
  if (!use.writes) return in_block ? AccessKind::atomic_load_at_block_scope : AccessKind::atomic_load;
  if (!use.reads) return in_block ? AccessKind::atomic_store_at_block_scope : AccessKind::atomic_store;
  return in_block ? AccessKind::atomic_at_block_scope : AccessKind::atomic;
}

void synchronise_atomic(Thread& self, const void* location, AtomicUse use) {
  if (!machine.detect) return;
  synchronise_in_block(self, location, use);
  if (use.scope == Scope::block) return;
  const auto place = locations.find(location);
  const bool known = place != locations.end();
  if (use.reads && known) add(gained[self.index].knowledge, place->second);
  if (!use.writes) return;
  Released released{machine.wave_epoch, released_by(self, self.time.known.fenced)};
  // A read-modify-write continues the release sequence.
  if (use.reads && known) add(released.knowledge, place->second);
  locations[location] = released;
}

void acquire_atomics(Thread& self, Scope scope) {
  if (const auto in = gained_in_block.find(self.index); in != gained_in_block.end()) {
    acquire(self, in->second);
    gained_in_block.erase(in);
  }
  if (scope == Scope::block) return;
  if (const auto in = gained.find(self.index); in != gained.end()) {
    acquire(self, in->second.knowledge);
    gained.erase(in);
  }
}

void synchronise_fence(Thread& self, Scope scope) {
  if (!machine.detect) return;
  acquire_atomics(self, scope);
  if (scope != Scope::block) acquire(self, std::exchange(self.time.observed, {}));
  ClockBuilder all;
  contribute_visible(self, all);
  const ClockRef fenced = all.freeze();
  if (scope == Scope::block) {
    fenced_for_block[self.index] = fenced;
  } else {
    self.time.known.fenced = fenced;
    fenced_for_block.erase(self.index);
  }
  tick(self);
}

void forget_fences() {
  gained.clear();
  fenced_for_block.clear();
  gained_in_block.clear();
  for (auto& places : locations_in_block) places.clear();
}

void forget_atomics() {
  forget_fences();
  locations.clear();
}

namespace {

/// True when the location can be accessed.
bool check_atomic(Thread& self, const void* pointer, std::size_t bytes, AtomicUse use) {
  if (!check_alignment(pointer, bytes, "atomic")) return false;
  const Access access = access_by(self, kind_of(use), self.pc);
  if (is_emulated(pointer) && !is_global(pointer)) {
    const auto offset =
        static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - address_space.base);
    if (offset / kArenaStride >= machine.blocks.size()) return true;
    Block& block = machine.blocks[offset / kArenaStride];
    const auto address = static_cast<std::uint32_t>(offset % kArenaStride);
    if (!shared_memory(block, address, static_cast<std::uint32_t>(bytes), "atomic")) return false;
    if (!check_live(block, "atomic")) return false;
    const auto note = use.writes ? note_shared_write : note_shared_read;
    if (machine.detect) note(block, address, static_cast<std::uint32_t>(bytes), access);
    return true;
  }
  if (!check_global(pointer, bytes, "atomic")) return false;
  const auto note = use.writes ? note_global_write : note_global_read;
  if (machine.detect) note(pointer, bytes, access);
  return true;
}

/// One atomic step of the running thread; `step` gets at the memory. False where there is none.
template <class Step>
bool atomic_step(Thread& self, const void* pointer, std::size_t bytes, AtomicUse use, const Step& step) {
  if (!check_atomic(self, pointer, bytes, use)) return false;
  machine.current = nullptr;  // what `step` does is not the thread's own plain access
  step();
  machine.current = &self;
  synchronise_atomic(self, pointer, use);
  if (use.writes) note_progress();
  if (use.reads) note_poll(self, pointer, bytes);
  maybe_yield();
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

void thread_fence(Scope scope) {
  core::Thread& self = SIMT_ENTER();
  core::synchronise_fence(self, scope);
}

void atomic(void* pointer, int bytes, void (*apply)(void* location, const void* operand, void* old),
            const void* operand, void* old, Scope scope) {
  core::Thread& self = SIMT_ENTER();
  const auto size = static_cast<std::size_t>(bytes);
  if (!core::atomic_step(self, pointer, size, {true, true, scope}, [&] { apply(pointer, operand, old); }))
    std::memset(old, 0xff, size);
}

void atomic_load(const void* pointer, int bytes, void* value, Scope scope) {
  core::Thread& self = SIMT_ENTER();
  const auto size = static_cast<std::size_t>(bytes);
  if (!core::atomic_step(self, pointer, size, {true, false, scope},
                         [&] { std::memcpy(value, pointer, size); }))
    std::memset(value, 0xff, size);
}

void atomic_store(void* pointer, int bytes, const void* value, Scope scope) {
  core::Thread& self = SIMT_ENTER();
  const auto size = static_cast<std::size_t>(bytes);
  core::atomic_step(self, pointer, size, {false, true, scope}, [&] { std::memcpy(pointer, value, size); });
}

}  // namespace simt
