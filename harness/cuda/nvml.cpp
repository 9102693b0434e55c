#include "nvml.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace tilewright::cuda {
namespace {

// From nvml.h (NVML API reference), which the toolkit's runtime parts do not contain.
constexpr int kSuccess = 0;
using Init = int (*)();
using HandleByUuid = int (*)(const char* uuid, void** device);
using DriverVersion = int (*)(char* version, unsigned length);

}  // namespace

template <class Function>
Function Nvml::find(const char* name) const {
  return library_ ? reinterpret_cast<Function>(dlsym(library_, name)) : nullptr;
}

Nvml::Nvml(const char* uuid) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  const auto init = find<Init>("nvmlInit_v2");
  const auto handle = find<HandleByUuid>("nvmlDeviceGetHandleByUUID");
  if (!init || !handle || init() != kSuccess) return;
  if (handle(uuid_text(uuid).c_str(), &device_) != kSuccess) device_ = nullptr;
}

Nvml::~Nvml() {
  if (const auto shutdown = find<Init>("nvmlShutdown")) shutdown();
  if (library_) dlclose(library_);
}

std::string Nvml::driver_version() const {
  const auto version = find<DriverVersion>("nvmlSystemGetDriverVersion");
  char text[96] = "";
  return version && version(text, sizeof text) == kSuccess ? text : "";
}

std::string uuid_text(const char* uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(uuid[i]));
    text += byte;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace tilewright::cuda
