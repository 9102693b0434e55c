// Named barriers, mbarriers, clusters, election, register reallocation and grid dependencies.
#include "kernels.hpp"

namespace conformance {
namespace {

/// Warp 0 fills a buffer that warps 1 to 3 read, twice, over two named barriers.
__global__ void named_barriers(const Args args) {
  TW_SHARED(shared);
  constexpr int kFull = 1, kEmpty = 2, kThreads = 128;
  auto* words = reinterpret_cast<std::uint32_t*>(shared);
  for (std::uint32_t round = 0; round < 2; ++round) {
    if (threadIdx.x < 32) {
      if (round > 0) ptx::bar_sync<kEmpty, kThreads>();
      words[threadIdx.x] = args.input[round * 32 + threadIdx.x];
      ptx::bar_arrive<kFull, kThreads>();
    } else {
      ptx::bar_sync<kFull, kThreads>();
      args.output[round * 96 + threadIdx.x - 32] = words[(threadIdx.x + 5) % 32];
      if (round == 0) ptx::bar_arrive<kEmpty, kThreads>();
    }
  }
}
const Register r_named{named_barriers,
                       {.group = "barriers",
                        .name = "named_barriers",
                        .wrappers = "bar_sync bar_arrive",
                        .output_words = 192,
                        .threads = 128,
                        .shared_bytes = 128,
                        .reference = [](const Words& in, Words& out) {
                          for (std::uint32_t i = 0; i < 192; ++i)
                            out[i] = in[i / 96 * 32 + (i % 96 + 37) % 32];
                        }}};

/// Two groups of two warps; each has its barriers, picked by index.
__global__ void barriers_by_index(const Args args) {
  TW_SHARED(shared);
  auto* words = reinterpret_cast<std::uint32_t*>(shared);
  const int group = static_cast<int>(threadIdx.x) / 64;
  const std::uint32_t first = group * 64, t = threadIdx.x % 64;
  words[threadIdx.x] = args.input[threadIdx.x];
  ptx::bar_sync_of<1, 2, 64>(group);
  if (t < 32) {
    args.output[threadIdx.x] = words[first + 63 - t];
    ptx::bar_arrive_of<3, 2, 64>(group);
  } else {
    ptx::bar_sync_of<3, 2, 64>(group);
    words[first + t] = 0;
    args.output[threadIdx.x] = words[first + t];
  }
}
const Register r_by_index{barriers_by_index,
                          {.group = "barriers",
                           .name = "barriers_by_index",
                           .wrappers = "bar_sync_of bar_arrive_of",
                           .output_words = 128,
                           .threads = 128,
                           .shared_bytes = 512,
                           .reference = [](const Words& in, Words& out) {
                             for (std::uint32_t i = 0; i < 128; ++i)
                               out[i] = i % 64 < 32 ? in[i / 64 * 64 + 63 - i % 64] : 0;
                           }}};

/// One thread takes an mbarrier through three phases and notes what a wait for either parity answers.
///
/// Each answer is stored before the next arrival, which releases the store, and so is known by then. It need
/// not be otherwise: an earlier form of this kernel combined the answers at its end, and an H200 (driver
/// 580.159.04, CUDA 13.0, 2026-11-21) gave 0x7fa instead of 0x59a, two bits a look: 2 2 3 3 3 1 for
/// 2 2 1 2 1 1. The explanation is read off its machine code and fits all bits, but is not measured by
/// itself: a suspended try_wait holds up a thread only where its answer is read, so the arrivals of the next
/// step were issued behind it, and the wait for the phase under way saw that phase complete.
__global__ void mbarrier_phases(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t barrier = ptx::shared_address(shared), notes = barrier + 8;
  std::uint32_t count = 0;
  const auto look = [&] {
    std::uint32_t seen = 0;
    for (std::uint32_t parity = 0; parity < 2; ++parity)
      seen |= static_cast<std::uint32_t>(ptx::mbarrier_try_wait(barrier, parity)) << parity;
    ptx::store_shared(notes + 4 * count++, seen);
  };
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 2);
    look();  // phase 0 runs, the one before it counts as complete
    ptx::mbarrier_arrive(barrier);
    look();
    ptx::mbarrier_arrive(barrier);
    look();  // phase 0 complete
    ptx::mbarrier_arrive_count(barrier, 2);
    look();  // phase 1 complete
    ptx::mbarrier_arrive_count(barrier, 1);
    ptx::mbarrier_arrive(barrier);
    look();
    ptx::mbarrier_inval(barrier);
    ptx::mbarrier_init(barrier, 1);
    ptx::mbarrier_arrive(barrier);
    look();  // phase 0 again
    for (std::uint32_t i = 0; i < count; ++i) args.output[i] = ptx::load_shared(notes + 4 * i);
  }
}
const Register r_phases{
    mbarrier_phases,
    {.group = "barriers",
     .name = "mbarrier_phases",
     .wrappers = "mbarrier_init mbarrier_inval mbarrier_arrive mbarrier_arrive_count mbarrier_try_wait",
     .output_words = 6,
     .shared_bytes = 8 + 6 * 4,
     .reference = [](const Words&, Words& out) {
       out = {0b10, 0b10, 0b01, 0b10, 0b01, 0b01};  // bit 0: wait for parity 0, bit 1: for parity 1
     }}};

