// memory.cpp - the address space, allocations with guard pages, range checks.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>

#include "page.hpp"
#include "sync.hpp"
#include "variables.hpp"

namespace simt {
namespace core {

AddressSpace address_space;

namespace {

constexpr std::size_t kCellBytes = 16;  // of memory that a whole cell covers
constexpr std::size_t kClearInPlace = 8 << 20;
// Below all shared memory nothing can be accessed: a negative index must not reach the host's memory.
constexpr std::size_t kBelow = std::size_t{64} << 20;
// Ranges of more than this are mostly addresses without memory. They come in multiples of it, from the end of the
// address space on downwards, and their owners are known by such multiples.
constexpr std::size_t kLargePages = (std::size_t{1} << 30) / kPage;

std::vector<std::uint32_t> page_owner;  // page of the global part -> index in allocations + 1
std::vector<std::unique_ptr<Allocation>> allocations;
std::map<std::size_t, std::deque<std::size_t>>
    free_pages;                              // number of pages -> first pages of released ranges
std::size_t next_page = 0, large_taken = 0;  // large ranges: multiples of kLargePages
std::vector<std::uint32_t> large_owner;  // as page_owner, from the last multiple of kLargePages on downwards
std::vector<Cell> shared_cells;

unsigned char* global_base() { return address_space.base + address_space.shared_bytes; }

// The lowest address. Operands may lie anywhere, but wrong arithmetic on addresses shows most where they are low: a sixteenth of
// an address, or one less a large operand's length, is not far from all operands then.
constexpr std::uintptr_t kLow = std::uintptr_t{256} << 20;

/// Addresses from kLow on; null where some are taken.
void* reserve_low(std::size_t bytes) {
  void* const low = reinterpret_cast<void*>(kLow);
  void* memory =
      mmap(low, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == low) return memory;
  if (memory != MAP_FAILED) munmap(memory, bytes);  // kernels before Linux 4.17 take it for a hint
  return nullptr;
}

void* reserve(std::size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::size_t global_pages() { return (address_space.total_bytes - address_space.shared_bytes) / kPage; }
std::size_t large_number(std::size_t page) { return global_pages() / kLargePages - 1 - page / kLargePages; }

void set_owner(std::size_t first, std::size_t count, std::uint32_t owner) {
  if (count < kLargePages) {
    std::fill_n(page_owner.begin() + static_cast<std::ptrdiff_t>(first), count, owner);
    return;
  }
  for (std::size_t page = first; page < first + count; page += kLargePages) {
    const std::size_t number = large_number(page);
    if (large_owner.size() <= number) large_owner.resize(number + 1);
    large_owner[number] = owner;
  }
}

std::uint32_t owner_of(std::size_t page) {
  if (page < page_owner.size()) return page_owner[page];
  const std::size_t number = large_number(page);
  return page < global_pages() && number < large_owner.size() ? large_owner[number] : 0;
}

/// First page of `count` multiples of kLargePages.
std::size_t take_large(std::size_t count) {
  const std::size_t all = global_pages() / kLargePages;
  if (large_taken + count >= all || (all - large_taken - count) * kLargePages <= next_page + 1)
    throw std::bad_alloc();
  large_taken += count;
  return (all - large_taken) * kLargePages;
}

std::size_t take_pages(std::size_t count) {
  auto released = free_pages.find(count);
  const std::size_t kept = count < kLargePages ? 8 : 0;  // keep some back: catches use after release
  if (released != free_pages.end() && released->second.size() > kept) {
    const std::size_t page = released->second.front();
    released->second.pop_front();
    return page;
  }
  if (count >= kLargePages) return take_large(count / kLargePages);
  const std::size_t page = next_page + 1;  // the page before is a guard
  if (page + count + 1 > global_pages() - large_taken * kLargePages) throw std::bad_alloc();
  next_page = page + count;
  page_owner.resize(next_page + 1, 0);
  return page;
}

/// Large ranges of many sizes would use up the address space: where none is left in use, all of it is free again.
void forget_large() {
  const bool used =
      std::any_of(large_owner.begin(), large_owner.end(), [](std::uint32_t owner) { return owner; });
  if (used) return;
  large_taken = 0;
  free_pages.erase(free_pages.lower_bound(kLargePages), free_pages.end());
}

Cell* cells_of(const Allocation& allocation) {
  return address_space.global_cells + allocation.first_page * kPage / kCellBytes;
}

void clear_cells(Allocation& allocation) {
  const std::size_t bytes = allocation.pages * kPage / kCellBytes * sizeof(Cell);
  if (bytes <= kClearInPlace)
    std::memset(static_cast<void*>(cells_of(allocation)), 0, bytes);
  else
    madvise(cells_of(allocation), bytes, MADV_DONTNEED);
  allocation.touched = false;
}

std::string offset_text(const Allocation& allocation, const void* pointer) {
  const auto offset = static_cast<const unsigned char*>(pointer) - allocation.begin;
  return text("byte %lld of '%s' (%zu bytes)", static_cast<long long>(offset), allocation.name.c_str(),
              allocation.bytes);
}

}  // namespace

void open_address_space() {
  if (address_space.base) return;
  const std::size_t shared = std::size_t{kMaxBlocks} * kArenaStride;
  for (std::size_t global = std::size_t{64} << 30; global >= (std::size_t{256} << 20); global /= 2) {
    void* memory = reserve_low(kBelow + shared + global);
    if (!memory) memory = reserve(kBelow + shared + global, PROT_NONE);
    void* cells = memory ? reserve(global / kCellBytes * sizeof(Cell), PROT_READ | PROT_WRITE) : nullptr;
    if (!cells) {
      if (memory) munmap(memory, kBelow + shared + global);
      continue;
    }
    unsigned char* base = static_cast<unsigned char*>(memory) + kBelow;
    address_space = {base, shared, shared + global, static_cast<Cell*>(cells)};
    mprotect(base, shared, PROT_READ | PROT_WRITE);
    return;
  }
  throw std::bad_alloc();
}

bool is_below_shared(const void* pointer) {
  const auto distance = address_space.base - static_cast<const unsigned char*>(pointer);
  return address_space.base && distance > 0 && static_cast<std::size_t>(distance) <= kBelow;
}

std::string global_place(const void* pointer) {
  const Allocation* allocation = allocation_at(pointer);
  // A guard page belongs to nobody: whose end or start is it?
  for (std::ptrdiff_t page = 1; !allocation && page <= 16; ++page) {
    allocation =
        allocation_at(static_cast<const unsigned char*>(pointer) - page * static_cast<std::ptrdiff_t>(kPage));
    if (!allocation && page == 1)
      allocation = allocation_at(static_cast<const unsigned char*>(pointer) + kPage);
  }
  return allocation ? offset_text(*allocation, pointer) : text("%p, which is in no allocation", pointer);
}

Allocation* allocation_at(const void* pointer) {
  const auto page =
      static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - global_base()) / kPage;
  if (!is_global(pointer)) return nullptr;
  const std::uint32_t owner = owner_of(page);
  return owner ? allocations[owner - 1].get() : nullptr;
}

bool check_global(const void* pointer, std::size_t bytes, const char* what) {
  if (!is_global(pointer)) {
    if (!is_emulated(pointer)) return true;
    report("global-out-of-bounds",
           text("%s of %zu bytes takes a shared-memory pointer for global memory", what, bytes));
    return false;
  }
  if (const Allocation* allocation = allocation_at(pointer)) {
    const auto offset =
        static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - allocation->begin);
    if (offset < allocation->bytes && bytes <= allocation->bytes - offset) return true;
  }
  report("global-out-of-bounds", text("%s of %zu bytes at ", what, bytes) + global_place(pointer));
  return false;
}

void check_not_constant(const void* pointer, std::size_t bytes, const char* what) {
  const Allocation* allocation = allocation_at(pointer);
  if (allocation && allocation->constant)
    report("constant", text("%s of %zu bytes to constant memory: ", what, bytes) + offset_text(*allocation, pointer));
}

bool check_alignment(const void* pointer, std::size_t alignment, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0) return true;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - address_space.base);
  if (offset < address_space.shared_bytes)
    return check_shared_alignment(static_cast<std::uint32_t>(offset % kArenaStride),
                                  static_cast<std::uint32_t>(alignment), what);
  const Allocation* allocation = allocation_at(pointer);
  report("misaligned", text("%s needs %zu-byte alignment, address is ", what, alignment) +
                           (allocation ? offset_text(*allocation, pointer) : text("%p", pointer)));
  return false;
}

