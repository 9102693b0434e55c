// vendor.cpp - other libraries, opened at run time.
#include "tuner/vendor.hpp"

namespace tilewright::library::tuner {

VendorLibrary::VendorLibrary(std::initializer_list<const char*> names, bool load) {
  for (const char* name : names) {
    name_ = name;
    handle_ = device::open_library(name, load);
    if (handle_) return;
  }
  throw Unsupported(name_ + (load ? " cannot be loaded" : " is not loaded"));
}

void accept(int status, const char* function) {
  if (status != 0) throw Unsupported(std::string(function) + " answered status " + std::to_string(status));
}

void launched(int status, const char* function) {
  if (status != 0)
    throw Error(TW_STATUS_LAUNCH_FAILED, std::string(function) + " answered status " + std::to_string(status));
}

}  // namespace tilewright::library::tuner