/// Warp 1 hands a buffer to warp 0 and back, four turns, over a pair of mbarriers.
__global__ void mbarrier_ring(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), full = base + 128, empty = full + 8,
                      lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(full, 32);
    ptx::mbarrier_init(empty, 32);
  }
  __syncthreads();
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    if (threadIdx.x >= 32) {
      ptx::mbarrier_wait(empty, (turn & 1) ^ 1);
      ptx::store_shared(base + 4 * lane, args.input[turn * 32 + lane]);
      ptx::mbarrier_arrive(full);
    } else {
      ptx::mbarrier_wait(full, turn & 1);
      args.output[turn * 32 + lane] = ptx::load_shared(base + 4 * (31 - lane));
      ptx::mbarrier_arrive(empty);
    }
  }
}
const Register r_ring{mbarrier_ring,
                      {.group = "barriers",
                       .name = "mbarrier_ring",
                       .wrappers = "mbarrier_wait mbarrier_arrive",
                       .output_words = 128,
                       .threads = 64,
                       .shared_bytes = 128 + 16,
                       .reference = [](const Words& in, Words& out) {
                         for (std::uint32_t i = 0; i < 128; ++i) out[i] = in[i / 32 * 32 + 31 - i % 32];
                       }}};

/// The phase waits for expected bytes as well as for arrivals; the bytes may be announced before the arrival.
__global__ void mbarrier_bytes(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), barrier = base + 256;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_expect_tx(barrier, 128);
    const bool early = ptx::mbarrier_try_wait(barrier, 0);
    ptx::mbarrier_arrive_expect_tx(barrier, 128);
    ptx::bulk_load(base, args.input, 256, barrier);
    args.output[64] = early;
  }
  __syncthreads();
  ptx::mbarrier_wait(barrier, 0);
  args.output[threadIdx.x] = ptx::load_shared(base + 4 * threadIdx.x);
  args.output[threadIdx.x + 32] = ptx::load_shared(base + 4 * threadIdx.x + 128);
}
const Register r_bytes{
    mbarrier_bytes,
    {.group = "barriers",
     .name = "mbarrier_bytes",
     .wrappers = "mbarrier_expect_tx mbarrier_arrive_expect_tx fence_mbarrier_init bulk_load",
     .output_words = 65,
     .shared_bytes = 256 + 8,
     .reference = [](const Words& in, Words& out) {
       for (int i = 0; i < 64; ++i) out[i] = in[i];
       out[64] = 0;
     }}};

/// A ring of four blocks: each writes into the next one's shared memory and reads from the one before.
__global__ void __cluster_dims__(4, 1, 1) cluster_memory(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), rank = ptx::cluster_rank(),
                      size = ptx::cluster_size();
  const std::uint32_t t = threadIdx.x, mine = base + 4 * t;
  ptx::store_shared(mine, 0u);
  ptx::cluster_sync();
  ptx::store_shared_cluster(ptx::map_shared_rank(mine, (rank + 1) % size),
                            args.input[blockIdx.x * 32 + t] + rank);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  args.output[(blockIdx.x * 32 + t) * 2] = ptx::load_shared(mine);
  args.output[(blockIdx.x * 32 + t) * 2 + 1] =
      ptx::load_shared_cluster(ptx::map_shared_rank(base + 4 * (31 - t), (rank + size - 1) % size));
  ptx::cluster_sync();  // nobody leaves while its memory is read
}
const Register r_cluster{
    cluster_memory,
    {.group = "barriers",
     .name = "cluster_memory",
     .wrappers = "cluster_rank cluster_size cluster_sync cluster_arrive cluster_wait map_shared_rank "
                 "load_shared_cluster store_shared_cluster",
     .output_words = 8 * 64,
     .blocks = 8,
     .cluster = 4,
     .shared_bytes = 128,
     .reference = [](const Words& in, Words& out) {
       const auto value = [&](std::uint32_t block, std::uint32_t t) {  // what lies in this block's memory
         const std::uint32_t from = block / 4 * 4 + (block + 3) % 4;
         return in[from * 32 + t] + from % 4;
       };
       for (std::uint32_t block = 0; block < 8; ++block)
         for (std::uint32_t t = 0; t < 32; ++t) {
           out[(block * 32 + t) * 2] = value(block, t);
           out[(block * 32 + t) * 2 + 1] = value(block / 4 * 4 + (block + 3) % 4, 31 - t);
         }
     }}};

