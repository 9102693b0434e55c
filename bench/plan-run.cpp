// plan-run.cpp - see bench/plan-run. One plan for each block size that the library has a kernel for; A, B and
// C lie elsewhere in every call; one thread alone and 16 that share the plan.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tilewright/bsr_spmm.h"

// ---- Heap allocations of the calling thread, outside of the launch call

namespace {
thread_local std::int64_t allocations = 0;
}

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);

void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
}

// ---- Launches

namespace {

/// A launch as it was made, to be made again.
struct Recording {
  cudaLaunchConfig_t config;
  const void* function = nullptr;
  struct alignas(64) Slot {
    std::byte bytes[64];
  };
  std::vector<std::vector<Slot>> values;
  std::vector<void*> parameters;
};

thread_local Recording* recorder = nullptr;
thread_local std::int64_t launches = 0;

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

/// Sum of the times of this thread's launch calls, while that is asked for.
thread_local double* in_launches = nullptr;

void record(const cudaLaunchConfig_t& config, const void* function, void** parameters) {
  recorder->config = config;
  recorder->function = function;
  std::size_t offset = 0, bytes = 0;
  for (std::size_t i = 0; cudaFuncGetParamInfo(function, i, &offset, &bytes) == cudaSuccess; ++i) {
    auto& value = recorder->values.emplace_back((bytes + 63) / 64);
    recorder->parameters.push_back(std::memcpy(value.data(), parameters[i], bytes));
  }
  cudaGetLastError();  // of the parameter behind the last
}

}  // namespace

extern "C" cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
extern "C" cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                                  void** parameters) {
  const std::int64_t before = allocations;
  ++launches;
  if (recorder) record(*config, function, parameters);
  const double begin = in_launches ? now() : 0;
  const cudaError_t result = __real_cudaLaunchKernelExC(config, function, parameters);
  if (in_launches) *in_launches += now() - begin;
  allocations = before;
  return result;
}

// ---- Problems

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "plan-run: %s: %s\n", what.c_str(), tw_last_error());
  std::exit(2);
}

/// Device memory, or addresses that nobody looks at.
void* allocate(std::size_t bytes) {
#ifdef REAL_DRIVER
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) fail("cudaMalloc");
  // The callers' streams do not wait for the one that clears.
  if (cudaMemset(memory, 0, bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    fail("cudaMemset");
  return memory;
#else
  static std::uintptr_t next = std::uintptr_t{1} << 40;
  return reinterpret_cast<void*>(std::exchange(next, next + (bytes + 511) / 256 * 256));
#endif
}

void synchronize(tw_stream stream) {
#ifdef REAL_DRIVER
  if (const cudaError_t result = cudaStreamSynchronize(stream); result != cudaSuccess)
    fail(std::string("a kernel failed with ") + cudaGetErrorName(result));
#else
  static_cast<void>(stream);
#endif
}

tw_stream make_stream() {
  tw_stream stream = nullptr;
#ifdef REAL_DRIVER
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) fail("cudaStreamCreate");
#endif
  return stream;
}

constexpr std::int64_t kSize = 2048;  // of A, B and C, square
constexpr std::size_t kPlaces = 8;    // of each in memory

/// One block in eight of A, the same number in each row.
struct Problem {
  std::int32_t block;
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  tw_bsr_spmm_plan* plan = nullptr;
  tw_context* context = nullptr;
  tw_bsr* pattern = nullptr;
  void *device_row_ptr, *device_col_idx, *values[kPlaces], *b[kPlaces], *c[kPlaces];