bool check_shared_alignment(std::uint32_t address, std::uint32_t alignment, const char* what) {
  if (address % alignment == 0) return true;
  report("misaligned",
         text("%s needs %u-byte alignment, shared address is 0x%x", what, alignment, address & kOffsetMask));
  return false;
}

Block& block_of(std::uint32_t address) {
  const std::uint32_t rank = address >> 24;
  Block& own = *machine.current->block;
  if (rank == 0) return own;
  if (rank > machine.blocks_per_cluster)
    fail("shared-out-of-bounds", text("shared address 0x%08x names block rank %u of a cluster of %u", address,
                                      rank - 1, machine.blocks_per_cluster));
  return own.cluster->blocks[rank - 1];
}

unsigned char* other_shared_memory(Block& block, std::uint32_t offset, std::uint32_t bytes, const char* what) {
  const std::uint32_t end = kSharedBase + machine.shared_bytes;
  if (shared_variable_at(offset, bytes)) return block.shared + offset;
  const std::string place = shared_place(offset);
  report("shared-out-of-bounds",
         place.rfind("byte", 0) == 0
             ? text("%s of %u bytes at %s", what, bytes, place.c_str())
             : text("%s of %u bytes at shared address 0x%x: the block's shared memory is 0x%x to 0x%x", what,
                    bytes, offset, kSharedBase, end));
  return nullptr;
}

