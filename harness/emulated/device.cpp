// device.cpp - the device `emulated`: variants compiled by g++ into shared objects, run on harness/simt.
#include "tilewright/device.hpp"

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "launcher.hpp"

namespace tilewright {
namespace {

// So few that a persistent kernel computes several tiles per thread block even on the gate's small problems.
constexpr int kMultiprocessors = 4;

/// The gate's word for each kind of finding. Whatever else breaks a rule of synchronisation counts as a race,
/// because a GPU would show it as one, if at all.
const char* verdict_of(const std::string& kind) {
  if (kind == "deadlock" || kind == "hang") return "hang";
  if (kind == "shared-out-of-bounds" || kind == "global-out-of-bounds" || kind == "array-out-of-bounds" ||
      kind == "misaligned")
    return "out-of-bounds";
  if (kind == "trap" || kind == "constant") return "fault";
  if (kind == "resources") return "resources";
  if (kind == "tensor-map" || kind == "setmaxnreg") return "launch";
  if (kind == "divergence" || kind == "divergent-barrier" || kind == "early-exit") return "divergence";
  return "race";  // race, same-value-race, uninitialised, barrier, mbarrier, phase, wgmma, exit
}

template <class Value>
Value by_name(const std::string& name, const std::array<std::pair<const char*, Value>, 3>& values) {
  for (const auto& [known, value] : values)
    if (name == known) return value;
  throw std::invalid_argument("unknown schedule word '" + name + "'; there are: " + values[0].first + ", " +
                              values[1].first + ", " + values[2].first);
}

simt::Config config_of(const Schedule& schedule, int registers) {
  simt::Config config;
  config.registers = registers;
  config.seed = schedule.seed;
  config.async = by_name<simt::Async>(
      schedule.async,
      {{{"now", simt::Async::now}, {"random", simt::Async::random}, {"late", simt::Async::late}}});
  config.order = by_name<simt::Order>(schedule.order, {{{"in-order", simt::Order::in_order},
                                                        {"random", simt::Order::random},
                                                        {"greedy", simt::Order::greedy}}});
  config.detect = schedule.detect;
  config.preempt = schedule.preempt;
  config.lag = schedule.lag;
  config.seconds = schedule.seconds;
  return config;
}

void add_statistics(RunReport& report, const simt::Statistics& counted) {
  const std::pair<const char*, std::uint64_t> values[] = {
      {"switches", counted.switches},
      {"collectives", counted.collectives},
      {"mma", counted.mma},
      {"wgmma", counted.wgmma},
      {"ldmatrix", counted.ldmatrix},
      {"cpAsync", counted.cp_async},
      {"bulkCopies", counted.bulk_copies},
      {"globalBytesRead", counted.global_bytes_read},
      {"globalBytesWritten", counted.global_bytes_written},
      {"sharedBytesRead", counted.shared_bytes_read},
      {"sharedBytesWritten", counted.shared_bytes_written},
      {"globalLoadBytes", counted.global_load_bytes},
      {"globalStoreBytes", counted.global_store_bytes},
      {"sharedLoadBytes", counted.shared_load_bytes},
      {"sharedStoreBytes", counted.shared_store_bytes},
      {"ldmatrixBytes", counted.ldmatrix_bytes},
      {"stmatrixBytes", counted.stmatrix_bytes},
      {"cpAsyncBytes", counted.cp_async_bytes},
      {"bulkLoadBytes", counted.bulk_load_bytes},
      {"bulkStoreBytes", counted.bulk_store_bytes},
      {"wgmmaBytes", counted.wgmma_bytes},
      {"sharedAccesses", counted.shared_accesses},
      {"sharedWavefronts", counted.shared_wavefronts},
      {"sharedBankConflicts", counted.shared_bank_conflicts},
      {"sharedAccessesUncounted", counted.shared_accesses_uncounted},
  };
  for (const auto& [name, value] : values)
    if (value > 0) report.statistics.emplace_back(name, static_cast<double>(value));
  if (counted.shared_bytes_used > 0)
    report.peaks.emplace_back("sharedBytesUsed", static_cast<double>(counted.shared_bytes_used));
}

using Prepare = void (*)(const void* call, void* stream);

class SharedObject : public Module {
 public:
  SharedObject(const std::string& path, std::string symbol)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)), symbol_(std::move(symbol)) {
    if (!handle_) throw LaunchRefused("cannot load " + path + ": " + dlerror());
    needs_whole_grid_ = dlsym(handle_, (symbol_ + "_cooperative").c_str()) != nullptr;
    free_subscripts_ = static_cast<const char*>(dlsym(handle_, (symbol_ + "_free_subscripts").c_str()));
    kept_variables_ = static_cast<const char*>(dlsym(handle_, (symbol_ + "_keeps").c_str()));
  }
  ~SharedObject() override { dlclose(handle_); }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  void add_sites(const std::vector<simt::SharedSite>& sites) {
    for (const simt::SharedSite& site : sites) {
      simt::SharedSite& sum = sites_[site.pc];
      sum.accesses += site.accesses;
      sum.wavefronts += site.wavefronts;
      sum.conflicts += site.conflicts;
    }
  }

