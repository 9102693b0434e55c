// shadow.cpp - the happens-before checks. An access is fine when every conflicting access before it is
// ordered: seen by the clock of whoever makes it. Accesses by the async proxy (TMA, wgmma) to what the
// generic proxy has touched need a proxy fence on the way as well (PTX ISA, "Async proxy").
#include "shadow.hpp"

#include <algorithm>

#include "mbarrier.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "variables.hpp"

namespace simt::core {
namespace {

/// The words of a cell that [offset, stop), which is within 16 bytes, covers: a bit each.
std::uint32_t words_within(std::size_t offset, std::size_t stop) {
  const std::size_t first = (offset % 16 + 3) / 4, last = ((stop - 1) % 16 + 1) / 4;
  return first < last ? (1u << last) - (1u << first) : 0;
}

/// Ordering of a stamp of this wave that the shared clock does not cover: the accessing threads' own
/// accesses, and their own asynchronous units as far as they have waited for them.
bool ordered_by_itself(const View& view, const Stamp& stamp) {
  if (stamp.agent >= view.first && stamp.agent < view.last) return true;
  if (stamp.agent < machine.threads.size()) return false;
  const Agent& agent = machine.agents[stamp.agent - machine.threads.size()];
  if (agent.unit == Unit::tma) return false;
  for (std::uint32_t t = view.first; t < view.last; ++t) {
    const Timeline& time = machine.threads[t].time;
    for (const Progress* progress : {&time.copy, &time.bulk_read, &time.bulk_write, &time.wgmma})
      if (progress->agent == stamp.agent && stamp.epoch <= progress->done) return true;
  }
  return false;
}

bool seen_from_earlier_wave(const Clock& clock, const Stamp& stamp) {
  if (stamp.epoch <= clock.floor()) return true;
  const EarlierWaves* earlier = clock.earlier();
  if (!earlier) return false;
  auto after = earlier->lower_bound(stamp.epoch);  // waves that begin at or after the stamp's epoch
  return after != earlier->begin() && stamp.epoch <= std::prev(after)->second->of(stamp.agent);
}

template <Space space>
bool is_covered(const Clock& clock, const View& view, const Stamp& stamp) {
  if (stamp.epoch == 0) return true;
  if constexpr (space == Space::global)
    if (stamp.epoch <= machine.wave_epoch) return seen_from_earlier_wave(clock, stamp);
  return stamp.epoch <= clock.of(stamp.agent) || ordered_by_itself(view, stamp);
}

template <Space space>
bool is_ordered(const View& view, const Stamp& stamp) {
  return is_covered<space>(*view.seen, view, stamp);
}

/// An ordered write: may it be read?
template <Space space>
bool is_visible(const View& view, const Stamp& stamp) {
  return view.visible == view.seen || is_covered<space>(*view.visible, view, stamp);
}

/// A generic access that is ordered: may the async proxy rely on it?
template <Space space>
bool is_fenced(const View& view, const Stamp& stamp) {
  if (stamp.epoch == 0 || is_async_proxy(site_of(stamp.site).kind)) return true;
  if constexpr (space == Space::global)
    if (stamp.epoch <= machine.wave_epoch) return seen_from_earlier_wave(*view.proxy, stamp);
  if (stamp.epoch <= view.proxy->of(stamp.agent)) return true;
  for (std::uint32_t t = view.first; t < view.last; ++t) {
    const Timeline& time = machine.threads[t].time;
    if (stamp.agent == t) return stamp.epoch <= time.proxy_epoch;
    if (time.copy.agent && stamp.agent == time.copy.agent) return stamp.epoch <= time.proxy_copy;
  }
  return false;
}

std::string place_name(const Place& place, std::size_t offset) {
  if (place.space == Space::shared) return shared_place(static_cast<std::uint32_t>(offset + kSharedBase));
  return global_place(place.base + offset);
}

std::uint64_t cell_id(const Place& place, std::size_t offset) {
  if (place.space == Space::shared)
    return shared_cell(place.block, static_cast<std::uint32_t>(offset + kSharedBase));
  return global_cell(place.base + offset);
}

bool is_write(AccessKind kind) {
  switch (without_volatile(kind)) {
    case AccessKind::store:
    case AccessKind::byte_store:
    case AccessKind::byte_store_odd:
    case AccessKind::atomic:
    case AccessKind::atomic_at_block_scope:
    case AccessKind::atomic_store:
    case AccessKind::atomic_store_at_block_scope:
    case AccessKind::copy_write:
    case AccessKind::stmatrix:
    case AccessKind::mbarrier_init:
    case AccessKind::tma_write:
    case AccessKind::tma_store_write:
    case AccessKind::tma_reduce:
      return true;
    default:
      return false;
  }
}

/// A wait that passed too early may be why `stamp`'s agent, of this wave, came when it did.
void explain_agent(const Stamp& stamp) {
  if (stamp.epoch <= machine.wave_epoch) return;
  std::uint32_t thread = stamp.agent;
  if (thread >= machine.threads.size()) thread = machine.agents[thread - machine.threads.size()].owner;
  explain_old_phase(machine.threads[thread]);
}

/// An atomic of a thread that reads and writes.
bool is_update(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::atomic_at_block_scope;
}

bool is_at_block_scope(AccessKind kind) {
  return kind == AccessKind::atomic_at_block_scope || kind == AccessKind::atomic_load_at_block_scope ||
         kind == AccessKind::atomic_store_at_block_scope;
}

bool is_atomic(AccessKind kind) {
  return is_update(kind) || kind == AccessKind::tma_reduce || kind == AccessKind::atomic_load ||
         kind == AccessKind::atomic_load_at_block_scope || kind == AccessKind::atomic_store ||
         kind == AccessKind::atomic_store_at_block_scope;
}

/// An access that does not race with another of its kind whose scope has its thread (PTX ISA, "Morally strong operations").
bool is_strong(AccessKind kind) { return is_atomic(kind) || is_volatile(kind); }

/// An atomic that reads what it replaces: the write of that comes before all that the atomic comes before (PTX ISA, "Causality Order").
bool observes(AccessKind kind) { return is_update(kind) || kind == AccessKind::tma_reduce; }

std::string side(const Stamp& stamp) {
  const Site& site = site_of(stamp.site);
  return std::string(access_name(site.kind)) + " by " + agent_name(stamp.agent, stamp.epoch) + at(site.pc);
}

/// 0 and 1 for accesses to the first and second of two bytes, 2 for others.
int byte_of(AccessKind all) {
  const AccessKind kind = without_volatile(all);
  if (kind == AccessKind::byte_load || kind == AccessKind::byte_store) return 0;
  return kind == AccessKind::byte_load_odd || kind == AccessKind::byte_store_odd ? 1 : 2;
}

/// Two bytes share a part of a cell: accesses to different ones do not conflict.
bool are_neighbours(AccessKind before, AccessKind now) { return (byte_of(before) ^ byte_of(now)) == 1; }

/// The thread for which an agent of this wave works.
std::uint32_t owner_of(const Stamp& stamp) {
  const std::size_t threads = machine.threads.size();
  return stamp.agent < threads ? stamp.agent : machine.agents[stamp.agent - threads].owner;
}

/// One instruction of one warp, as far as can be told: the programming guide lets one of its lanes write.
bool is_one_store(const Stamp& before, const Access& now) {
  if (before.site != now.stamp.site || before.epoch <= machine.wave_epoch) return false;
  const std::uint32_t first = owner_of(before), second = owner_of(now.stamp);
  const std::uint32_t per_block = machine.threads_per_block;
  return first / per_block == second / per_block && first % per_block / 32 == second % per_block / 32;
}

void report_pair(const char* problem, const Place& place, std::size_t offset, const Stamp& before,
                 const Access& now) {
  if (are_neighbours(site_of(before.site).kind, now.kind)) return;
  const bool one_store = is_one_store(before, now);
  const std::uint64_t key = std::uint64_t{before.site} << 32 | std::uint64_t{now.stamp.site} << 9 |
                            std::uint64_t{one_store} << 8 | static_cast<unsigned char>(problem[0]);
  const std::string message =
      place_name(place, offset) + ": " + side(now.stamp) + " and earlier " + side(before) + ": " + problem;
  const bool is_first = report_once("race", key, message);
  const AccessKind earlier = site_of(before.site).kind;
  if (now.kind == AccessKind::load && is_update(earlier))
    note_seed_load(key, cell_id(place, offset), owner_of(now.stamp) + 1);
  if (is_update(now.kind) && earlier == AccessKind::load)
    note_seed_load(key, cell_id(place, offset), before.epoch > machine.wave_epoch ? owner_of(before) + 1 : 0);
  note_racing_store(key, is_store(now.kind) ? machine.store : nullptr, machine.store_bytes, one_store);
  if (!is_first) return;
  if (is_write(now.kind) && !is_write(earlier)) note_late_write(before.site);
  explain_agent(before);
  explain_agent(now.stamp);
}

void report_unordered(const Place& place, std::size_t offset, const Stamp& before, const Access& now) {
  const bool was_write = is_write(site_of(before.site).kind);
  const bool same_thread = place.space == Space::global && before.epoch > machine.wave_epoch &&
                           owner_of(before) == owner_of(now.stamp);
  const char* problem =
      is_strong(site_of(before.site).kind) && is_strong(now.kind)
          ? "an atomic at block scope is atomic for threads of its own block only, and nothing orders the two"
      : same_thread && was_write && is_write(now.kind)
          ? "one thread writes the same place twice, and nothing orders its asynchronous copies: "
            "is the same work listed twice?"
      : !was_write         ? "write after read, not ordered by a barrier or mbarrier"
      : is_write(now.kind) ? "write after write, not ordered by a barrier or mbarrier"
                           : "read after write, not ordered by a barrier or mbarrier";
  report_pair(problem, place, offset, before, now);
}

void report_unfenced(const Place& place, std::size_t offset, const Stamp& before, const Access& now) {
  const AccessKind kind = site_of(before.site).kind;
  const char* problem =
      kind == AccessKind::mbarrier_init ? "mbarrier.init is not made visible to the async proxy: "
                                          "fence.mbarrier_init (or fence.proxy.async) is missing"
      : is_write(kind)
          ? "generic write, then async-proxy access: fence.proxy.async is missing between them"
          : "generic read, then overwritten by the async proxy: fence.proxy.async is missing between them";
  report_pair(problem, place, offset, before, now);
}

/// Two atomics or volatile accesses of which each one's scope has the other's thread: they do not race.
bool are_strong_together(const Stamp& before, const Access& now) {
  const AccessKind earlier = site_of(before.site).kind;
  if (!is_strong(earlier) || !is_strong(now.kind)) return false;
  if (!is_at_block_scope(earlier) && !is_at_block_scope(now.kind)) return true;
  const bool same_wave = before.epoch > machine.wave_epoch;
  return same_wave &&
         owner_of(before) / machine.threads_per_block == owner_of(now.stamp) / machine.threads_per_block;
}

/// Remembers the first volatile accesses that nothing orders: no race, but either may come first.
void remember_relaxed(const Place& place, std::size_t offset, const Stamp& before, const Access& now) {
  if (relaxed_noted || !(is_volatile(now.kind) || is_volatile(site_of(before.site).kind))) return;
  if (are_neighbours(site_of(before.site).kind, now.kind)) return;
  note_relaxed(place_name(place, offset) + ": " + side(now.stamp) + " and earlier " + side(before));
}

/// True when remembering the reader `before` adds nothing once `now` is remembered.
template <Space space>
bool is_superseded(const Stamp& before, const Access& now) {
  return Quick{*now.view.seen, now.stamp, machine.wave_epoch}.is_after<space>(before);
}

template <Space space>
void read_cell(Cell& cell, const Place& place, std::size_t offset, const Access& now) {
  if (cell.reads[0] == now.stamp) return;
  if (cell.write.epoch == 0) {
    if (space == Space::shared && hooks_present &&
        report_once("uninitialised", now.stamp.site,
                    place_name(place, offset) + ": " + side(now.stamp) +
                        " of shared memory that nothing has written")) {
      note_unwritten_read(now.stamp.site);
      explain_agent(now.stamp);
    }
  } else if (space == Space::global && cell.write.agent == kUnwrittenAgent) {
    if (report_once(
            "uninitialised", now.stamp.site,
            place_name(place, offset) + ": " + side(now.stamp) + " of memory that nothing has written"))
      note_unwritten_read(now.stamp.site);
  } else if (!is_ordered<space>(now.view, cell.write)) {
    if (are_strong_together(cell.write, now))
      remember_relaxed(place, offset, cell.write, now);
    else
      report_unordered(place, offset, cell.write, now);
  } else if (!is_visible<space>(now.view, cell.write)) {
    report_pair(
        "read after write of another block, ordered only by an mbarrier at block scope, which does not hand "
        "over what "
        "was written: arrive by mbarrier_arrive_cluster_release, and call fence_cluster after the wait",
        place, offset, cell.write, now);
  } else if (is_async_proxy(now.kind) && !is_fenced<space>(now.view, cell.write)) {
    report_unfenced(place, offset, cell.write, now);
  }
  // Keep this reader first; drop a reader that is ordered before this one, else the oldest.
  std::size_t slot = 0;
  while (slot < 2 && !is_superseded<space>(cell.reads[slot], now)) ++slot;
  cell.reads[slot] = cell.reads[0];
  cell.reads[0] = now.stamp;
}

template <Space space>
void write_cell(Cell& cell, const Place& place, std::size_t offset, const Access& now) {
  if (cell.write == now.stamp && !cell.reads[0].epoch && now.stamp.agent == now.view.first) return;
  const bool async = is_async_proxy(now.kind);
  if (space == Space::global && cell.write.agent == kUnwrittenAgent && is_atomic(now.kind))
    report_once("uninitialised", now.stamp.site,
                place_name(place, offset) + ": " + side(now.stamp) + " to memory that nothing has written");
  for (const Stamp* before : {&cell.write, &cell.reads[0], &cell.reads[1], &cell.reads[2]}) {
    if (!before->epoch || before->agent >= kUnwrittenAgent) continue;
    if (are_strong_together(*before, now)) {
      if (!is_ordered<space>(now.view, *before)) remember_relaxed(place, offset, *before, now);
      continue;
    }
    if (are_neighbours(site_of(before->site).kind, now.kind)) continue;
    if (!is_ordered<space>(now.view, *before)) {
      report_unordered(place, offset, *before, now);
      break;
    }
    // Barriers alone order reads before a bulk copy in CUTLASS and in the programming guide: kernels of others may do so.
    if (async && !has_own_variables() && !is_fenced<space>(now.view, *before)) {
      report_unfenced(place, offset, *before, now);
      break;
    }
  }
  cell.write = now.stamp;
  cell.reads[0] = cell.reads[1] = cell.reads[2] = Stamp{};
}

/// Reports when `now` is not ordered behind one of those before the last write. Unless `now` writes, writes alone count.
template <Space space>
void check_relaxed(const Relaxed& before, const Place& place, std::size_t offset, const Access& now) {
  for (const Stamp& stamp : before.stamps) {
    if (!stamp.epoch) return;
    const bool conflict = is_write(now.kind) || is_write(site_of(stamp.site).kind);
    if (!conflict || are_strong_together(stamp, now) || is_ordered<space>(now.view, stamp)) continue;
    report_unordered(place, offset, stamp, now);
    return;
  }
}

/// Keeps what `now`, an atomic or a volatile store, does not come after and the cell forgets with it. True if there is anything.
template <Space space>
bool keep_relaxed(Relaxed& before, const Cell& cell, const Access& now) {
  Relaxed kept;
  Stamp* to = kept.stamps;
  const auto keep = [&](const Stamp& stamp) {
    if (to == std::end(kept.stamps) || !stamp.epoch || stamp.agent >= kUnwrittenAgent) return;
    if (is_strong(site_of(stamp.site).kind) && !is_ordered<space>(now.view, stamp)) *to++ = stamp;
  };
  if (!observes(now.kind)) keep(cell.write);
  for (const Stamp& stamp : cell.reads) keep(stamp);
  for (const Stamp& stamp : before.stamps) keep(stamp);
  before = kept;
  return to != kept.stamps;
}

}  // namespace

const char* access_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
    case AccessKind::byte_load:
    case AccessKind::byte_load_odd:
      return "load";
    case AccessKind::store:
    case AccessKind::byte_store:
    case AccessKind::byte_store_odd:
      return "store";
    case AccessKind::volatile_load:
    case AccessKind::volatile_byte_load:
    case AccessKind::volatile_byte_load_odd:
      return "volatile load";
    case AccessKind::volatile_store:
    case AccessKind::volatile_byte_store:
    case AccessKind::volatile_byte_store_odd:
      return "volatile store";
    case AccessKind::atomic:
    case AccessKind::atomic_at_block_scope:
      return "atomic";
    case AccessKind::atomic_load:
    case AccessKind::atomic_load_at_block_scope:
      return "atomic load";
    case AccessKind::atomic_store:
    case AccessKind::atomic_store_at_block_scope:
      return "atomic store";
    case AccessKind::copy_read:
    case AccessKind::copy_write:
      return "cp.async";
    case AccessKind::ldmatrix:
      return "ldmatrix";
    case AccessKind::stmatrix:
      return "stmatrix";
    case AccessKind::mbarrier_init:
      return "mbarrier.init";
    case AccessKind::mbarrier_use:
      return "mbarrier operation";
    case AccessKind::tma_read:
    case AccessKind::tma_write:
      return "bulk load";
    case AccessKind::tma_store_read:
    case AccessKind::tma_store_write:
      return "bulk store";
    case AccessKind::tma_reduce:
      return "bulk reduce-add";
    case AccessKind::wgmma_read:
      return "wgmma";
  }
  return "access";
}

