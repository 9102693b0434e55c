// variant.hpp - what a job says of a variant, and of the cases and schedules to put it through.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/json.hpp"

namespace tilewright {

/// Owns the texts that Parameters points to. Booleans become 0 and 1.
class ParameterList {
 public:
  /// Throws JsonError when a value is no string, boolean or integer.
  explicit ParameterList(const Json& object);
  ParameterList(const ParameterList&) = delete;
  ParameterList& operator=(const ParameterList&) = delete;
  Parameters view() const { return {parameters_.data(), parameters_.size()}; }

 private:
  std::deque<std::string> texts_;  // addresses stay
  std::vector<Parameter> parameters_;
};

/// Properties of a compiled kernel, read from its cubin.
struct CompiledKernel {
  std::int64_t registers = 0;    // per thread
  std::int64_t max_threads = 0;  // of a block; 0: not bounded
  std::vector<std::int64_t> parameter_bytes;
};

struct Variant {
  explicit Variant(const Json& json);
  /// The kernel of a launch; null where nothing is known of it.
  const CompiledKernel* kernel(const std::string& entry) const;

  std::string id, symbol, artifact;
  bool deterministic;
  std::optional<std::int64_t> shared_bytes;       // dynamic, at most
  std::map<std::string, CompiledKernel> kernels;  // by name
  ParameterList parameters;
};

struct GateCase {
  explicit GateCase(const Json& json);
  std::string id, tier;
  std::int64_t launches;         // in a row, each under the next schedule
  std::int64_t multiprocessors;  // to plan for, where the device has more; 0: those of the device
  std::string refuses;           // part of the reason for which the family must decline; empty: it must run
  Json problem;
  Json alternate;  // another problem, on buffers of its own, in turn with this one; or null
  std::vector<std::size_t> schedules;  // indices into GateJob::schedules; empty: all
};

struct GateJob {
  explicit GateJob(const Json& json);
  std::string id;
  Variant variant;
  std::vector<GateCase> cases;
  std::vector<Schedule> schedules;  // never empty
  bool vendor;                      // compare with the family's baselines too, where there are any
  std::string dump;                 // folder for what each case was given and gave; empty: none
  bool opinions;                    // say what other projects' acceptance rules make of the first launch
};

struct TimeOptions {
  explicit TimeOptions(const Json& json);
  std::int64_t warmup, samples, launches_per_sample;
  bool cold, hot;
  bool recheck;       // check every subject again after its last sample
  double early_stop;  // a variant slower than this many times the best is sampled no further; 0: never
  double peak_flops;  // per second; 0: unknown
  double bandwidth;   // bytes per second; 0: unknown
};

struct TimeJob {
  explicit TimeJob(const Json& json);
  std::string id, workload;
  Json problem;
  std::deque<Variant> variants;
  bool baselines;
  TimeOptions options;
};

}  // namespace tilewright
