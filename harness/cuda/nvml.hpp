// nvml.hpp - the driver's version, from libnvidia-ml where it is installed.
#pragma once
#include <string>

namespace tilewright::cuda {

class Nvml {
 public:
  /// `uuid` is cudaDeviceProp::uuid's 16 bytes. Never throws: without the library everything reads as
  /// unknown.
  explicit Nvml(const char* uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  /// E.g. "580.95.05", empty when unknown.
  std::string driver_version() const;

 private:
  template <class Function>
  Function find(const char* name) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
};

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
std::string uuid_text(const char* uuid);

}  // namespace tilewright::cuda