Shadow::Split& Shadow::split(Cell& cell) {
  if (is_split(cell)) return split_[cell.reads[0].epoch];
  std::uint32_t number;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(split_.size());
    split_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  std::fill_n(split_[number].first, 4, cell);
  split_[number].halved = split_[number].relaxed = 0;
  cell = {{1, kSplitAgent, 0}, {{number, 0, 0}, {}, {}}};
  return split_[number];
}

void Shadow::merge(Cell& cell) {
  free_.push_back(cell.reads[0].epoch);
  cell = {};
}

template <class Visit>
void Shadow::for_each_part(Split& split, std::size_t offset, std::size_t stop, Visit&& visit) {
  while (offset < stop) {
    const std::size_t word = offset % 16 / 4, end = std::min(stop, (offset / 4 + 1) * 4);
    const std::uint32_t bit = 1u << word;
    if (end - offset == 4 && !(split.halved & bit)) {
      visit(split.first[word], offset);
      offset = end;
      continue;
    }
    if (!(split.halved & bit)) split.second[word] = split.first[word];
    split.halved |= bit;
    split.relaxed &= ~bit;
    for (; offset < end; offset = (offset / 2 + 1) * 2)
      visit(offset & 2 ? split.second[word] : split.first[word], offset);
  }
}

template <class Assign>
void Shadow::assign_parts(Split& split, std::size_t offset, std::size_t stop, const Assign& assign) {
  for_each_part(split, offset, stop, [&](Cell& part, std::size_t) { assign(part); });
  split.relaxed &= ~words_within(offset, stop);
}

