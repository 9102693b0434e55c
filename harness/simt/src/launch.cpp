// launch.cpp - a launch: waves of clusters, the life of a thread, what must be in order when it ends.
#include <algorithm>
#include <ctime>
#include <exception>
#include <stdexcept>

#include "async.hpp"
#include "atomics.hpp"
#include "banks.hpp"
#include "bulk.hpp"
#include "copy.hpp"
#include "faults.hpp"
#include "mbarrier.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"
#include "variables.hpp"
#include "wgmma.hpp"

namespace simt {

Ids* ids = nullptr;

namespace core {

Machine machine;
bool hooks_present = false;
bool constants_present = false;

std::recursive_mutex& device_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint16_t new_agent(const Agent& agent) {
  machine.agents.push_back(agent);
  const std::size_t number = machine.threads.size() + machine.agents.size() - 1;
  if (number >= 0xff00)
    fail("trap",
         "more threads and asynchronous units in one wave than the race detector can number; use a smaller "
         "wave");
  return static_cast<std::uint16_t>(number);
}

Coordinates block_coordinates(std::uint32_t number) {
  const Dim3 &grid = machine.grid, &cluster = machine.cluster_dim;
  const unsigned size = machine.blocks_per_cluster, rank = number % size;
  unsigned which = number / size;
  const unsigned across = grid.x / cluster.x, down = grid.y / cluster.y;
  const Dim3 corner{which % across, which / across % down, which / across / down};
  return {{corner.x * cluster.x + rank % cluster.x, corner.y * cluster.y + rank / cluster.x % cluster.y,
           corner.z * cluster.z + rank / cluster.x / cluster.y},
          rank};
}

namespace {

void thread_main() {
  try {
    try {
      (*machine.body)();
    } catch (const std::exception& error) {
      fail("trap", std::string("the kernel threw a C++ exception: ") + error.what());
    }
    leave_thread();
  } catch (const Abandoned&) {
  }
  abandon_launch();
}

void set_up_thread(Thread& thread, std::uint32_t index) {
  const unsigned in_block = index % machine.threads_per_block;
  const Dim3& dim = machine.block_dim;
  Block& block = machine.blocks[index / machine.threads_per_block];
  thread.ids.thread = {in_block % dim.x, in_block / dim.x % dim.y, in_block / dim.x / dim.y};
  thread.ids.lane = in_block % 32;
  thread.ids.warp = in_block / 32;
  thread.index = index;
  thread.lane_bit = 1u << thread.ids.lane;
  thread.block = &block;
  thread.warp = &machine.warps[block.index * machine.warps_per_block + thread.ids.warp];
  if (!thread.copies) thread.copies = std::make_unique<CopyQueue>();
  if (!thread.bulk) thread.bulk = std::make_unique<BulkQueue>();
}

/// Threads, warps and blocks of a full wave; the same objects serve every wave of the launch.
void build_wave(unsigned clusters) {
  const unsigned blocks = clusters * machine.blocks_per_cluster;
  machine.threads = std::vector<Thread>(std::size_t{blocks} * machine.threads_per_block);
  machine.warps = std::vector<Warp>(std::size_t{blocks} * machine.warps_per_block);
  machine.blocks = std::vector<Block>(blocks);
  machine.wave_clusters = std::vector<Cluster>(clusters);
  machine.stacks.reserve(machine.threads.size(), machine.config.stack_bytes);
  place_arenas();
  for (unsigned b = 0; b < blocks; ++b) {
    Block& block = machine.blocks[b];
    block.index = b;
    block.rank = b % machine.blocks_per_cluster;
    block.cluster = &machine.wave_clusters[b / machine.blocks_per_cluster];
    block.threads = &machine.threads[std::size_t{b} * machine.threads_per_block];
    block.mbarriers = std::make_unique<Mbarriers>();
    for (unsigned w = 0; w < machine.warps_per_block; ++w) {
      Warp& warp = machine.warps[b * machine.warps_per_block + w];
      const unsigned lanes = std::min(32u, machine.threads_per_block - w * 32);
      warp.index = b * machine.warps_per_block + w;
      warp.absent = lanes == 32 ? 0 : kWarpMask << lanes;
      warp.threads = block.threads + w * 32;
      warp.block = &block;
      warp.convergences.reserve(4);
    }
    block.warpgroups.resize((machine.warps_per_block + 3) / 4);
    for (auto& group : block.warpgroups) group = std::make_unique<Warpgroup>();
  }
  for (unsigned c = 0; c < clusters; ++c)
    machine.wave_clusters[c].blocks = &machine.blocks[std::size_t{c} * machine.blocks_per_cluster];
  for (std::uint32_t t = 0; t < machine.threads.size(); ++t) set_up_thread(machine.threads[t], t);
}

void reset_thread(Thread& thread, const Dim3& block, unsigned rank) {
  thread.ids.block = block;
  thread.ids.block_dim = machine.block_dim;
  thread.ids.grid_dim = machine.grid;
  thread.ids.cluster_rank = rank;
  thread.ids.cluster_size = machine.blocks_per_cluster;
  thread.ids.cluster_dim = machine.cluster_dim;
  thread.done = false;
  thread.wait = Wait::none;
  thread.timed_out = false;
  thread.leads = -1;
  thread.pc = nullptr;
  thread.cluster_generation = 0;
  thread.cluster_arrived = false;
  thread.time = {};
  thread.time.epoch = machine.wave_epoch + 1;
  thread.copies->reset();
  thread.bulk->reset();
  thread.noted.clear();
  thread.passed.clear();
  thread.passed_again = {};
  thread.polling = {};
  thread.fiber.prepare(machine.stacks.stack(thread.index), machine.stacks.stack_bytes(thread.index),
                       thread_main);
}

void reset_block(Block& block) {
  const Coordinates place = block_coordinates(machine.first_block + block.index);
  block.live = machine.threads_per_block;
  for (NamedBarrier& barrier : block.barriers) barrier = {};
  block.mbarriers->reset();
  for (auto& group : block.warpgroups) group->reset();
  block.visits.clear();
  block.ended.clear();
  poison_shared(block);
  for (unsigned w = 0; w < machine.warps_per_block; ++w) {
    Warp& warp = machine.warps[block.index * machine.warps_per_block + w];
    warp.runnable = warp.exited = warp.asking = 0;
    warp.noted = false;
    warp.convergences.assign(1, {});
  }
  for (unsigned t = 0; t < machine.threads_per_block; ++t)
    reset_thread(block.threads[t], place.block, place.rank);
}

void start_wave(unsigned first_cluster) {
  machine.first_block = first_cluster * machine.blocks_per_cluster;
  machine.agents.clear();
  machine.wave_epoch = machine.newest_epoch;
  for (Cluster& cluster : machine.wave_clusters) {
    Block* blocks = cluster.blocks;
    cluster = {};
    cluster.blocks = blocks;
    cluster.live = machine.threads_per_block * machine.blocks_per_cluster;
  }
  settle_racing_store();  // the last wave's, before its shared memory is poisoned
  machine.grid_barrier = {};
  for (Block& block : machine.blocks) reset_block(block);
  machine.live = static_cast<unsigned>(machine.threads.size());
  if (machine.detect) machine.shared_shadow.reset();
  clear_async();
  forget_fences();
  start_scheduler();
}

void end_wave() {
  if (!machine.detect) return;
  std::uint32_t newest = machine.newest_epoch;
  for (const Thread& thread : machine.threads) {
    const Timeline& time = thread.time;
    newest = std::max({newest, time.epoch, time.bulk_read.done, time.bulk_write.done, time.wgmma.done,
                       thread.copies->segment, thread.bulk->group});
  }
  for (const Block& block : machine.blocks) {
    newest = std::max(newest, block.mbarriers->newest_epoch());
    for (const auto& group : block.warpgroups) newest = std::max(newest, group->newest_epoch());
  }
  machine.past_waves.push_back(
      {machine.wave_epoch, machine.first_block, machine.threads.size(), std::move(machine.agents)});
  machine.agents.clear();
  machine.newest_epoch = newest + 1;
}

void check_shape(Dim3 grid, Dim3 block, std::size_t shared_bytes, Dim3 cluster) {
  const auto product = [](Dim3 d) { return std::uint64_t{d.x} * d.y * d.z; };
  if (product(grid) == 0 || product(block) == 0 || product(cluster) == 0)
    throw std::invalid_argument("launch: a dimension of grid, block or cluster is 0");
  const Limits& most = machine.limits;
  if (product(block) > most.threads_per_block)
    throw std::invalid_argument(core::text("launch: %llu threads in a block; at most %u",
                                           static_cast<unsigned long long>(product(block)),
                                           most.threads_per_block));
  if (shared_bytes > most.shared_bytes_per_block)
    throw std::invalid_argument(core::text("launch: %zu bytes of shared memory; at most %u", shared_bytes,
                                           most.shared_bytes_per_block));
  if (product(cluster) > most.blocks_per_cluster)
    throw std::invalid_argument(core::text("launch: %llu blocks in a cluster; at most %u",
                                           static_cast<unsigned long long>(product(cluster)),
                                           most.blocks_per_cluster));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    throw std::invalid_argument("launch: the grid is not a multiple of the cluster");
}

void check_resident(unsigned clusters, Dim3 grid, Dim3 cluster) {
  const auto product = [](Dim3 d) { return std::uint64_t{d.x} * d.y * d.z; };
  const std::uint64_t blocks = std::min(clusters * product(cluster), product(grid));
  if (blocks > kMaxBlocks)
    throw TooManyBlocks(
        core::text("more than %u thread blocks wait for each other: the launch has %llu, and the "
                   "emulated device runs at most %u at once; use smaller sizes",
                   kMaxBlocks, static_cast<unsigned long long>(product(grid)), kMaxBlocks));
}

/// The accesses of the launch before stay known when this one may overlap with it; otherwise all is ordered
/// before. Epoch 1 of an overlapping launch stands for kernels that nobody has watched.
void remember_launch_before(const Config& config) {
  machine.overlaps = config.dependent && config.detect;
  machine.keeps_accesses = machine.overlaps && machine.detect && !machine.aborted && machine.newest_epoch > 0;
  machine.past_waves.clear();
  if (!machine.keeps_accesses) machine.newest_epoch = machine.overlaps ? 1 : 0;
  machine.wave_epoch = machine.launch_epoch = machine.newest_epoch;
  ClockBuilder done;
  done.raise_floor(machine.launch_epoch);
  machine.launch_before_done = done.freeze();
}

void configure(const Config& config, Dim3 grid, Dim3 block, std::size_t shared_bytes, Dim3 cluster) {
  machine.config = config;
  machine.stats = {};
  machine.clock_cycles = 0;
  machine.random = Random(config.seed);
  machine.grid = grid;
  machine.block_dim = block;
  machine.cluster_dim = cluster;
  machine.threads_per_block = block.x * block.y * block.z;
  machine.warps_per_block = (machine.threads_per_block + 31) / 32;
  machine.blocks_per_cluster = cluster.x * cluster.y * cluster.z;
  machine.clusters = grid.x * grid.y * grid.z / machine.blocks_per_cluster;
  machine.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  remember_launch_before(config);
  machine.detect = config.detect;
  machine.aborted = machine.waits = machine.overflowed = false;
  machine.deadline = cpu_seconds() + config.seconds;
}

/// First clusters of the waves. One cluster at a time may be any: nothing promises blocks of a grid an order. The first
/// cluster comes behind the last one: in-order schedules have the other way round, and two blocks that take a lock in
/// turn are then seen in both orders.
std::vector<unsigned> wave_order(unsigned clusters_at_once) {
  std::vector<unsigned> order;
  for (unsigned first = 0; first < machine.clusters; first += clusters_at_once) order.push_back(first);
  if (clusters_at_once > 1 || machine.config.order == Order::in_order) return order;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[machine.random.below(static_cast<std::uint32_t>(i))]);
  const auto first = std::find(order.begin(), order.end(), 0u);
  const auto last = std::find(order.begin(), order.end(), machine.clusters - 1);
  if (first < last) std::iter_swap(first, last);
  return order;
}

void run_waves(unsigned clusters_at_once) {
  build_wave(clusters_at_once);
  prepare_global_memory();
  for (const unsigned first : wave_order(clusters_at_once)) {
    if (machine.aborted) break;
    if (machine.clusters - first < clusters_at_once)
      build_wave(machine.clusters - first);  // the last wave is smaller
    start_wave(first);
    run_wave();
    if (!machine.aborted) end_wave();
  }
}

}  // namespace

void thread_left(Thread& self) {
  self.copies->check_exit(self);
  self.bulk->check_exit(self);
  Block& block = *self.block;
  check_visits(self);
  barrier_lost_thread(block);
  cluster_lost_thread(*block.cluster);
  complete_convergences(*self.warp);
  settle_banks(*self.warp, 0);
  if (block.live == 0) {
    block.mbarriers->check_exit(block);
    for (auto& group : block.warpgroups) group->check_exit(block);
  }
}

}  // namespace core

