// imported.hpp - a kernel that comes as machine code, given the arguments of a variant's own kernel. Included by the files that
// `gen import-triton` writes, which become shared objects beside the runner.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace tw {

/// A size in which products do not overflow.
template <class Integer>
constexpr long long wide(Integer value) {
  return value;
}
constexpr long long ceil_div(long long a, long long b) { return (a + b - 1) / b; }

/// The value in the kernel's own type; `exact` becomes false where that changes it.
template <class To, class From>
To exactly(From value, bool& exact) {
  const To converted = static_cast<To>(value);
  exact = exact && static_cast<From>(converted) == value;
  return converted;
}

/// Loads the kernel now: a stream may be recording when it is launched.
inline int load(const void* cubin, const char* name, std::size_t shared, cudaKernel_t& kernel) {
  cudaLibrary_t library = nullptr;  // stays as long as the process
  cudaError_t code = cudaLibraryLoadData(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (code == cudaSuccess) code = cudaLibraryGetKernel(&kernel, library, name);
  cudaFuncAttributes unused;
  const void* function = reinterpret_cast<const void*>(kernel);
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&unused, function);
  if (code == cudaSuccess)
    code =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  return code;
}

inline int launch(cudaKernel_t kernel, dim3 grid, unsigned threads, std::size_t shared,
                  const void** arguments, cudaStream_t stream) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaSuccess;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), const_cast<void**>(arguments));
}

}  // namespace tw

/// Functions that the runner calls: one that loads, one that launches with the arguments of the variant's kernel.
#define TW_IMPORTED(symbol, name, shared, Arguments)                                         \
  static cudaKernel_t symbol##_kernel = nullptr;                                             \
  extern "C" int symbol##_load() { return tw::load(kCubin, name, shared, symbol##_kernel); } \
  extern "C" int symbol##_imported(const void* arguments, void* stream) {                    \
    return launch(*static_cast<const Arguments*>(arguments), symbol##_kernel,                \
                  static_cast<cudaStream_t>(stream));                                        \
  }
