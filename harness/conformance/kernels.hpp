// kernels.hpp - what a file of conformance kernels includes: cases, ptx.cuh and the way to register.
#pragma once
#include "case.hpp"
#include "tw/ptx.cuh"

namespace conformance {

#if defined(TW_EMULATED)
template <class... Parameters>
Kernel kernel_of(void (*kernel)(Parameters...)) {
  return [kernel](void** arguments) { tw::call_kernel(kernel, arguments); };
}
#else
template <class... Parameters>
Kernel kernel_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}
#endif

/// Registers a case at start-up: `static const Register name{kernel, {.group = …}};`.
struct Register {
  template <class... Parameters>
  Register(void (*kernel)(Parameters...), Case what) {
    registry().push_back({std::move(what), kernel_of(kernel)});
  }
};

}  // namespace conformance
