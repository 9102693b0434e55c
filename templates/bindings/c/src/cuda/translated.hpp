// translated.hpp - errors of CUDA's runtime as errors of the library.
#pragma once
#include <cuda_runtime_api.h>

#include "cuda/launcher.hpp"
#include "runtime.hpp"

namespace tilewright::library::device {

tw_status status_of(cudaError_t code);

/// Calls `body`; a CUDA error becomes the library's own.
template <class Body>
auto translated(Body&& body) {
  try {
    return body();
  } catch (const cuda::Error& error) {
    const tw_status status = status_of(error.code);
    if (status != TW_STATUS_NO_DEVICE) throw Error(status, error.what());
    throw Error(status, "no usable NVIDIA GPU or driver (" + std::string(error.what()) +
                            "); link tilewright::emulated to run on the CPU");
  }
}

}  // namespace tilewright::library::device
