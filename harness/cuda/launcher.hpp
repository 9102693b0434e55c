// launcher.hpp - starts tilewright::Launch with the CUDA runtime. The runner and the emitted library share
// it, so it needs nothing but tw/launch.hpp and CUDA's headers. Thread-safe as the runtime is; memory is
// allocated only when an Image or a PreparedLaunch is made.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "tw/launch.hpp"

namespace tilewright::cuda {

/// A CUDA call failed: what was tried, the error's name and text.
struct Error : std::runtime_error {
  Error(cudaError_t code, const std::string& what);
  cudaError_t code;
};

/// Throws Error unless `code` is cudaSuccess; also takes the error off the calling thread's record.
void check(cudaError_t code, const std::string& what);

/// Whether the error means that a kernel broke the context: nothing runs in this process any more.
bool is_sticky(cudaError_t code);

/// Device code: a cubin, fatbin or PTX text, loaded lazily by the runtime. Owns the library handle.
class Image {
 public:
  /// `code` must live as long as the image.
  explicit Image(const void* code);
  explicit Image(const std::string& path);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  cudaKernel_t kernel(const std::string& name) const;

 private:
  cudaLibrary_t library_ = nullptr;
};

/// A launch with its kernel found, its attributes set and its tensor maps encoded. The image must outlive it.
class PreparedLaunch {
 public:
  PreparedLaunch(const Image& image, const std::string& kernel, const Launch& launch);
  void enqueue(cudaStream_t stream) const;

 private:
  struct alignas(128) Slot {
    std::byte bytes[128];
  };
  void add(const Arguments::Item& item);

  std::string description_;
  cudaKernel_t kernel_;
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attributes_[2]{};
  std::vector<std::unique_ptr<Slot[]>>
      storage_;  // one per argument: addresses stay, alignment serves CUtensorMap
  std::vector<void*> arguments_;
};

}  // namespace tilewright::cuda
