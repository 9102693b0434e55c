// cuda_entry.hpp - what a checked kernel's library has beside the user's source where nvcc makes it: host code that
// launches the kernel and fills variables of the device. src/kernel-file/cuda.ts writes calls of these.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "entry.hpp"

namespace tw {

/// `start`: cudaLaunchKernel or its cooperative sibling. Dynamic shared memory beyond 48 KB has to be asked for.
using Start = cudaError_t (*)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
inline int launch(Start start, const void* kernel, const unsigned* grid, const unsigned* block, std::size_t shared, void* stream,
                  void** arguments) {
  if (shared > (48u << 10)) {
    const cudaError_t asked =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (asked != cudaSuccess) return asked;
  }
  return start(kernel, dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), arguments, shared,
                          static_cast<cudaStream_t>(stream));
}

/// Fills a variable of the device from the tensor whose address lies in that slot of a call.
template <class Symbol>
void fill(const Symbol& variable, const void* call, std::size_t slot, void* stream) {
  const void* from = nullptr;
  std::memcpy(&from, static_cast<const char*>(call) + 8 * slot, sizeof from);
  cudaMemcpyToSymbolAsync(variable, from, sizeof variable, 0, cudaMemcpyDeviceToDevice,
                          static_cast<cudaStream_t>(stream));
}

}  // namespace tw
