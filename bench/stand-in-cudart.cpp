// stand-in-cudart.cpp - in place of CUDA's runtime and driver where bench/plan-run measures the library's own
// CPU time: every call succeeds at once on an imaginary H200, and none does anything. STAND_IN_CAPABILITY (90) and
// STAND_IN_SHARED_BYTES (of a block) make it another GPU, STAND_IN_MAP_AT (0) a driver that keeps a tensor map's address at that byte.
// With STAND_IN_EVICT_KB a launch leaves the caches as a driver does: full of other memory and other code.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

/// Number of the imaginary GPU's context: another one says that it was reset.
unsigned long long stand_in_context = 1;

namespace {

/// A number from the environment: of a GPU that is not an H200.
int number_of(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

const int capability = number_of("STAND_IN_CAPABILITY", 90);              // 10 * major + minor
const int shared_bytes = number_of("STAND_IN_SHARED_BYTES", 227 * 1024);  // most of a block

const int map_at = number_of("STAND_IN_MAP_AT", 0);

// ---- Launches that use the caches

#if defined(__x86_64__)
#define JUMP "jmp"
#else
#define JUMP "b"
#endif

/// Memory of its own, written once: pages that were never written share one in the caches.
const std::vector<char> memory(static_cast<std::size_t>(number_of("STAND_IN_EVICT_KB", 0)) * 1024, 1);

/// Reads a byte of every line of the memory, and runs a jump in every line of 64 kB of code.
[[gnu::noinline]] void use_caches() {
  for (std::size_t at = 0; at < memory.size(); at += 64) asm volatile("" : : "r"(memory[at]));
  asm volatile(".balign 64\n.rept 1024\n" JUMP " 1f\n.balign 64\n1:\n.endr");
}

// ---- Functions of the driver

CUresult replace_address(CUtensorMap* map, void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<std::byte*>(map) + map_at, &address, sizeof address);
  return CUDA_SUCCESS;
}

/// Whether a kernel has been loaded, which makes a context: the driver encodes no map without one.
std::atomic<bool> has_context = false;

CUresult encode(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void* address, const cuuint64_t*,
                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (!has_context) return CUDA_ERROR_INVALID_CONTEXT;
  std::memset(static_cast<void*>(map), 0, sizeof *map);
  return replace_address(map, address);
}

CUresult context_id(CUcontext, unsigned long long* id) { return *id = stand_in_context, CUDA_SUCCESS; }

int something;

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrMultiProcessorCount            ? 132
           : which == cudaDevAttrComputeCapabilityMajor       ? capability / 10
           : which == cudaDevAttrComputeCapabilityMinor       ? capability % 10
           : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? shared_bytes
                                                              : 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t) { return "an error"; }
const char* cudaGetErrorString(cudaError_t) { return "of an imaginary GPU"; }

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void*, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  *library = reinterpret_cast<cudaLibrary_t>(&something);
  return cudaSuccess;
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char*, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  *library = reinterpret_cast<cudaLibrary_t>(&something);
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaSuccess; }
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t, const char*) {
  *kernel = reinterpret_cast<cudaKernel_t>(&something);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  has_context = true;
  *attributes = {};
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncGetParamInfo(const void*, size_t, size_t*, size_t*) { return cudaErrorInvalidValue; }
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult* found) {
  const auto is = [symbol](const char* name) { return std::strcmp(symbol, name) == 0; };
  *function = is("cuTensorMapEncodeTiled") ? reinterpret_cast<void*>(&encode)
              : is("cuCtxGetId")           ? reinterpret_cast<void*>(&context_id)
                                           : reinterpret_cast<void*>(&replace_address);
  *found = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return *stream = nullptr, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = nullptr, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0.1f, cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = reinterpret_cast<cudaGraph_t>(&something);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t, unsigned long long) {
  *executable = reinterpret_cast<cudaGraphExec_t>(&something);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }
cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind,
                              cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  if (!memory.empty()) use_caches();
  return cudaSuccess;
}

}  // extern "C"
