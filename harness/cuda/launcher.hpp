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

namespace detail {

/// Bits of the addresses by which tensor maps are moved without the driver: multiples of 16 bytes, below 2^47.
inline constexpr std::uintptr_t kAddressBits = (std::uintptr_t{1} << 47) - 16;

inline void store_address(CUtensorMap& map, const void* address) {
  std::memcpy(static_cast<void*>(&map), &address, sizeof address);
}

}  // namespace detail

/// A bound launch on the current device: its kernel loaded, its attributes set, its tensor maps encoded for
/// some address. Immutable, for any number of threads. The image must outlive it.
class PlannedLaunch {
 public:
  PlannedLaunch(const Image& image, const std::string& kernel, const BoundLaunch& launch);
  /// Launches for one call (see BoundLaunch): neither heap nor locks but the driver's own. Throws Error.
  void enqueue(const void* call, cudaStream_t stream) const;

 private:
  using MoveMap = decltype(&cuTensorMapReplaceAddress);

  /// Moves a map. False where cuTensorMapReplaceAddress refuses the address.
  bool move(CUtensorMap& map, void* address) const noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    if (!maps_begin_with_address_ || bits == 0 || (bits & ~detail::kAddressBits) != 0) [[unlikely]]
      return move_map_(&map, address) == CUDA_SUCCESS;
    detail::store_address(map, address);
    return true;
  }
  /// The maps of a call, encoded anew, for when one cannot be moved: the driver does not say why. Throws Error that
  /// describes a map which does not encode.
  [[gnu::cold]] void encode_maps(KernelParameters<CUtensorMap>& parameters, const void* call) const;
  [[gnu::cold]] void refuse(cudaError_t code) const;

  // Members that a run reads, in its order.
  AddressCondition unless_;
  bool maps_begin_with_address_ = false;
  MoveMap move_map_ = nullptr;  // null without maps
  cudaKernel_t kernel_;
  cudaLaunchConfig_t config_{};
  PreparedParameters<CUtensorMap> parameters_;

  cudaLaunchAttribute attributes_[2]{};
  std::vector<BoundMap> maps_;
  std::string description_;
};

// Inline code beside its caller's: between two launches the driver has filled the instruction cache.
inline void PlannedLaunch::enqueue(const void* call, cudaStream_t stream) const {
  if (unless_.holds(call)) return;
  KernelParameters<CUtensorMap> parameters;
  const auto moved = [this](CUtensorMap& map, void* address) { return move(map, address); };
  if (!parameters.fill(parameters_, call, moved)) [[unlikely]]
    encode_maps(parameters, call);
  cudaLaunchConfig_t config = config_;
  config.stream = stream;
  config.attrs = const_cast<cudaLaunchAttribute*>(attributes_);  // read only
  const cudaError_t result =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel_), parameters.pointers);
  if (result != cudaSuccess) [[unlikely]]
    refuse(result);
}

}  // namespace tilewright::cuda