  explicit Problem(std::int32_t block) : block(block) {
    const auto rows = static_cast<std::int32_t>(kSize / block);
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t i = 0; i < rows / 8; ++i) col_idx.push_back((row + 8 * i) % rows);
      row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
    }
  }

  /// False where the library has no kernel for it.
  bool make_plan() {
    tw_bsr_spmm_problem problem{};
    problem.struct_size = sizeof problem;
    problem.m = problem.n = problem.k = kSize;
    problem.block = block;
    problem.blocks = static_cast<std::int64_t>(col_idx.size());
    problem.host_row_ptr = row_ptr.data();
    problem.host_col_idx = col_idx.data();
    const tw_status status = tw_bsr_spmm_plan_create(&problem, &plan);
    if (status != TW_STATUS_SUCCESS && status != TW_STATUS_NOT_SUPPORTED) fail("plan");
    return status == TW_STATUS_SUCCESS;
  }

  void place() {
    device_row_ptr = upload(row_ptr);
    device_col_idx = upload(col_idx);
    const auto dense = static_cast<std::size_t>(kSize * kSize * 2);
    for (std::size_t i = 0; i < kPlaces; ++i) {
      values[i] = allocate(col_idx.size() * static_cast<std::size_t>(block * block) * 2);
      b[i] = allocate(dense + 256);
      c[i] = allocate(dense);
    }
  }

  /// For calls whose kernel a context chooses: by the library's policy, as the plan does.
  void make_context() {
    tw_context_options options{};
    options.struct_size = sizeof options;
    options.policy = TW_POLICY_REPLAY;
    options.cache = "";
    tw_bsr_structure structure{};
    structure.struct_size = sizeof structure;
    structure.m = structure.k = kSize;
    structure.block = block;
    structure.blocks = static_cast<std::int64_t>(col_idx.size());
    structure.row_ptr = device_row_ptr;
    structure.col_idx = device_col_idx;
    structure.host_row_ptr = row_ptr.data();
    structure.host_col_idx = col_idx.data();
    if (tw_context_create(0, &options, &context) != TW_STATUS_SUCCESS) fail("context");
    if (tw_bsr_create(context, &structure, nullptr, &pattern) != TW_STATUS_SUCCESS) fail("pattern");
  }

  static void* upload(const std::vector<std::int32_t>& numbers) {
    void* memory = allocate(numbers.size() * 4);
#ifdef REAL_DRIVER
    cudaMemcpy(memory, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice);
#endif
    return memory;
  }
};

/// The call that a thread repeats.
struct Caller {
  const Problem& problem;
  std::size_t off_alignment;  // of B, in bytes
  tw_stream stream;
  void* workspace;
  std::size_t workspace_bytes;
  std::size_t next = 0;

  Caller(const Problem& problem, std::size_t off_alignment)
      : problem(problem),
        off_alignment(off_alignment),
        stream(make_stream()),
        workspace_bytes(tw_bsr_spmm_workspace_bytes(problem.plan)) {
    workspace = workspace_bytes ? allocate(workspace_bytes) : nullptr;
    if (tw_bsr_spmm_prepare(problem.plan, workspace, workspace_bytes, stream) != TW_STATUS_SUCCESS)
      fail("prepare");
  }

  /// Operands of the next call: what they cost is the caller's, beside a bare launch too.
  [[gnu::noinline]] tw_bsr_spmm_operands operands() {
    const Problem& p = problem;
    next = (next + 1) % kPlaces;
    tw_bsr_spmm_operands all{};
    all.struct_size = sizeof all;
    all.row_ptr = p.device_row_ptr;
    all.col_idx = p.device_col_idx;
    all.values = p.values[next];
    all.b = static_cast<const char*>(p.b[(next + 3) % kPlaces]) + off_alignment;
    all.c = p.c[(next + 5) % kPlaces];
    all.alpha = 1.5f;
    return all;
  }

  tw_status call() {
    const tw_bsr_spmm_operands all = operands();
    return tw_bsr_spmm_run(problem.plan, &all, workspace, workspace_bytes, stream);
  }

  /// The same call by key.
  tw_status keyed() {
    const tw_bsr_spmm_operands all = operands();
    tw_bsr_spmm_problem asked{};
    asked.struct_size = sizeof asked;
    asked.n = kSize;
    return tw_bsr_spmm(problem.context, problem.pattern, &asked, &all, stream);
  }
};

// ---- Times

constexpr int kBatch = 32;

/// Single calls: nanoseconds of the library's own code and of the launches in it.
struct Singles {
  std::vector<double> own, launch;
};

/// Nanoseconds a call, one entry per batch; and of single calls, with what reading the clock takes, and arithmetic in
/// registers that takes about as long as a call: what is in its tail is the machine's.
struct Samples {
  std::vector<double> library, bare, keyed, clock, control;
  std::vector<double>
      own_code;  // of a plan's run: a batch of these less the batch of bare launches beside it
  Singles single, keyed_single;
  std::vector<double> above;  // own code of a single call by key, less that of the plan's run beside it
  std::int64_t allocations = 0, launches = 0, calls = 0;
};

