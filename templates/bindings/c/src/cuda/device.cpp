// device.cpp - the library's device is an NVIDIA GPU: kernels come from the embedded images (kernels.S).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string_view>

#include "cuda/launcher.hpp"
#include "cuda/translated.hpp"
#include "runtime.hpp"
#include "tuner/device.hpp"

/// Device code of the library, by Image::file.
struct EmbeddedImage {
  const char* file;
  const void* code;
};

/// All of it, ended by a null; defined in kernels.S.
extern "C" const EmbeddedImage tilewright_embedded_images[];

namespace tilewright::library::device {

tw_status status_of(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:  // what the runtime says when there is no driver at all
    case cudaErrorNoDevice:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return TW_STATUS_NO_DEVICE;
    case cudaErrorMemoryAllocation:
      return TW_STATUS_OUT_OF_MEMORY;
    default:
      return TW_STATUS_LAUNCH_FAILED;
  }
}

namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, device), "query device " + std::to_string(device));
  return value;
}

int compute_capability(int device) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
         attribute(cudaDevAttrComputeCapabilityMinor, device);
}

bool runs_on(const Image& image, int capability) {
  if (image.reach == Reach::this_chip) return capability == image.compute_capability;
  const bool same_major = capability / 10 == image.compute_capability / 10;
  return capability >= image.compute_capability && (same_major || image.reach == Reach::later);
}

std::string arch_name(const Image& image) {
  return (image.reach == Reach::later ? "compute_" : "sm_") + std::to_string(image.compute_capability) +
         (image.reach == Reach::this_chip ? "a" : "");
}

/// The variant's image for a compute capability; null where it has none.
const Image* find_image(const Variant& variant, int capability) {
  const Image* const end = variant.images + variant.image_count;
  const Image* const found =
      std::find_if(variant.images, end, [&](const Image& image) { return runs_on(image, capability); });
  return found == end ? nullptr : found;
}

struct Slot {
  std::once_flag once;
  std::unique_ptr<cuda::Image> image;
};

std::size_t count_embedded() {
  std::size_t count = 0;
  while (tilewright_embedded_images[count].file) ++count;
  return count;
}

/// Place of an image among the embedded ones.
std::size_t find_embedded(const Image& image) {
  for (std::size_t i = 0; tilewright_embedded_images[i].file; ++i)
    if (std::string_view(image.file) == tilewright_embedded_images[i].file) return i;
  throw Error(TW_STATUS_INTERNAL, "the library has no image " + std::string(image.file));
}

/// Loads an image on first use. The slots are never freed: the CUDA runtime may be gone before static
/// destructors run.
const cuda::Image& loaded(const Image& image) {
  static Slot* const slots = new Slot[count_embedded()];
  const std::size_t index = find_embedded(image);
  Slot& slot = slots[index];
  std::call_once(slot.once, [&] {
    slot.image = std::make_unique<cuda::Image>(tilewright_embedded_images[index].code);
  });
  return *slot.image;
}

class CudaProgram final : public Program {
 public:
  std::vector<cuda::PlannedLaunch> launches;
  void enqueue(const void* call, tw_stream stream) const override {
    translated([&] {
      for (const cuda::PlannedLaunch& launch : launches) launch.enqueue(call, stream);
    });
  }
};

}  // namespace

const char* target() { return "cuda"; }

int count() {
  return translated([] {
    int devices = 0;
    cuda::check(cudaGetDeviceCount(&devices), "count devices");
    return devices;
  });
}

void describe(int device, tw_device_info& info) {
  translated([&] {
    cudaDeviceProp properties;
    cuda::check(cudaGetDeviceProperties(&properties, device), "query device " + std::to_string(device));
    std::snprintf(info.name, sizeof info.name, "%s", properties.name);
    info.compute_capability = 10 * properties.major + properties.minor;
    info.multiprocessors = properties.multiProcessorCount;
  });
}

DeviceLimits limits() {
  return translated([] {
    const int device = current();
    return DeviceLimits{attribute(cudaDevAttrMultiProcessorCount, device), compute_capability(device)};
  });
}

/// Code for a compute capability also runs on GPUs with less shared memory than the one that it was made for.
std::string shared_memory_refusal(const Variant& variant) {
  const int most = translated([] { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, current()); });
  if (variant.shared_bytes <= most) return {};
  return "needs " + std::to_string(variant.shared_bytes) + " bytes of shared memory, and a block of this GPU has at most " +
         std::to_string(most);
}

std::string refusal(const Variant& variant, const DeviceLimits& limits) {
  if (find_image(variant, limits.compute_capability)) return shared_memory_refusal(variant);
  if (variant.image_count == 0) return "emitted by a run that had no CUDA compiler";
  std::string compiled_for;
  for (std::size_t i = 0; i < variant.image_count; ++i)
    compiled_for += (i ? ", " : "") + arch_name(variant.images[i]);
  return "compiled for " + compiled_for + ", the device is sm_" + std::to_string(limits.compute_capability);
}

std::unique_ptr<const Program> load(const Variant& variant, const DeviceLimits& limits,
                                    const std::vector<BoundLaunch>& launches) {
  return translated([&] {
    const cuda::Image& image = loaded(*find_image(variant, limits.compute_capability));
    auto program = std::make_unique<CudaProgram>();
    for (const BoundLaunch& launch : launches)
      program->launches.emplace_back(image, variant.symbol + launch.entry, launch);
    return program;
  });
}

void copy(void* destination, const void* host_source, std::size_t bytes, tw_stream stream) {
  translated([&] {
    cuda::check(cudaMemcpyAsync(destination, host_source, bytes, cudaMemcpyHostToDevice, stream),
                "copy " + std::to_string(bytes) + " bytes into the workspace");
  });
}

void clear(void* destination, std::size_t bytes, tw_stream stream) {
  translated([&] {
    const cudaError_t result = cudaMemsetAsync(destination, 0, bytes, stream);
    if (result != cudaSuccess) [[unlikely]]
      cuda::check(result, "clear " + std::to_string(bytes) + " bytes of the workspace");
  });
}

}  // namespace tilewright::library::device