  std::vector<SharedLine> conflicting_lines() const override {
    std::vector<const void*> places;
    for (const auto& [pc, site] : sites_)
      if (site.conflicts > 0) places.push_back(pc);
    const std::vector<std::string> names = simt::source_lines(places);
    std::map<std::string, SharedLine> by_line;  // an unrolled loop has many places on one line
    for (std::size_t i = 0; i < places.size(); ++i) {
      const simt::SharedSite& site = sites_.at(places[i]);
      SharedLine& line = by_line[names[i]];
      line.line = names[i];
      line.accesses += static_cast<double>(site.accesses);
      line.wavefronts += static_cast<double>(site.wavefronts);
      line.conflicts += static_cast<double>(site.conflicts);
    }
    std::vector<SharedLine> lines;
    for (auto& [name, line] : by_line) lines.push_back(std::move(line));
    std::stable_sort(lines.begin(), lines.end(),
                     [](const SharedLine& a, const SharedLine& b) { return a.conflicts > b.conflicts; });
    return lines;
  }

  /// Whether the artifact's author allows findings of this kind: `<symbol>_allows` lists them between blanks.
  bool allows(const std::string& kind) const {
    const auto* kinds = static_cast<const char*>(dlsym(handle_, (symbol_ + "_allows").c_str()));
    return kinds && std::string(kinds).find(" " + kind + " ") != std::string::npos;
  }
  /// Subscripts that may leave their arrays, as simt::Config has them; null where none may.
  const char* free_subscripts() const { return free_subscripts_; }
  /// Variables that only the kernel itself changes, as simt::Config has them; null where there are none.
  const char* kept_variables() const { return kept_variables_; }
  /// Whether blocks wait for others of the grid: `<symbol>_cooperative` is there, or a launch has shown it.
  bool needs_whole_grid() const { return needs_whole_grid_; }
  void require_whole_grid() { needs_whole_grid_ = true; }
  /// Bytes of a thread's stack: the most that there are once a launch has shown that it takes more than usual.
  std::size_t stack_bytes() const { return stack_bytes_; }
  void require_most_stack() { stack_bytes_ = simt::kMostStackBytes; }
  /// Host code of the artifact that runs before each launch, where it has any: it fills variables in device memory.
  Prepare preparation() const {
    return reinterpret_cast<Prepare>(dlsym(handle_, (symbol_ + "_prepare").c_str()));
  }

  std::string kernel_name(const BoundLaunch& launch) const { return symbol_ + launch.entry; }
  simt::Entry entry(const std::string& kernel) const {
    void* found = dlsym(handle_, (kernel + "_emulated").c_str());
    if (!found) throw LaunchRefused("the artifact exports no kernel " + kernel);
    return reinterpret_cast<simt::Entry>(found);
  }

 private:
  void* handle_;
  std::string symbol_;
  bool needs_whole_grid_ = false;
  const char* free_subscripts_ = nullptr;
  const char* kept_variables_ = nullptr;
  std::size_t stack_bytes_ = simt::Config{}.stack_bytes;
  std::map<const void*, simt::SharedSite> sites_;
};

class EmulatedProgram : public Program {
 public:
  EmulatedProgram(const std::shared_ptr<Module>& module, const Plan& plan)
      : module_(std::dynamic_pointer_cast<SharedObject>(module)),
        clear_(plan.clear),
        clear_bytes_(plan.clear_bytes),
        call_(plan.call),
        registers_(plan.registers) {
    registers_.resize(plan.launches.size());
    for (const BoundLaunch& launch : plan.launches) {
      const std::string kernel = module_->kernel_name(launch);
      launches_.emplace_back(module_->entry(kernel), kernel, launch);
    }
  }

