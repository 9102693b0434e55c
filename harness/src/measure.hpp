// measure.hpp - times variants and baselines of one workload together, each only after it was checked on that
// workload.
#pragma once
#include "gate.hpp"

namespace tilewright {

class Stopwatch {
 public:
  Stopwatch(Device& device, ProblemCache& problems, Send send)
      : device_(device), problems_(problems), send_(std::move(send)) {}

  /// Sends `check` per subject, `sampling` before each sample, `measurement` per subject that passed and L2
  /// state, then `done`. Throws std::runtime_error on a device without a clock; rethrows DeviceLost after a
  /// `check` that says whose fault it was.
  void run(const TimeJob& job);

 private:
  Device& device_;
  ProblemCache& problems_;
  Send send_;
};

/// Median of the samples, 0 of none.
double median(std::vector<double> samples);

/// Reason that a time is physically impossible, or nothing. `flops` and `bytes` are the least that the problem needs,
/// the limits per second (0: unknown); `hot` data may come from the L2 cache, so that only compute binds it.
std::optional<std::string> implausible(double seconds, double flops, double bytes, double peak_flops,
                                       double bandwidth, bool hot);

}  // namespace tilewright
