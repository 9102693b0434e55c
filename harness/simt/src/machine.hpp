// machine.hpp - the state of the emulated device during one launch. One launch at a time, on one OS thread:
// blocks run in waves of whole clusters, every thread of a wave is a fiber.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "clock.hpp"
#include "fiber.hpp"
#include "shadow.hpp"
#include "simt/kernel.hpp"
#include "simt/simt.hpp"

namespace simt::core {

constexpr std::uint32_t kSharedBase = 1024;        // first address of a block's shared window, as since sm_80
constexpr std::uint32_t kArenaStride = 256 << 10;  // distance of two blocks' shared memory
constexpr std::uint32_t kOffsetMask = 0x00ffffff;  // a shared address without its rank (kernel.hpp)
constexpr std::uint32_t kWarpMask = 0xffffffff;

/// xorshift64*; small, fast, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed * 0x9e3779b97f4a7c15ull | 1) {
    for (int i = 0; i < 4; ++i) next();
  }
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1dull) >> 32);
  }
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Asynchronous unit working for a thread, a warpgroup or an mbarrier. Gets a number (an agent) when first
/// used.
enum class Unit : std::uint8_t { thread, copy, bulk_read, bulk_write, wgmma, tma };
struct Agent {
  Unit unit;
  std::uint32_t owner;        // thread (bulk loads: the last to issue one), or first thread of the warpgroup
  std::uint32_t barrier = 0;  // bulk loads: shared address of the mbarrier
};

/// Progress of the asynchronous unit `agent` (0: none) that a thread knows of.
struct Progress {
  std::uint16_t agent = 0;
  std::uint32_t done = 0;
};

/// A thread's view of time. `known` is as of its last acquire; the rest is newer and its own.
struct Timeline {
  Knowledge known;
  Knowledge observed;       // from other blocks, by waits at block scope: a fence of wider scope acquires it
  std::uint32_t epoch = 0;  // of its own accesses; raised at every release
  std::uint32_t proxy_epoch = 0;  // own accesses up to this one are visible to the async proxy
  std::uint32_t proxy_copy = 0;   // same for the own cp.async
  Progress copy, bulk_read, bulk_write, wgmma;
};

enum class Wait : std::uint8_t { none, collective, barrier, cluster, grid, mbarrier, poll, wgmma };

struct Block;
struct Warp;
struct CopyQueue;
struct BulkQueue;

/// An access to shared memory that banks.cpp has yet to count.
struct NotedAccess {
  std::uint32_t address;
  std::uint16_t bytes, site;
};

/// A wait of a thread on an mbarrier that passed.
struct PassedWait {
  std::uint32_t barrier;  // shared offset
  std::uint32_t phase;    // under way when it passed: those before are complete
  const void* pc;         // null: there was none
};

/// The location that a thread loads again and again.
struct Polling {
  const void* at = nullptr;
  std::uint64_t value = 0;
  std::uint32_t times = 0;
};

struct Thread {
  Ids ids;  // simt::ids points here while the thread runs
  Fiber fiber;
  Block* block = nullptr;
  Warp* warp = nullptr;
  std::uint32_t index = 0;  // in the wave; also its agent
  std::uint32_t lane_bit = 0;
  bool done = true;
  Wait wait = Wait::none;
  std::uint32_t wait_on = 0, wait_parity = 0,
                wait_phase = 0;  // barrier id or mbarrier address; its phase when waiting began
  unsigned barrier_call = 0;     // call of __syncthreads() that it waits in, or waited in last; 0: unknown
  bool timed_out = false;
  std::uint32_t active = 0;  // lanes at the call in which this one asked last which lanes are active
  int leads = -1;            // convergence of the warp that this thread must execute
  const void* pc = nullptr;  // in the kernel, behind the primitive being executed
  std::uint32_t cluster_generation = 0;
  bool cluster_arrived = false, cluster_aligned = false;
  Timeline time;
  std::unique_ptr<CopyQueue> copies;
  std::unique_ptr<BulkQueue> bulk;
  std::vector<NotedAccess> noted;
  Polling polling;
  std::vector<PassedWait> passed;  // the last on each mbarrier
  PassedWait passed_again{};  // the last on a phase that the thread had passed before, or before the first
};

/// Lanes of one warp that converge on a warp-wide instruction.
enum class Collective : std::uint8_t {
  syncwarp,
  shuffle,
  ballot,
  match,
  reduce,
  elect,
  ldmatrix,
  stmatrix,
  mma,
  wgmma_fence,
  wgmma,
  wgmma_commit,
  wgmma_wait,
  setmaxnreg,
};
struct Convergence {
  std::uint32_t mask = 0, arrived = 0;
  Collective operation{};
  std::uint32_t immediate = 0;
  const void* arguments[32];
};

