// measure.hpp - which of the kernels that take a call is fastest, and right.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/context.hpp"

namespace tilewright::library::tuner {

/// Distance of the nearest timed workload that the policy gives to the variant: see distance(). Infinite if
/// there is none.
double timed_distance(const Variant& variant, const Selection& all, const Asked& asked);

/// Device memory, in bytes, that measuring may take, and the workspace of another library's function.
std::size_t scratch_limit(const tw_context_options& options);

/// Reason for which a kernel is not taken. `why`: kept for good; null where it may serve the next time, e.g. when there is memory again.
struct Rejection {
  const char* why;
};

/// Result of measuring.
struct Outcome {
  std::unique_ptr<const Plan> winner;      // the usual one, where nothing was measured for want of scratch
  std::string measured{};                  // JSON: [["variant",microseconds],…], best first; empty: nothing was
  std::vector<std::pair<const Variant*, Rejection>> rejected{};  // faster ones
};

/// Times kernels on the caller's operands and stream, writing scratch in place of what the call writes. `usual`: the kernel
/// that serves the call unless another one is faster by more than noise. `others`: who else may be asked, in any order.
Outcome measure(tw_context& context, const Request& request, std::unique_ptr<const Plan> usual,
                const std::vector<const Variant*>& others, const Takes& takes);

/// Another library's function that is the variant; null where it is the library's own kernel.
const Vendor* vendor_of(const Variant& variant, const Selection& all);

/// A kernel, or another library's function, bound to the call. `load`: see Vendor. Throws Error where it does not take it.
std::unique_ptr<const Plan> plan_of(const Variant& variant, const Request& request, const Takes& takes, bool load);

/// Scratch that stands for what a call writes: poisoned, with margins, at the caller's own alignment.
class Scratch {
 public:
  /// Null memory where the context has none.
  Scratch(const Allocator& allocator, const Request& request);
  explicit operator bool() const { return static_cast<bool>(memory_.data()); }
  static std::size_t bytes_of(const Request& request);
  /// The call with its outputs in here.
  std::vector<std::byte> call() const { return call_; }
  /// Enqueues poison everywhere and, where outputs may be read, what the caller's hold.
  void reset(tw_stream stream) const;
  std::byte* output(std::size_t index) const { return memory_.data() + offsets_[index]; }

  /// Whether every element that is looked at was written, and nothing around them. Waits for the stream.
  bool is_written(tw_stream stream) const;

 private:
  const Request& request_;
  std::vector<std::size_t> offsets_;
  std::size_t bytes_;
  Memory memory_;
  std::vector<std::byte> call_;
};

/// Lines of all outputs, spread over them, on the host. Waits for the stream.
std::vector<std::vector<std::byte>> sample(const Scratch& scratch, const Request& request);

/// Whether two kernels' samples agree as far as rounding allows.
bool agree(const std::vector<std::vector<std::byte>>& got, const std::vector<std::vector<std::byte>>& reference,
           const Request& request);

}  // namespace tilewright::library::tuner
