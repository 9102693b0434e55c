// library.hpp - a kernel that comes as a shared object made by nvcc, with host code that launches it: somebody's own .cu, or
// machine code of another compiler that gets the arguments of a variant's kernel (imported.hpp).
#pragma once
#include <cuda_runtime_api.h>

#include <string>

#include "tw/launch.hpp"

namespace tilewright::cuda {

/// Functions of the object by the symbol of its kernel. Owns the handle.
class Library {
 public:
  /// Throws Error.
  Library(const std::string& path, const std::string& symbol);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  static bool is_one(const std::string& path) { return path.ends_with(".so"); }
  /// Fills variables of the device, then launches: `call` holds the arguments in slots of 8 bytes, or is what the launch's
  /// patches read. Throws Error.
  void enqueue(const BoundLaunch& launch, const void* call, cudaStream_t stream) const;

 private:
  using Prepare = void (*)(const void* call, void* stream);
  using Launch = int (*)(const void* call, void** maps, const unsigned* grid, const unsigned* block,
                         const unsigned* cluster, std::size_t shared, void* stream);

  using Load = int (*)();
  using Imported = int (*)(const void* arguments, void* stream);

  void enqueue_imported(const BoundLaunch& launch, const void* call, cudaStream_t stream) const;

  void* handle_;
  Prepare prepare_;
  Launch launch_;
  Imported imported_;
};

}  // namespace tilewright::cuda
