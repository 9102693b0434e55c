// host_device.hpp - a device in host memory for the tests: guard zones like a GPU's, streams and graphs that
// run at once, and a clock that the kernels move. A kernel is a function over the whole grid.
#pragma once
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "family/args.hpp"
#include "tilewright/device.hpp"

namespace tilewright::host {

/// Seconds that passed on the device.
inline double now = 0;

using Kernel = std::function<void(const axpby::Args&)>;

/// Kernels by symbol: what `load` finds.
inline std::map<std::string, Kernel>& kernels() {
  static std::map<std::string, Kernel> map;
  return map;
}

class HostModule : public Module {
 public:
  explicit HostModule(Kernel kernel) : kernel(std::move(kernel)) {}
  Kernel kernel;
};

class HostStreams : public Streams {
 public:
  void* stream(int) override { return this; }
  void synchronize() override {}
  std::unique_ptr<Recording> record(const Work& work) override;
  double seconds(const Work& work) override {
    const double start = now;
    work(this);
    return now - start;
  }
  double cold_seconds(const Work& work) override { return 2 * seconds(work); }
  double sm_clock() override { return 1980; }

  std::vector<std::function<void()>>* recording = nullptr;
};

class HostRecording : public Recording {
 public:
  explicit HostRecording(std::vector<std::function<void()>> steps) : steps_(std::move(steps)) {}
  void replay(void*) override {
    for (const auto& step : steps_) step();
  }

 private:
  std::vector<std::function<void()>> steps_;
};

inline std::unique_ptr<Recording> HostStreams::record(const Work& work) {
  std::vector<std::function<void()>> steps;
  recording = &steps;
  work(this);
  recording = nullptr;
  if (steps.empty()) throw Unsupported("the capture holds no work");
  return std::make_unique<HostRecording>(std::move(steps));
}

class HostProgram : public Program {
 public:
  HostProgram(std::shared_ptr<Module> module, Plan plan)
      : module_(std::move(module)), plan_(std::move(plan)) {}
  RunReport run(const Schedule&) override {
    execute();
    return {};
  }
  void enqueue(void* stream) override {
    auto* streams = static_cast<HostStreams*>(stream);
    if (streams->recording)
      streams->recording->push_back([this] { execute(); });
    else
      execute();
  }

 private:
  void execute() {
    if (plan_.clear_bytes > 0) std::memset(plan_.clear, 0, plan_.clear_bytes);
    struct NoMap {};
    for (const BoundLaunch& launch : plan_.launches) {
      if (launch.unless.holds(plan_.call.data())) continue;
      const PreparedParameters<NoMap> prepared(launch, [](const TiledMap&) { return NoMap{}; });
      KernelParameters<NoMap> parameters;
      parameters.fill(prepared, plan_.call.data(), [](NoMap&, void*) { return true; });
      dynamic_cast<HostModule&>(*module_).kernel(*static_cast<const axpby::Args*>(parameters.pointers[0]));
    }
  }
  std::shared_ptr<Module> module_;
  Plan plan_;
};

class HostDevice : public Device {
 public:
  HostDevice() {
    description_.device = "host";
    description_.name = "host memory";
  }
  const DeviceDescription& description() const override { return description_; }
  void* allocate(std::size_t bytes, const std::string&) override {
    return ::operator new(bytes, std::align_val_t{256});
  }
  void* allocate_behind(std::size_t lead, std::size_t bytes, const std::string& name) override {
    leads.push_back(lead);
    return allocate(bytes, name);
  }
  /// Bytes that must precede memory, by request.
  std::vector<std::size_t> leads;

  void release(void* memory) override { ::operator delete(memory, std::align_val_t{256}); }
  void upload(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  void download(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  std::size_t guard_bytes() const override { return 4096; }
  std::shared_ptr<Module> load(const std::string&, const std::string& symbol) override {
    if (!kernels().contains(symbol)) throw LaunchRefused("no kernel " + symbol);
    return std::make_shared<HostModule>(kernels().at(symbol));
  }
  std::unique_ptr<Program> prepare(const std::shared_ptr<Module>& module, const Plan& plan) override {
    return std::make_unique<HostProgram>(module, plan);
  }
  Streams* streams() override { return &streams_; }

 private:
  DeviceDescription description_;
  HostStreams streams_;
};

}  // namespace tilewright::host
