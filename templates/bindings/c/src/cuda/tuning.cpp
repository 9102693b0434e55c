// tuning.cpp - what measuring needs of an NVIDIA GPU: memory, copies, events, and peace with captures.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "cuda/translated.hpp"
#include "tuner/device.hpp"

namespace tilewright::library::device {
namespace {

/// A stream of the library's own, which waits for no other.
class OwnStream {
 public:
  OwnStream() { cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream"); }
  ~OwnStream() { cudaStreamDestroy(stream); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t stream = nullptr;
};

/// A CUDA graph of runs; the runs themselves where they cannot be captured.
class Runs final : public Work {
 public:
  Runs(int runs, std::function<void(tw_stream)> run) : runs_(runs), run_(std::move(run)) { capture(); }
  ~Runs() override {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void enqueue(tw_stream stream) override {
    if (!graph_) return enqueue_runs(stream);
    translated([&] { cuda::check(cudaGraphLaunch(graph_, stream), "launch a graph"); });
  }

 private:
  void enqueue_runs(tw_stream stream) const {
    for (int i = 0; i < runs_; ++i) run_(stream);
  }
  void capture() {
    const OwnStream own;
    if (cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return forget();
    cudaGraph_t graph = nullptr;
    const auto end = [&] { return cudaStreamEndCapture(own.stream, &graph) == cudaSuccess && graph != nullptr; };
    try {
      enqueue_runs(own.stream);
    } catch (const Error&) {  // whether it can be launched at all, its runs will tell
      if (end()) cudaGraphDestroy(graph);
      return forget();
    }
    if (!end()) return forget();
    if (cudaGraphInstantiate(&graph_, graph, 0) != cudaSuccess) graph_ = nullptr, forget();
    cudaGraphDestroy(graph);
  }
  static void forget() { cudaGetLastError(); }

  int runs_;
  std::function<void(tw_stream)> run_;
  cudaGraphExec_t graph_ = nullptr;
};

/// An event behind each work. All are enqueued before any is waited for, so that the host's own time is in none of them.
class EventClock final : public Clock {
 public:
  ~EventClock() override {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  std::vector<double> times(const std::vector<Work*>& works, tw_stream stream) override {
    if (works.empty()) return {};
    return translated([&] {
      while (events_.size() < works.size() + 1)
        cuda::check(cudaEventCreate(&events_.emplace_back()), "make an event");
      works.front()->enqueue(stream);
      mark(0, stream);
      for (std::size_t i = 0; i < works.size(); ++i) works[i]->enqueue(stream), mark(i + 1, stream);
      cuda::check(cudaEventSynchronize(events_[works.size()]), "wait for an event");
      std::vector<double> seconds;
      for (std::size_t i = 0; i < works.size(); ++i) {
        float milliseconds = 0;
        cuda::check(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]), "read events");
        seconds.push_back(milliseconds * 1e-3);
      }
      return seconds;
    });
  }

 private:
  void mark(std::size_t index, tw_stream stream) {
    cuda::check(cudaEventRecord(events_[index], stream), "record an event");
  }
  std::vector<cudaEvent_t> events_;
};

}  // namespace

int current() {
  return translated([] {
    int device = 0;
    cuda::check(cudaGetDevice(&device), "find the current device");
    return device;
  });
}

std::uint64_t generation() noexcept {
  using GetId = CUresult(CUcontext, unsigned long long*);
  static GetId* const get_id = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t result = cudaGetDriverEntryPointByVersion("cuCtxGetId", &function, 12000, cudaEnableDefault, &found);
    return result == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<GetId*>(function) : nullptr;
  }();
  unsigned long long id = 0;
  if (!get_id || get_id(nullptr, &id) == CUDA_SUCCESS) return id;
  // The thread has made no call of the runtime yet, or the device was reset.
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return cudaGetLastError(), 0;
  return get_id(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

std::uint64_t generation(int device) noexcept {
  int own = 0;
  if (cudaGetDevice(&own) != cudaSuccess) return cudaGetLastError(), 0;
  if (own == device) return generation();
  if (cudaSetDevice(device) != cudaSuccess) return cudaGetLastError(), 0;
  const std::uint64_t id = generation();
  cudaSetDevice(own);
  return id;
}

std::string environment() {
  return translated([] {
    int driver = 0, runtime = 0, device = 0;
    cuda::check(cudaGetDevice(&device), "find the current device");
    cuda::check(cudaDriverGetVersion(&driver), "query the driver's version");
    cuda::check(cudaRuntimeGetVersion(&runtime), "query the runtime's version");
    cudaDeviceProp gpu;
    cuda::check(cudaGetDeviceProperties(&gpu, device), "query the device");
    return "target: cuda\ngpu: " + std::string(gpu.name) + "\ncompute capability: " + std::to_string(gpu.major) + "." +
           std::to_string(gpu.minor) + "\nmultiprocessors: " + std::to_string(gpu.multiProcessorCount) +
           "\nL2 bytes: " + std::to_string(gpu.l2CacheSize) + "\ndriver: " + std::to_string(driver) +
           "\nruntime: " + std::to_string(runtime) + "\n";
  });
}

bool capturing(tw_stream stream) {
  return translated([&] {
    cudaStreamCaptureStatus status{};
    const cudaError_t result = cudaStreamIsCapturing(stream, &status);
    // Of the legacy stream nobody knows while another one is being captured; that capture must not be disturbed.
    if (result == cudaErrorStreamCaptureImplicit) return cudaGetLastError(), true;
    if (result != cudaSuccess) [[unlikely]]  // the text would be allocated in every call
      cuda::check(result, "ask whether the stream is being captured");
    return status != cudaStreamCaptureStatusNone;
  });
}

void* allocate(std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

void release(void* memory) noexcept { cudaFree(memory); }

void upload(void* destination, const void* host_source, std::size_t bytes) {
  translated([&] {
    const OwnStream own;
    cuda::check(cudaMemcpyAsync(destination, host_source, bytes, cudaMemcpyHostToDevice, own.stream),
                "copy " + std::to_string(bytes) + " bytes to the device");
    cuda::check(cudaStreamSynchronize(own.stream), "wait for a copy to the device");
  });
}

void download(void* host_destination, const void* source, std::size_t bytes, tw_stream stream) {
  translated([&] {
    cuda::check(cudaMemcpyAsync(host_destination, source, bytes, cudaMemcpyDeviceToHost, stream),
                "copy " + std::to_string(bytes) + " bytes from the device");
    cuda::check(cudaStreamSynchronize(stream), "wait for a copy from the device");
  });
}

void download_lines(void* host_destination, const void* source, std::size_t pitch, std::size_t width,
                    std::size_t lines, tw_stream stream) {
  constexpr std::size_t kMostPitch = 0x7fffffff;  // cudaDevAttrMaxPitch of every GPU
  translated([&] {
    const auto checked = [&](cudaError_t result) { cuda::check(result, "copy " + std::to_string(lines) + " lines from the device"); };
    if (pitch <= kMostPitch && width <= kMostPitch) {
      checked(cudaMemcpy2DAsync(host_destination, width, source, pitch, width, lines, cudaMemcpyDeviceToHost, stream));
    } else {
      auto* to = static_cast<std::byte*>(host_destination);
      const auto* from = static_cast<const std::byte*>(source);
      for (std::size_t line = 0; line < lines; ++line, to += width, from += pitch)
        checked(cudaMemcpyAsync(to, from, width, cudaMemcpyDeviceToHost, stream));
    }
    cuda::check(cudaStreamSynchronize(stream), "wait for a copy from the device");
  });
}

void copy_within(void* destination, const void* source, std::size_t bytes, tw_stream stream) {
  translated([&] {
    cuda::check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, stream),
                "copy " + std::to_string(bytes) + " bytes on the device");
  });
}

void fill(void* destination, int byte, std::size_t bytes, tw_stream stream) {
  translated([&] {
    cuda::check(cudaMemsetAsync(destination, byte, bytes, stream), "fill " + std::to_string(bytes) + " bytes");
  });
}

void synchronize(tw_stream stream) {
  translated([&] { cuda::check(cudaStreamSynchronize(stream), "wait for the stream"); });
}

void* open_library(const char* name, bool load) noexcept {
  return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | (load ? 0 : RTLD_NOLOAD));
}

void* find_function(void* library, const char* symbol) noexcept { return dlsym(library, symbol); }

// A child of fork() cannot use the parent's device, whatever is done here.
void pause() {}
void resume() {}

std::unique_ptr<Work> record(int runs, std::function<void(tw_stream)> run) {
  return translated([&] { return std::make_unique<Runs>(runs, std::move(run)); });
}

std::unique_ptr<Clock> make_clock() {
  return translated([] { return std::make_unique<EventClock>(); });
}

CaptureGuard::CaptureGuard() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  former_ = mode;
}

CaptureGuard::~CaptureGuard() {
  auto mode = static_cast<cudaStreamCaptureMode>(former_);
  cudaThreadExchangeStreamCaptureMode(&mode);
}

}  // namespace tilewright::library::device