unsigned char* own_shared_memory(Block& own, std::uint32_t address, std::uint32_t bytes, const char* what) {
  const std::uint32_t rank = address >> 24;
  if (rank == 0 || rank == own.rank + 1) return shared_memory(own, address, bytes, what);
  report("shared-out-of-bounds", text("%s of %u bytes at shared address 0x%08x, which is not in the thread block's own shared memory",
                                      what, bytes, address));
  return nullptr;
}

bool check_live(Block& block, const char* what) {
  note_visit(block, what);
  if (block.live > 0) return true;
  report("exit", text("%s to the shared memory of block rank %u, which has exited", what, block.rank));
  return false;
}

void note_shared_read(Block& block, std::uint32_t address, std::uint32_t bytes, const Access& access) {
  machine.shared_shadow.read(block.cells, {Space::shared, block.index, nullptr},
                             (address & kOffsetMask) - kSharedBase, bytes, access);
}

void note_shared_write(Block& block, std::uint32_t address, std::uint32_t bytes, const Access& access) {
  machine.shared_shadow.write(block.cells, {Space::shared, block.index, nullptr},
                              (address & kOffsetMask) - kSharedBase, bytes, access);
}

void check_shared_order(Block& block, std::uint32_t offset, const Access& access) {
  machine.shared_shadow.check(block.cells, {Space::shared, block.index, nullptr}, offset - kSharedBase,
                              access);
}

void note_global_read(const void* pointer, std::size_t bytes, const Access& access) {
  if (!is_global(pointer)) return;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - global_base());
  if (Allocation* allocation = allocation_at(pointer)) allocation->touched = true;
  machine.global_shadow.read(address_space.global_cells, {Space::global, 0, global_base()}, offset, bytes,
                             access);
}

void note_global_write(const void* pointer, std::size_t bytes, const Access& access) {
  if (!is_global(pointer)) return;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - global_base());
  if (Allocation* allocation = allocation_at(pointer)) allocation->touched = true;
  machine.global_shadow.write(address_space.global_cells, {Space::global, 0, global_base()}, offset, bytes,
                              access);
}

void check_read_only(const void* pointer, std::size_t bytes, const Access& access) {
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - global_base());
  machine.global_shadow.check_read_only(address_space.global_cells, {Space::global, 0, global_base()}, offset,
                                        bytes, access);
}

void note_global(const Thread& self, const void* pointer, std::size_t bytes, AccessKind kind, std::uint16_t site) {
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - global_base());
  const bool store = is_store(kind);
  if (sees_all(self)) {
    if (Allocation* allocation = allocation_at(pointer)) allocation->touched = true;
    const Quick access = quick_by(self, site);
    Cell* const cells = address_space.global_cells;
    if (store ? machine.global_shadow.quick_write<Space::global>(cells, offset, bytes, access)
              : machine.global_shadow.quick_read<Space::global>(cells, offset, bytes, access))
      return;
  }
  const Access access = access_by(self, kind, site);
  store ? note_global_write(pointer, bytes, access) : note_global_read(pointer, bytes, access);
}

void place_arenas() {
  open_address_space();
  const std::size_t blocks = machine.blocks.size();
  const std::size_t cells = (shared_extent() + kCellBytes - 1) / kCellBytes;
  if (machine.detect && shared_cells.size() < cells * blocks) shared_cells.resize(cells * blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    machine.blocks[i].shared = address_space.base + i * kArenaStride;
    machine.blocks[i].cells = machine.detect ? shared_cells.data() + i * cells : nullptr;
  }
}

void prepare_global_memory() {
  if (!machine.detect) return;
  if (!machine.keeps_accesses) machine.global_shadow.reset();
  for (auto& allocation : allocations) {
    if (!allocation) continue;
    if (allocation->touched && !machine.keeps_accesses) clear_cells(*allocation);
    const auto start = static_cast<std::size_t>(allocation->begin - global_base());
    for (const auto& [offset, bytes] : allocation->undefined) {
      machine.global_shadow.mark_unwritten(address_space.global_cells, start + offset, bytes);
      allocation->touched = true;
    }
    if (!machine.overlaps) continue;
    for (const auto& [offset, bytes] : allocation->in_use) {
      machine.global_shadow.mark_used_before(address_space.global_cells, start + offset, bytes);
      allocation->touched = true;
    }
  }
}