template <Space space>
void Shadow::read_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                        const Access& access) {
  const auto visit = [&](Cell& cell, std::size_t at) { read_cell<space>(cell, place, at, access); };
  for (const std::size_t end = offset + bytes; offset < end;) {
    Cell& cell = cells[offset / 16];
    const std::size_t stop = std::min(end, (offset / 16 + 1) * 16);
    if (stop - offset == 16 && !is_split(cell)) {
      visit(cell, offset);
    } else {
      Split& parts = split(cell);
      for_each_part(parts, offset, stop, [&](Cell& part, std::size_t at) {
        visit(part, at);
        if (parts.relaxed >> at % 16 / 4 & 1)
          check_relaxed<space>(relaxed_[key_of(parts, at)], place, at, access);
      });
    }
    offset = stop;
  }
}

template <Space space>
void Shadow::replace_relaxed(Split& split, const Cell& part, const Place& place, std::size_t offset,
                             const Access& access) {
  const std::uint32_t bit = 1u << offset % 16 / 4, key = key_of(split, offset);
  Relaxed before;
  if (split.relaxed & bit) {
    before = relaxed_[key];
    check_relaxed<space>(before, place, offset, access);
  }
  split.relaxed &= ~bit;
  if (split.halved & bit || !is_strong(access.kind) || !keep_relaxed<space>(before, part, access)) return;
  split.relaxed |= bit;
  relaxed_[key] = before;
}

