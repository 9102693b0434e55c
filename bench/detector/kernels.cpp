// Kernels whose accesses of shared memory the race detector checks, compiled with and without its hooks (VARIANT names the two).
#include "kernels.hpp"

#include "simt/kernel.hpp"

namespace VARIANT {
namespace {

unsigned thread() { return simt::ids->thread.x; }
unsigned width() { return simt::ids->block_dim.x; }
unsigned number() { return simt::ids->block.x * width() + thread(); }
float* line() { return reinterpret_cast<float*>(simt::shared_base()); }

/// 4 accesses between two barriers, to words of one's own and of both neighbours.
void relax(float* out, const float* in) {
  float* const now = line();
  const unsigned t = thread(), next = (t + 1) % width(), last = (t + width() - 1) % width();
  float x = in[number()];
  for (unsigned round = 0; round < kAccesses / 4; ++round) {
    now[t] = x;
    simt::sync_threads();
    x = (now[t] + now[next] + now[last]) / 3;
    simt::sync_threads();
  }
  out[number()] = x;
}

/// Nearly all accesses are loads of words that no thread writes meanwhile.
void gather(float* out, const float* in) {
  float* const table = line();
  const unsigned t = thread();
  table[t] = in[number()];
  simt::sync_threads();
  float x = 0;
  for (unsigned i = 1; i < kAccesses; ++i) x += table[(t * 5 + i * 32) % width()];
  out[number()] = x;
}

/// Words that no other thread touches, read and written in turn.
void scratch(float* out, const float* in) {
  float* const own = line() + thread();
  *own = in[number()];
  for (unsigned i = 1; i < kAccesses / 2; ++i) {
    *own = *own * 0.5f + 1;
    asm volatile("" ::: "memory");  // stays in memory
  }
  out[number()] = *own;
}

}  // namespace

std::vector<Kernel> kernels() { return {{"relax", relax}, {"gather", gather}, {"scratch", scratch}}; }

}  // namespace VARIANT
