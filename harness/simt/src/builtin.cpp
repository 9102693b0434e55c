// builtin.cpp - shared-memory addresses, register budgets, and the instructions that need no machinery.
#include <cstring>

#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"
#include "wgmma.hpp"

namespace simt {

using core::Thread;

unsigned char* shared_base() { return core::machine.current->block->shared + core::kSharedBase; }

std::uint32_t shared_address(const void* pointer) {
  Thread& self = SIMT_ENTER();
  const core::Block& block = *self.block;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - block.shared);
  if (offset < core::kArenaStride) return static_cast<std::uint32_t>(offset);
  core::fail("shared-out-of-bounds",
             core::text("address of %p taken as shared memory, but it is not in this block's shared memory",
                        pointer));
}

namespace {

void check_rank(std::uint32_t rank) {
  if (rank >= core::machine.blocks_per_cluster)
    core::fail("shared-out-of-bounds",
               core::text("mapa to rank %u of a cluster of %u", rank, core::machine.blocks_per_cluster));
}

/// The block of the running thread's cluster in whose shared memory the address lies.
core::Block& block_holding(const Thread& self, const void* pointer) {
  core::Block* const first = self.block->cluster->blocks;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - first->shared);
  if (offset >= core::machine.blocks_per_cluster * std::size_t{core::kArenaStride})
    core::fail(
        "shared-out-of-bounds",
        core::text("address of %p taken as shared memory, but it is in that of no block of the cluster",
                   pointer));
  return first[offset / core::kArenaStride];
}

}  // namespace

void* map_shared_pointer(const void* pointer, std::uint32_t rank) {
  Thread& self = SIMT_ENTER();
  check_rank(rank);
  const auto offset = static_cast<const unsigned char*>(pointer) - block_holding(self, pointer).shared;
  return self.block->cluster->blocks[rank].shared + offset;
}

std::uint32_t shared_rank(const void* pointer) {
  Thread& self = SIMT_ENTER();
  return block_holding(self, pointer).rank;
}

std::uint32_t map_shared_rank(std::uint32_t address, std::uint32_t rank) {
  SIMT_ENTER();
  check_rank(rank);
  return (address & core::kOffsetMask) | (rank + 1) << 24;
}

namespace {

unsigned char* shared_access(Thread& self, std::uint32_t address, int bytes, bool store) {
  const char* what = store ? "st.shared" : "ld.shared";
  core::Block& block = core::block_of(address);
  if (!core::check_live(block, what)) return nullptr;
  const auto size = static_cast<std::uint32_t>(bytes);
  core::check_shared_alignment(address, size, what);
  unsigned char* memory = core::shared_memory(block, address, size, what);
  if (!memory) return nullptr;
  const core::AccessKind kind = store ? core::AccessKind::store : core::AccessKind::load;
  const std::uint16_t site = core::site_number(self.pc, kind);
  if (&block == self.block) core::note_banks(self, site, address, size);
  if (core::machine.detect) core::note_shared(self, block, address, size, kind, site);
  return memory;
}

}  // namespace

void shared_store(std::uint32_t address, const void* value, int bytes) {
  Thread& self = SIMT_ENTER();
  core::machine.stats.shared_store_bytes += static_cast<unsigned>(bytes);
  if (unsigned char* memory = shared_access(self, address, bytes, true))
    std::memcpy(memory, value, static_cast<std::size_t>(bytes));
}

void shared_load(std::uint32_t address, void* value, int bytes) {
  Thread& self = SIMT_ENTER();
  core::machine.stats.shared_load_bytes += static_cast<unsigned>(bytes);
  if (const unsigned char* memory = shared_access(self, address, bytes, false))
    std::memcpy(value, memory, static_cast<std::size_t>(bytes));
  else
    std::memset(value, 0xff, static_cast<std::size_t>(bytes));
}

void read_only(const void* pointer, std::size_t bytes) {
  Thread& self = SIMT_ENTER();
  if (core::machine.detect && core::is_global(pointer))
    core::check_read_only(pointer, bytes, core::access_by(self, core::AccessKind::load, self.pc));
}

void setmaxnreg(int count, bool increase) {
  Thread& self = SIMT_ENTER();
  const char* name = increase ? "setmaxnreg.inc" : "setmaxnreg.dec";
  if (count < 24 || count > 256 || count % 8)
    core::fail("setmaxnreg", core::text("%s %d: allowed are the multiples of 8 from 24 to 256", name, count));
  core::converge(self, core::Collective::setmaxnreg,
                 static_cast<std::uint32_t>(count) << 1 | static_cast<std::uint32_t>(increase),
                 core::kWarpMask, nullptr, [&](const core::Convergence&) {
                   core::Block& block = *self.block;
                   block.warpgroups[self.ids.warp / 4]->set_registers(block, self.ids.warp % 4, count,
                                                                      increase);
                 });
}

// Launches are one after the other here, so what the primary kernel wrote is always there; but before the
// wait the race detector does not count on it.
void griddep_wait() {
  Thread& self = SIMT_ENTER();
  const core::ClockRef& done = core::machine.launch_before_done;
  if (core::machine.overlaps) core::acquire(self, {done, done, done, done});
}
void griddep_launch() { SIMT_ENTER(); }

void trap(const char* why) {
  SIMT_ENTER();
  core::fail("trap", why && *why ? why : "trap");
}

void nanosleep(unsigned) {
  SIMT_ENTER();
  core::yield_to_others();
}

std::uint64_t clock64() {
  SIMT_ENTER();
  const auto& stats = core::machine.stats;
  core::machine.clock_cycles += core::kCyclesOfAReading;  // a loop that only waits comes to its end
  return stats.switches + stats.collectives + stats.hooked_accesses + core::machine.clock_cycles;
}

}  // namespace simt
