// device.hpp - what measuring and workspaces need of the device, beside runtime.hpp. Defined in cuda/tuning.cpp and
// emulated/tuning.cpp. Functions throw Error unless they say otherwise.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime.hpp"

namespace tilewright::library::device {

/// The calling thread's current device.
int current();
/// Number of the device's CUDA context: another one after cudaDeviceReset, 0 without any. Of the calling thread's current
/// context in some tens of nanoseconds; of a device.
std::uint64_t generation() noexcept;
std::uint64_t generation(int device) noexcept;
/// The device and its software, one `name: value` a line: records of measurements hold for no other.
std::string environment();
/// Whether the stream's work is being recorded into a graph.
bool capturing(tw_stream stream);

/// Device memory aligned to 256 bytes, or null.
void* allocate(std::size_t bytes) noexcept;
void release(void* memory) noexcept;

/// Copies from the host, on no stream of the caller's; done when it returns.
void upload(void* destination, const void* host_source, std::size_t bytes);
/// Copies to the host, behind what the stream holds; done when it returns.
void download(void* host_destination, const void* source, std::size_t bytes, tw_stream stream);
/// As download: `lines` of `width` bytes that lie `pitch` bytes apart, to one behind the other.
void download_lines(void* host_destination, const void* source, std::size_t pitch, std::size_t width,
                    std::size_t lines, tw_stream stream);
/// Enqueues a copy on the device.
void copy_within(void* destination, const void* source, std::size_t bytes, tw_stream stream);
/// Enqueues writing `byte` everywhere.
void fill(void* destination, int byte, std::size_t bytes, tw_stream stream);
void synchronize(tw_stream stream);

/// A shared library that the process has loaded, or with `load` that can be loaded; null where there is none. It stays.
void* open_library(const char* name, bool load) noexcept;
void* find_function(void* library, const char* symbol) noexcept;

/// Around fork(): until `resume`, in the parent and in the child, no other thread is inside the device.
void pause();
void resume();

/// Work that is to be timed: put on a stream as often as one likes.
class Work {
 public:
  virtual ~Work() = default;
  virtual void enqueue(tw_stream stream) = 0;
};
/// `runs` runs, one behind the other. On a GPU they are one graph where they can be captured: the host launches short kernels
/// more slowly than they run.
std::unique_ptr<Work> record(int runs, std::function<void(tw_stream)> run);

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds that each work takes, one behind the other on the stream. The first one goes ahead of them, untimed, so that the
  /// device is awake and the host ahead of it. Waits for the stream.
  virtual std::vector<double> times(const std::vector<Work*>& works, tw_stream stream) = 0;
};
std::unique_ptr<Clock> make_clock();

/// While it lives, calls of this thread neither end captures of other threads nor fail because of them.
class CaptureGuard {
 public:
  CaptureGuard();
  ~CaptureGuard();
  CaptureGuard(const CaptureGuard&) = delete;
  CaptureGuard& operator=(const CaptureGuard&) = delete;

 private:
  int former_ = 0;
};

}  // namespace tilewright::library::device