template <Space space>
void Shadow::write_range(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                         const Access& access) {
  const auto visit = [&](Cell& cell, std::size_t at) { write_cell<space>(cell, place, at, access); };
  const bool strong = is_strong(access.kind);
  for (const std::size_t end = offset + bytes; offset < end;) {
    Cell& cell = cells[offset / 16];
    const std::size_t stop = std::min(end, (offset / 16 + 1) * 16);
    const bool whole = stop - offset == 16;
    if (whole && !is_split(cell)) {
      visit(cell, offset);
    } else {
      Split& parts = split(cell);
      for_each_part(parts, offset, stop, [&](Cell& part, std::size_t at) {
        if (parts.relaxed || strong) replace_relaxed<space>(parts, part, place, at, access);
        visit(part, at);
      });
      parts.halved &= ~words_within(offset, stop);
      if (whole) {
        merge(cell);
        cell.write = access.stamp;
      }
    }
    offset = stop;
  }
}

void Shadow::read(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                  const Access& access) {
  if (place.space == Space::shared)
    read_range<Space::shared>(cells, place, offset, bytes, access);
  else
    read_range<Space::global>(cells, place, offset, bytes, access);
}

void Shadow::write(Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                   const Access& access) {
  if (place.space == Space::shared)
    write_range<Space::shared>(cells, place, offset, bytes, access);
  else
    write_range<Space::global>(cells, place, offset, bytes, access);
}

