// nvml.hpp - the driver's version, from libnvidia-ml where it is installed.
#pragma once
#include <string>

namespace tilewright::cuda {

/// E.g. "580.95.05", empty when unknown. Never throws.
std::string driver_version();

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" for the 16 bytes of cudaDeviceProp::uuid.
std::string uuid_text(const char* uuid);

}  // namespace tilewright::cuda
