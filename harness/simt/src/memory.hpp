// memory.hpp - shared memory of the running blocks and global memory, and the checks that every access
// passes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "report.hpp"
#include "shadow.hpp"

namespace simt::core {

/// The address range in which all emulated memory lies: shared arenas first, then global memory. One
/// subtraction tells a kernel's locals (not ours) from memory that is checked.
struct AddressSpace {
  unsigned char* base = nullptr;
  std::size_t shared_bytes = 0, total_bytes = 0;
  Cell* global_cells = nullptr;  // one per 16 bytes of global memory, zero pages until touched
};
extern AddressSpace address_space;
/// Takes as much address space as the machine gives: 64 GiB, or half of it, and so on; once.
void open_address_space();

struct Allocation {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;
  std::string name;
  std::size_t pages = 0, first_page = 0;
  bool touched = false;                                        // its cells are not all zero
  bool constant = false;                                       // kernels must not store to it
  std::vector<std::pair<std::size_t, std::size_t>> undefined;  // byte ranges that nothing has written yet
  std::vector<std::pair<std::size_t, std::size_t>> in_use;     // byte ranges that other kernels use too
};

/// The allocation whose pages hold `pointer`, or null. The pointer may still be outside the requested bytes.
Allocation* allocation_at(const void* pointer);

inline bool is_emulated(const void* pointer) {
  return static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - address_space.base) <
         address_space.total_bytes;
}
/// Whether an address lies a little below the shared memory of all blocks, where nothing is.
bool is_below_shared(const void* pointer);
inline bool is_global(const void* pointer) {
  return static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - address_space.base) -
             address_space.shared_bytes <
         address_space.total_bytes - address_space.shared_bytes;
}

/// Checks [pointer, pointer + bytes) against the allocation; reports and returns false when it is outside.
/// Memory that was not made by allocate() cannot be checked and passes.
bool check_global(const void* pointer, std::size_t bytes, const char* what);
/// Reports a store to constant memory.
void check_not_constant(const void* pointer, std::size_t bytes, const char* what);
/// Alignment demanded by an instruction.
bool check_alignment(const void* pointer, std::size_t alignment, const char* what);
bool check_shared_alignment(std::uint32_t address, std::uint32_t alignment, const char* what);

/// The block that a shared address belongs to (mapa sets a rank), and its memory; null after a report when
/// [address, address + bytes) is not within the block's shared memory.
Block& block_of(std::uint32_t address);
/// shared_memory() of what does not lie in dynamic shared memory.
unsigned char* other_shared_memory(Block& block, std::uint32_t offset, std::uint32_t bytes, const char* what);
inline unsigned char* shared_memory(Block& block, std::uint32_t address, std::uint32_t bytes,
                                    const char* what) {
  const std::uint32_t offset = address & kOffsetMask;
  const std::uint32_t end = kSharedBase + machine.shared_bytes;
  if (!(offset >= kSharedBase && offset <= end && bytes <= end - offset))
    return other_shared_memory(block, offset, bytes, what);
  const std::uint64_t used = offset + bytes - kSharedBase;
  if (used > machine.stats.shared_bytes_used) machine.stats.shared_bytes_used = used;
  return block.shared + offset;
}

/// The same for instructions that reach the thread block's own shared memory alone: an address that names another block's is reported.
unsigned char* own_shared_memory(Block& own, std::uint32_t address, std::uint32_t bytes, const char* what);

/// Reports an access to the shared memory of a block all of whose threads have ended; true where it lives.
bool check_live(Block& block, const char* what);

/// Race detector, when it is on. Shared addresses must have passed shared_memory().
void note_shared_read(Block& block, std::uint32_t address, std::uint32_t bytes, const Access& access);
void note_shared_write(Block& block, std::uint32_t address, std::uint32_t bytes, const Access& access);
/// Reports when the last write at a shared offset is not ordered before the access; does not count as a read.
void check_shared_order(Block& block, std::uint32_t offset, const Access& access);
void note_global_read(const void* pointer, std::size_t bytes, const Access& access);
void note_global_write(const void* pointer, std::size_t bytes, const Access& access);
/// Reports a load of global memory through the read-only cache where the launch has written; does not count as a read.
void check_read_only(const void* pointer, std::size_t bytes, const Access& access);
/// The same for a plain load or store that the running thread makes.
inline void note_shared(const Thread& self, Block& block, std::uint32_t address, std::uint32_t bytes,
                        AccessKind kind, std::uint16_t site);
void note_global(const Thread& self, const void* pointer, std::size_t bytes, AccessKind kind,
                 std::uint16_t site);
/// The running thread's access at its current place.
inline View view_of(const Thread& thread) {
  const Knowledge& known = thread.time.known;
  return {known.seen.get(), known.proxy.get(), known.visible.get(), thread.index, thread.index + 1};
}
inline Access access_by(const Thread& thread, AccessKind kind, std::uint16_t site) {
  return {view_of(thread), {thread.time.epoch, static_cast<std::uint16_t>(thread.index), site}, kind};
}
inline Access access_by(const Thread& thread, AccessKind kind, const void* pc) {
  return access_by(thread, kind, site_number(pc, kind));
}
/// Whether the thread may read all writes that are ordered before its accesses.
inline bool sees_all(const Thread& thread) { return thread.time.known.visible == thread.time.known.seen; }
inline Quick quick_by(const Thread& thread, std::uint16_t site) {
  return {*thread.time.known.seen.get(),
          {thread.time.epoch, static_cast<std::uint16_t>(thread.index), site},
          machine.wave_epoch};
}

inline void note_shared(const Thread& self, Block& block, std::uint32_t address, std::uint32_t bytes,
                        AccessKind kind, std::uint16_t site) {
  const std::uint32_t offset = (address & kOffsetMask) - kSharedBase;
  const bool store = is_store(kind);
  if (sees_all(self)) {
    const Quick access = quick_by(self, site);
    if (store ? machine.shared_shadow.quick_write<Space::shared>(block.cells, offset, bytes, access)
              : machine.shared_shadow.quick_read<Space::shared>(block.cells, offset, bytes, access))
      return;
  }
  const Access access = access_by(self, kind, site);
  store ? note_shared_write(block, address, bytes, access) : note_shared_read(block, address, bytes, access);
}

/// Blocks that can be live at once: each has an arena of shared memory.
inline constexpr unsigned kMaxBlocks = 64;
/// Gives each block of the wave its arena and cells.
void place_arenas();
/// Global cells as at the start of a launch: all clear, but ranges that nothing has written are marked.
void prepare_global_memory();
void poison_shared(Block& block);
/// Remembers which undefined bytes have been written meanwhile.
void settle_memory();

/// Numbers of the words of memory, by which notes about one find each other.
inline std::uint64_t shared_cell(unsigned block, std::uint32_t address) {
  return std::uint64_t{1} << 63 | std::uint64_t{block} << 32 | address / 4;
}
inline std::uint64_t global_cell(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) / 4;
}

}  // namespace simt::core