Stamp Shadow::last_write(const Cell* cells, std::size_t offset) const {
  const Cell& cell = cells[offset / 16];
  if (!is_split(cell)) return cell.write;
  const Split& parts = split_[cell.reads[0].epoch];
  const std::size_t word = offset % 16 / 4;
  return (offset & 2 && parts.halved >> word & 1 ? parts.second : parts.first)[word].write;
}

void Shadow::check(const Cell* cells, const Place& place, std::size_t offset, const Access& access) const {
  const Stamp write = last_write(cells, offset);
  if (!is_ordered<Space::shared>(access.view, write))
    report_unordered(place, offset, write, access);
  else if (is_async_proxy(access.kind) && !is_fenced<Space::shared>(access.view, write))
    report_unfenced(place, offset, write, access);
}

void Shadow::check_read_only(const Cell* cells, const Place& place, std::size_t offset, std::size_t bytes,
                             const Access& access) const {
  for (const std::size_t end = offset + bytes; offset < end; offset = (offset / 2 + 1) * 2) {
    const Stamp write = last_write(cells, offset);
    if (write.epoch <= machine.launch_epoch || write.agent == kUnwrittenAgent) continue;
    return report_pair(
        "the read-only cache, which __ldg reads through, need not have what the same launch writes", place,
        offset, write, access);
  }
}

