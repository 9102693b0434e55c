// vendor_library.hpp - what baselines of vendors' libraries share. Libraries are opened at run time: one that is missing
// costs its baseline and nothing else. A family declares the few functions and constants that it needs itself, so that
// headers need not be there either. For a family's vendor.hpp alone, on the device `cuda`.
#pragma once
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <library_types.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tw/launch.hpp"
#include "tw/operation.hpp"

namespace tilewright::vendor {

/// A shared library, found by the usual rules of the dynamic linker: the first of `names` that is there. Throws Unsupported
/// where none is.
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      name_ = name;
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_) return;
    }
    throw Unsupported(name_ + " is not installed: " + dlerror());
  }
  template <class Function>
  Function* find(const char* symbol) const {
    void* address = dlsym(handle_, symbol);
    if (!address) throw Unsupported(name_ + " has no function " + symbol);
    return reinterpret_cast<Function*>(address);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;  // stays open: kernels of the library may be running
};

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw Unsupported(std::string(what) + ": " + cudaGetErrorString(error));
}

/// A status of cuBLAS or cuSPARSE; 0 is success in both.
inline void check(int status, const char* what) {
  if (status != 0) throw Unsupported(std::string(what) + " answered status " + std::to_string(status));
}

/// Undoes, in reverse, what a prepare has set up.
class Cleanup {
 public:
  Cleanup() = default;
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() { run(); }
  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  void run() {
    for (; !steps_.empty(); steps_.pop_back()) steps_.back()();
  }
  /// Device memory until run().
  void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc");
    add([memory] { cudaFree(memory); });
    return memory;
  }

 private:
  std::vector<std::function<void()>> steps_;
};

inline cudaDataType_t data_type(Type type) {
  return type == Type::f32 ? CUDA_R_32F : type == Type::bf16 ? CUDA_R_16BF : CUDA_R_16F;
}

inline bool aligned(const void* address, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

}  // namespace tilewright::vendor
