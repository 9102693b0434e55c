// backend.hpp - where conformance cases run: a GPU (backend_cuda.cu) or the emulated device
// (backend_emulated.cpp).
#pragma once
#include <string>

#include "case.hpp"

namespace conformance {

/// Device and runtime on which a golden was recorded.
struct Environment {
  std::string device, runtime;
  bool gpu = false;
};

struct Outcome {
  std::string error;  // empty: the kernel ran
  Words output;
};

/// Ways to run a case; each must give the same output. Schedules on the emulated device, one way on a GPU.
int mode_count();
const char* mode_name(int mode);

/// Throws std::runtime_error with the reason when there is no such device.
Environment environment();

/// Runs the case once; `input` is copied, the output starts as kUntouched.
Outcome run(const Entry& entry, const Words& input, int mode);

}  // namespace conformance