  RunReport run(const Schedule& schedule) override {
    if (clear_bytes_ > 0) std::memset(clear_, 0, clear_bytes_);
    RunReport report;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (const Prepare prepare = module_->preparation()) prepare(call_.data(), nullptr);
      simt::Config config = config_of(schedule, registers_[i]);
      if (module_->needs_whole_grid()) config.resident_clusters = emulated::kWholeGrid;
      config.stop_at_waiting = true;
      config.stack_bytes = module_->stack_bytes();
      config.free_subscripts = module_->free_subscripts();
      if (schedule.again) config.kept_variables = module_->kept_variables();
      config.count_banks = !counted_;
      const simt::Result result = run(launches_[i], config);
      if (result.waits) module_->require_whole_grid();
      const bool short_of_stack = result.overflowed && config.stack_bytes < simt::kMostStackBytes;
      if (short_of_stack) module_->require_most_stack();
      if (result.waits || short_of_stack) {
        report.unfinished = true;
        return report;
      }
      add_statistics(report, result.statistics);
      module_->add_sites(result.shared_sites);
      report.printed.insert(report.printed.end(), result.printed.begin(), result.printed.end());
      if (!result.relaxed.empty())
        report.remark = [pair = result.relaxed] {
          return "volatile accesses are relaxed, and nothing orders these: " + simt::with_source_lines(pair);
        };
      const std::size_t before = report.findings.size();
      for (const simt::Finding& finding : result.findings)
        if (!module_->allows(finding.kind))
          report.findings.push_back({verdict_of(finding.kind), finding.kind, finding.message});
      if (report.findings.size() == before) continue;
      report.finding_count += result.finding_count;
      break;  // what follows would run on damaged data
    }
    counted_ = true;
    return report;
  }

  void enqueue(void*) override { throw std::logic_error("the emulated device has no streams"); }

 private:
  simt::Result run(const emulated::PlannedLaunch& launch, const simt::Config& config) const {
    try {
      return launch.run(config, call_.data());
    } catch (const emulated::Refused& refused) {
      throw LaunchRefused(refused.what());
    } catch (const simt::TooManyBlocks& many) {
      throw LaunchTooLarge(many.what());
    }
  }

  std::shared_ptr<SharedObject> module_;
  void* clear_;
  std::size_t clear_bytes_;
  CallBytes call_;
  std::vector<int> registers_;
  std::vector<emulated::PlannedLaunch> launches_;
  bool counted_ = false;  // accesses to the banks of shared memory: repetitions have the same
};

/// The limits of the architecture that is described, as far as it is.
simt::Limits limits_of(const Json& arch) {
  simt::Limits limits;
  const auto read = [&](unsigned& limit, const char* name) {
    limit = static_cast<unsigned>(arch.integer(name, limit));
  };
  read(limits.threads_per_block, "maxThreadsPerBlock");
  read(limits.shared_bytes_per_block, "maxSharedBytesPerBlock");
  read(limits.blocks_per_cluster, "maxClusterBlocks");
  read(limits.registers_per_sm, "registersPerSm");
  return limits;
}

class EmulatedDevice : public Device {
 public:
  explicit EmulatedDevice(const Json& arch) {
    simt::set_limits(limits_of(arch));
    utsname host{};
    uname(&host);
    description_.device = "emulated";
    description_.name = "emulated " + arch.text("name", "GPU") + " on " + host.machine;
    description_.sm_count = kMultiprocessors;
    description_.compute_capability =
        static_cast<int>(arch.integer("capability", DeviceLimits{}.compute_capability));
    description_.memory_bytes =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

  const DeviceDescription& description() const override { return description_; }
  void* allocate(std::size_t bytes, const std::string& name) override {
    return simt::allocate(bytes, name.c_str());
  }
  void release(void* memory) override { simt::release(memory); }
  void upload(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  void download(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  void mark_undefined(void* memory, std::size_t bytes) override { simt::mark_undefined(memory, bytes); }
  void mark_in_use(void* memory, std::size_t bytes) override { simt::mark_in_use(memory, bytes); }
  std::size_t guard_bytes() const override { return 0; }  // every access is checked against its allocation

  std::shared_ptr<Module> load(const std::string& path, const std::string& symbol) override {
    return std::make_shared<SharedObject>(path, symbol);
  }

  std::unique_ptr<Program> prepare(const std::shared_ptr<Module>& module, const Plan& plan) override {
    try {
      return std::make_unique<EmulatedProgram>(module, plan);
    } catch (const emulated::Refused& refused) {
      throw LaunchRefused(refused.what());
    }
  }

 private:
  DeviceDescription description_;
};

}  // namespace

std::unique_ptr<Device> open_device(const Json& arch) { return std::make_unique<EmulatedDevice>(arch); }

}  // namespace tilewright