void Shadow::mark_unwritten(Cell* cells, std::size_t offset, std::size_t bytes) {
  const Stamp unwritten{1, kUnwrittenAgent, 0};
  for (const std::size_t end = offset + bytes; offset < end;) {
    Cell& cell = cells[offset / 16];
    const std::size_t stop = std::min(end, (offset / 16 + 1) * 16);
    if (stop - offset == 16)
      cell = {unwritten, {}};
    else
      assign_parts(split(cell), offset, stop, [&](Cell& part) { part = {unwritten, {}}; });
    offset = stop;
  }
}

void Shadow::mark_used_before(Cell* cells, std::size_t offset, std::size_t bytes) {
  const Stamp use{machine.launch_epoch, 0, site_number(nullptr, AccessKind::store)};
  const auto mark = [&](Cell& cell) {
    const bool unwritten = cell.write.epoch && cell.write.agent == kUnwrittenAgent;
    cell = {unwritten ? cell.write : use, {unwritten ? use : Stamp{}}};
  };
  for (const std::size_t end = offset + bytes; offset < end;) {
    Cell& cell = cells[offset / 16];
    const std::size_t stop = std::min(end, (offset / 16 + 1) * 16);
    if (stop - offset == 16 && !is_split(cell))
      mark(cell);
    else
      assign_parts(split(cell), offset, stop, mark);
    offset = stop;
  }
}

bool Shadow::unwritten(const Cell* cells, std::size_t offset, std::size_t bytes) const {
  for (const std::size_t end = offset + bytes; offset < end; offset = (offset / 2 + 1) * 2) {
    const Stamp write = last_write(cells, offset);
    if (write.epoch && write.agent == kUnwrittenAgent) return true;
  }
  return false;
}

}  // namespace simt::core
