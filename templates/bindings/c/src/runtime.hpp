// runtime.hpp - what the C functions of an operation (its api.cpp) are built on: the variants that the
// library carries, the policy that ranks them for a problem, and the device that runs them. The policy and
// the variants are data, written by the generator into the operation's selection.cpp; the device is cuda/device.cpp or
// emulated/device.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/tilewright.h"
#include "tw/launch.hpp"
#include "tw/operation.hpp"

namespace tilewright::library {

/// A failure that a C function answers with `status`, and tw_last_error() with the text.
class Error : public std::runtime_error {
 public:
  Error(tw_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  tw_status status() const { return status_; }

 private:
  tw_status status_;
};

/// A number by whose ratio dispatch compares a call with tuned workloads.
struct Feature {
  const char* name;
  double number;
};

/// Writes the parts of a variant's time on the call, seconds at nominal rates, and returns their number.
using CostParts = std::function<std::size_t(const Parameters& parameters, double* parts)>;
inline constexpr std::size_t kMostParts = 16;

/// A caller's requirements on a kernel.
struct Asked {
  const ChoiceName* names;       // of the operation's semantic choices
  std::vector<int> values;       // of each choice
  std::vector<Feature> features;  // sizes first
  CostParts cost_parts;           // empty where the family has no cost model
};

/// A size of which a variant serves one value alone.
struct FixedSize {
  const char* size;
  std::int64_t value;
};

/// GPUs that run an image: machine code of an `a` target those of its compute capability, other machine code those of later minors
/// too, PTX those of every later capability, for which the driver compiles it.
enum class Reach { this_chip, later_minors, later };

/// Compiled device code of one variant.
struct Image {
  const char* file;        // of the library's sources; names it among the embedded images
  int compute_capability;  // 10 * major + minor
  Reach reach;
};

/// A kernel that the library carries.
struct Variant {
  const char* id;
  const char* symbol;
  const Parameter* first_parameter;
  std::size_t parameter_count;
  const Image* images;  // machine code before PTX
  std::size_t image_count;
  const unsigned* served;  // of each semantic choice: bit i for value i
  const FixedSize* fixed;
  std::size_t fixed_count;
  bool fallback;  // for calls that faster ones refuse
  bool deterministic;  // the same bits in every run
  std::int64_t shared_bytes;  // dynamic shared memory of a block
  const char* hash;    // SHA-256 of its source, hex
  const double* weights;  // of the parts of its time; those that are missing are 1
  std::size_t weight_count;
  Parameters parameters() const { return {first_parameter, parameter_count}; }
};

/// The family's guess for a variant on a workload that it serves, higher is better.
struct Merit {
  std::size_t variant;  // into Selection::variants
  double merit;
};

/// A workload that was tuned (or, in an untimed library, ranked), and the variant to run near it.
struct Choice {
  const char* workload;
  const Feature* first_feature;
  std::size_t feature_count;
  std::size_t variant;  // into Selection::variants
  bool timed;            // by its time; else by the family's guess
  const int* values;     // of each semantic choice; null where the generator did not say
  const Merit* first_merit;
  std::size_t merit_count;
  bool alone;  // a fallback that alone serves the workload: no reason to choose it for calls that others serve
  std::span<const Feature> features() const { return {first_feature, feature_count}; }
  std::span<const Merit> merits() const { return {first_merit, merit_count}; }
};


/// A workload, or calls of one key, on which several variants were timed.
struct Timing {
  const char* workload;
  const Feature* first_feature;
  std::size_t feature_count;
  std::size_t fastest;   // into Selection::variants
  const double* speeds;  // of each variant, relative to the fastest one that was timed; 0 for those that were not
  std::span<const Feature> features() const { return {first_feature, feature_count}; }
};
namespace device {
/// The launches of a variant with their kernels loaded. Immutable: any number of threads may enqueue it at
/// once.
class Program {
 public:
  virtual ~Program() = default;
  /// Fills a new workspace, where that takes more than copying its contents. Throws Error.
  virtual void prepare(void* /*workspace*/, tw_stream) const {}
  /// Enqueues the launches for one call of the family. Throws Error.
  virtual void enqueue(const void* call, tw_stream stream) const = 0;
};
void clear(void* destination, std::size_t bytes, tw_stream stream);
}  // namespace device

/// A call of another library's function, bound to a problem.
struct VendorCall {
  std::unique_ptr<const device::Program> program;
  std::size_t workspace_bytes = 0;
};

/// A function of another library that computes an operation.
struct Vendor {
  Variant variant;  // what records and reports call it; no image, no parameter
  /// `shape`, `call`: the operation's. `load`: loads the library where the process has not. Throws Unsupported where the
  /// library is absent or does not take the call.
  VendorCall (*bind)(const void* shape, const void* call, bool load);
};

/// Everything the generator chose for one operation, and who else computes it.
struct Selection {
  const Variant* variants;
  std::size_t variant_count;
  const Choice* choices;
  std::size_t choice_count;
  const Timing* first_timing;
  std::size_t timing_count;
  std::span<const Vendor> vendors;
  bool has_costs;  // weights fitted to times
  std::span<const Timing> timings() const { return {first_timing, timing_count}; }
};

/// Reason that the operation's signature alone excludes a variant: an operation value or a size that it does not
/// serve. Empty if it serves them.
std::string refusal(const Variant& variant, const Asked& asked);

/// Every variant of an operation once, in the order in which they should serve a problem. With a cost model: those of timed workloads
/// within half an octave, unless the model expects much more of them than of others, then those that serve it by its seconds. Without:
/// those of the nearest workloads, of equally near ones the policy's before those that were the fastest in other timings. Then the rest
/// in the library's order, fallbacks last.
std::vector<const Variant*> rank(const Selection& all, const Asked& asked);

/// Distance of a timed workload that is as good as the call's own: half an octave in all features together.
inline constexpr double kSame = 0.34657359027997264;

/// Distance of a workload from a problem: sum over features of |ln(a/b)|, 0 for a feature that only one side has.
double distance(const std::vector<Feature>& problem, std::span<const Feature> workload);

/// The same for a workload of the policy, of which the operation values are known: each that differs is as far as twice the size.
double distance(const Asked& asked, const Choice& choice);

/// Throws Error(TW_STATUS_INVALID_ARGUMENT).
[[noreturn, gnu::cold]] void refuse(const char* text);

/// Throws Error(TW_STATUS_INVALID_ARGUMENT) with what `text()` returns unless `holds`.
template <class Text>
void require(bool holds, const Text& text) {
  if (!holds) [[unlikely]]
    throw Error(TW_STATUS_INVALID_ARGUMENT, text());
}
inline void require(bool holds, const char* text) {
  if (!holds) [[unlikely]]
    refuse(text);
}

/// Bytes; what cudaMalloc gives at least, and what headers ask for.
inline constexpr std::size_t kWorkspaceAlignment = 256;

/// Throws Error(TW_STATUS_INVALID_ARGUMENT) unless the address is a multiple of `bytes`, a power of two.
inline void require_aligned(const void* pointer, std::size_t bytes, const char* name) {
  require((reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)) == 0,
          [=] { return std::string(name) + " must be aligned to " + std::to_string(bytes) + " bytes"; });
}

/// A variant bound to a problem, in two cache lines.
struct alignas(kLine) Candidate {
  const Variant* variant;
  Workspace workspace;
  Requirements requirements;
  std::unique_ptr<const device::Program> program;

