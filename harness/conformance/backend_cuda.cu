// backend_cuda.cu - conformance cases on a GPU, through the CUDA runtime alone.
#include <cuda.h>
#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>

#include "backend.hpp"

namespace conformance {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(code) + ", " +
                             cudaGetErrorString(code));
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
using Buffer = std::unique_ptr<std::uint32_t, Free>;

Buffer upload(const Words& words) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, words.size() * 4), "cudaMalloc");
  Buffer buffer(static_cast<std::uint32_t*>(memory));
  check(cudaMemcpy(memory, words.data(), words.size() * 4, cudaMemcpyHostToDevice), "copy to the device");
  return buffer;
}

CUtensorMap encode(const Map& map, void* base) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status),
        "look up cuTensorMapEncodeTiled");
  if (status != cudaDriverEntryPointSuccess)
    throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
  const CUtensorMapDataType type = map.tiled.element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                   : map.tiled.bfloat16         ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                                : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const std::uint32_t steps[] = {1, 1, 1, 1, 1};
  CUtensorMap encoded;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &encoded, type, map.tiled.rank, base, map.tiled.size.data(), map.tiled.stride.data() + 1,
      map.tiled.box.data(), steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      static_cast<CUtensorMapSwizzle>(map.tiled.swizzle), CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw std::runtime_error("cuTensorMapEncodeTiled refuses the map: CUresult " + std::to_string(result));
  return encoded;
}

Words launch(const Entry& entry, const Words& input) {
  const Case& what = entry.what;
  Words output(what.output_words, kUntouched);
  const Buffer in = upload(input), out = upload(output);
  Args args{in.get(), out.get()};
  alignas(64) CUtensorMap map{};
  std::uint32_t bytes = 0;
  if (what.map) {
    map = encode(*what.map, what.map->over_output ? out.get() : in.get());
    bytes = what.map->tiled.element_bytes;
    for (std::uint32_t i = 0; i < what.map->tiled.rank; ++i) bytes *= what.map->tiled.box[i];
  }
  void* arguments[] = {&args, &map, &bytes};
  cudaLaunchConfig_t config{};
  config.gridDim = {what.blocks, 1, 1};
  config.blockDim = {what.threads, 1, 1};
  config.dynamicSmemBytes = what.shared_bytes;
  check(cudaFuncSetAttribute(entry.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(what.shared_bytes)),
        "reserve shared memory");
  check(cudaLaunchKernelExC(&config, entry.kernel, arguments), "launch");
  check(cudaDeviceSynchronize(), "run");
  check(cudaMemcpy(output.data(), out.get(), output.size() * 4, cudaMemcpyDeviceToHost), "copy to the host");
  return output;
}

}  // namespace

int mode_count() { return 1; }
const char* mode_name(int) { return "GPU"; }

Environment environment() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "find a GPU");
  if (properties.major != 9)
    throw std::runtime_error(std::string(properties.name) + " is no Hopper GPU (sm_90)");
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "ask for the runtime's version");
  return {properties.name,
          "CUDA " + std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10),
          /*gpu=*/true};
}

Outcome run(const Entry& entry, const Words& input, int) {
  try {
    return {"", launch(entry, input)};
  } catch (const std::runtime_error& error) {
    return {error.what(), {}};
  }
}

}  // namespace conformance
