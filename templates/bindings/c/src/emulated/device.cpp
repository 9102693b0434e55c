// device.cpp - the library's device is the emulated one: kernels are compiled for the CPU, pointers are host
// pointers, and a call has finished when it returns.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>

#include "emulated/kernels.hpp"
#include "emulated/launcher.hpp"
#include "runtime.hpp"
#include "tuner/device.hpp"

namespace tilewright::library::device {
namespace {

/// Null for a kernel that only the CUDA library has.
simt::Entry find_entry(std::string_view kernel) {
  for (std::size_t i = 0; i < kKernelCount; ++i)
    if (kernel == kKernels[i].name) return kKernels[i].entry;
  return nullptr;
}

simt::Entry entry_of(const std::string& kernel) {
  if (const simt::Entry entry = find_entry(kernel)) return entry;
  throw Error(TW_STATUS_INTERNAL, "the library has no kernel " + kernel);
}

/// The order in which a GPU would most likely run: the gate has been through the unlikely ones.
simt::Config plain() {
  simt::Config config;
  config.async = simt::Async::now;
  config.order = simt::Order::in_order;
  config.poison = false;
  return config;
}

/// The emulator runs one launch at a time. Never destroyed: threads may outlive static destructors.
std::mutex& one_at_a_time() {
  static std::mutex* const lock = new std::mutex;
  return *lock;
}

/// Calls `body`; what the emulated device refuses becomes the library's own error.
template <class Body>
auto translated(Body&& body) {
  try {
    return body();
  } catch (const emulated::Refused& refused) {
    throw Error(TW_STATUS_LAUNCH_FAILED, refused.what());
  }
}

class EmulatedProgram final : public Program {
 public:
  void add(const std::string& kernel, const BoundLaunch& launch) {
    launches_.push_back({kernel, {entry_of(kernel), kernel, launch}});
  }
  void enqueue(const void* call, tw_stream) const override {
    const std::lock_guard lock(one_at_a_time());
    for (const Named& one : launches_) {
      const simt::Result result = translated([&] { return one.launch.run(plain(), call); });
      if (!result.ok())
        throw Error(TW_STATUS_LAUNCH_FAILED, one.kernel + ": " + result.findings.front().message);
    }
  }

 private:
  struct Named {
    std::string kernel;
    emulated::PlannedLaunch launch;
  };
  std::vector<Named> launches_;
};

}  // namespace

void pause() { one_at_a_time().lock(); }
void resume() { one_at_a_time().unlock(); }

const char* target() { return "emulated"; }

int count() { return 1; }

void describe(int, tw_device_info& info) {
  std::snprintf(info.name, sizeof info.name, "%s", "emulated device");
  info.compute_capability = limits().compute_capability;
  info.multiprocessors = limits().sm_count;
}

DeviceLimits limits() {
  DeviceLimits limits;
  limits.sm_count = 4;  // persistent kernels start one block for each: few, so that each has work
  return limits;
}

std::string refusal(const Variant& variant, const DeviceLimits&) {
  if (find_entry(variant.symbol)) return {};
  return "not compiled for the emulated device, which has another kernel for its calls (cmake -DTILEWRIGHT_EMULATE_ALL=ON "
         "compiles all)";
}

std::unique_ptr<const Program> load(const Variant& variant, const DeviceLimits&,
                                    const std::vector<BoundLaunch>& launches) {
  return translated([&] {
    auto program = std::make_unique<EmulatedProgram>();
    for (const BoundLaunch& launch : launches) program->add(variant.symbol + launch.entry, launch);
    return program;
  });
}

void copy(void* destination, const void* host_source, std::size_t bytes, tw_stream) {
  std::memcpy(destination, host_source, bytes);
}

void clear(void* destination, std::size_t bytes, tw_stream) { std::memset(destination, 0, bytes); }

}  // namespace tilewright::library::device
