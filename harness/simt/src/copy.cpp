// copy.cpp - cp.async (PTX ISA 9.7.9.25.3): per-thread asynchronous copies of 4, 8 or 16 bytes, in groups.
#include "copy.hpp"

#include <algorithm>
#include <cstring>

#include "async.hpp"
#include "mbarrier.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"

namespace simt {
namespace core {
namespace {

void move_bytes(unsigned char* destination, const Copy& copy) {
  if (copy.source_bytes) std::memcpy(destination, copy.source, copy.source_bytes);
  std::memset(destination + copy.source_bytes, 0, copy.bytes - copy.source_bytes);
}

void note_copy(Thread& self, const Copy& copy) {
  if (copy.source_bytes)
    note_global_read(copy.source, copy.source_bytes, access_by(self, AccessKind::copy_read, self.pc));
  Access write = access_by(self, AccessKind::copy_write, self.pc);
  write.stamp.agent = agent_of(self.time.copy, Unit::copy, self.index);
  write.stamp.epoch = copy.segment;
  note_shared_write(*self.block, copy.destination, copy.bytes, write);
}

void finish_through(Thread& self, std::uint32_t last) {
  self.copies->land_through(*self.block, last);
  self.copies->finished = std::max(self.copies->finished, last);
  if (self.time.copy.agent) self.time.copy.done = std::max(self.time.copy.done, last);
}

}  // namespace

void CopyQueue::reset() {
  pending.clear();
  groups.clear();
  segment = machine.wave_epoch + 1;
  used = finished = machine.wave_epoch;
}

void CopyQueue::land_through(Block& block, std::uint32_t last) {
  std::size_t landed = 0;
  while (landed < pending.size() && pending[landed].segment <= last) {
    const Copy& copy = pending[landed++];
    move_bytes(block.shared + (copy.destination & kOffsetMask), copy);
  }
  pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(landed));
}

void CopyQueue::check_exit(const Thread& thread) const {
  if (used > finished) {
    report("exit", "the thread ends without waiting for its last cp.async");
    return;
  }
  // Handed to an mbarrier: the thread knows of their end where it has synchronised with a thread that waited there.
  const auto [agent, done] = thread.time.copy;
  if (agent && used > std::max(done, thread.time.known.seen->of(agent)))
    report(
        "exit",
        "the thread ends while its last cp.async may be under way: an mbarrier is told of their end, but the "
        "thread waits neither there nor by cp.async.wait_all");
}

void land(const CopyArrival& arrival) {
  Thread& thread = machine.threads[arrival.thread];
  Block& block = machine.blocks[arrival.block];
  thread.copies->land_through(*thread.block, arrival.segment);
  Mbarrier* barrier = block.mbarriers->find(arrival.barrier);
  if (!barrier) return;
  if (machine.detect && thread.time.copy.agent)
    raise_progress(*barrier, thread.time.copy.agent, arrival.segment);
  count_arrivals(block, *barrier, 1);
}

}  // namespace core

using core::Thread;

void cp_async(std::uint32_t destination, const void* source, int bytes, int source_bytes) {
  Thread& self = SIMT_ENTER();
  ++core::machine.stats.cp_async;
  const auto size = static_cast<std::uint32_t>(bytes);
  if (source_bytes < 0 || source_bytes > bytes) {
    core::report("trap", core::text("cp.async of %d bytes with a source size of %d", bytes, source_bytes));
    return;
  }
  core::check_shared_alignment(destination, size, "cp.async destination");
  unsigned char* target = core::own_shared_memory(*self.block, destination, size, "cp.async");
  core::Copy copy{destination, self.copies->segment, static_cast<const unsigned char*>(source),
                  static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(source_bytes)};
  // The size of the copy, not of what is read, asks for the alignment.
  core::check_alignment(source, size, "cp.async source");
  if (source_bytes && !core::check_global(source, static_cast<std::size_t>(source_bytes), "cp.async read"))
    copy.source_bytes = 0;
  if (!target) return;
  self.copies->used = copy.segment;
  core::machine.stats.cp_async_bytes += size;
  core::machine.stats.global_bytes_read += copy.source_bytes;
  core::note_banks(self, core::site_number(self.pc, core::AccessKind::copy_write), destination, size);
  if (core::machine.detect) core::note_copy(self, copy);
  if (core::happens_now()) {
    core::move_bytes(target, copy);
    return;
  }
  if (core::machine.config.poison) std::memset(target, 0xff, size);
  self.copies->pending.push_back(copy);
}

void cp_async_commit() {
  Thread& self = SIMT_ENTER();
  self.copies->groups.push_back(self.copies->segment++);
}

void cp_async_wait_group(int pending) {
  Thread& self = SIMT_ENTER();
  if (pending < 0) core::report("trap", core::text("cp.async.wait_group %d: no number of groups", pending));
  std::deque<std::uint32_t>& groups = self.copies->groups;
  while (groups.size() > static_cast<std::size_t>(std::max(pending, 0))) {
    core::finish_through(self, groups.front());
    groups.pop_front();
  }
}

void cp_async_wait_all() {
  Thread& self = SIMT_ENTER();
  self.copies->groups.clear();
  core::finish_through(self, self.copies->segment++);
}

void cp_async_mbarrier_arrive(std::uint32_t address, bool noinc) {
  Thread& self = SIMT_ENTER();
  core::Mbarrier* barrier = core::use_mbarrier(self, address, "cp.async.mbarrier.arrive");
  if (!barrier) return;
  if (!noinc) ++barrier->pending;
  // The arrival is made by the copies, not by the thread: it releases them and nothing else.
  self.copies->finished = self.copies->segment;
  const core::CopyArrival arrival{self.index, self.copies->segment++, barrier->offset,
                                  core::block_of(address).index};
  if (core::happens_now())
    core::land(arrival);
  else
    core::post(arrival);
}

}  // namespace simt
