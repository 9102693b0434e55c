// gate.hpp - puts one variant through its cases and says the verdict with its evidence.
#pragma once
#include <functional>

#include "operands.hpp"
#include "variant.hpp"
#include "vendor.hpp"

namespace tilewright {

/// Sink for the worker's answers: one JSON object each.
using Send = std::function<void(const Json&)>;

class Gate {
 public:
  Gate(Device& device, ProblemCache& problems, Send send)
      : device_(device), problems_(problems), send_(std::move(send)), vendors_(device) {}

  /// Sends `preparing` before the family's C++ makes a case, `case` before each launch, `checking` when the kernel has returned, and
  /// one `verdict` at the end. Throws what a malformed problem throws; rethrows DeviceLost after the verdict
  /// `fault`.
  void run(const GateJob& job);

 private:
  Device& device_;
  ProblemCache& problems_;
  Send send_;
  VendorPanel vendors_;
};

/// Throws Rejection when the device saw a defect while the kernel ran.
void judge_report(const RunReport& report);

}  // namespace tilewright
