// Shortest times of kernels that read `megabytes` of L2-hot memory once and write little, launched one after the other in a CUDA graph: what
// no product that reads A can beat. Also times of what such a kernel does beside: launches, dependent loads, sums of several thread blocks.
//   nvcc -O3 -std=c++20 -arch=sm_90a -I kit/device bench/hot-floor.cu -o build/hot-floor && build/hot-floor [megabytes]
// A line of JSON for each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tw/ptx.cuh"

namespace {

constexpr int kLaunches = 200, kReplays = 25;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

struct Args {
  const uint4* data;
  const int* indices;  // indices[i] = i
  int* out;
  float* partials;
  unsigned* counters;  // 0 between launches
  int vectors;         // of 16 bytes, in all
};

template <bool Dependent>
TW_DEVICE void wait_for_others() {
  if constexpr (Dependent) {
    ptx::griddep_launch_dependents();
    ptx::griddep_wait();
  }
}

template <bool Dependent>
__global__ void empty(Args) {
  wait_for_others<Dependent>();
}

enum class Combine { none, memory, cluster };

/// Each thread loads `Vectors` vectors at once, behind `Trips` loads of which each needs the one before. A warp writes 4 bytes. `How`:
/// sums of pairs of thread blocks, through memory or through shared memory of a cluster.
template <int Threads, int Vectors, int Trips, Combine How, bool Dependent>
__global__ void __launch_bounds__(Threads) load(Args args) {
  __shared__ float sums[Threads];
  __shared__ unsigned before;
  wait_for_others<Dependent>();
  int block = blockIdx.x;
#pragma unroll
  for (int trip = 0; trip < Trips; ++trip) block = args.indices[block];
  uint4 loaded[Vectors];
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    const int at = (block * Vectors + i) * Threads + threadIdx.x;
    loaded[i] = at < args.vectors ? __ldcs(args.data + at) : uint4{};
  }
  unsigned any = 0;
#pragma unroll
  for (int i = 0; i < Vectors; ++i) any |= loaded[i].x | loaded[i].y | loaded[i].z | loaded[i].w;
  if constexpr (How == Combine::cluster) {
    sums[threadIdx.x] = static_cast<float>(any);
    ptx::cluster_sync();
    const unsigned other =
        ptx::map_shared_rank(ptx::shared_address(&sums[threadIdx.x]), ptx::cluster_rank() ^ 1);
    any += static_cast<unsigned>(ptx::load_shared_cluster<float>(other));
    ptx::cluster_sync();
  }
  if constexpr (How == Combine::memory) {
    args.partials[blockIdx.x * Threads + threadIdx.x] = static_cast<float>(any);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      before = atomicInc(&args.counters[blockIdx.x / 2], 1);
      __threadfence();
    }
    __syncthreads();
    if (before == 0) return;
    any += static_cast<unsigned>(__ldcg(&args.partials[(blockIdx.x ^ 1) * Threads + threadIdx.x]));
  }
  if (threadIdx.x % 32 == 0) args.out[(blockIdx.x * Threads + threadIdx.x) / 32] = static_cast<int>(any);
}

/// One thread of each thread block copies its share to shared memory in `Copies` bulk copies.
template <int Copies, bool Dependent>
__global__ void __launch_bounds__(128) bulk(Args args) {
  TW_SHARED(memory);
  const unsigned barrier = ptx::shared_address(memory), target = barrier + 1024;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  wait_for_others<Dependent>();
  const int share = args.vectors / gridDim.x / Copies;
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(barrier, Copies * share * 16);
    for (int i = 0; i < Copies; ++i)
      ptx::bulk_load(target + i * share * 16, args.data + (blockIdx.x * Copies + i) * share, share * 16,
                     barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  if (threadIdx.x % 32 == 0)
    args.out[(blockIdx.x * 128 + threadIdx.x) / 32] = ptx::load_shared<int>(target + threadIdx.x * 4);
}

struct Launch {
  int blocks, threads, cluster = 1, shared = 0;
  bool dependent = false;
};

/// Microseconds of a launch, the median of replays.
double time_of(const Launch& launch, void (*kernel)(Args), Args args) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared));
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config{};
  config.gridDim = launch.blocks, config.blockDim = launch.threads, config.dynamicSmemBytes = launch.shared;
  config.stream = stream, config.attrs = attributes;
  if (launch.cluster > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  }
  if (launch.dependent) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kLaunches; ++i) check(cudaLaunchKernelEx(&config, kernel, args));
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times(kReplays);
  for (int i = -3; i < kReplays; ++i) {
    check(cudaEventRecord(begin, stream));
    check(cudaGraphLaunch(ready, stream));
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    if (i >= 0) check(cudaEventElapsedTime(&times[static_cast<std::size_t>(i)], begin, end));
  }
  std::nth_element(times.begin(), times.begin() + kReplays / 2, times.end());
  return times[kReplays / 2] * 1e3 / kLaunches;
}

