// launcher.hpp - starts tilewright::BoundLaunch with the CUDA runtime. The runner and the emitted library
// share it, so it needs nothing but tw/launch.hpp and CUDA's headers. Thread-safe as the runtime is; memory
// is allocated only when an Image or a PlannedLaunch is made.
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

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

/// The tensor map of a tensor at `address`. Throws Error where the driver refuses it.
CUtensorMap encode(const TiledMap& map, void* address);

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

/// A bound launch on the current device: its kernel loaded, its attributes set, its tensor maps encoded for
/// some address. Immutable, for any number of threads. The image must outlive it.
class PlannedLaunch {
 public:
  PlannedLaunch(const Image& image, const std::string& kernel, const BoundLaunch& launch);
  /// Launches for one call (see BoundLaunch): neither heap nor locks but the driver's own. Throws Error.
  void enqueue(const void* call, cudaStream_t stream) const;

 private:
  using MoveMap = decltype(&cuTensorMapReplaceAddress);

  /// The maps of a call, encoded anew, for when cuTensorMapReplaceAddress refuses an address: it does not say which. Throws Error that
  /// describes a map which does not encode.
  void encode_maps(KernelParameters<CUtensorMap>& parameters, const void* call) const;

  BoundLaunch launch_;
  std::string description_;
  cudaKernel_t kernel_;
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attributes_[2]{};
  std::vector<CUtensorMap> maps_;
  MoveMap move_map_ = nullptr;  // null without maps
};

}  // namespace tilewright::cuda
