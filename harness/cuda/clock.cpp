#include "clock.hpp"

#include <algorithm>
#include <vector>

namespace tilewright::cuda {
namespace {

/// More than a GPU has multiprocessors; the kernel knows it as 1024.
constexpr int kMost = 1024;

/// Puts %clock64 and %globaltimer at out[%smid]. As PTX, so that the runner needs no nvcc.
constexpr char kKernel[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry tw_read_clock(.param .u64 out)
{
  .reg .pred %p;
  .reg .u32 %sm;
  .reg .u64 %at, %offset, %cycles, %time;
  mov.u32 %sm, %smid;
  setp.ge.u32 %p, %sm, 1024;
  @%p ret;
  ld.param.u64 %at, [out];
  cvta.to.global.u64 %at, %at;
  mul.wide.u32 %offset, %sm, 16;
  add.u64 %at, %at, %offset;
  mov.u64 %cycles, %clock64;
  mov.u64 %time, %globaltimer;
  st.global.v2.u64 [%at], {%cycles, %time};
  ret;
}
)";

/// The kernel's argument, which comes with the call.
struct Readings {
  void* out;
};

}  // namespace

ClockMeter::ClockMeter(int sm_count) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, 2 * kMost * sizeof(Reading), cudaHostAllocDefault) != cudaSuccess) return;
  readings_.reset(static_cast<Reading*>(memory));
  std::fill_n(readings_.get(), 2 * kMost, Reading{});
  try {
    image_ = std::make_unique<Image>(kKernel);
    LaunchBuilder<Readings, Readings> kernel;
    kernel.launch.grid[0] = static_cast<unsigned>(sm_count);  // an idle GPU gives each multiprocessor one
    kernel.set(&Readings::out, &Readings::out);
    launch_ = std::make_unique<PlannedLaunch>(*image_, "tw_read_clock", kernel.finish());
  } catch (const Error&) {
  }
}

void ClockMeter::read(int index, cudaStream_t stream) {
  const Readings call{readings_.get() + index * kMost};
  if (launch_) launch_->enqueue(&call, stream);
}

double ClockMeter::megahertz() const {
  std::vector<double> clocks;
  for (int sm = 0; launch_ && sm < kMost; ++sm) {
    const Reading &first = readings_[sm], &second = readings_[kMost + sm];
    if (first.nanoseconds == 0 || second.nanoseconds <= first.nanoseconds) continue;
    clocks.push_back(1e3 * static_cast<double>(second.cycles - first.cycles) /
                     static_cast<double>(second.nanoseconds - first.nanoseconds));
  }
  if (clocks.empty()) return 0;
  std::nth_element(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2),
                   clocks.end());
  return clocks[clocks.size() / 2];
}

}  // namespace tilewright::cuda
