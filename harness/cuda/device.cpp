// device.cpp - the device `cuda`: variants compiled by nvcc into cubins, run on the first visible GPU.
#include "tilewright/device.hpp"

#include <map>
#include <new>

#include "launcher.hpp"
#include "library.hpp"
#include "nvml.hpp"
#include "streams.hpp"

namespace tilewright {
namespace {

using cuda::check;
using cuda::Error;

constexpr std::size_t kGuardBytes = std::size_t{256} << 10;
constexpr std::size_t kLeadMemory = std::size_t{1} << 30;

class Cubin : public Module {
 public:
  Cubin(const std::string& path, std::string symbol) : image(path), symbol(std::move(symbol)) {}
  const cuda::Image image;
  const std::string symbol;
};

class SharedObject : public Module {
 public:
  SharedObject(const std::string& path, const std::string& symbol) : library(path, symbol) {}
  const cuda::Library library;
};

/// A plan whose one kernel is launched by host code of its own.
class LibraryProgram : public Program {
 public:
  LibraryProgram(std::shared_ptr<Module> module, const Plan& plan, cudaStream_t stream)
      : module_(std::move(module)), stream_(stream), plan_(plan) {}

  RunReport run(const Schedule&) override {
    enqueue(stream_);
    cuda::synchronize(stream_);
    return {};
  }

  void enqueue(void* stream) override {
    const auto target = static_cast<cudaStream_t>(stream);
    try {
      if (plan_.clear_bytes > 0)
        check(cudaMemsetAsync(plan_.clear, 0, plan_.clear_bytes, target), "clear the workspace");
      for (const BoundLaunch& launch : plan_.launches)
        dynamic_cast<const SharedObject&>(*module_).library.enqueue(launch, plan_.call.data(), target);
    } catch (const Error& error) {
      cuda::rethrow(error);
    }
  }

 private:
  std::shared_ptr<Module> module_;
  cudaStream_t stream_;
  Plan plan_;
};

class CudaProgram : public Program {
 public:
  CudaProgram(std::shared_ptr<Module> module, const Plan& plan, cudaStream_t stream)
      : module_(std::move(module)),
        stream_(stream),
        clear_(plan.clear),
        clear_bytes_(plan.clear_bytes),
        call_(plan.call) {
    const auto& cubin = dynamic_cast<const Cubin&>(*module_);
    for (const BoundLaunch& launch : plan.launches)
      launches_.emplace_back(cubin.image, cubin.symbol + launch.entry, launch);
  }

  RunReport run(const Schedule&) override {
    enqueue(stream_);
    cuda::synchronize(stream_);
    return {};
  }

  void enqueue(void* stream) override {
    const auto target = static_cast<cudaStream_t>(stream);
    try {
      if (clear_bytes_ > 0) check(cudaMemsetAsync(clear_, 0, clear_bytes_, target), "clear the workspace");
      for (const cuda::PlannedLaunch& launch : launches_) launch.enqueue(call_.data(), target);
    } catch (const Error& error) {
      cuda::rethrow(error);
    }
  }

 private:
  std::shared_ptr<Module> module_;
  cudaStream_t stream_;
  void* clear_;
  std::size_t clear_bytes_;
  CallBytes call_;
  std::vector<cuda::PlannedLaunch> launches_;
};

double attribute(cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, 0), "read an attribute of the GPU");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Properties of device 0. Throws DeviceUnavailable.
cudaDeviceProp first_gpu() {
  int count = 0;
  cudaDeviceProp properties{};
  try {
    check(cudaGetDeviceCount(&count), "look for a GPU");
    if (count == 0) throw DeviceUnavailable("the CUDA driver sees no GPU");
    check(cudaSetDevice(0), "take the first GPU");
    check(cudaGetDeviceProperties(&properties, 0), "read the GPU's properties");
    check(cudaFree(nullptr), "create a context");
  } catch (const Error& error) {
    throw DeviceUnavailable(error.what());
  }
  return properties;
}

class CudaDevice : public Device {
 public:
  explicit CudaDevice(const cudaDeviceProp& properties) : streams_(properties) {
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "read the driver's version");
    check(cudaRuntimeGetVersion(&runtime), "read the runtime's version");
    description_.device = "cuda";
    description_.name = properties.name;
    description_.driver = cuda::driver_version();
    if (description_.driver.empty()) description_.driver = "CUDA " + version_text(driver);
    description_.runtime = version_text(runtime);
    description_.uuid = cuda::uuid_text(properties.uuid.bytes);
    description_.sm_count = properties.multiProcessorCount;
    description_.compute_capability = properties.major * 10 + properties.minor;
    description_.memory_bytes = properties.totalGlobalMem;
    description_.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    description_.max_sm_clock = attribute(cudaDevAttrClockRate) / 1e3;
    // Kilohertz, two transfers per clock, bus width in bits.
    description_.bandwidth =
        2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    keep_freed_memory();
  }

