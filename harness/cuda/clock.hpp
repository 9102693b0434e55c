// clock.hpp - the clock that the multiprocessors have while something runs.
#pragma once
#include <cstdint>
#include <memory>

#include "launcher.hpp"

namespace tilewright::cuda {

/// Reads the multiprocessors' cycle counters on the stream, before and after what is measured. What NVML says
/// between two kernels is of no use: under load the clock falls within a millisecond, and rises again as
/// soon.
class ClockMeter {
 public:
  /// Never throws: where the driver cannot compile PTX the clock stays unknown.
  explicit ClockMeter(int sm_count);
  /// Enqueues the first or the second reading: `index` 0 or 1.
  void read(int index, cudaStream_t stream);
  /// MHz on average between the last two readings, which must have been waited for: the median over
  /// multiprocessors. 0 where unknown.
  double megahertz() const;

 private:
  /// As the kernel writes it.
  struct Reading {
    std::uint64_t cycles, nanoseconds;
  };
  struct Free {
    void operator()(Reading* memory) const { cudaFreeHost(memory); }
  };

  std::unique_ptr<Image> image_;
  std::unique_ptr<PlannedLaunch> launch_;      // null where the clock is unknown
  std::unique_ptr<Reading[], Free> readings_;  // first all of index 0
};

}  // namespace tilewright::cuda
