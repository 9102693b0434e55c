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

struct Released {
  std::uint32_t wave = 0;  // wave_epoch of the clocks
  ClockRef seen, proxy;
};

std::unordered_map<const void*, Released> locations;  // by address of the atomic variable
std::unordered_map<std::uint32_t, Released> fenced,
    gained;  // by thread: released by a fence; read by atomics, for a fence

/// Clocks of another wave are kept as such: this wave's agents have the same numbers and mean others.
ClockRef with_earlier(const ClockRef& own, std::uint32_t wave, const ClockRef& earlier) {
  ClockBuilder builder;
  builder.join(own);
  builder.add_earlier(wave, earlier);
  return builder.freeze();
}

void merge_released(Released& into, const Released& from) {
  if (from.wave == machine.wave_epoch && into.wave != machine.wave_epoch) {
    const Released old = into;
    into = from;
    if (old.wave || old.seen->earlier()) {
      into.seen = with_earlier(into.seen, old.wave, old.seen);
      into.proxy = with_earlier(into.proxy, old.wave, old.proxy);
    }
    return;
  }
  if (from.wave == into.wave) {
    into.seen = join(into.seen, from.seen);
    into.proxy = join(into.proxy, from.proxy);
    return;
  }
  into.seen = with_earlier(into.seen, from.wave, from.seen);
  into.proxy = with_earlier(into.proxy, from.wave, from.proxy);
}

constexpr std::uint32_t kNoWave = 0xffffffff;

}  // namespace

void synchronise_atomic(Thread& self, const void* location, bool releases, bool acquires) {
  if (!machine.detect) return;
  auto [place, fresh] = locations.try_emplace(location);
  if (fresh) place->second.wave = kNoWave;
  Released& released = place->second;
  if (acquires && released.wave != kNoWave) {
    auto [mine, first] = gained.try_emplace(self.index);
    if (first) mine->second = {machine.wave_epoch, {}, {}};
    merge_released(mine->second, released);
  }
  const auto out = fenced.find(self.index);
  if (!releases || out == fenced.end()) return;
  if (released.wave == kNoWave)
    released = out->second;
  else
    merge_released(released, out->second);
}

void synchronise_fence(Thread& self) {
  if (!machine.detect) return;
  if (const auto in = gained.find(self.index); in != gained.end()) {
    acquire(self, in->second.seen, in->second.proxy);
    gained.erase(in);
  }
  ClockBuilder seen, proxy;
  release(self, seen, proxy);
  fenced[self.index] = {machine.wave_epoch, seen.freeze(), proxy.freeze()};
}

void forget_fences() {
  fenced.clear();
  gained.clear();
}

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
    if (machine.detect) note_shared_write(block, address, static_cast<std::uint32_t>(bytes), access);
    return true;
  }
  if (!check_global(pointer, bytes, "atomic")) return false;
  if (machine.detect) note_global_write(pointer, bytes, access);
  return true;
}

}  // namespace
}  // namespace core

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
  apply(pointer, operand, old);
  core::synchronise_atomic(self, pointer, true, true);
  core::note_progress();
  core::maybe_yield();
}

}  // namespace simt
