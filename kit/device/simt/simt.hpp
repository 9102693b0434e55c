// simt.hpp - the emulated SIMT device as its host sees it: memory, launch, what it reports.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "simt/types.hpp"

namespace simt {

/// Completion time of asynchronous operations (cp.async, bulk and tensor copies, wgmma).
enum class Async : std::uint8_t { now, random, late };
/// Choice of the runnable thread that goes next. `greedy`: random warp priorities, a warp runs until it blocks (PCT).
enum class Order : std::uint8_t { in_order, random, greedy };

/// A GPU's thread has up to 512 KB of local memory.
inline constexpr std::size_t kMostStackBytes = 1 << 20;

struct Config {
  std::uint64_t seed = 1;
  Async async = Async::late;
  Order order = Order::greedy;
  bool poison = true;      // NaN into shared memory at start and into destinations of asynchronous operations at issue
  bool detect = false;     // happens-before race detector, uninitialised reads, proxy fences
  bool count_banks = true;  // Statistics::shared_accesses and what follows it, Result::shared_sites
  double preempt = 0.0;    // chance of a switch at each wrapper call and each hooked access
  double lag = 0.0;  // chance that a phase of an mbarrier leaves one of its waiting threads behind until no other can go on
  std::size_t stack_bytes = 64 << 10;  // at most kMostStackBytes
  const char* free_subscripts = nullptr;  // ` file:line:column ` of each `]` whose index may leave its array
  const char* kept_variables = nullptr;   // names, each between blanks, of variables that stay as the last launch left them
  int max_findings = 12;
  unsigned resident_clusters = 1;  // clusters that run interleaved; more than 1 for kernels whose blocks wait for each other
  bool stop_at_waiting = false;  // end a launch whose blocks seem to wait for others that are not resident: Result::waits
  bool dependent = false;  // programmatic dependent launch: the launch before may still run until griddepcontrol.wait
  int registers = 0;       // per thread as compiled, which setmaxnreg starts from; 0: unknown
  double seconds = 0;      // limit of this thread's CPU time, 0: none; exceeding it is the finding `hang`
};

/// Limits of a launch. As made here: the emulator's own capacity.
struct Limits {
  unsigned threads_per_block = 1024;
  unsigned shared_bytes_per_block = 255 << 10;
  unsigned blocks_per_cluster = 16;
  unsigned registers_per_sm = 0xffffffff;  // what setmaxnreg shares out
};

/// Sets the limits of all launches from now on: those of the GPU that the device stands for.
void set_limits(const Limits& limits);
const Limits& limits();

/// A defect of the kernel. `kind` is one of: deadlock, hang, race, same-value-race (stores that change nothing),
/// divergent-barrier (threads of a block in several calls of __syncthreads()), early-exit (threads that end before one), divergence
/// (lanes of a warp apart in what they must execute together), uninitialised, shared-out-of-bounds,
/// global-out-of-bounds, constant (a store to constant memory), misaligned, barrier, mbarrier, phase, tensor-map, wgmma, setmaxnreg, exit, trap,
/// resources (more static shared memory than a block may have).
struct Finding {
  std::string kind;
  std::string message;  // one line; names both accesses, threads, blocks and source lines where there are any
};

/// Counted during one launch.
struct Statistics {
  std::uint64_t switches = 0, collectives = 0, hooked_accesses = 0;
  std::uint64_t mma = 0, wgmma = 0, ldmatrix = 0, cp_async = 0, bulk_copies = 0;
  // Totals of the bytes below.
  std::uint64_t shared_bytes_read = 0, shared_bytes_written = 0;
  std::uint64_t global_bytes_read = 0, global_bytes_written = 0;
  // Bytes moved, by level and by what moves them. Threads' own include ld.shared and st.shared, not atomics.
  std::uint64_t global_load_bytes = 0, global_store_bytes = 0;  // global <-> registers, by threads
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;  // shared <-> registers, by threads
  std::uint64_t ldmatrix_bytes = 0, stmatrix_bytes = 0;         // shared <-> registers, by warps
  std::uint64_t cp_async_bytes = 0;                             // global -> shared
  std::uint64_t bulk_load_bytes = 0;   // global -> shared, bulk and tensor copies, per block that receives them
  std::uint64_t bulk_store_bytes = 0;  // shared -> global
  std::uint64_t wgmma_bytes = 0;       // shared -> tensor cores
  // Shared memory as its banks serve it, per warp: plain accesses, ld/st.shared, cp.async, ldmatrix, stmatrix.
  std::uint64_t shared_accesses = 0;            // by warps
  std::uint64_t shared_wavefronts = 0;          // passes that they take
  std::uint64_t shared_bank_conflicts = 0;      // passes beyond the least that their sizes allow
  std::uint64_t shared_accesses_uncounted = 0;  // of warps that do not converge for thousands of accesses
  std::uint64_t shared_bytes_used = 0;          // highest dynamic shared-memory address touched, plus one
};

/// The accesses of shared memory made at one place in the kernel; see Statistics.
struct SharedSite {
  const void* pc = nullptr;
  std::uint64_t accesses = 0, wavefronts = 0, conflicts = 0;
};

struct Result {
  std::vector<Finding> findings;
  std::uint64_t finding_count = 0;  // findings are capped, this is not
  Statistics statistics;
  std::vector<SharedSite> shared_sites;  // most conflicts first
  /// The first two volatile accesses that nothing orders; empty: there are none. They are relaxed and do not race, but either may
  /// come first. Places of the code stand in it as they do for with_source_lines().
  std::string relaxed;
  std::vector<std::string> printed;  // lines, each of one thread, in the order in which they ended; capped
  bool waits = false;  // ended unfinished: resident_clusters must be greater
  bool overflowed = false;  // a thread's stack did: stack_bytes must be greater, or the kernel recurses without end
  bool ok() const { return finding_count == 0 && !waits; }
};

/// Config::resident_clusters asks for more blocks at once than there is shared memory for.
struct TooManyBlocks : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Runs `body` once per thread. `cluster`: blocks of a cluster, neighbours along x. Same config, same run. Throws TooManyBlocks
/// before any thread runs.
Result launch(const Config& config, Dim3 grid, Dim3 block, std::size_t shared_bytes, Dim3 cluster,
              const std::function<void()>& body);

/// The source line of each place, "kernel.cu:57", while its module is loaded. Starts a process: not for every
/// launch.
std::vector<std::string> source_lines(const std::vector<const void*>& places);

/// Result::relaxed with the source lines of its places, as source_lines() says them.
std::string with_source_lines(const std::string& message);

/// Device memory. The end of the buffer touches a guard page and so does its start (rounded to 256 bytes);
/// accesses by kernels are checked against the allocation. `name` appears in findings.
void* allocate(std::size_t bytes, const char* name = "");
void release(void* memory);
/// Declares [memory, memory + bytes) to hold nothing: until a kernel has written it, reading it is
/// `uninitialised` (needs Config::detect). The host's own writes are not seen: call it after filling the
/// buffer.
void mark_undefined(void* memory, std::size_t bytes);
/// Declares that other kernels use [memory, memory + bytes) too. Whatever ran before a dependent launch may still
/// be reading and writing it: an access before griddepcontrol.wait is a `race`, even when no launch came before.
void mark_in_use(void* memory, std::size_t bytes);

/// Returns an empty string, or why the driver would refuse the map.
std::string check_tensor_map(const TensorMap& map);

/// Entry point of an emulated kernel: what TW_KERNEL exports as `<symbol>_emulated`; args as in
/// cudaLaunchKernel.
using Entry = void (*)(void** args);

}  // namespace simt
