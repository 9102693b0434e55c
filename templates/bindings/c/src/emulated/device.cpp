// device.cpp - the library's device is the emulated one: kernels are compiled for the CPU, pointers are host
// pointers, and a call has finished when it returns. The emulator runs one launch at a time.
#include <cstdio>
#include <cstring>
#include <mutex>

#include "emulated/kernels.hpp"
#include "emulated/launcher.hpp"
#include "runtime.hpp"

namespace tilewright::library::device {
namespace {

simt::Entry find_entry(const std::string& kernel) {
  for (std::size_t i = 0; i < kKernelCount; ++i)
    if (kernel == kKernels[i].name) return kKernels[i].entry;
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

}  // namespace

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

std::string refusal(const Variant&, const DeviceLimits&) { return {}; }

void load(const Variant&, const DeviceLimits&) {}

void copy(void* destination, const void* host_source, std::size_t bytes, tw_stream) {
  std::memcpy(destination, host_source, bytes);
}

void clear(void* destination, std::size_t bytes, tw_stream) { std::memset(destination, 0, bytes); }

void launch(const Variant& variant, const Launch& launch, tw_stream) {
  static std::mutex one_at_a_time;
  const std::string kernel = variant.symbol + launch.entry;
  try {
    const emulated::PreparedLaunch prepared(find_entry(kernel), kernel, launch);
    const std::lock_guard lock(one_at_a_time);
    const simt::Result result = prepared.run(plain());
    if (!result.ok()) throw Error(TW_STATUS_LAUNCH_FAILED, kernel + ": " + result.findings.front().message);
  } catch (const emulated::Refused& refused) {
    throw Error(TW_STATUS_LAUNCH_FAILED, refused.what());
  }
}

}  // namespace tilewright::library::device