/// Dependent multiplications, and no memory.
void spin(int steps) {
  std::uint64_t x = 1;
  for (int i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
}

template <class Work>
double batch(const Work& work) {
  const double begin = now();
  for (int i = 0; i < kBatch; ++i) work();
  return (now() - begin) / kBatch;
}

template <class Work>
void single(const Work& work, Singles& to) {
  double launch = 0;
  in_launches = &launch;
  const double begin = now();
  work();
  const double whole = now() - begin;
  in_launches = nullptr;
  to.own.push_back(whole - launch);
  to.launch.push_back(launch);
}

void measure(const Problem& problem, std::size_t off_alignment, int samples, std::atomic<int>& waiting,
             Samples& out) {
  Caller caller(problem, off_alignment);
  const auto run = [&] {
    if (caller.call() != TW_STATUS_SUCCESS) fail("run");
  };
  const auto keyed = [&] {
    if (caller.keyed() != TW_STATUS_SUCCESS) fail("keyed call");
  };
  Recording recording;
  recorder = &recording;
  run();
  recorder = nullptr;
  // The caller's own work and the wrapped call are on both sides.
  const auto bare = [&] {
    const tw_bsr_spmm_operands all = caller.operands();
    asm volatile("" : : "r"(&all) : "memory");
    cudaLaunchKernelExC(&recording.config, recording.function, recording.parameters.data());
  };
  for (auto* list :
       {&out.library, &out.bare, &out.keyed, &out.clock, &out.control, &out.own_code, &out.single.own,
        &out.single.launch, &out.keyed_single.own, &out.keyed_single.launch, &out.above})
    list->reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < 100; ++i) run(), keyed(), synchronize(caller.stream);
  constexpr int kManySteps = 1 << 16;
  const double step = batch([] { spin(kManySteps); }) / kManySteps, call_ns = batch(keyed);
  const int steps = std::max(1, static_cast<int>(call_ns / step));
  synchronize(caller.stream);
  for (--waiting; waiting > 0;) std::this_thread::yield();  // all threads begin together
  const std::int64_t allocated = allocations, launched = launches;
  for (int i = 0; i < samples; ++i) {
    // Launches into an idle stream cost more than those that follow: both batches begin with one, in turns.
    if (i % 2 == 0) out.library.push_back(batch(run)), synchronize(caller.stream);
    out.bare.push_back(batch(bare));
    synchronize(caller.stream);
    if (i % 2 == 1) out.library.push_back(batch(run)), synchronize(caller.stream);
    out.own_code.push_back(out.library.back() - out.bare.back());
    out.keyed.push_back(batch(keyed));
    synchronize(caller.stream);
    const double first = now(), second = now();
    out.clock.push_back(second - first);
    const double begin = now();
    spin(steps);
    out.control.push_back(now() - begin);
    // In turns of opposite order: the machine does the same to both.
    if (i % 2 == 0) single(run, out.single), synchronize(caller.stream);
    single(keyed, out.keyed_single);
    synchronize(caller.stream);
    if (i % 2 == 1) single(run, out.single), synchronize(caller.stream);
    out.above.push_back(out.keyed_single.own.back() - out.single.own.back());
  }
  out.allocations = allocations - allocated;
  out.launches = launches - launched - std::int64_t{samples} * kBatch;  // the bare ones are not the library's
  out.calls = std::int64_t{samples} * 2 * (kBatch + 1);
}

