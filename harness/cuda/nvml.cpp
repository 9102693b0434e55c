#include "nvml.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace tilewright::cuda {
namespace {

// From nvml.h (NVML API reference), which the toolkit's runtime parts do not contain.
constexpr int kSuccess = 0;
using Init = int (*)();
using DriverVersion = int (*)(char* version, unsigned length);

}  // namespace

std::string driver_version() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "";
  const auto init = reinterpret_cast<Init>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<Init>(dlsym(library, "nvmlShutdown"));
  const auto version = reinterpret_cast<DriverVersion>(dlsym(library, "nvmlSystemGetDriverVersion"));
  char text[96] = "";
  if (init && shutdown && version && init() == kSuccess) {
    if (version(text, sizeof text) != kSuccess) text[0] = 0;
    shutdown();
  }
  dlclose(library);
  return text;
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
