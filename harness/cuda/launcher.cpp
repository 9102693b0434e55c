#include "launcher.hpp"

#include <algorithm>

namespace tilewright::cuda {
namespace {

std::string describe(cudaError_t code, const std::string& what) {
  return what + ": " + cudaGetErrorName(code) + " (" + std::to_string(static_cast<int>(code)) + "), " +
         cudaGetErrorString(code);
}

std::string extents(const std::array<unsigned, 3>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

unsigned volume(const std::array<unsigned, 3>& size) { return size[0] * size[1] * size[2]; }

std::string describe(const std::string& kernel, const BoundLaunch& launch) {
  return "kernel " + kernel + ", grid " + extents(launch.grid) + ", block " + extents(launch.block) +
         ", cluster " + extents(launch.cluster) + ", " + std::to_string(launch.shared_bytes) +
         " bytes of dynamic shared memory";
}

/// A function of the driver, which this library does not link.
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const std::string what = std::string("look up ") + name + " in the driver";
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), what);
  if (found != cudaDriverEntryPointSuccess)
    throw Error(cudaErrorNotSupported, what + " (it needs CUDA 12.0)");
  return reinterpret_cast<Function>(function);
}

CUtensorMapDataType data_type(const TiledMap& map) {
  switch (map.element_bytes) {
    case 1:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2:
      return map.bfloat16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case 4:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  }
}

CUtensorMapSwizzle swizzle(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::none:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
    case Swizzle::b32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case Swizzle::b64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case Swizzle::b128:
      break;
  }
  return CU_TENSOR_MAP_SWIZZLE_128B;
}

std::string describe(const TiledMap& map, const void* address) {
  std::string text = "encode a tensor map of rank " + std::to_string(map.rank) + ", element " +
                     std::to_string(map.element_bytes) + " B, swizzle " +
                     std::to_string(static_cast<int>(map.swizzle)) + ", address modulo 256 " +
                     std::to_string(reinterpret_cast<std::uintptr_t>(address) % 256);
  for (std::uint32_t i = 0; i < map.rank && i < 5; ++i)
    text += ", dimension " + std::to_string(i) + ": size " + std::to_string(map.size[i]) + ", stride " +
            std::to_string(i ? map.stride[i] : map.element_bytes) + " B, box " + std::to_string(map.box[i]);
  return text;
}

/// Whether a map is its address, followed by what does not depend on it: then storing an address does what `move` does. The driver's
/// format is its own affair, so that this is asked of each map: with each bit of an address alone, and with all but that one.
bool begins_with_address(const CUtensorMap& map, decltype(&cuTensorMapReplaceAddress) move) {
  const auto same = [&](std::uintptr_t bits) {
    void* const address = reinterpret_cast<void*>(bits);
    CUtensorMap moved = map, stored = map;
    detail::store_address(stored, address);
    return move(&moved, address) == CUDA_SUCCESS && std::memcmp(&moved, &stored, sizeof moved) == 0;
  };
  for (std::uintptr_t bit = 16; bit < detail::kAddressBits; bit *= 2)
    if (!same(bit) || !same(detail::kAddressBits - bit)) return false;
  return true;
}

}  // namespace

Error::Error(cudaError_t code, const std::string& what)
    : std::runtime_error(describe(code, what)), code(code) {}

void check(cudaError_t code, const std::string& what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw Error(code, what);
}

bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

CUtensorMap encode(const TiledMap& map, void* address) {
  static const auto encoder = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  if (map.rank < 1 || map.rank > 5) throw Error(cudaErrorInvalidValue, describe(map, address));
  CUtensorMap encoded;
  const std::uint32_t steps[] = {1, 1, 1, 1, 1};
  // L2 promotion: a line. Two cost L2 more than they save where a box's rows are short
  // (docs/block-sparse-layers.md, Blocks of 32).
  const CUresult result =
      encoder(&encoded, data_type(map), map.rank, address, map.size.data(), map.stride.data() + 1,
              map.box.data(), steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle(map.swizzle),
              CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  // CUresult and cudaError_t share their values.
  if (result != CUDA_SUCCESS) throw Error(static_cast<cudaError_t>(result), describe(map, address));
  return encoded;
}

/// The map of a tensor whose address comes later. Encoding looks at no memory; any aligned address will do.
static CUtensorMap encode_somewhere(const TiledMap& map) {
  return encode(map, reinterpret_cast<void*>(std::uintptr_t{1} << 20));
}

/// A kernel, loaded: a stream may be recording when it is launched. Without a context, which loading makes, no map is encoded.
static cudaKernel_t loaded(const Image& image, const std::string& name) {
  const cudaKernel_t kernel = image.kernel(name);
  cudaFuncAttributes unused;  // asking for them ends lazy loading
  check(cudaFuncGetAttributes(&unused, reinterpret_cast<const void*>(kernel)), "load kernel " + name);
  return kernel;
}

Image::Image(const void* code) {
  check(cudaLibraryLoadData(&library_, code, nullptr, nullptr, 0, nullptr, nullptr, 0),
        "load embedded device code");
}

Image::Image(const std::string& path) {
  check(cudaLibraryLoadFromFile(&library_, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "load " + path);
}

Image::~Image() { cudaLibraryUnload(library_); }

cudaKernel_t Image::kernel(const std::string& name) const {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library_, name.c_str()), "find kernel " + name);
  return kernel;
}

PlannedLaunch::PlannedLaunch(const Image& image, const std::string& kernel, const BoundLaunch& launch)
    : unless_(launch.unless),
      kernel_(loaded(image, kernel)),
      parameters_(launch, encode_somewhere),
      maps_(launch.maps),
      description_(describe(kernel, launch)) {
  const void* function = reinterpret_cast<const void*>(kernel_);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(launch.shared_bytes)),
        "reserve shared memory for " + description_);
  if (volume(launch.cluster) > 8)  // larger clusters must be asked for
    check(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "allow " + description_);

  config_.gridDim = {launch.grid[0], launch.grid[1], launch.grid[2]};
  config_.blockDim = {launch.block[0], launch.block[1], launch.block[2]};
  config_.dynamicSmemBytes = launch.shared_bytes;
  if (volume(launch.cluster) > 1) {
    cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  }
  if (launch.dependent) {
    cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  if (maps_.empty()) return;
  move_map_ = driver_function<MoveMap>("cuTensorMapReplaceAddress");
  maps_begin_with_address_ =
      std::all_of(parameters_.maps, parameters_.maps + maps_.size(),
                  [this](const CUtensorMap& map) { return begins_with_address(map, move_map_); });
}

void PlannedLaunch::encode_maps(KernelParameters<CUtensorMap>& parameters, const void* call) const {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    parameters.maps[i] = encode(maps_[i].map, maps_[i].address(call));
    parameters.pointers[1 + i] = &parameters.maps[i];
  }
}

void PlannedLaunch::refuse(cudaError_t code) const { check(code, "launch " + description_); }

}  // namespace tilewright::cuda
