// status.cpp - the C functions that every operation shares: texts of errors, versions, devices.
#include <cstring>
#include <string>

#include "runtime.hpp"

/// manifest.json, ended by a zero byte; defined in manifest.S.
extern "C" const char tilewright_manifest[];

namespace tilewright::library {
namespace {

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

}  // namespace

tw_status fail(tw_status status, const char* text) noexcept {
  try {
    last_error() = text;
  } catch (...) {
    last_error().clear();
  }
  return status;
}

}  // namespace tilewright::library

using tilewright::library::guarded;
using tilewright::library::require;
namespace device = tilewright::library::device;

const char* tw_status_text(tw_status status) {
  switch (status) {
    case TW_STATUS_SUCCESS:
      return "success";
    case TW_STATUS_INVALID_ARGUMENT:
      return "invalid argument: an argument is null, negative, misaligned or contradicts another";
    case TW_STATUS_NOT_SUPPORTED:
      return "not supported: valid, but no kernel in this library serves it";
    case TW_STATUS_NO_DEVICE:
      return "no device: no usable GPU or driver";
    case TW_STATUS_WORKSPACE_TOO_SMALL:
      return "workspace too small: missing or smaller than the plan asks for";
    case TW_STATUS_LAUNCH_FAILED:
      return "launch failed: the device refused a kernel or a copy";
    case TW_STATUS_OUT_OF_MEMORY:
      return "out of memory: host memory ran out";
    case TW_STATUS_INTERNAL:
      return "internal error: a defect of the library";
  }
  return "unknown status";
}

const char* tw_last_error(void) { return tilewright::library::last_error().c_str(); }

uint32_t tw_version(void) { return TW_VERSION; }

uint32_t tw_abi_version(void) { return TW_ABI_VERSION; }

const char* tw_target(void) { return device::target(); }

const char* tw_manifest(void) { return tilewright_manifest; }

tw_status tw_device_count(int* count) {
  return guarded([&] {
    require(count != nullptr, "count is null");
    *count = 0;
    *count = device::count();
  });
}

tw_status tw_device_query(int number, tw_device_info* info) {
  return guarded([&] {
    require(info != nullptr, "info is null");
    require(info->struct_size == sizeof *info, "info->struct_size is not sizeof(tw_device_info)");
    const int devices = device::count();
    require(number >= 0 && number < devices, [&] {
      return "there is no device " + std::to_string(number) + ": devices are 0 to " +
             std::to_string(devices - 1);
    });
    device::describe(number, *info);
  });
}
