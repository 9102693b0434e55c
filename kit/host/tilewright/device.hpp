// device.hpp - what can run a variant. Two kinds exist, one per worker executable: harness/cuda (an NVIDIA
// GPU) and harness/emulated (the rendered source on the CPU, under adversarial schedules and a race
// detector).
#pragma once
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/family.hpp"
#include "tilewright/json.hpp"
#include "tw/launch.hpp"

namespace tilewright {

/// There is no such device here; the text says why.
struct DeviceUnavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device refuses the variant or its launch: too many resources, a bad cluster, a bad tensor map. Verdict
/// `launch`.
struct LaunchRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The emulated device has no room for a launch that a GPU might run; the text says of what. No verdict on the variant.
struct LaunchTooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A kernel broke the device's context (illegal address, trap); nothing runs on it any more. Verdict `fault`,
/// and the worker ends after it has said so.
struct DeviceLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DeviceDescription {
  std::string device;  // "cuda" or "emulated"
  std::string name, driver, runtime, uuid;
  int sm_count = 0;
  int compute_capability = 0;  // major * 10 + minor
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  double max_sm_clock = 0;  // MHz, 0: unknown
  double bandwidth = 0;     // of device memory in theory, bytes per second, 0: unknown
};

/// Thread interleaving and completion of asynchronous operations on the emulated device (simt::Config).
/// The device `cuda` ignores it.
struct Schedule {
  std::uint64_t seed = 1;
  std::string async = "late";    // now, random, late
  std::string order = "greedy";  // in-order, random, greedy
  bool detect = true;
  double preempt = 0;
  double lag = 0;
  double seconds = 20;  // a launch that takes more CPU time is the finding `hang`
  bool again =
      false;  // a later launch of one process: finds variables in device memory as the one before left them
};

/// Steps of one run of a variant, in order.
struct Plan {
  void* clear = nullptr;  // zeroed first
  std::size_t clear_bytes = 0;
  std::vector<BoundLaunch> launches;
  std::vector<int> registers;  // of each launch's kernel, per thread, as compiled for a GPU; 0: unknown
  CallBytes call;
};

/// A defect that the device itself saw while a kernel ran.
struct DeviceFinding {
  std::string verdict;  // the gate's word for it
  std::string kind;     // the device's own word
  std::string message;
};

struct RunReport {
  std::vector<DeviceFinding> findings;                     // in the order they were seen; capped
  std::uint64_t finding_count = 0;                         // not capped
  std::vector<std::pair<std::string, double>> statistics;  // of this run; they add up over runs
  std::vector<std::pair<std::string, double>> peaks;       // of this run; over runs the largest counts
  std::function<std::string()> remark;  // on what may have made a result wrong; null: nothing is known
  std::vector<std::string> printed;  // lines that kernels print, in any order; of the emulated device alone
  bool unfinished = false;  // the program has to be run again on fresh operands, and will then run otherwise
};

/// Accesses of warps to shared memory on one source line, and the passes that its banks need for them;
/// `conflicts` of these are beyond the least that the sizes of the accesses allow.
struct SharedLine {
  std::string line;
  double accesses = 0, wavefronts = 0, conflicts = 0;
};

/// A variant's compiled code on the device.
class Module {
 public:
  virtual ~Module() = default;
  /// Lines with bank conflicts in the runs so far, most conflicts first; none where the device cannot tell.
  virtual std::vector<SharedLine> conflicting_lines() const { return {}; }
};

/// A plan whose kernels are found and whose tensor maps are encoded. Keeps its module alive.
class Program {
 public:
  virtual ~Program() = default;
  /// Runs once and waits. Throws LaunchRefused or DeviceLost.
  virtual RunReport run(const Schedule& schedule) = 0;
  /// Enqueues one run on a stream of Device::streams().
  virtual void enqueue(void* stream) = 0;
};

/// Launches recorded once and replayed many times (a CUDA graph).
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay(void* stream) = 0;
};

/// Streams, graphs and a clock: what only a real GPU has. Every wait throws DeviceLost when a kernel failed.
class Streams {
 public:
  using Work = std::function<void(void* stream)>;
  virtual ~Streams() = default;
  /// One of two streams that do not wait for each other; `index` 0 or 1.
  virtual void* stream(int index) = 0;
  virtual void synchronize() = 0;
  /// Captures what `work` enqueues. Throws Unsupported when it cannot be captured or nothing was.
  virtual std::unique_ptr<Recording> record(const Work& work) = 0;
  /// Seconds that `work` takes on stream 0 between two events, with whatever earlier work left in the L2
  /// cache.
  virtual double seconds(const Work& work) = 0;
  /// The same after the L2 cache was overwritten.
  virtual double cold_seconds(const Work& work) = 0;
  /// SM clock in MHz on average while the last `seconds` or `cold_seconds` ran, 0 where it cannot be read.
  virtual double sm_clock() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceDescription& description() const = 0;
  DeviceLimits limits() const { return {description().sm_count, description().compute_capability}; }

  /// At least 256-byte aligned; `name` appears in the device's messages. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes, const std::string& name) = 0;
  /// The same for a tensor whose first elements, `lead` bytes before the memory, no kernel may use: a pointer to them does not wrap
  /// around. A device that does not watch accesses may have memory there. Released like other memory.
  virtual void* allocate_behind(std::size_t /*lead*/, std::size_t bytes, const std::string& name) {
    return allocate(bytes, name);
  }
  virtual void release(void* memory) = 0;
  virtual void upload(void* destination, const void* source, std::size_t bytes) = 0;
  virtual void download(void* destination, const void* source, std::size_t bytes) = 0;
  /// Says that [memory, memory + bytes) holds nothing until a kernel has written it, whatever was uploaded
  /// there. A device that watches accesses reports a kernel that reads it first.
  virtual void mark_undefined(void* /*memory*/, std::size_t /*bytes*/) {}
  /// Says that other kernels use [memory, memory + bytes) too. A device that watches accesses reports a dependent
  /// launch that touches it before griddepcontrol.wait.
  virtual void mark_in_use(void* /*memory*/, std::size_t /*bytes*/) {}
  /// Bytes of poisoned memory to keep on both sides of every buffer; 0 when the device checks each access by
  /// itself.
  virtual std::size_t guard_bytes() const = 0;

  /// Loads the artifact of a variant. Throws LaunchRefused when the device cannot load it.
  virtual std::shared_ptr<Module> load(const std::string& path, const std::string& symbol) = 0;
  /// Finds the kernels `symbol + launch.entry` and encodes their tensor maps. Throws LaunchRefused.
  virtual std::unique_ptr<Program> prepare(const std::shared_ptr<Module>& module, const Plan& plan) = 0;

  /// Null on the emulated device.
  virtual Streams* streams() { return nullptr; }
};

/// Defined once per kind of device. `arch`: the architecture that the emulated device stands for, as a file of
/// src/arch has it; without it, the emulator's own capacity. A GPU knows its own. Throws DeviceUnavailable.
std::unique_ptr<Device> open_device(const Json& arch = Json::Object());

}  // namespace tilewright
