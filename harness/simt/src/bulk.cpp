// bulk.cpp - cp.async.bulk and cp.async.bulk.tensor (PTX ISA 9.7.9.25.4 and 5): checks, issue, landing, bulk
// groups.
#include "bulk.hpp"

#include <algorithm>
#include <cstring>

#include "async.hpp"
#include "box.hpp"
#include "mbarrier.hpp"
#include "memory.hpp"
#include "numerics.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"

namespace simt {
namespace core {
namespace {

/// Shared memory that a transfer spans: more than it moves, if the rows of its box lie apart.
template <class Transfer>
std::uint32_t footprint(const Transfer& transfer) {
  return transfer.map ? box_footprint(*transfer.map) : transfer.bytes;
}

// ------------------------------------------------------------------------------------------------------------
// loads

template <class Visit>
void for_each_destination(const BulkLoad& load, Visit&& visit) {
  if (load.map)
    for_each_shared_range(*load.map, load.destination, visit);
  else
    visit(load.destination, load.bytes);
}

/// Records the accesses to source and destination, by the issuing thread's clock: the earliest moment of the
/// transfer.
void note_load(Thread& self, Block& block, Mbarrier& barrier, const BulkLoad& load) {
  Access write = access_by(self, AccessKind::tma_write, load.pc);
  check_shared_order(block, load.barrier,
                     barrier.init_fenced ? access_by(self, AccessKind::mbarrier_use, load.pc) : write);
  write.stamp.agent = agent_of(self, barrier);
  write.stamp.epoch = phase_epoch(barrier);
  for_each_destination(load, [&](std::uint32_t address, std::uint32_t bytes) {
    note_shared_write(block, address, bytes, write);
  });
  Access read = access_by(self, AccessKind::tma_read, load.pc);
  read.stamp.agent = write.stamp.agent;
  read.stamp.epoch = write.stamp.epoch;
  if (load.map)
    walk_box(*load.map, load.coordinates, [&](const BoxRun& run) {
      if (run.global) note_global_read(run.global, run.count * load.map->element_bytes, read);
    });
  else
    note_global_read(load.source, load.bytes, read);
}

void issue_to(Thread& self, unsigned rank, BulkLoad& load) {
  const char* what = load.map ? "tensor load" : "bulk load";
  Block& block = self.block->cluster->blocks[rank];
  load.block = block.index;
  if (block.live == 0) {
    report("exit", text("%s into block rank %u, which has exited", what, rank));
    return;
  }
  const bool exists = shared_memory(block, load.destination, footprint(load), what);
  Mbarrier* barrier = block.mbarriers->find(load.barrier);
  if (!barrier) {
    report("mbarrier", text("%s completes on mbarrier 0x%x of block rank %u, which is not initialised", what,
                            load.barrier, rank));
    return;
  }
  if (!exists) return;
  load.phase = barrier->phase;
  barrier->takes_bytes = true;
  if (machine.detect) note_load(self, block, *barrier, load);
  if (happens_now()) return land(load);
  if (machine.config.poison)
    for_each_destination(load, [&](std::uint32_t address, std::uint32_t bytes) {
      std::memset(block.shared + address, 0xff, bytes);
    });
  post(load);
}

/// `ranks`: destination blocks; 0: the one that the destination address names.
void issue_load(Thread& self, BulkLoad& load, std::uint32_t destination, std::uint32_t barrier,
                std::uint16_t ranks) {
  const char* what = load.map ? "tensor load" : "bulk load";
  ++machine.stats.bulk_copies;
  check_shared_alignment(destination, load.map ? 128 : 16, what);
  check_shared_alignment(barrier, 8, what);
  load.destination = destination & kOffsetMask;
  load.barrier = barrier & kOffsetMask;
  load.pc = self.pc;
  if (ranks == 0) return issue_to(self, block_of(destination).rank, load);
  for (unsigned rank = 0; rank < 16; ++rank) {
    if (!(ranks >> rank & 1u)) continue;
    if (rank >= machine.blocks_per_cluster)
      fail("shared-out-of-bounds",
           text("%s is multicast to rank %u of a cluster of %u", what, rank, machine.blocks_per_cluster));
    issue_to(self, rank, load);
  }
}

// ------------------------------------------------------------------------------------------------------------
// stores

/// Only what the store moves is read: a box that sticks out of the tensor may hold anything there.
void note_source(Thread& self, const BulkStore& store, const Access& read) {
  if (!store.map) return note_shared_read(*self.block, store.source, store.bytes, read);
  walk_box(store_bounds(*store.map), store.coordinates, [&](const BoxRun& run) {
    if (!run.global) return;
    for_each_piece(store.source, run.offset, run.count * store.map->element_bytes,
                   map_swizzle_span(store.map->swizzle),
                   [&](std::uint32_t address, std::uint32_t bytes, std::uint32_t) {
                     note_shared_read(*self.block, address, bytes, read);
                   });
  });
}

void note_destination(const BulkStore& store, const Access& write) {
  if (!store.map) return note_global_write(store.destination, store.bytes, write);
  walk_box(store_bounds(*store.map), store.coordinates, [&](const BoxRun& run) {
    if (run.global) note_global_write(run.global, run.count * store.map->element_bytes, write);
  });
}

void note_store(Thread& self, const BulkStore& store) {
  Access read = access_by(self, AccessKind::tma_store_read, self.pc);
  read.stamp.agent = agent_of(self.time.bulk_read, Unit::bulk_read, self.index);
  read.stamp.epoch = store.group;
  note_source(self, store, read);
  const bool adds = store.reduce != BulkReduce::none;
  Access write = access_by(self, adds ? AccessKind::tma_reduce : AccessKind::tma_store_write, self.pc);
  write.stamp.agent = agent_of(self.time.bulk_write, Unit::bulk_write, self.index);
  write.stamp.epoch = store.group;
  note_destination(store, write);
}

void read_source(const Block& block, BulkStore& store) {
  if (store.read) return;
  store.read = true;
  store.data.resize(footprint(store));
  gather_box(store.map ? &*store.map : nullptr, block.shared, store.source, store.data.data(),
             footprint(store));
}

void write_destination(const Block& block, BulkStore& store) {
  read_source(block, store);
  if (store.map)
    store_box(*store.map, store.coordinates, store.data.data(), store.reduce);
  else
    std::memcpy(store.destination, store.data.data(), store.bytes);
  machine.stats.bulk_store_bytes += store.bytes;
}

void finish_stores(const Block& block, BulkQueue& queue, std::uint32_t last, bool read_only) {
  for (BulkStore& store : queue.pending) {
    if (store.group > last) break;
    read_only ? read_source(block, store) : write_destination(block, store);
  }
  while (!read_only && !queue.pending.empty() && queue.pending.front().group <= last)
    queue.pending.pop_front();
}

void issue_store(Thread& self, BulkStore store, std::uint32_t source) {
  const char* what = store.map ? "tensor store" : "bulk store";
  ++machine.stats.bulk_copies;
  check_shared_alignment(source, store.map ? 128 : 16, what);
  store.source = source & kOffsetMask;
  store.group = self.bulk->used = self.bulk->group;
  if (!own_shared_memory(*self.block, source, footprint(store), what)) return;
  if (machine.detect) note_store(self, store);
  if (happens_now())
    write_destination(*self.block, store);
  else
    self.bulk->pending.push_back(std::move(store));
}

bool check_bulk(std::uint32_t bytes, const char* what) {
  if (bytes % 16 == 0) return true;
  report("misaligned", text("%s of %u bytes: the size must be a multiple of 16", what, bytes));
  return false;
}

void check_map(const TensorMap& map) {
  if (const std::string refusal = check_tensor_map(map); !refusal.empty()) fail("tensor-map", refusal);
}

/// The part of the box that a transfer within the bounds of `map` moves is memory that exists.
void check_box(const TensorMap& map, const int* coordinates, const char* what) {
  walk_box(map, coordinates, [&](const BoxRun& run) {
    if (run.global && !check_global(run.global, run.count * map.element_bytes, what)) throw Abandoned();
  });
}

/// Loads may start before the tensor, stores and reductions may not. Measured on an H200, 2026-11-21.
void check_store_start(const TensorMap& map, const int* coordinates) {
  for (std::uint32_t i = 0; i < map.rank; ++i)
    if (coordinates[i] < 0)
      fail("trap",
           text("tensor store at coordinate %d in dimension %u: hardware raises \"illegal instruction\" on a "
                "negative coordinate; a store may hang over the end of a tensor, not over its start",
                coordinates[i], i));
}

}  // namespace

void land(const BulkLoad& load) {
  Block& block = machine.blocks[load.block];
  if (load.map)
    load_box(*load.map, load.coordinates, block.shared, load.destination);
  else
    std::memcpy(block.shared + load.destination, load.source, load.bytes);
  machine.stats.bulk_load_bytes += load.bytes;
  if (Mbarrier* barrier = block.mbarriers->find(load.barrier)) complete_bytes(block, *barrier, load.bytes);
}

void BulkQueue::reset() {
  pending.clear();
  committed = used = read_waited = machine.wave_epoch;
  group = machine.wave_epoch + 1;
}

void BulkQueue::check_exit(Thread& thread) {
  if (used > read_waited)
    report("exit",
           "the thread ends while bulk stores may still read its shared memory: cp.async.bulk.wait_group is "
           "missing");
  for (BulkStore& store : pending) write_destination(*thread.block, store);
  pending.clear();
}

}  // namespace core

using core::Thread;

void bulk_load(std::uint32_t destination, const void* source, std::uint32_t bytes, std::uint32_t barrier,
               std::uint16_t cluster_mask) {
  Thread& self = SIMT_ENTER();
  if (!core::check_bulk(bytes, "bulk load") || !core::check_alignment(source, 16, "bulk load source") ||
      !core::check_global(source, bytes, "bulk load"))
    return;
  core::BulkLoad load;
  load.source = static_cast<const unsigned char*>(source);
  load.bytes = bytes;
  core::issue_load(self, load, destination, barrier, cluster_mask);
}

void bulk_store(void* destination, std::uint32_t source, std::uint32_t bytes) {
  Thread& self = SIMT_ENTER();
  if (!core::check_bulk(bytes, "bulk store") ||
      !core::check_alignment(destination, 16, "bulk store destination") ||
      !core::check_global(destination, bytes, "bulk store"))
    return;
  core::BulkStore store;
  store.destination = static_cast<unsigned char*>(destination);
  store.bytes = bytes;
  core::issue_store(self, std::move(store), source);
}

void bulk_prefetch(const void* source, std::uint32_t bytes) {
  SIMT_ENTER();
  if (core::check_bulk(bytes, "bulk prefetch")) core::check_global(source, bytes, "bulk prefetch");
}

void tensor_load(std::uint32_t destination, const TensorMap* map, const int* coordinates,
                 std::uint32_t barrier, std::uint16_t cluster_mask) {
  Thread& self = SIMT_ENTER();
  core::check_map(*map);
  core::check_box(*map, coordinates, "tensor load");
  core::BulkLoad load;
  load.map = *map;
  load.bytes = box_bytes(*map);
  std::copy_n(coordinates, map->rank, load.coordinates);
  core::issue_load(self, load, destination, barrier, cluster_mask);
}

void tensor_store(const TensorMap* map, std::uint32_t source, const int* coordinates, BulkReduce reduce) {
  Thread& self = SIMT_ENTER();
  core::check_map(*map);
  core::check_store_start(*map, coordinates);
  core::check_box(store_bounds(*map), coordinates, "tensor store");
  core::BulkStore store;
  store.map = *map;
  store.bytes = box_bytes(*map);
  store.reduce = reduce;
  std::copy_n(coordinates, map->rank, store.coordinates);
  core::issue_store(self, std::move(store), source);
}

void tensor_prefetch(const TensorMap* map) {
  SIMT_ENTER();
  core::check_map(*map);
}

void bulk_commit() {
  Thread& self = SIMT_ENTER();
  self.bulk->committed = self.bulk->group++;
}

void bulk_wait(int pending, bool read_only) {
  Thread& self = SIMT_ENTER();
  if (pending < 0)
    core::report("trap", core::text("cp.async.bulk.wait_group %d: no number of groups", pending));
  core::BulkQueue& queue = *self.bulk;
  const auto waiting = static_cast<std::uint32_t>(std::max(pending, 0));
  const std::uint32_t last = queue.committed > core::machine.wave_epoch + waiting ? queue.committed - waiting
                                                                                  : core::machine.wave_epoch;
  core::finish_stores(*self.block, queue, last, read_only);
  queue.read_waited = std::max(queue.read_waited, last);
  if (self.time.bulk_read.agent) self.time.bulk_read.done = std::max(self.time.bulk_read.done, last);
  if (!read_only && self.time.bulk_write.agent)
    self.time.bulk_write.done = std::max(self.time.bulk_write.done, last);
}

void fence_mbarrier_init() {
  Thread& self = SIMT_ENTER();
  for (const auto& barrier : self.block->mbarriers->all())
    if (barrier->initialised_by == self.index) barrier->init_fenced = true;
}

void fence_proxy_async() {
  Thread& self = SIMT_ENTER();
  if (!core::machine.detect) return;
  self.time.known.proxy = self.time.known.seen;
  self.time.proxy_epoch = self.time.epoch;
  self.time.proxy_copy = self.time.copy.done;
  core::tick(self);  // accesses after the fence are not covered by it
}

}  // namespace simt