  const DeviceDescription& description() const override { return description_; }

  void* allocate(std::size_t bytes, const std::string& name) override {
    void* memory = nullptr;
    expect_memory(cudaMallocAsync(&memory, bytes, stream()), bytes, name);
    return memory;
  }
  /// Of a short lead all is memory, as of a caller's tensor: TMA reads the origin of a tensor also for a box wholly outside it
  /// (H200, driver 580.159.04: an illegal address where the origin is no memory). It holds NaN, or -1.
  /// Before a long one there are addresses only. Pools begin at the lowest, here at 12 GiB; cudaMalloc takes the host's, near 2^47.
  void* allocate_behind(std::size_t lead, std::size_t bytes, const std::string& name) override {
    if (lead <= kLeadMemory) {
      const std::size_t before = (lead + 255) / 256 * 256;  // the memory behind stays aligned
      auto* start = static_cast<std::byte*>(allocate(before + bytes, name));
      starts_[start + before] = start;
      cuda::expect(cudaMemsetAsync(start, 0xFF, before, stream()), "fill the addresses before a tensor");
      return start + before;
    }
    void* memory = nullptr;
    expect_memory(cudaMalloc(&memory, bytes), bytes, name);
    if (reinterpret_cast<std::uintptr_t>(memory) >= lead) return memory;
    release(memory);
    throw std::runtime_error("no memory with " + std::to_string(lead) +
                             " bytes of addresses before it for '" + name + "'");
  }
  void release(void* memory) override {
    const auto start = starts_.extract(memory);
    cudaFreeAsync(start ? start.mapped() : memory, stream());
  }
  void upload(void* destination, const void* source, std::size_t bytes) override {
    copy(destination, source, bytes, cudaMemcpyHostToDevice);
  }
  void download(void* destination, const void* source, std::size_t bytes) override {
    copy(destination, source, bytes, cudaMemcpyDeviceToHost);
  }
  std::size_t guard_bytes() const override { return kGuardBytes; }

  std::shared_ptr<Module> load(const std::string& path, const std::string& symbol) override {
    try {
      if (cuda::Library::is_one(path)) return std::make_shared<SharedObject>(path, symbol);
      return std::make_shared<Cubin>(path, symbol);
    } catch (const Error& error) {
      cuda::rethrow(error);
    }
  }
  std::unique_ptr<Program> prepare(const std::shared_ptr<Module>& module, const Plan& plan) override {
    try {
      if (dynamic_cast<const SharedObject*>(module.get()))
        return std::make_unique<LibraryProgram>(module, plan, stream());
      return std::make_unique<CudaProgram>(module, plan, stream());
    } catch (const Error& error) {
      cuda::rethrow(error);
    }
  }
  Streams* streams() override { return &streams_; }

 private:
  cudaStream_t stream() { return static_cast<cudaStream_t>(streams_.stream(0)); }

  void copy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return;
    cuda::expect(cudaMemcpyAsync(destination, source, bytes, kind, stream()), "copy operands");
    cuda::expect(cudaStreamSynchronize(stream()), "copy operands");
  }

  /// Throws std::bad_alloc where memory is short. Any other error is not one of the allocation: a kernel may have faulted before.
  static void expect_memory(cudaError_t result, std::size_t bytes, const std::string& name) {
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    cuda::expect(result, "allocate " + std::to_string(bytes) + " bytes for '" + name + "'");
  }

  /// The gate allocates and frees the same few sizes thousands of times.
  static void keep_freed_memory() {
    cudaMemPool_t pool = nullptr;
    std::uint64_t all = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "find the memory pool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "keep freed memory in the pool");
  }

  cuda::CudaStreams streams_;
  DeviceDescription description_;
  std::map<void*, void*> starts_;  // of allocations, by the memory behind their lead
};

}  // namespace

std::unique_ptr<Device> open_device(const Json&) {
  const cudaDeviceProp properties = first_gpu();
  try {
    return std::make_unique<CudaDevice>(properties);
  } catch (const Error& error) {
    throw DeviceUnavailable(error.what());
  }
}

}  // namespace tilewright
