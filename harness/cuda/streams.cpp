#include "streams.hpp"

namespace tilewright::cuda {
namespace {

/// A CUDA graph, instantiated.
class Graph : public Recording {
 public:
  explicit Graph(cudaGraph_t graph) {
    const cudaError_t result = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(result, "instantiate a graph");
    // Uploading now keeps the first replay from paying for it.
    expect(cudaGraphUpload(executable_, nullptr), "upload a graph");
    expect(cudaStreamSynchronize(nullptr), "upload a graph");
  }
  ~Graph() override { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay(void* stream) override {
    try {
      check(cudaGraphLaunch(executable_, static_cast<cudaStream_t>(stream)), "launch a graph");
    } catch (const Error& error) {
      rethrow(error);
    }
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

void rethrow(const Error& error) {
  if (is_sticky(error.code)) throw DeviceLost(error.what());
  throw LaunchRefused(error.what());
}

void expect(cudaError_t result, const std::string& what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  if (is_sticky(result)) throw DeviceLost(Error(result, what).what());
  throw Error(result, what);
}

void synchronize(cudaStream_t stream) {
  const cudaError_t result = cudaStreamSynchronize(stream);
  if (result != cudaSuccess) rethrow(Error(result, "while a kernel ran"));
}

CudaStreams::CudaStreams(const cudaDeviceProp& properties)
    : clock_(properties.multiProcessorCount),
      flush_bytes_(2 * static_cast<std::size_t>(properties.l2CacheSize)) {
  for (cudaStream_t& stream : streams_)
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  check(cudaEventCreate(&start_), "create an event");
  check(cudaEventCreate(&stop_), "create an event");
}

CudaStreams::~CudaStreams() {
  if (flush_) cudaFree(flush_);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
}

void CudaStreams::synchronize() {
  for (cudaStream_t stream : streams_) cuda::synchronize(stream);
}

std::unique_ptr<Recording> CudaStreams::record(const Work& work) {
  expect(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), "begin a capture");
  cudaGraph_t graph = nullptr;
  try {
    work(streams_[0]);
  } catch (...) {
    cudaStreamEndCapture(streams_[0], &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  const cudaError_t result = cudaStreamEndCapture(streams_[0], &graph);
  if (result != cudaSuccess || !graph) {
    cudaGetLastError();
    throw Unsupported(Error(result, "capture into a graph").what());
  }
  std::size_t nodes = 0;
  expect(cudaGraphGetNodes(graph, nullptr, &nodes), "count the nodes of a graph");
  if (nodes == 0) {
    cudaGraphDestroy(graph);
    throw Unsupported("the capture holds no work");
  }
  return std::make_unique<Graph>(graph);
}

double CudaStreams::seconds(const Work& work) {
  clock_.read(0, streams_[0]);
  expect(cudaEventRecord(start_, streams_[0]), "record an event");
  work(streams_[0]);
  expect(cudaEventRecord(stop_, streams_[0]), "record an event");
  clock_.read(1, streams_[0]);
  cuda::synchronize(streams_[0]);
  float milliseconds = 0;
  expect(cudaEventElapsedTime(&milliseconds, start_, stop_), "read the events");
  return milliseconds * 1e-3;
}

double CudaStreams::cold_seconds(const Work& work) {
  if (!flush_) expect(cudaMalloc(&flush_, flush_bytes_), "allocate the buffer that empties the L2 cache");
  // The fill takes long enough to hide the enqueueing of what follows it.
  expect(cudaMemsetAsync(flush_, 0, flush_bytes_, streams_[0]), "overwrite the L2 cache");
  return seconds(work);
}

}  // namespace tilewright::cuda