/// Every thread of a cluster of two arrives on block 0's mbarrier, through mapa; the release form hands data
/// over.
template <bool Release>
__global__ void __cluster_dims__(2, 1, 1) remote_arrivals(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), barrier = base + 256, rank = ptx::cluster_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 64);
    ptx::fence_mbarrier_init();
  }
  ptx::cluster_sync();
  const std::uint32_t home = ptx::map_shared_rank(barrier, 0);
  if constexpr (Release) {
    const std::uint32_t slot = ptx::map_shared_rank(base + 4 * (rank * 32 + threadIdx.x), 0);
    ptx::store_shared_cluster(slot, args.input[rank * 32 + threadIdx.x]);
    ptx::mbarrier_arrive_cluster_release(home);
  } else {
    ptx::mbarrier_arrive_cluster(home);
  }
  if (rank == 0) {
    ptx::mbarrier_wait(barrier, 0);
    if constexpr (Release) ptx::fence_cluster();
    for (std::uint32_t i = threadIdx.x; i < 64; i += 32)
      args.output[i] = Release ? ptx::load_shared(base + 4 * i) : args.input[i] + 1;
  }
  ptx::cluster_sync();
}
Case remote_case(const char* name, const char* wrappers, std::uint32_t plus) {
  return {.group = "barriers",
          .name = name,
          .wrappers = wrappers,
          .output_words = 64,
          .blocks = 2,
          .cluster = 2,
          .shared_bytes = 256 + 8,
          .reference = [plus](const Words& in, Words& out) {
            for (int i = 0; i < 64; ++i) out[i] = in[i] + plus;
          }};
}
const Register r_remote{remote_arrivals<false>,
                        remote_case("mbarrier_arrive_cluster", "mbarrier_arrive_cluster", 1)};
const Register r_remote_release{
    remote_arrivals<true>,
    remote_case("mbarrier_arrive_cluster_release", "mbarrier_arrive_cluster_release fence_cluster", 0)};

/// Relaxed arrival: the blocks synchronise, no data is ordered.
__global__ void __cluster_dims__(2, 1, 1) cluster_relaxed(const Args args) {
  ptx::cluster_arrive_relaxed();
  args.output[blockIdx.x * 32 + threadIdx.x] = args.input[blockIdx.x * 32 + threadIdx.x];
  ptx::cluster_wait();
}
const Register r_relaxed{cluster_relaxed,
                         {.group = "barriers",
                          .name = "cluster_arrive_relaxed",
                          .wrappers = "cluster_arrive_relaxed cluster_wait",
                          .output_words = 64,
                          .blocks = 2,
                          .cluster = 2,
                          .reference = [](const Words& in, Words& out) {
                            for (int i = 0; i < 64; ++i) out[i] = in[i];
                          }}};

__global__ void election(const Args args) {
  const bool elected = ptx::elect_one();
  const std::uint32_t votes = __ballot_sync(ptx::kAllLanes, elected);
  args.output[threadIdx.x] = static_cast<std::uint32_t>(__popc(votes));
}
const Register r_election{election,
                          {.group = "barriers",
                           .name = "election",
                           .wrappers = "elect_one",
                           .output_words = 64,
                           .threads = 64,
                           .reference = [](const Words&, Words& out) { out.assign(64, 1); }}};

/// One warpgroup gives registers to two others; nothing to see but that it runs. 384 threads start with 168
/// each: 40 + 2 * 232 is what the three of them have.
__global__ void __launch_bounds__(384, 1) register_reallocation(const Args args) {
  if (threadIdx.x < 128)
    ptx::setmaxnreg_dec<40>();
  else
    ptx::setmaxnreg_inc<232>();
  args.output[threadIdx.x] = args.input[threadIdx.x] + 1;
}
const Register r_registers{register_reallocation,
                           {.group = "barriers",
                            .name = "register_reallocation",
                            .wrappers = "setmaxnreg_inc setmaxnreg_dec",
                            .output_words = 384,
                            .threads = 384,
                            .reference = [](const Words& in, Words& out) {
                              for (int i = 0; i < 384; ++i) out[i] = in[i] + 1;
                            }}};

__global__ void grid_dependency(const Args args) {
  ptx::griddep_launch_dependents();
  ptx::griddep_wait();
  args.output[threadIdx.x] = args.input[threadIdx.x];
}
const Register r_grid{grid_dependency,
                      {.group = "barriers",
                       .name = "grid_dependency",
                       .wrappers = "griddep_wait griddep_launch_dependents",
                       .reference = [](const Words& in, Words& out) {
                         for (int i = 0; i < 32; ++i) out[i] = in[i];
                       }}};

}  // namespace
}  // namespace conformance
