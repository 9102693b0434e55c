// cuda_entry.hpp - what a checked kernel's library has beside the user's source where nvcc makes it: host code that
// launches the kernel and fills variables of the device. src/kernel-file/cuda.ts writes calls of these.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "entry.hpp"

namespace tw {

/// Launches in clusters where they have more than one block, all blocks at once where `cooperative`. Dynamic shared memory beyond
/// 48 KB has to be asked for.
inline int launch(bool cooperative, const void* kernel, const unsigned* grid, const unsigned* block, const unsigned* cluster,
                  std::size_t shared, void* stream, void** arguments) {
  if (shared > (48u << 10)) {
    const cudaError_t asked =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (asked != cudaSuccess) return asked;
  }
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid[0], grid[1], grid[2]);
  config.blockDim = dim3(block[0], block[1], block[2]);
  config.dynamicSmemBytes = shared;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = attributes;
  if (cooperative) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (const unsigned blocks = cluster[0] * cluster[1] * cluster[2]; blocks > 1) {
    if (blocks > 8) cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster[0], cluster[1], cluster[2]};
  }
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

/// Fills a variable of the device from the tensor whose address lies in that slot of a call.
template <class Symbol>
void fill(const Symbol& variable, const void* call, std::size_t slot, void* stream) {
  const void* from = nullptr;
  std::memcpy(&from, static_cast<const char*>(call) + 8 * slot, sizeof from);
  cudaMemcpyToSymbolAsync(variable, from, sizeof variable, 0, cudaMemcpyDeviceToDevice,
                          static_cast<cudaStream_t>(stream));
}

/// Puts an address into each of `count` pointers, which lie `stride` bytes apart.
static __global__ void point_each(char* first, std::size_t stride, long long count, const void* target) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < count) *reinterpret_cast<const void**>(first + i * stride) = target;
}

/// Puts an address into a pointer of each struct of an array. By a kernel: a stream may be recording.
template <class Struct, class Field>
void point(const void* call, const PointerSlots& slots, void* stream, Field field) {
  const auto count = slot_of<long long>(call, slots.count);
  char* const first = slot_of<char*>(call, slots.array) + part_of<Struct>(field).offset;
  const auto target = slot_of<const void*>(call, slots.target);
  if (count > 0)
    point_each<<<static_cast<unsigned>((count + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(
        first, sizeof(Struct), count, target);
}

}  // namespace tw
