// shadow.hpp - who last wrote and who has read each piece of memory, for the race detector. One cell covers
// 16 bytes as long as accesses cover all of it (tensor-core kernels move 16 bytes at a time); a smaller
// access splits the cell into four words of 4 bytes, and a word into two halves where it does not cover one.
// The next full write makes them whole again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
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
  byte_load,  // of the first of two bytes, which share half a word
  byte_load_odd,
  byte_store,
  byte_store_odd,
  volatile_load,  // these six in the order of those above
  volatile_store,
  volatile_byte_load,
  volatile_byte_load_odd,
  volatile_byte_store,
  volatile_byte_store_odd,
  atomic,
  atomic_at_block_scope,
  atomic_store,
  atomic_store_at_block_scope,
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
/// Relaxed, at the scope of the system (PTX ISA, "ld.volatile").
inline bool is_volatile(AccessKind kind) {
  return kind >= AccessKind::volatile_load && kind <= AccessKind::volatile_byte_store_odd;
}
inline AccessKind made_volatile(AccessKind plain) {
  return static_cast<AccessKind>(static_cast<int>(plain) + static_cast<int>(AccessKind::volatile_load));
}
inline AccessKind without_volatile(AccessKind kind) {
  return is_volatile(kind)
             ? static_cast<AccessKind>(static_cast<int>(kind) - static_cast<int>(AccessKind::volatile_load))
             : kind;
}
/// A store of a thread that is no atomic.
inline bool is_store(AccessKind kind) {
  const AccessKind plain = without_volatile(kind);
  return plain == AccessKind::store || plain == AccessKind::byte_store || plain == AccessKind::byte_store_odd;
}
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

/// Atomics and volatile accesses to a word that neither order nor replace each other, the latest first: an access that is ordered
/// behind the last of them alone races with the others. With more, some are forgotten, as readers are.
struct Relaxed {
  Stamp stamps[3];
};

constexpr std::uint16_t kSplitAgent = 0xffff;  // in Cell::write: the cell is split, reads[0].epoch says where
constexpr std::uint16_t kUnwrittenAgent =
    0xfffe;  // in Cell::write of global memory: nothing has written it yet
inline bool is_split(const Cell& cell) { return cell.write.agent == kSplitAgent && cell.write.epoch; }

enum class Space : std::uint8_t { shared, global };

/// Location of a cell, for reports.
struct Place {
  Space space;
  unsigned block = 0;                   // shared: index of the block in its wave
  const unsigned char* base = nullptr;  // address of offset 0
};

/// A plain access of a thread that may read all writes that it has seen.
struct Quick {
  const Clock& seen;
  Stamp stamp;
  std::uint32_t wave_epoch;

  /// Whether this wave's access `before`, or none, is ordered before this one by the clock alone.
  template <Space space>
  bool is_after(const Stamp& before) const {
    if (space == Space::global && before.epoch <= wave_epoch) return before.epoch == 0;
    return before.agent == stamp.agent || before.epoch <= seen.of(before.agent);
  }
};

/// Cells for a range of memory, without the storage of the whole cells, which the owner of the memory
/// provides.
class Shadow {
 public:
  void read(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes, const Access& access);
  void write(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes, const Access& access);
  /// read() and write() of whole words within a cell, where a glance says that they are in order: by far most of them. False:
  /// left to read() or write().
  template <Space space>
  bool quick_read(Cell* cells, std::size_t offset, std::size_t bytes, const Quick& access);
  template <Space space>
  bool quick_write(Cell* cells, std::size_t offset, std::size_t bytes, const Quick& access);
  /// Reports when the last write at `offset` is not ordered before (async proxy: fenced before) the access.
  /// Remembers nothing.
  void check(const Cell* cells, const Place& place, std::size_t offset, const Access& access) const;
  /// Reports a load through the read-only cache of what this launch has written; remembers nothing.
  void check_read_only(const Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                       const Access& access) const;
  /// Forgets all split cells; the owner clears the whole ones.
  void reset() {
    split_.clear();
    free_.clear();
    relaxed_.clear();
  }
  /// Makes [offset, offset + bytes) count as never written (global memory; shared memory starts like that).
  void mark_unwritten(Cell* cells, std::size_t offset, std::size_t bytes);
  /// Makes [offset, offset + bytes) count as used by the launch before, at its last epoch: written, or, where
  /// nothing defined is there, read.
  void mark_used_before(Cell* cells, std::size_t offset, std::size_t bytes);
  /// True when some byte of the range still counts as never written.
  bool unwritten(const Cell* cells, std::size_t offset, std::size_t bytes) const;