  /// Throws for a workspace that is missing, too small or off its alignment.
  void check(const void* memory, std::size_t bytes) const {
    if (workspace.bytes == 0) return;
    const bool aligned = (reinterpret_cast<std::uintptr_t>(memory) & (kWorkspaceAlignment - 1)) == 0;
    if (!memory || !aligned || bytes < workspace.bytes) [[unlikely]]
      refuse(memory, bytes);
  }

 private:
  [[gnu::cold]] void refuse(const void* memory, std::size_t bytes) const;
};

/// A family's `bind` for the problem.
using Bind = std::function<Bound(const Parameters&, const DeviceLimits&)>;

/// Reason, as text, to pass over a candidate; null to take it.
using Takes = std::function<const char*(const Candidate&)>;

/// A problem with the variants that serve it, on one device. Immutable: any number of threads may run it at
/// once.
class Plan {
 public:
  /// Takes the first variant of `order` that serves the asked operation values, that runs on the current device and that
  /// `bind` does not throw Unsupported for, and behind it the fallbacks that need no workspace, or all such variants where
  /// there are no fallbacks: they serve calls that the first refuses. With `takes` the first must be accepted by it, too, and
  /// is all there is. Nobody else is asked, since binding may take long. Throws Error(TW_STATUS_NOT_SUPPORTED) with the
  /// first refusal's reason when there is none.
  Plan(const std::vector<const Variant*>& order, const Asked& asked, const Bind& bind, const Takes& takes = {});

  /// A call of another library.
  Plan(const Variant& vendor, VendorCall call);