void poison_shared(Block& block) {
  if (machine.config.poison) std::memset(block.shared + kSharedBase, 0xff, machine.shared_bytes);
  if (machine.detect) std::fill_n(block.cells, (machine.shared_bytes + kCellBytes - 1) / kCellBytes, Cell{});
  poison_shared_variables(block);
}

void settle_memory() {
  for (auto& allocation : allocations) {
    if (!allocation || allocation->undefined.empty()) continue;
    std::vector<std::pair<std::size_t, std::size_t>> left;
    for (const auto& [begin, bytes] : allocation->undefined) {
      if (!machine.detect) break;  // nobody watched: all of it may have been written
      const auto base = static_cast<std::size_t>(allocation->begin - global_base());
      for (std::size_t offset = begin; offset < begin + bytes;) {
        const std::size_t step = std::min(begin + bytes - offset, kCellBytes - (base + offset) % kCellBytes);
        if (machine.global_shadow.unwritten(address_space.global_cells, base + offset, step)) {
          if (!left.empty() && left.back().first + left.back().second == offset)
            left.back().second += step;
          else
            left.emplace_back(offset, step);
        }
        offset += step;
      }
    }
    allocation->undefined = std::move(left);
  }
}

}  // namespace core

void* allocate(std::size_t bytes, const char* name) {
  using namespace core;
  const std::lock_guard lock(device_mutex());
  open_address_space();
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256;
  std::size_t pages = (rounded + kPage - 1) / kPage;
  if (pages > kLargePages) pages = (pages + kLargePages - 1) / kLargePages * kLargePages;
  const std::size_t page = take_pages(pages);
  unsigned char* first = global_base() + page * kPage;
  if (mprotect(first, pages * kPage, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  auto allocation = std::make_unique<Allocation>();
  allocation->begin = first + pages * kPage - rounded;
  allocation->bytes = bytes;
  allocation->name = name && *name ? name : "buffer";
  allocation->pages = pages;
  allocation->first_page = page;
  unsigned char* begin = allocation->begin;
  auto place = std::find(allocations.begin(), allocations.end(), nullptr);
  const auto index = static_cast<std::uint32_t>(place - allocations.begin());
  if (place == allocations.end())
    allocations.push_back(std::move(allocation));
  else
    *place = std::move(allocation);
  set_owner(page, pages, index + 1);
  return begin;
}

void release(void* memory) {
  using namespace core;
  const std::lock_guard lock(device_mutex());
  if (!memory) return;
  Allocation* allocation = is_global(memory) ? allocation_at(memory) : nullptr;
  if (!allocation || allocation->begin != memory)
    throw std::invalid_argument("release: not an address that allocate gave");
  clear_cells(*allocation);
  unsigned char* first = global_base() + allocation->first_page * kPage;
  madvise(first, allocation->pages * kPage, MADV_DONTNEED);
  mprotect(first, allocation->pages * kPage, PROT_NONE);
  const std::uint32_t index = owner_of(allocation->first_page) - 1;
  set_owner(allocation->first_page, allocation->pages, 0);
  free_pages[allocation->pages].push_back(allocation->first_page);
  if (allocation->pages >= kLargePages) forget_large();
  allocations[index].reset();
}

namespace core {
namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Adds [memory, memory + bytes) to one of its allocation's lists of ranges, in place of those within it.
void mark(void* memory, std::size_t bytes, Ranges Allocation::* list, const char* who) {
  const std::lock_guard lock(device_mutex());
  Allocation* allocation = is_global(memory) ? allocation_at(memory) : nullptr;
  if (!allocation) throw std::invalid_argument(text("%s: not memory that allocate gave", who));
  const auto offset = static_cast<std::size_t>(static_cast<unsigned char*>(memory) - allocation->begin);
  if (offset > allocation->bytes || bytes > allocation->bytes - offset)
    throw std::invalid_argument(text("%s: the range goes beyond the allocation", who));
  Ranges& ranges = allocation->*list;
  std::erase_if(ranges, [=](const auto& range) {
    return range.first >= offset && range.first + range.second <= offset + bytes;
  });
  if (bytes) ranges.emplace_back(offset, bytes);
}

}  // namespace
}  // namespace core

void mark_undefined(void* memory, std::size_t bytes) {
  core::mark(memory, bytes, &core::Allocation::undefined, "mark_undefined");
}

void mark_in_use(void* memory, std::size_t bytes) {
  core::mark(memory, bytes, &core::Allocation::in_use, "mark_in_use");
}

}  // namespace simt
