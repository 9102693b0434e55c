// runtime.hpp - what the C functions of an operation (its api.cpp) are built on: the variants that the
// library carries, the policy that ranks them for a problem, and the device that runs them. The policy and
// the variants are data, written by the generator into selection.cpp; the device is cuda/device.cpp or
// emulated/device.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/tilewright.h"
#include "tw/launch.hpp"

namespace tilewright::library {

/// A failure that a C function answers with `status`, and tw_last_error() with the text.
class Error : public std::runtime_error {
 public:
  Error(tw_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  tw_status status() const { return status_; }

 private:
  tw_status status_;
};

/// Something that dispatch looks at. Positive numbers are compared by their ratio, texts for equality; `text`
/// is null for a number.
struct Feature {
  const char* name;
  double number;
  const char* text;
};

/// Compiled device code of one variant. `a` targets run on exactly their compute capability, others on later
/// minors too.
struct Image {
  int compute_capability;  // 10 * major + minor
  bool this_chip_only;
};

/// A kernel that the library carries.
struct Variant {
  const char* id;
  const char* symbol;
  const Parameter* first_parameter;
  std::size_t parameter_count;
  std::size_t first_image;  // into Selection::images
  std::size_t image_count;
  bool fallback;  // for calls that faster ones refuse
  Parameters parameters() const { return {first_parameter, parameter_count}; }
};

/// A workload that was tuned (or, in an untimed library, ranked), and the variant to run near it.
struct Choice {
  const char* workload;
  const Feature* first_feature;
  std::size_t feature_count;
  std::size_t variant;  // into Selection::variants
};

/// Everything the generator chose for one operation.
struct Selection {
  const Variant* variants;
  std::size_t variant_count;
  const Choice* choices;
  std::size_t choice_count;
  const Image* images;
  std::size_t image_count;
};

/// The library's selection. Defined in the generated selection.cpp.
const Selection& selection();

/// Every variant once, in the order in which they should serve a problem: those of the nearest workloads
/// first (sum over features of |ln(a/b)|, 1000 for a text that differs, 0 for a feature that only one side
/// has), equally near ones in the policy's order, then the rest in the library's.
std::vector<const Variant*> rank(const std::vector<Feature>& problem);

/// What a plan found for one variant.
struct Candidate {
  const Variant* variant;
  Workspace workspace;
};

/// The first ranked variant that runs on `limits` and for which `workspace(parameters)` does not throw
/// Unsupported, and behind it the fallbacks that need no workspace, or all such variants of a library without
/// fallbacks: they serve calls that the first refuses when it sees the operands. Nobody else is asked, since
/// making a workspace may take long. Throws Error(TW_STATUS_NOT_SUPPORTED) with the first refusal's reason
/// when there is none.
std::vector<Candidate> candidates(const std::vector<Feature>& problem, const DeviceLimits& limits,
                                  const std::function<Workspace(const Parameters&)>& workspace);

/// Copies the candidate's initial workspace image, if it has one. Throws when the workspace is too small or
/// off its alignment.
void prepare(const Candidate& candidate, void* workspace, std::size_t workspace_bytes, tw_stream stream);

/// Clears what the first candidate wants cleared and enqueues its launches; `launches(parameters)` may throw
/// Unsupported, then the next candidate is asked. Returns the variant that ran.
const Variant& run(const std::vector<Candidate>& candidates, void* workspace, std::size_t workspace_bytes,
                   tw_stream stream, const std::function<std::vector<Launch>(const Parameters&)>& launches);

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

/// Throws Error(TW_STATUS_INVALID_ARGUMENT, text) unless `holds`.
inline void require(bool holds, const std::string& text) {
  if (!holds) throw Error(TW_STATUS_INVALID_ARGUMENT, text);
}

/// Bytes; what cudaMalloc gives at least, and what headers ask for.
inline constexpr std::size_t kWorkspaceAlignment = 256;

/// Throws Error(TW_STATUS_INVALID_ARGUMENT) unless the address is a multiple of `bytes`.
inline void require_aligned(const void* pointer, std::size_t bytes, const char* name) {
  require(reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0,
          std::string(name) + " must be aligned to " + std::to_string(bytes) + " bytes");
}

/// The device behind the library. All throw Error.
namespace device {
const char* target();
int count();
void describe(int device, tw_device_info& info);
/// Limits of the calling thread's current device.
DeviceLimits limits();
/// Loads a variant's device code, so that its first launch does not have to (a stream may be recording by
/// then).
void load(const Variant& variant, const DeviceLimits& limits);
/// Why the device cannot run a variant at all; empty where it can.
std::string refusal(const Variant& variant, const DeviceLimits& limits);
void copy(void* destination, const void* host_source, std::size_t bytes, tw_stream stream);
void clear(void* destination, std::size_t bytes, tw_stream stream);
/// Enqueues one launch of a variant of selection().
void launch(const Variant& variant, const Launch& launch, tw_stream stream);
}  // namespace device

}  // namespace tilewright::library
