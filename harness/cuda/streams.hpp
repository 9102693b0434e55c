// streams.hpp - streams, CUDA graphs and times of a GPU.
#pragma once
#include "clock.hpp"
#include "launcher.hpp"
#include "tilewright/device.hpp"

namespace tilewright::cuda {

/// Throws DeviceLost when an earlier kernel broke the context, Error for any other failure.
void expect(cudaError_t result, const std::string& what);

/// Waits for a stream. Throws DeviceLost when a kernel failed.
void synchronize(cudaStream_t stream);

/// Turns the error of a launch or a wait into LaunchRefused or DeviceLost.
[[noreturn]] void rethrow(const Error& error);

class CudaStreams : public Streams {
 public:
  CudaStreams(const cudaDeviceProp& properties);
  ~CudaStreams() override;

  void* stream(int index) override { return streams_[index]; }
  void synchronize() override;
  std::unique_ptr<Recording> record(const Work& work) override;
  double seconds(const Work& work) override;
  double cold_seconds(const Work& work) override;
  double sm_clock() override { return clock_.megahertz(); }

 private:
  ClockMeter clock_;
  cudaStream_t streams_[2]{};
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  void* flush_ = nullptr;  // overwritten to empty the L2 cache; made when first needed
  std::size_t flush_bytes_;
};

}  // namespace tilewright::cuda
