// warp.cpp - shuffles, votes, reductions, elect: what the lanes of a warp tell each other.
#include <algorithm>
#include <bit>
#include <cstring>

#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"

namespace simt {
namespace core {
namespace {

template <class Argument>
Argument& argument_of(const Convergence& convergence, int lane) {
  return *static_cast<Argument*>(const_cast<void*>(convergence.arguments[lane]));
}

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit&& visit) {
  for (; lanes; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

struct ShuffleArgument {
  std::uint32_t value, result;
  int lane_argument;
};

/// PTX ISA 9.7.9.6, shfl.sync: the source lane, or the own lane where the source is outside the segment.
int source_lane(int lane, Shuffle mode, int argument, int width) {
  const int first = lane & ~(width - 1), last = first + width - 1;
  switch (mode) {
    case Shuffle::idx:
      return first + (argument & (width - 1));
    case Shuffle::up:
      return lane - argument >= first ? lane - argument : lane;
    case Shuffle::down:
      return lane + argument <= last ? lane + argument : lane;
    case Shuffle::bfly:
      return (lane ^ argument) <= last ? lane ^ argument : lane;
  }
  return lane;
}

void execute_shuffle(const Warp& warp, Convergence& convergence, Shuffle mode, int width) {
  for_each_lane(convergence.arrived, [&](int lane) {
    auto& mine = argument_of<ShuffleArgument>(convergence, lane);
    const int from = source_lane(lane, mode, mine.lane_argument, width);
    if (!(convergence.arrived >> from & 1u)) {
      report_once("divergence", reinterpret_cast<std::uintptr_t>(warp.threads[lane].pc),
                  text("shuffle: lane %d reads from lane %d, which does not take part (mask 0x%08x)", lane,
                       from, convergence.mask) +
                      " [" + thread_name(warp.threads[lane]) + at(warp.threads[lane].pc) + "]");
      mine.result = 0xffffffffu;
      return;
    }
    mine.result = argument_of<ShuffleArgument>(convergence, from).value;
  });
}

struct ValueArgument {
  std::uint64_t value;
  std::uint32_t result;
};

std::uint32_t combine(std::uint32_t a, std::uint32_t b, Reduce operation, bool is_signed) {
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  switch (operation) {
    case Reduce::add:
      return a + b;
    case Reduce::min:
      return less ? a : b;
    case Reduce::max:
      return less ? b : a;
    case Reduce::and_:
      return a & b;
    case Reduce::or_:
      return a | b;
    case Reduce::xor_:
      return a ^ b;
  }
  return a;
}

/// The converged lanes have seen each other's accesses.
void synchronise_lanes(const Warp& warp, std::uint32_t lanes) {
  if (!machine.detect) return;
  Gathering gathering;
  for_each_lane(lanes, [&](int lane) { contribute(warp.threads[lane], gathering); });
  const Knowledge all = gathering.freeze();
  for_each_lane(lanes, [&](int lane) {
    acquire(warp.threads[lane], all);
    tick(warp.threads[lane]);
  });
}

}  // namespace

const char* collective_name(Collective operation) {
  static constexpr const char* kNames[] = {
      "__syncwarp",       "shuffle",   "ballot",   "match",       "reduce",          "elect",
      "ldmatrix",         "stmatrix",  "mma.sync", "wgmma.fence", "wgmma.mma_async", "wgmma.commit_group",
      "wgmma.wait_group", "setmaxnreg"};
  return kNames[static_cast<int>(operation)];
}

}  // namespace core

using core::Collective;
using core::Convergence;

void sync_warp(std::uint32_t mask) {
  core::Thread& self = SIMT_ENTER();
  core::converge(self, Collective::syncwarp, 0, mask, nullptr,
                 [&](Convergence& convergence) { core::synchronise_lanes(*self.warp, convergence.arrived); });
}

std::uint32_t shuffle(std::uint32_t mask, std::uint32_t value, Shuffle mode, int lane_argument, int width) {
  core::Thread& self = SIMT_ENTER();
  if (width < 1 || width > 32 || (width & (width - 1)))
    core::fail("divergence", core::text("shuffle of width %d; allowed are 1, 2, 4, 8, 16, 32", width));
  core::ShuffleArgument argument{value, value, lane_argument};
  const auto immediate = static_cast<std::uint32_t>(width) << 2 | static_cast<std::uint32_t>(mode);
  core::converge(self, Collective::shuffle, immediate, mask, &argument, [&](Convergence& convergence) {
    core::execute_shuffle(*self.warp, convergence, mode, width);
  });
  return argument.result;
}

std::uint32_t ballot(std::uint32_t mask, bool predicate) {
  core::Thread& self = SIMT_ENTER();
  core::ValueArgument argument{predicate, 0};
  core::converge(self, Collective::ballot, 0, mask, &argument, [](Convergence& convergence) {
    std::uint32_t votes = 0;
    core::for_each_lane(convergence.arrived, [&](int lane) {
      if (core::argument_of<core::ValueArgument>(convergence, lane).value) votes |= 1u << lane;
    });
    core::for_each_lane(convergence.arrived, [&](int lane) {
      core::argument_of<core::ValueArgument>(convergence, lane).result = votes;
    });
  });
  return argument.result;
}

std::uint32_t match_any(std::uint32_t mask, std::uint64_t value) {
  core::Thread& self = SIMT_ENTER();
  core::ValueArgument argument{value, 0};
  core::converge(self, Collective::match, 0, mask, &argument, [](Convergence& convergence) {
    core::for_each_lane(convergence.arrived, [&](int lane) {
      auto& mine = core::argument_of<core::ValueArgument>(convergence, lane);
      core::for_each_lane(convergence.arrived, [&](int other) {
        if (core::argument_of<core::ValueArgument>(convergence, other).value == mine.value)
          mine.result |= 1u << other;
      });
    });
  });
  return argument.result;
}

std::uint32_t reduce(std::uint32_t mask, std::uint32_t value, Reduce operation, bool is_signed) {
  core::Thread& self = SIMT_ENTER();
  core::ValueArgument argument{value, value};
  const auto immediate = static_cast<std::uint32_t>(operation) << 1 | static_cast<std::uint32_t>(is_signed);
  core::converge(self, Collective::reduce, immediate, mask, &argument, [&](Convergence& convergence) {
    const int first = std::countr_zero(convergence.arrived);
    auto total = static_cast<std::uint32_t>(core::argument_of<core::ValueArgument>(convergence, first).value);
    core::for_each_lane(convergence.arrived & (convergence.arrived - 1), [&](int lane) {
      total = core::combine(
          total, static_cast<std::uint32_t>(core::argument_of<core::ValueArgument>(convergence, lane).value),
          operation, is_signed);
    });
    core::for_each_lane(convergence.arrived, [&](int lane) {
      core::argument_of<core::ValueArgument>(convergence, lane).result = total;
    });
  });
  return argument.result;
}

bool elect_one(std::uint32_t mask) {
  core::Thread& self = SIMT_ENTER();
  core::ValueArgument argument{0, 0};
  core::converge(self, Collective::elect, 0, mask, &argument, [](Convergence& convergence) {
    core::argument_of<core::ValueArgument>(convergence, std::countr_zero(convergence.arrived)).result = 1;
  });
  return argument.result != 0;
}

std::uint32_t active_mask() { return core::active_lanes(SIMT_ENTER()); }

}  // namespace simt