struct Warp {
  std::uint32_t index = 0;                             // in the wave
  std::uint32_t runnable = 0, exited = 0, absent = 0;  // lanes
  std::uint32_t asking = 0;                            // lanes that wait to be told which lanes are active
  int passed_over = 0;                                 // preemptions since
  std::int64_t priority = 0;
  int last_lane = -1;
  Thread* threads = nullptr;  // lane 0
  Block* block = nullptr;
  std::vector<Convergence> convergences;
  bool noted = false;  // some lane has noted accesses
};

struct NamedBarrier {
  int threads = 0, arrived = 0;
  Gathering gathering;
  std::vector<Thread*> waiting;
  unsigned call = 0;  // of __syncthreads() that the first with a known one waits in; 0: none is known
  bool calls_differ = false;
  int reduce_count = 0, reduce_result = 0;  // predicates that hold: so far, and in the last completed use
};

class Mbarriers;
class Warpgroup;

/// An access of a thread to the shared memory of another block of its cluster.
struct Visit {
  std::uint32_t epoch;  // the thread's
  const char* what;
  const void* pc;
};

struct Block {
  std::uint32_t index = 0;  // in the wave
  unsigned rank = 0;        // in the cluster
  struct Cluster* cluster = nullptr;
  unsigned char* shared = nullptr;  // the arena; dynamic shared memory starts kSharedBase bytes in
  Cell* cells = nullptr;
  Thread* threads = nullptr;
  unsigned live = 0;
  NamedBarrier barriers[16];
  std::unique_ptr<Mbarriers> mbarriers;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups;
  std::map<std::uint32_t, Visit> visits;  // the last of each thread of other blocks
  ClockBuilder ended;                     // all that its threads knew when they ended
};

struct Cluster {
  Block* blocks = nullptr;
  unsigned live = 0, arrived = 0;
  std::uint32_t generation = 0;
  Gathering gathering;
  Knowledge released;
  std::vector<Thread*> waiting;
};

/// The barrier of all threads of a grid, none of which may leave before it.
struct GridBarrier {
  std::size_t arrived = 0;
  Gathering gathering;
  std::vector<Thread*> waiting;
};

inline constexpr std::uint64_t kCyclesOfAReading = 32;

struct Machine {
  Config config;
  Limits limits;
  Statistics stats;
  std::uint64_t clock_cycles = 0;  // of readings of the clock
  Random random;
  Dim3 grid, block_dim, cluster_dim;
  unsigned threads_per_block = 0, warps_per_block = 0, blocks_per_cluster = 1, clusters = 0;
  std::uint32_t shared_bytes = 0;
  const std::function<void()>* body = nullptr;

  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Block> blocks;
  std::vector<Cluster> wave_clusters;
  GridBarrier grid_barrier;
  StackPool stacks;
  Fiber launcher;
  Thread* current = nullptr;
  unsigned live = 0;
  bool running = false, aborted = false;
  bool waits = false;         // Result::waits
  bool overflowed = false;    // Result::overflowed
  bool stay_in_warp = false;  // the order lets a warp run on while it has a runnable lane

  // Race detector.
  bool detect = false;
  bool overlaps = false;        // with whatever ran before: a dependent launch
  bool keeps_accesses = false;  // of the launch before, since this one overlaps with it
  Shadow shared_shadow, global_shadow;
  std::vector<Agent> agents;     // index = agent
  std::uint32_t wave_epoch = 0;  // epochs of this wave are above it
  std::uint32_t newest_epoch = 0;
  std::uint32_t launch_epoch =
      0;                        // epochs of this launch are above it; those below belong to the launch before
  ClockRef launch_before_done;  // what griddepcontrol.wait lets a thread see
  struct PastWave {
    std::uint32_t epoch;  // as wave_epoch
    std::uint32_t first_block;
    std::size_t threads;
    std::vector<Agent> agents;
  };
  std::vector<PastWave> past_waves;

  std::int64_t budget =
      0;  // primitives and hooked accesses until the next look at preemption, fairness and the clock
  bool preempting = false;
  const void* store = nullptr;  // plain store that the running thread is about to make
  std::size_t store_bytes = 0;
  double deadline = 0;            // of this OS thread's CPU time, in seconds
  std::uint32_t first_block = 0;  // of the wave, in the grid
};

extern Machine machine;
/// Held by a launch, and by the host's calls that change memory.
std::recursive_mutex& device_mutex();
/// Set when a module compiled with -fsanitize=thread is loaded: plain accesses are then seen.
extern bool hooks_present;
/// Set when a module with constant memory is loaded.
extern bool constants_present;

/// CPU time of this OS thread: a busy machine makes no kernel hang.
double cpu_seconds();

/// Numbers an asynchronous unit.
std::uint16_t new_agent(const Agent& agent);
inline std::uint16_t agent_of(Progress& progress, Unit unit, std::uint32_t owner) {
  if (!progress.agent) {
    progress.agent = new_agent({unit, owner});
    progress.done = machine.wave_epoch;
  }
  return progress.agent;
}

}  // namespace simt::core
