// tuning.cpp - what measuring needs of the emulated device: host memory and a host clock. Calls have finished when they
// return, so there is nothing to wait for and nothing can be captured.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tuner/device.hpp"

namespace tilewright::library::device {
namespace {

class Runs final : public Work {
 public:
  Runs(int runs, std::function<void(tw_stream)> run) : runs_(runs), run_(std::move(run)) {}
  void enqueue(tw_stream stream) override {
    for (int i = 0; i < runs_; ++i) run_(stream);
  }

 private:
  int runs_;
  std::function<void(tw_stream)> run_;
};

/// Nothing is waiting and nothing sleeps here, so that no work goes ahead.
class HostClock final : public Clock {
 public:
  std::vector<double> times(const std::vector<Work*>& works, tw_stream stream) override {
    std::vector<double> seconds;
    for (Work* work : works) {
      const auto start = Steady::now();
      work->enqueue(stream);
      seconds.push_back(std::chrono::duration<double>(Steady::now() - start).count());
    }
    return seconds;
  }

 private:
  using Steady = std::chrono::steady_clock;
};

}  // namespace

int current() { return 0; }

std::uint64_t generation() noexcept { return 1; }
std::uint64_t generation(int) noexcept { return 1; }

std::string environment() { return "target: emulated\n"; }

bool capturing(tw_stream) { return false; }

void* allocate(std::size_t bytes) noexcept { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }

void release(void* memory) noexcept { std::free(memory); }

void upload(void* destination, const void* host_source, std::size_t bytes) {
  std::memcpy(destination, host_source, bytes);
}

void download(void* host_destination, const void* source, std::size_t bytes, tw_stream) {
  std::memcpy(host_destination, source, bytes);
}

void download_lines(void* host_destination, const void* source, std::size_t pitch, std::size_t width,
                    std::size_t lines, tw_stream) {
  for (std::size_t i = 0; i < lines; ++i)
    std::memcpy(static_cast<std::byte*>(host_destination) + i * width,
                static_cast<const std::byte*>(source) + i * pitch, width);
}

void copy_within(void* destination, const void* source, std::size_t bytes, tw_stream) {
  std::memcpy(destination, source, bytes);
}

void fill(void* destination, int byte, std::size_t bytes, tw_stream) { std::memset(destination, byte, bytes); }

void synchronize(tw_stream) {}

// No other library computes on the emulated device.
void* open_library(const char*, bool) noexcept { return nullptr; }
void* find_function(void*, const char*) noexcept { return nullptr; }

std::unique_ptr<Work> record(int runs, std::function<void(tw_stream)> run) {
  return std::make_unique<Runs>(runs, std::move(run));
}

std::unique_ptr<Clock> make_clock() { return std::make_unique<HostClock>(); }

CaptureGuard::CaptureGuard() = default;
CaptureGuard::~CaptureGuard() = default;

}  // namespace tilewright::library::device