  /// The variant that serves every call that it does not refuse.
  const Variant& variant() const { return *candidates_.front().variant; }
  const Workspace& workspace() const { return candidates_.front().workspace; }
  /// The variant above, and behind it those that serve calls that it refuses: an order for a plan with the same kernels.
  std::vector<const Variant*> variants() const;
  std::size_t workspace_bytes() const { return workspace().bytes; }
  /// Copies the initial contents of the workspace, if there is one. Throws when the workspace is too small or off its
  /// alignment.
  void prepare(void* workspace, std::size_t workspace_bytes, tw_stream stream) const;
  /// Throws what `run` would throw before it enqueues anything.
  void check(const void* call, const void* workspace, std::size_t workspace_bytes) const {
    candidate_for(call, workspace, workspace_bytes);
  }
  /// Clears what is to be cleared of the workspace and enqueues the launches of the first variant whose
  /// requirements hold for `call`. Throws Error; else it uses no heap, no lock and no text.
  void run(const void* call, void* workspace, std::size_t workspace_bytes, tw_stream stream) const;

 private:
  const Candidate& candidate_for(const void* call, const void* workspace, std::size_t workspace_bytes) const;
  [[noreturn, gnu::cold]] void refuse(const void* call) const;
  void add(const Variant& variant, const Asked& asked, const DeviceLimits& limits, const Bind& bind, const Takes& takes);
  std::vector<Candidate> candidates_;  // the chosen variant first
};

// Functions on the way of a run are inline: it finds the instruction cache full of the driver's code, so that its own is short and in
// one piece. Functions that throw are cold, apart from it.

inline const Candidate& Plan::candidate_for(const void* call, const void* workspace, std::size_t workspace_bytes) const {
  candidates_.front().check(workspace, workspace_bytes);
  for (const Candidate& candidate : candidates_)
    if (!candidate.requirements.unmet(call)) return candidate;
  refuse(call);
}

inline void Plan::run(const void* call, void* workspace, std::size_t workspace_bytes, tw_stream stream) const {
  const Candidate& candidate = candidate_for(call, workspace, workspace_bytes);
  const Workspace& own = candidate.workspace;
  if (own.clear_bytes > 0)
    device::clear(static_cast<std::byte*>(workspace) + own.clear_offset, own.clear_bytes, stream);
  candidate.program->enqueue(call, stream);
}

/// Remembers `text` for the calling thread's tw_last_error() and returns `status`.
tw_status fail(tw_status status, const char* text) noexcept;

/// Runs the body of a C function; an exception becomes a status and a text. Nothing is thrown into C.
template <class Body>
tw_status guarded(Body&& body) noexcept {
  try {
    body();
    return TW_STATUS_SUCCESS;
  } catch (const Error& error) {
    return fail(error.status(), error.what());
  } catch (const Unsupported& error) {
    return fail(TW_STATUS_NOT_SUPPORTED, error.what());
  } catch (const std::bad_alloc&) {
    return fail(TW_STATUS_OUT_OF_MEMORY, "host memory ran out");
  } catch (const std::exception& error) {
    return fail(TW_STATUS_INTERNAL, error.what());
  } catch (...) {
    return fail(TW_STATUS_INTERNAL, "unknown exception");
  }
}

/// Calls `act` with each number below `count`; the text of an error begins with the number of its call.
template <class Act>
void for_each_call(std::size_t count, const Act& act) {
  for (std::size_t i = 0; i < count; ++i) try {
      act(i);
    } catch (const Error& error) {
      throw Error(error.status(), "call " + std::to_string(i) + ": " + error.what());
    }
}

/// Rule for the address of an operand, whichever kernel runs: all that is left of a problem's sizes for calls that come later.
struct AddressRule {
  std::uint32_t from;       // of the call
  std::uint16_t alignment;  // in bytes, a power of two
  bool needed;              // has elements, so that it is not null
  const char* name;

  bool holds(const void* call) const noexcept {
    const auto address = tilewright::detail::load<std::uintptr_t>(static_cast<const std::byte*>(call) + from);
    return (address & (alignment - 1u)) == 0 && (address != 0 || !needed);
  }
  /// Throws Error that says what does not hold.
  [[gnu::cold]] void refuse(const void* call) const;
};
using AddressRules = std::vector<AddressRule>;

/// Throws for addresses that no kernel could use.
inline void check(const AddressRules& rules, const void* call) {
  for (const AddressRule& rule : rules)
    if (!rule.holds(call)) [[unlikely]]
      rule.refuse(call);
}

/// The device behind the library. All throw Error.
namespace device {
const char* target();
int count();
void describe(int device, tw_device_info& info);
/// Limits of the calling thread's current device.
DeviceLimits limits();
/// Loads a variant's device code for its launches.
std::unique_ptr<const Program> load(const Variant& variant, const DeviceLimits& limits,
                                    const std::vector<BoundLaunch>& launches);
/// Reason that the device cannot run a variant at all; empty if it can.
std::string refusal(const Variant& variant, const DeviceLimits& limits);
void copy(void* destination, const void* host_source, std::size_t bytes, tw_stream stream);
}  // namespace device

}  // namespace tilewright::library
