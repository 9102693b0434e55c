// tuner.cpp - see bench/tuner. What a context costs and gives on a GPU, with bsr_spmm in f16.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/bsr_spmm.h"

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "tuner: %s: %s\n", what.c_str(), tw_last_error());
  std::exit(2);
}

void must(cudaError_t code, const char* what) {
  if (code != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(code));
}
void must(tw_status status, const char* what) {
  if (status != TW_STATUS_SUCCESS) fail(what);
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

constexpr std::uint32_t kSeed = 1;
std::uint32_t seed = kSeed;

std::uint32_t random_bits() { return seed = seed * 1664525u + 1013904223u; }

/// f16 numbers between -2 and 2 on the device, at least half a unit away from 0 or so.
std::uint16_t* numbers(std::size_t count) {
  std::vector<std::uint16_t> host(count);
  for (std::uint16_t& one : host) one = static_cast<std::uint16_t>((random_bits() >> 16 & 0x83ff) | 0x3800);
  void* memory = nullptr;
  must(cudaMalloc(&memory, count * 2), "cudaMalloc");
  must(cudaMemcpy(memory, host.data(), count * 2, cudaMemcpyHostToDevice), "cudaMemcpy");
  return static_cast<std::uint16_t*>(memory);
}

constexpr std::int64_t kMost = 4096;  // of every size

/// Operands that all problems of at most so many elements share.
struct Data {
  explicit Data(std::int64_t of_a = kMost * kMost, std::int64_t of_b = kMost * kMost, std::int64_t of_c = kMost * kMost)
      : values(numbers(static_cast<std::size_t>(of_a))),
        b(numbers(static_cast<std::size_t>(of_b))),
        c(numbers(static_cast<std::size_t>(of_c))) {}
  std::uint16_t *values, *b, *c;
};

/// A pattern with rows of random length.
struct Problem {
  std::int64_t rows, size, n, block;
  double density;
  tw_layout layout = TW_LAYOUT_ROW;  // of B and C
  std::vector<std::int32_t> row_ptr{0}, col_idx;
  std::int32_t *device_row_ptr = nullptr, *device_col_idx = nullptr;
  tw_bsr* pattern = nullptr;

  Problem(std::int64_t size, std::int64_t n, std::int64_t block, double density) : Problem(size, size, n, block, density) {}
  Problem(std::int64_t rows, std::int64_t size, std::int64_t n, std::int64_t block, double density)
      : rows(rows), size(size), n(n), block(block), density(density) {
    const std::int64_t blocks = size / block;
    for (std::int64_t row = 0; row < rows / block; ++row) {
      for (std::int64_t column = 0; column < blocks; ++column)
        if ((random_bits() >> 8) < density * (1 << 24)) col_idx.push_back(static_cast<std::int32_t>(column));
      row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
    }
    const auto upload = [](const std::vector<std::int32_t>& host, std::int32_t*& device) {
      must(cudaMalloc(reinterpret_cast<void**>(&device), host.size() * 4 + 4), "cudaMalloc");
      must(cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
    };
    upload(row_ptr, device_row_ptr), upload(col_idx, device_col_idx);
  }
  ~Problem() { cudaFree(device_row_ptr), cudaFree(device_col_idx); }

  void describe(tw_context* context) {
    tw_bsr_structure all{};
    all.struct_size = sizeof all;
    all.m = rows, all.k = size;
    all.block = block;
    all.blocks = static_cast<std::int64_t>(col_idx.size());
    all.row_ptr = device_row_ptr, all.col_idx = device_col_idx;
    all.host_row_ptr = row_ptr.data(), all.host_col_idx = col_idx.data();
    must(tw_bsr_create(context, &all, nullptr, &pattern), "describe a pattern");
  }
  tw_bsr_spmm_problem asked() const {
    tw_bsr_spmm_problem all{};
    all.struct_size = sizeof all;
    all.n = n;
    all.layout_b = all.layout_c = layout;
    return all;
  }
  tw_bsr_spmm_operands operands(const Data& data) const {
    tw_bsr_spmm_operands all{};
    all.struct_size = sizeof all;
    all.values = data.values, all.b = data.b, all.c = data.c;
    all.alpha = 1;
    return all;
  }
  void call(tw_context* context, const Data& data, cudaStream_t stream) const {
    const tw_bsr_spmm_problem p = asked();
    const tw_bsr_spmm_operands o = operands(data);
    must(tw_bsr_spmm(context, pattern, &p, &o, stream), "call");
  }
  std::string explain(tw_context* context, const Data& data) const {
    const tw_bsr_spmm_problem p = asked();
    const tw_bsr_spmm_operands o = operands(data);
    std::string text(1 << 16, '\0');
    std::size_t bytes = text.size();
    must(tw_bsr_spmm_explain(context, pattern, &p, &o, text.data(), &bytes), "explain");
    text.resize(bytes - 1);
    return text;
  }
};

tw_context* make_context(tw_policy policy, bool exhaustive = false, const char* cache = "") {
  tw_context_options options{};
  options.struct_size = sizeof options;
  options.policy = policy;
  options.cache = cache;
  options.exhaustive = exhaustive;
  tw_context* context = nullptr;
  must(tw_context_create(0, &options, &context), "make a context");
  return context;
}

tw_context_statistics statistics_of(const tw_context* context) {
  tw_context_statistics all{};
  all.struct_size = sizeof all;
  must(tw_context_query(context, &all), "query");
  return all;
}

std::string member(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":\"");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 4;
  return json.substr(from, json.find('"', from) - from);
}

using Times = std::map<std::string, double>;

/// Microseconds by variant, of the list `measured`.
Times times_in(const std::string& json) {
  Times times;
  for (std::size_t at = json.find("[\"", json.find("\"measured\":")); at != std::string::npos; at = json.find("[\"", at + 1)) {
    const std::size_t end = json.find('"', at + 2);
    times[json.substr(at + 2, end - at - 2)] = std::atof(json.c_str() + end + 2);
  }
  return times;
}

/// The first calls of this process. `vendors`: with cuSPARSE loaded before, as in a process that computes with it.
void first(const char* policy, std::int64_t block, double density, bool vendors) {
  const Data data;
  const auto loading = std::chrono::steady_clock::now();
  const bool loaded = vendors && (dlopen("libcusparse.so.12", RTLD_NOW) || dlopen("libcusparse.so.13", RTLD_NOW));
  const double load = milliseconds_since(loading);
  Problem problem(4096, 4096, block, density);
  must(cudaDeviceSynchronize(), "synchronize");
  tw_context* context =
      make_context(std::strcmp(policy, "force") == 0 ? TW_POLICY_FORCE
                   : std::strcmp(policy, "replay") == 0 ? TW_POLICY_REPLAY : TW_POLICY_ON_MISS);
  const auto begin = std::chrono::steady_clock::now();
  problem.describe(context);
  const double described = milliseconds_since(begin);
  problem.call(context, data, nullptr);
  must(cudaDeviceSynchronize(), "synchronize");
  const double all = milliseconds_since(begin);
  const auto again = std::chrono::steady_clock::now();
  problem.call(context, data, nullptr);
  must(cudaDeviceSynchronize(), "synchronize");
  const tw_context_statistics statistics = statistics_of(context);
  const std::string explained = problem.explain(context, data);
  const Times times = times_in(explained);
  const auto vendor = times.find("cusparse.bsr");
  std::printf("{\"bench\":\"first call\",\"vendorLoaded\":%s,\"vendorLoadMs\":%.2f,\"vendorUs\":%.1f,\"policy\":\"%s\",\"size\":4096,\"block\":%lld,\"density\":%g,\"patternMs\":%.2f,"
              "\"firstCallMs\":%.2f,\"secondCallMs\":%.3f,\"measured\":%lld,\"candidates\":%lld,\"rejected\":%lld,"
              "\"origin\":\"%s\",\"variant\":\"%s\"}\n",
              loaded ? "true" : "false", load, vendor == times.end() ? 0.0 : vendor->second, policy,
              static_cast<long long>(block), density, described, all, milliseconds_since(again),
              static_cast<long long>(statistics.measured), static_cast<long long>(statistics.candidates),
              static_cast<long long>(statistics.rejected), member(explained, "origin").c_str(),
              member(explained, "variant").c_str());
  std::fflush(stdout);
}

const std::string& fastest_of(const Times& times) {
  return std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Of a kernel, in times the fastest one's; infinite where it was not timed.
double slowdown(const Times& times, const std::string& variant) {
  const auto found = times.find(variant);
  return found == times.end() ? HUGE_VAL : found->second / times.at(fastest_of(times));
}

/// A fresh context's choice for a problem, with times. `records`: folder of its tuning records; "": none.
struct Tuned {
  std::string variant;
  Times times;
  tw_context_statistics statistics;
};
Tuned tune(Problem& problem, const Data& data, bool exhaustive, const char* records = "") {
  tw_context* context = make_context(TW_POLICY_FORCE, exhaustive, records);
  problem.describe(context);
  problem.call(context, data, nullptr);
  const std::string explained = problem.explain(context, data);
  const Tuned tuned{member(explained, "variant"), times_in(explained), statistics_of(context)};
  tw_bsr_destroy(problem.pattern), tw_context_destroy(context);
  return tuned;
}

/// Products of which more than half of the blocks are stored, y = x W^T with blocks of 64 and a square with blocks of 32: times of
/// all kernels and of the other libraries' functions, and the choice.
void dense() {
  struct Case {
    std::int64_t rows, size, n, block;
    double density;
  };
  for (const Case& one : {Case{14336, 4096, 2048, 64, 0.6}, {14336, 4096, 64, 64, 0.6}, {4096, 4096, 4096, 64, 0.6}, {4096, 4096, 4096, 32, 0.6},
                          {4096, 4096, 4096, 32, 0.9}, {4096, 4096, 2048, 16, 0.6}}) {
    const Data data(one.rows * one.size, one.size * one.n, one.rows * one.n);
    Problem problem(one.rows, one.size, one.n, one.block, one.density);
    problem.layout = TW_LAYOUT_COLUMN;
    tw_context* context = make_context(TW_POLICY_FORCE, true);
    problem.describe(context);
    const auto begin = std::chrono::steady_clock::now();
    problem.call(context, data, nullptr);
    must(cudaDeviceSynchronize(), "synchronize");
    const double first = milliseconds_since(begin);
    std::printf("{\"bench\":\"dense-ish\",\"rows\":%lld,\"size\":%lld,\"n\":%lld,\"block\":%lld,\"density\":%g,\"layout\":\"column\","
                "\"firstCallMs\":%.1f,\"explain\":%s}\n",
                static_cast<long long>(one.rows), static_cast<long long>(one.size), static_cast<long long>(one.n),
                static_cast<long long>(one.block), one.density, first, problem.explain(context, data).c_str());
    std::fflush(stdout);
    tw_bsr_destroy(problem.pattern), tw_context_destroy(context);
    cudaFree(data.values), cudaFree(data.b), cudaFree(data.c);
  }
}

/// Shares of keys or tunes.
struct Share {
  int of = 0, all = 0;
  void count(bool holds) { of += holds, ++all; }
  double value() const { return all ? static_cast<double>(of) / all : 0; }
};

/// Fresh tunes of many keys beside the times of every kernel that takes them. Those are taken twice: how often the first
/// times' fastest kernel is within 2 % by the second ones, and the other way round, says what the yardstick itself is worth.
/// They are kept as records, the tunes know none.
void retunes(double seconds, const char* records) {
  constexpr int kTunes = 3;
  const auto begin = std::chrono::steady_clock::now();
  const Data data;
  Share yardstick, within, within5, same, asked;  // asked: the fastest kernel was among those measured
  long long measured = 0, candidates = 0, rejected = 0, exhaustively = 0;
  int keys = 0;
  double worst = 1;
  for (const double density : {0.04, 0.07, 0.2})
    for (const std::int64_t size : {2048, 4096, 1024})
      for (const std::int64_t n : {4096, 256, 1024})
        for (const std::int64_t block : {32, 64, 128}) {
          if (milliseconds_since(begin) > 1000 * seconds) continue;
          ++keys;
          Problem problem(size, n, block, density);
          const Tuned first = tune(problem, data, true, records), second = tune(problem, data, true);
          exhaustively += first.statistics.measured;
          rejected += first.statistics.rejected + second.statistics.rejected;
          yardstick.count(slowdown(second.times, fastest_of(first.times)) <= 1.02);
          yardstick.count(slowdown(first.times, fastest_of(second.times)) <= 1.02);
          Times times;
          for (const auto& [id, time] : first.times)
            if (second.times.count(id)) times[id] = (time + second.times.at(id)) / 2;
          std::string before;
          double own_worst = 1;
          for (int i = 0; i < kTunes; ++i) {
            const Tuned one = tune(problem, data, false);
            measured += one.statistics.measured, candidates += one.statistics.candidates;
            rejected += one.statistics.rejected;
            const double ratio = slowdown(times, one.variant);
            own_worst = std::max(own_worst, ratio);
            within.count(ratio <= 1.02), within5.count(ratio <= 1.05);
            asked.count(one.times.count(fastest_of(times)) > 0);
            if (i > 0) same.count(one.variant == before);
            before = one.variant;
          }
          worst = std::max(worst, own_worst);
          std::printf("{\"bench\":\"key\",\"size\":%lld,\"n\":%lld,\"block\":%lld,\"density\":%g,\"worst\":%.3f,\"chosen\":\"%s\","
                      "\"us\":{",
                      static_cast<long long>(size), static_cast<long long>(n), static_cast<long long>(block), density,
                      own_worst, before.c_str());
          for (const auto& [id, time] : times)
            std::printf("%s\"%s\":%.2f", id == times.begin()->first ? "" : ",", id.c_str(), time);
          std::puts("}}");
        }
  const int tunes = std::max(1, within.all);
  std::printf("{\"bench\":\"re-tunes\",\"keys\":%d,\"tunes\":%d,\"within2Percent\":%.4f,\"within5Percent\":%.4f,"
              "\"yardstickWithin2Percent\":%.4f,\"fastestWasMeasured\":%.4f,\"sameAsBefore\":%.4f,\"worst\":%.3f,"
              "\"measuredPerTune\":%.2f,\"candidatesPerTune\":%.2f,\"measuredPerTuneOfAll\":%.2f,\"rejected\":%lld,"
              "\"seconds\":%.1f}\n",
              keys, within.all, within.value(), within5.value(), yardstick.value(), asked.value(), same.value(), worst,
              static_cast<double>(measured) / tunes, static_cast<double>(candidates) / tunes,
              static_cast<double>(exhaustively) / std::max(1, keys), rejected, milliseconds_since(begin) / 1000);
}

std::vector<std::uint16_t> result(const Data& data, std::int64_t count) {
  std::vector<std::uint16_t> host(static_cast<std::size_t>(count));
  must(cudaDeviceSynchronize(), "synchronize");
  must(cudaMemcpy(host.data(), data.c, host.size() * 2, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

/// A call on a miss while its stream is being captured: the graph against a call behind it.
void captures() {
  const Data data;
  Problem problem(2048, 1024, 64, 0.07);
  tw_context* context = make_context(TW_POLICY_ON_MISS);
  problem.describe(context);
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  const std::int64_t count = problem.size * problem.n;

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin a capture");
  problem.call(context, data, stream);
  must(cudaStreamEndCapture(stream, &graph), "end the capture");
  const long long tuned_in_capture = statistics_of(context).tuned;
  must(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  must(cudaMemset(data.c, 0xff, static_cast<std::size_t>(count) * 2), "poison");
  must(cudaGraphLaunch(executable, stream), "launch the graph");
  const std::vector<std::uint16_t> replayed = result(data, count);

  must(cudaMemset(data.c, 0xff, static_cast<std::size_t>(count) * 2), "poison");
  problem.call(context, data, stream);  // measures
  const std::vector<std::uint16_t> direct = result(data, count);
  const long long tuned_behind = statistics_of(context).tuned;

  const auto differ = [](const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto number = [](std::uint16_t bits) {
        const int exponent = bits >> 10 & 31;
        const double value = std::ldexp((exponent ? 1024 : 0) + (bits & 1023), (exponent ? exponent : 1) - 25);
        return bits & 0x8000 ? -value : value;
      };
      most = std::max(most, std::fabs(number(a[i]) - number(b[i])) / std::max(1.0, std::fabs(number(a[i]))));
    }
    return most;
  };
  std::printf("{\"bench\":\"capture\",\"tunedInCapture\":%lld,\"tunedBehind\":%lld,\"largestRelativeDifference\":%.5f}\n",
              tuned_in_capture, tuned_behind, differ(replayed, direct));
}

/// Tuning in one thread while another one captures in the global mode, which forbids unsafe calls everywhere.
void captured_elsewhere() {
  const Data data;
  Problem problem(2048, 1024, 64, 0.07);
  tw_context* context = make_context(TW_POLICY_ON_MISS);
  problem.describe(context);
  cudaStream_t stream, other;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "make a stream");
  must(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), "begin a capture");
  tw_status status = TW_STATUS_SUCCESS;
  std::string text;
  std::thread caller([&] {
    const tw_bsr_spmm_problem p = problem.asked();
    const tw_bsr_spmm_operands o = problem.operands(data);
    status = tw_bsr_spmm(context, problem.pattern, &p, &o, stream);
    text = tw_last_error();
  });
  caller.join();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(other, &graph);
  must(cudaDeviceSynchronize(), "synchronize");
  std::printf("{\"bench\":\"capture in another thread\",\"status\":%d,\"error\":\"%s\",\"tuned\":%lld,\"capture\":\"%s\"}\n",
              static_cast<int>(status), text.c_str(), static_cast<long long>(statistics_of(context).tuned),
              cudaGetErrorName(ended));
}

/// A call with a context that cudaDeviceReset has taken the memory of, and one with a context that is made behind it.
void reset() {
  const Data data;
  Problem problem(1024, 256, 64, 0.07);
  tw_context* context = make_context(TW_POLICY_REPLAY);
  problem.describe(context);
  problem.call(context, data, nullptr);
  const std::vector<std::uint16_t> before = result(data, problem.size * problem.n);
  must(cudaDeviceReset(), "reset");
  const tw_bsr_spmm_problem p = problem.asked();
  const tw_bsr_spmm_operands o = problem.operands(data);
  const tw_status stale = tw_bsr_spmm(context, problem.pattern, &p, &o, nullptr);
  const std::string text = tw_last_error();
  tw_bsr_destroy(problem.pattern), tw_context_destroy(context);
  seed = kSeed;
  const Data other;
  Problem again(1024, 256, 64, 0.07);
  tw_context* fresh = make_context(TW_POLICY_REPLAY);
  again.describe(fresh);
  again.call(fresh, other, nullptr);
  const bool same = result(other, again.size * again.n) == before;
  std::printf("{\"bench\":\"cudaDeviceReset\",\"status\":%d,\"error\":\"%s\",\"newContext\":\"%s\"}\n", static_cast<int>(stale),
              text.c_str(), same ? "the same bits" : "other bits");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "first" && count > 4) first(words[2], std::atoll(words[3]), std::atof(words[4]), count > 5);
  else if (what == "retunes") retunes(count > 2 ? std::atof(words[2]) : 60, count > 3 ? words[3] : "");
  else if (what == "dense") dense();
  else if (what == "captures") captures();
  else if (what == "captured-elsewhere") captured_elsewhere();
  else if (what == "reset") reset();
  else return std::fprintf(stderr, "tuner: unknown '%s'\n", what.c_str()), 2;
}