namespace {

/// Totals of what moved at each level; reading with zero fill makes cp.async write more than it reads.
Statistics with_totals(Statistics s) {
  s.global_bytes_read += s.global_load_bytes + s.bulk_load_bytes;
  s.global_bytes_written += s.global_store_bytes + s.bulk_store_bytes;
  s.shared_bytes_read += s.shared_load_bytes + s.ldmatrix_bytes + s.bulk_store_bytes + s.wgmma_bytes;
  s.shared_bytes_written += s.shared_store_bytes + s.stmatrix_bytes + s.cp_async_bytes + s.bulk_load_bytes;
  return s;
}

}  // namespace

void set_limits(const Limits& limits) {
  const Limits most;
  if (limits.threads_per_block > most.threads_per_block ||
      limits.shared_bytes_per_block > most.shared_bytes_per_block ||
      limits.blocks_per_cluster > most.blocks_per_cluster)
    throw std::invalid_argument("set_limits: more than the emulator can hold");
  core::machine.limits = limits;
}

const Limits& limits() { return core::machine.limits; }

Result launch(const Config& config, Dim3 grid, Dim3 block, std::size_t shared_bytes, Dim3 cluster,
              const std::function<void()>& body) {
  using namespace core;
  const std::lock_guard lock(device_mutex());
  check_shape(grid, block, shared_bytes, cluster);
  check_resident(config.resident_clusters, grid, cluster);
  configure(config, grid, block, shared_bytes, cluster);
  machine.body = &body;
  machine.launcher = {};  // another OS thread, with another stack, may have been the last
  start_reports();
  start_printing();
  start_banks();
  start_variables();
  install_fault_handlers();
  machine.running = true;
  run_waves(std::clamp(config.resident_clusters, 1u, machine.clusters));
  machine.running = false;
  machine.current = nullptr;
  settle_memory();
  forget_joins();
  forget_atomics();
  Result result;
  finish_reports(result);
  finish_printing(result);
  result.waits = machine.waits;
  result.overflowed = machine.overflowed;
  result.shared_sites = finish_banks();
  result.statistics = with_totals(machine.stats);
  return result;
}

}  // namespace simt
