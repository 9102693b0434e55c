// deadlock.cpp - the words for a state in which nobody can go on: who waits where, and what is missing.
#include <bit>
#include <map>
#include <string>

#include "async.hpp"
#include "mbarrier.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt::core {
namespace {

constexpr int kGroupsShown = 6;

/// What a thread waits for; threads with the same words are counted together.
std::string barrier_text(const Thread& thread) {
  const NamedBarrier& barrier = thread.block->barriers[thread.wait_on];
  const int expected = barrier.threads < 0 ? static_cast<int>(thread.block->live) : barrier.threads;
  return text("at barrier %u (%d of %d threads have arrived)", thread.wait_on, barrier.arrived, expected);
}

std::string mbarrier_text(const Thread& thread) {
  const Block& block =
      thread.wait_on >> 24 ? thread.block->cluster->blocks[(thread.wait_on >> 24) - 1] : *thread.block;
  const Mbarrier* barrier = block.mbarriers->find(thread.wait_on & kOffsetMask);
  if (!barrier) return "on an mbarrier that is gone";
  std::string words =
      text("on mbarrier 0x%x parity %u: phase %u, %lld of %u arrivals missing", barrier->offset,
           thread.wait_parity & 1, barrier->phase, static_cast<long long>(barrier->pending), barrier->count);
  if (barrier->bytes > 0) words += text(", %lld bytes missing", static_cast<long long>(barrier->bytes));
  if (barrier->bytes < 0)
    words += text(", %lld bytes landed that no expect_tx announced", static_cast<long long>(-barrier->bytes));
  for (const auto& [address, seen] : thread.phases_seen)
    if (address == barrier->offset && barrier->phase >= seen + 2)
      words += text(
          "; the thread last saw phase %u complete and two or more have completed since (parity aliasing)",
          seen - 1);
  return words;
}

std::string wait_text(const Thread& thread) {
  switch (thread.wait) {
    case Wait::collective:
      return text("in %s with mask 0x%08x", collective_name(static_cast<Collective>(thread.wait_on)),
                  thread.wait_parity);
    case Wait::barrier:
      return barrier_text(thread);
    case Wait::cluster:
      return text("at the cluster barrier (%u of %u threads have arrived)", thread.block->cluster->arrived,
                  thread.block->cluster->live);
    case Wait::mbarrier:
    case Wait::poll:
      return mbarrier_text(thread);
    case Wait::wgmma:
      return "in wgmma.wait_group for the other warps of the warpgroup to issue the same wgmma";
    case Wait::none:
      break;
  }
  return "nowhere";
}

struct Group {
  const Thread* first;
  std::uint32_t lanes;
};

std::string lanes_text(std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  if (count == 32) return "";
  return count == 1 ? text(" lane %d", std::countr_zero(lanes)) : text(" lanes 0x%08x", lanes);
}

}  // namespace

std::string describe_deadlock() {
  // One entry per warp and reason, in thread order.
  std::map<std::pair<const Warp*, std::string>, Group> groups;
  std::vector<std::pair<const Warp*, std::string>> order;
  for (const Thread& thread : machine.threads) {
    if (thread.done) continue;
    const auto key = std::make_pair(static_cast<const Warp*>(thread.warp), wait_text(thread) + at(thread.pc));
    const auto [place, fresh] = groups.try_emplace(key, Group{&thread, 0});
    place->second.lanes |= thread.lane_bit;
    if (fresh) order.push_back(key);
  }
  std::string words =
      text("no thread can go on; %u of %zu threads are waiting: ", machine.live, machine.threads.size());
  int shown = 0;
  for (const auto& key : order) {
    if (shown++ == kGroupsShown) {
      words += text("; and %zu more groups", order.size() - kGroupsShown);
      break;
    }
    const Group& group = groups.at(key);
    if (shown > 1) words += "; ";
    words += "warp " + std::to_string(group.first->ids.warp) + lanes_text(group.lanes) + " of " +
             block_name(machine.first_block + group.first->block->index) + " " + key.second;
  }
  return words;
}

}  // namespace simt::core
