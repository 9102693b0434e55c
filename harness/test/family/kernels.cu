// kernels.cu - variants of the tests' family for a GPU, most of them broken in one way: the faults that kernels.cpp seeds
// for the emulated device, as hardware shows them.
#include "args.hpp"

using tilewright::axpby::Args;

namespace {

__device__ void run(const Args& args, int i, int j) {
  float& c = args.c[static_cast<long long>(i) * args.ldc + j];
  const float a = args.alpha * args.a[static_cast<long long>(i) * args.lda + j];
  c = a + (args.beta == 0 ? 0 : args.beta * c);
}

__device__ int row() { return static_cast<int>(blockIdx.y); }
__device__ int column() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__device__ void run(const Args& args) {
  if (column() < args.n) run(args, row(), column());
}

}  // namespace

extern "C" {

__global__ void axpby_good(const Args args) { run(args); }

/// Leaves the last row alone.
__global__ void axpby_unwritten(const Args args) {
  if (row() + 1 < args.m) run(args);
}

/// Forgets that the last block of columns is not full: writes into the padding or behind the end.
__global__ void axpby_ragged(const Args args) { run(args, row(), column()); }

/// Writes far behind the last row, into the guard zone.
__global__ void axpby_behind(const Args args) {
  run(args);
  if (row() == 0 && column() == 0) args.c[static_cast<long long>(args.m) * args.ldc + 1000] = 0;
}

/// An illegal address. Not a null pointer: nvcc knows that nobody may store there and drops the store.
__global__ void axpby_null(const Args args) {
  Args broken = args;
  broken.c = reinterpret_cast<decltype(args.c)>(16);
  run(broken);
}

/// Never ends. It looks at memory: a loop that does not may be taken for one that ends.
__global__ void axpby_loop(const Args args) {
  const volatile int& word = *reinterpret_cast<const volatile int*>(args.c);
  while (word == word) {
  }
  run(args);
}

__global__ void axpby_trap(const Args args) {
  run(args);
  if (threadIdx.x == 3) asm volatile("trap;");
}

/// Right on the first launch only: the counter in device memory outlives it. For grids of one block.
__device__ int launches = 0;
__global__ void axpby_stateful(const Args args) {
  if (launches == 0) run(args);
  __syncthreads();
  if (threadIdx.x == 0) ++launches;
}

/// Last bits that depend on the clock.
__global__ void axpby_noisy(const Args args) {
  run(args);
  if (row() == 0 && column() == 0) args.c[0] += static_cast<float>(clock64() % 7) * 1e-6f;
}

/// Takes fewer threads than it is started with.
__global__ void __launch_bounds__(16) axpby_refused(const Args args) { run(args); }

}  // extern "C"