 private:
  /// The words of a split cell. While a word is whole, its first half stands for both.
  struct Split {
    Cell first[4], second[4];
    std::uint32_t halved = 0;   // words of which the halves differ
    std::uint32_t relaxed = 0;  // whole words of which `relaxed_` has accesses before the last write
  };
  /// The cells, `count` of them, that stand for exactly these bytes; null where there are none.
  Cell* words(Cell* cells, std::size_t offset, std::size_t bytes, std::uint32_t& count);
  Stamp last_write(const Cell* cells, std::size_t offset) const;
  Split& split(Cell& cell);
  void merge(Cell& cell);
  /// Calls `visit(cell, offset)` for the cells of [offset, stop), which is within 16 bytes.
  template <class Visit>
  static void for_each_part(Split& split, std::size_t offset, std::size_t stop, Visit&& visit);
  /// The same for cells that are given another history.
  template <class Assign>
  static void assign_parts(Split& split, std::size_t offset, std::size_t stop, const Assign& assign);
  /// Before an access writes a word, of which `part` is the cell: checks it against what the word remembers, and has the word remember
  /// what the write makes the cell forget.
  template <Space space>
  void replace_relaxed(Split& split, const Cell& part, const Place& place, std::size_t offset,
                       const Access& access);
  template <Space space>
  void read_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                  const Access& access);
  template <Space space>
  void write_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                   const Access& access);

  /// A word of a split cell in `relaxed_`.
  std::uint32_t key_of(const Split& split, std::size_t offset) const {
    return static_cast<std::uint32_t>((&split - split_.data()) * 4 + offset % 16 / 4);
  }

  std::vector<Split> split_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint32_t, Relaxed> relaxed_;
};

[[gnu::always_inline]] inline Cell* Shadow::words(Cell* cells, std::size_t offset, std::size_t bytes,
                                                  std::uint32_t& count) {
  Cell& cell = cells[offset / 16];
  count = 1;
  if (!is_split(cell)) return bytes == 16 && offset % 16 == 0 ? &cell : nullptr;
  const std::uint32_t first = offset % 16 / 4;
  if ((offset | bytes) % 4 || first + bytes / 4 > 4) return nullptr;
  count = static_cast<std::uint32_t>(bytes) / 4;
  Split& split = split_[cell.reads[0].epoch];
  return (split.halved | split.relaxed) >> first & ((1u << count) - 1) ? nullptr : split.first + first;
}

template <Space space>
inline bool Shadow::quick_read(Cell* cells, std::size_t offset, std::size_t bytes, const Quick& access) {
  std::uint32_t count;
  Cell* word = words(cells, offset, bytes, count);
  if (!word) return false;
  for (Cell* const end = word + count; word != end; ++word) {
    if (word->reads[0] == access.stamp) continue;
    if (space == Space::shared && !word->write.epoch) return false;
    if (!access.is_after<space>(word->write)) return false;
    if (!access.is_after<space>(word->reads[0]))
      word->reads[access.is_after<space>(word->reads[1]) ? 1 : 2] = word->reads[0];
    word->reads[0] = access.stamp;
  }
  return true;
}

template <Space space>
inline bool Shadow::quick_write(Cell* cells, std::size_t offset, std::size_t bytes, const Quick& access) {
  std::uint32_t count;
  Cell* word = words(cells, offset, bytes, count);
  if (!word || count == 4) return false;  // of four words one cell is made
  for (Cell* const end = word + count; word != end; ++word) {
    if (!access.is_after<space>(word->write)) return false;
    for (const Stamp& read : word->reads)
      if (!access.is_after<space>(read)) return false;
    *word = {access.stamp, {}};
  }
  return true;
}

}  // namespace simt::core
