// kernels.hpp - the kernels compiled for the emulated device, by name. The table is written by the generator.
#pragma once
#include <cstddef>

#include "simt/simt.hpp"

namespace tilewright::library::device {

struct Kernel {
  const char* name;
  simt::Entry entry;
};
extern const Kernel kKernels[];
extern const std::size_t kKernelCount;

}  // namespace tilewright::library::device