class Report {
 public:
  explicit Report(Args args) : args_(args) {}
  void add(const char* name, const Launch& launch, void (*kernel)(Args)) const {
    const double us = time_of(launch, kernel, args_);
    std::printf(
        "{\"kernel\": \"%s\", \"blocks\": %d, \"threads\": %d, \"cluster\": %d, \"dependent\": %s, \"us\": "
        "%.3f}\n",
        name, launch.blocks, launch.threads, launch.cluster, launch.dependent ? "true" : "false", us);
    std::fflush(stdout);
  }

  /// As many thread blocks as it takes.
  template <int Threads, int Vectors, int Trips = 0, Combine How = Combine::none>
  void load_all(const char* name) const {
    const int blocks = (args_.vectors + Threads * Vectors - 1) / (Threads * Vectors);
    const int cluster = How == Combine::cluster ? 2 : 1, even = (blocks + 1) / 2 * 2;
    add(name, {even, Threads, cluster}, load<Threads, Vectors, Trips, How, false>);
    add(name, {even, Threads, cluster, 0, true}, load<Threads, Vectors, Trips, How, true>);
  }

 private:
  Args args_;
};

/// Clusters that are resident at once, with as much shared memory that a multiprocessor has one thread block.
void report_clusters() {
  check(cudaFuncSetAttribute(bulk<8, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  check(cudaFuncSetAttribute(bulk<8, false>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const unsigned size : {2u, 4u, 8u, 16u}) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {size, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = size, config.blockDim = 128, config.dynamicSmemBytes = 200 * 1024,
    config.attrs = &attribute, config.numAttrs = 1;
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, bulk<8, false>, &config));
    std::printf("{\"cluster\": %u, \"resident\": %d}\n", size, clusters);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const double megabytes = count > 1 ? std::atof(arguments[1]) : 11.7;
  Args args{};
  args.vectors = static_cast<int>(megabytes * 1e6 / 16);
  std::vector<int> indices(1 << 16);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int>(i);
  int* table;
  uint4* data;
  check(cudaMalloc(&table, indices.size() * 4));
  check(cudaMemcpy(table, indices.data(), indices.size() * 4, cudaMemcpyHostToDevice));
  check(cudaMalloc(&data, args.vectors * 16LL));
  check(cudaMemset(data, 0, args.vectors * 16LL));
  check(cudaMalloc(&args.out, 1 << 22));
  check(cudaMalloc(&args.partials, 1 << 24));
  check(cudaMalloc(&args.counters, 1 << 20));
  check(cudaMemset(args.counters, 0, 1 << 20));
  args.indices = table;
  args.data = data;

  const Report report(args);
  for (const bool dependent : {false, true}) {
    const auto kernel = dependent ? empty<true> : empty<false>;
    report.add("empty", {1, 32, 1, 0, dependent}, kernel);
    report.add("empty", {132, 256, 1, 0, dependent}, kernel);
    report.add("empty", {528, 256, 1, 0, dependent}, kernel);
    report.add("empty, 200 KB shared", {132, 256, 1, 200 * 1024, dependent}, kernel);
    report.add("empty, clusters", {132, 256, 2, 0, dependent}, kernel);
  }
  report.load_all<256, 11>("load");
  report.load_all<512, 11>("load");
  report.load_all<128, 11>("load");
  report.load_all<256, 6>("load");
  report.load_all<1024, 6>("load");
  report.load_all<256, 11, 1>("load, 1 trip before");
  report.load_all<256, 11, 2>("load, 2 trips before");
  report.load_all<256, 11, 3>("load, 3 trips before");
  report.load_all<256, 11, 2, Combine::memory>("load, 2 trips before, pairs summed through memory");
  report.load_all<256, 11, 2, Combine::cluster>("load, 2 trips before, pairs summed in clusters");
  for (const int grid : {128, 132}) {
    const int shared = static_cast<int>(args.vectors * 16LL / grid) + 2048;
    report.add("bulk copies", {grid, 128, 1, shared, false}, bulk<8, false>);
    report.add("bulk copies", {grid, 128, 1, shared, true}, bulk<8, true>);
    report.add("many bulk copies", {grid, 128, 1, shared, false}, bulk<44, false>);
  }
  report_clusters();
}
