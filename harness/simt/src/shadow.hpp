// shadow.hpp - who last wrote and who has read each piece of memory, for the race detector. One cell covers
// 16 bytes as long as accesses cover all of it (tensor-core kernels move 16 bytes at a time); a smaller
// access splits the cell into eight cells of 2 bytes, the next full write makes it whole again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.hpp"

namespace simt::core {

struct Thread;

/// One access in a cell: which agent, at which of its epochs, from which site (report.hpp). Epoch 0: no
/// access.
struct Stamp {
  std::uint32_t epoch = 0;
  std::uint16_t agent = 0, site = 0;
  bool operator==(const Stamp&) const = default;
};

/// Kinds of memory access; decide the words of a report and the proxy.
enum class AccessKind : std::uint8_t {
  load,
  store,
  byte_load,  // of the first of two bytes, which share a part of a cell
  byte_load_odd,
  byte_store,
  byte_store_odd,
  atomic,
  atomic_at_block_scope,
  atomic_load,
  atomic_load_at_block_scope,
  copy_read,   // cp.async, from global memory
  copy_write,  // cp.async, to shared memory
  ldmatrix,
  stmatrix,
  mbarrier_init,
  mbarrier_use,
  tma_read,         // bulk and tensor load, from global memory
  tma_write,        // to shared memory
  tma_store_read,   // bulk and tensor store, from shared memory
  tma_store_write,  // to global memory
  tma_reduce,       // the same, adding
  wgmma_read,
};
const char* access_name(AccessKind kind);
inline bool is_async_proxy(AccessKind kind) { return kind >= AccessKind::tma_read; }

/// On whose behalf an access is made: the clocks to compare with, and the threads [first, last) that make it.
struct View {
  const Clock* seen;
  const Clock* proxy;    // what the async proxy may rely on: seen as of the last proxy fence
  const Clock* visible;  // of what has been seen, the writes that may be read
  std::uint32_t first, last;
};

struct Access {
  View view;
  Stamp stamp;
  AccessKind kind;
};

struct Cell {
  Stamp write;
  Stamp reads[3];  // the latest readers since that write; with more, some are forgotten: a miss, never a
                   // false alarm
};

enum class Space : std::uint8_t { shared, global };

/// Location of a cell, for reports.
struct Place {
  Space space;
  unsigned block = 0;                   // shared: index of the block in its wave
  const unsigned char* base = nullptr;  // address of offset 0
};

/// Cells for a range of memory, without the storage of the whole cells, which the owner of the memory
/// provides.
class Shadow {
 public:
  void read(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes, const Access& access);
  void write(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes, const Access& access);
  /// Reports when the last write at `offset` is not ordered before (async proxy: fenced before) the access.
  /// Remembers nothing.
  void check(const Cell* cells, const Place& place, std::size_t offset, const Access& access) const;
  /// Forgets all split cells; the owner clears the whole ones.
  void reset() {
    split_.clear();
    free_.clear();
  }
  /// Makes [offset, offset + bytes) count as never written (global memory; shared memory starts like that).
  void mark_unwritten(Cell* cells, std::size_t offset, std::size_t bytes);
  /// Makes [offset, offset + bytes) count as used by the launch before, at its last epoch: written, or, where
  /// nothing defined is there, read.
  void mark_used_before(Cell* cells, std::size_t offset, std::size_t bytes);
  /// True when some byte of the range still counts as never written.
  bool unwritten(const Cell* cells, std::size_t offset, std::size_t bytes) const;

 private:
  struct Split {
    Cell parts[8];
  };
  Stamp last_write(const Cell* cells, std::size_t offset) const;
  Cell* split(Cell& cell);
  void merge(Cell& cell);
  template <Space space>
  void read_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                  const Access& access);
  template <Space space>
  void write_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                   const Access& access);

  std::vector<Split> split_;
  std::vector<std::uint32_t> free_;
};

}  // namespace simt::core