double quantile(std::vector<double> values, double at) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(at * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

void report(const Problem& problem, const char* call, int threads, const Samples& all) {
  const double library = quantile(all.library, 0.5), bare = quantile(all.bare, 0.5),
               clock = quantile(all.clock, 0.5), calls = static_cast<double>(all.calls);
#ifdef REAL_DRIVER
  const char* driver = "cuda";
#else
  const char* driver = "stand-in";
#endif
  const auto ours = [&](const Singles& calls, double at) {
    return quantile(calls.own, at) - 2 * clock;  // one before the call and its launch each
  };
  std::printf(
      "{\"variant\":\"%s\",\"call\":\"%s\",\"driver\":\"%s\",\"threads\":%d,\"nsMedian\":%.1f,"
      "\"bareNsMedian\":%.1f,\"ownNsMedian\":%.1f,\"keyedAboveNsMedian\":%.1f,\"keyedAboveNsP99\":%.1f,",
      tw_bsr_spmm_plan_variant(problem.plan), call, driver, threads, library, bare,
      quantile(all.own_code, 0.5), quantile(all.keyed, 0.5) - library, quantile(all.keyed, 0.99) - library);
  std::printf(
      "\"single\":{\"planNsMedian\":%.1f,\"planNsP99\":%.1f,\"keyedNsMedian\":%.1f,\"keyedNsP99\":%.1f,"
      "\"aboveNsMedian\":%.1f,\"aboveNsP99\":%.1f,"
      "\"launchNsMedian\":%.1f,\"launchNsP99\":%.1f,\"controlNsMedian\":%.1f,\"controlNsP99\":%.1f},"
      "\"allocationsPerRun\":%g,\"launchesPerRun\":%g}\n",
      ours(all.single, 0.5), ours(all.single, 0.99), ours(all.keyed_single, 0.5),
      ours(all.keyed_single, 0.99), quantile(all.above, 0.5), quantile(all.above, 0.99),
      quantile(all.single.launch, 0.5), quantile(all.single.launch, 0.99), quantile(all.control, 0.5) - clock,
      quantile(all.control, 0.99) - clock, static_cast<double>(all.allocations) / calls,
      static_cast<double>(all.launches) / calls);
  std::fflush(stdout);
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void measure(const Problem& problem, const char* call, std::size_t off_alignment, int threads, int samples) {
  std::vector<Samples> samples_of(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  std::atomic<int> waiting = threads;
  for (Samples& own : samples_of)
    running.emplace_back([&] { measure(problem, off_alignment, samples, waiting, own); });
  Samples all;
  for (int i = 0; i < threads; ++i) {
    running[static_cast<std::size_t>(i)].join();
    const Samples& own = samples_of[static_cast<std::size_t>(i)];
    append(all.library, own.library);
    append(all.bare, own.bare);
    append(all.own_code, own.own_code);
    append(all.keyed, own.keyed);
    append(all.single.own, own.single.own);
    append(all.single.launch, own.single.launch);
    append(all.keyed_single.own, own.keyed_single.own);
    append(all.keyed_single.launch, own.keyed_single.launch);
    append(all.above, own.above);
    append(all.clock, own.clock);
    append(all.control, own.control);
    all.allocations += own.allocations;
    all.launches += own.launches;
    all.calls += own.calls;
  }
  report(problem, call, threads, all);
}

int positive(const char* text) {
  const int value = std::atoi(text);
  if (value < 1) {
    std::fprintf(stderr, "plan-run: '%s' is no positive number\n", text);
    std::exit(2);
  }
  return value;
}

#ifdef REAL_DRIVER
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    fail(name);
  return reinterpret_cast<Function>(function);
}

/// The two ways to give a tensor map its address: the library takes the first.
void report_maps(int samples) {
  const auto replace = driver_function<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const cuuint64_t size[] = {64, kSize, kSize / 64}, stride[] = {kSize * 2, 128};
  const cuuint32_t box[] = {64, 64, 4}, step[] = {1, 1, 1};
  CUtensorMap map;
  std::uintptr_t address = std::uintptr_t{1} << 20;
  const auto next = [&] { return reinterpret_cast<void*>(address += 256); };
  const auto encode_next = [&] {
    return encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, next(), size, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  if (encode_next() != CUDA_SUCCESS || replace(&map, next()) != CUDA_SUCCESS) fail("tensor map");
  std::vector<double> replaced, encoded;
  for (int i = 0; i < samples; ++i) {
    replaced.push_back(batch([&] { replace(&map, next()); }));
    encoded.push_back(batch(encode_next));
  }
  // Whether a map is its address, followed by what does not depend on it.
  bool leads = true, alone = true;
  for (int bit = 8; bit < 47; ++bit) {
    CUtensorMap before = map;
    void* const to = reinterpret_cast<void*>((std::uintptr_t{1} << bit) | 0x5a5a00);
    if (replace(&map, to) != CUDA_SUCCESS) fail("tensor map");
    leads = leads && std::memcmp(&map, &to, sizeof to) == 0;
    std::memcpy(&before, &to, sizeof to);
    alone = alone && std::memcmp(&before, &map, sizeof map) == 0;
  }
  std::printf(
      "{\"tensorMap\":true,\"replaceAddressNsMedian\":%.1f,\"encodeTiledNsMedian\":%.1f,"
      "\"beginsWithAddress\":%s,\"nothingElseChanges\":%s}\n",
      quantile(replaced, 0.5), quantile(encoded, 0.5), leads ? "true" : "false", alone ? "true" : "false");
}
#endif

}  // namespace

int main(int count, char** words) {
#ifdef REAL_DRIVER
  int samples = 200;  // kernels run, sixteen threads of them
#else
  int samples = 2000;
#endif
  std::vector<int> threads;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(words[i], "--samples") == 0) samples = positive(words[i + 1]);
    if (std::strcmp(words[i], "--threads") == 0) threads.push_back(positive(words[i + 1]));
  }
  if (threads.empty()) threads = {1, 16};
  for (const std::int32_t block : {32, 64, 128}) {
    Problem problem(block);
    if (!problem.make_plan()) continue;
    problem.place();
    problem.make_context();
    for (const int number : threads) measure(problem, "aligned", 0, number, samples);
    // The chosen kernel refuses such a B; where the library has a fallback, that takes it.
    if (Caller(problem, 2).call() == TW_STATUS_SUCCESS)
      for (const int number : threads) measure(problem, "fallback", 2, number, samples);
    tw_bsr_spmm_plan_destroy(problem.plan);
    tw_bsr_destroy(problem.pattern);
    tw_context_destroy(problem.context);
  }
#ifdef REAL_DRIVER
  report_maps(samples);
#endif
}
