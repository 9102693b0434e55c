// Kernels that main.cpp measures, and their size.
#pragma once
#include <vector>

constexpr unsigned kBlocks = 64, kThreads = 1024;
constexpr unsigned kAccesses = 100;  // of shared memory, by each thread

/// `in` and `out` have an element for each thread.
struct Kernel {
  const char* name;
  void (*run)(float* out, const float* in);
};

namespace plain {
std::vector<Kernel> kernels();
}
namespace hooked {
std::vector<Kernel> kernels();
}
