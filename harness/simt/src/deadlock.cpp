// deadlock.cpp - the words for a state in which nobody can go on: who waits where, and what is missing.
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "async.hpp"
#include "mbarrier.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt::core {
namespace {

constexpr std::size_t kLinesShown = 8;

std::string barrier_text(const Thread& thread) {
  const NamedBarrier& barrier = thread.block->barriers[thread.wait_on];
  const int expected = barrier.threads < 0 ? static_cast<int>(thread.block->live) : barrier.threads;
  const std::string name =
      thread.barrier_call ? "in __syncthreads()" : text("at barrier %u", thread.wait_on);
  return name + text(" (%d of %d threads have arrived)", barrier.arrived, expected);
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
  return words + argument_at(barrier->initialised_at);
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
    case Wait::grid:
      return text("at the barrier of the grid (%zu of %zu threads have arrived)", machine.grid_barrier.arrived,
                  machine.threads.size());
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

/// Lanes of one warp that wait for the same.
struct Group {
  const Thread* first;
  std::uint32_t lanes;
};

/// Groups of one block that say the same, warp by warp.
struct Line {
  std::uint32_t block;
  std::string lanes, words;
  std::vector<unsigned> warps;
};

std::string lanes_text(std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  if (count == 32) return "";
  return count == 1 ? text(" lane %d", std::countr_zero(lanes)) : text(" lanes 0x%08x", lanes);
}

std::vector<Line> describe_warp(const Warp& warp) {
  std::map<std::string, Group> groups;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((warp.absent | warp.exited) >> lane & 1u) continue;
    const Thread& thread = warp.threads[lane];
    groups.try_emplace(wait_text(thread) + at(thread.pc), Group{&thread, 0}).first->second.lanes |=
        thread.lane_bit;
  }
  std::vector<Line> lines;
  for (const auto& [words, group] : groups)
    lines.push_back({group.first->block->index, lanes_text(group.lanes), words, {group.first->ids.warp}});
  return lines;
}

std::vector<Line> describe_warps() {
  std::vector<Line> lines;
  for (const Warp& warp : machine.warps)
    for (Line& line : describe_warp(warp)) {
      const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& known) {
        return known.block == line.block && known.lanes == line.lanes && known.words == line.words;
      });
      if (same == lines.end())
        lines.push_back(std::move(line));
      else
        same->warps.push_back(line.warps.front());
    }
  return lines;
}

/// "warp 3", "warps 0-3", "warps 0,2,4".
std::string warps_text(const std::vector<unsigned>& warps) {
  if (warps.size() == 1) return text("warp %u", warps.front());
  if (warps.back() - warps.front() + 1 == warps.size())
    return text("warps %u-%u", warps.front(), warps.back());
  std::string words = "warps ";
  for (std::size_t i = 0; i < warps.size(); ++i) words += (i ? "," : "") + std::to_string(warps[i]);
  return words;
}

}  // namespace

std::string describe_deadlock() {
  const std::vector<Line> lines = describe_warps();
  std::string words =
      text("no thread can go on; %u of %zu threads are waiting", machine.live, machine.threads.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kLinesShown) return words + text("; and %zu more groups", lines.size() - kLinesShown);
    const Line& line = lines[i];
    words += (i ? "; " : ": ") + warps_text(line.warps) + line.lanes + " of " +
             block_name(machine.first_block + line.block) + " " + line.words;
  }
  return words;
}

}  // namespace simt::core
