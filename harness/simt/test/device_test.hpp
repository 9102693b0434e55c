// device_test.hpp - what the tests of the emulated device share: launching a lambda, looking for findings.
#pragma once
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "simt/kernel.hpp"
#include "simt/simt.hpp"

namespace simt {

/// A buffer of device memory for the duration of a test.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count, const char* name = "buffer")
      : data_(static_cast<T*>(allocate(count * sizeof(T), name))), count_(count) {
    std::memset(static_cast<void*>(data_), 0, count * sizeof(T));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(data_); }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
  std::size_t count_;
};

/// The limits of a GPU for the duration of a test.
class WithLimits {
 public:
  explicit WithLimits(const Limits& wanted) : before_(limits()) { set_limits(wanted); }
  WithLimits(const WithLimits&) = delete;
  WithLimits& operator=(const WithLimits&) = delete;
  ~WithLimits() { set_limits(before_); }

 private:
  Limits before_;
};

/// All combinations of order and asynchrony, with the detector.
inline std::vector<Config> all_modes(std::uint64_t seed = 1) {
  std::vector<Config> modes;
  for (Order order : {Order::in_order, Order::random, Order::greedy})
    for (Async async : {Async::now, Async::random, Async::late})
      for (double preempt : {0.0, 0.05}) {
        Config config;
        config.seed = seed;
        config.order = order;
        config.async = async;
        config.detect = true;
        config.preempt = preempt;
        config.seconds = 20;
        modes.push_back(config);
      }
  return modes;
}

/// One of each, for launches with findings: looking up source lines takes its time.
inline std::vector<Config> few_modes() {
  std::vector<Config> modes;
  for (const Config& config : all_modes())
    if (static_cast<int>(config.order) == static_cast<int>(config.async)) modes.push_back(config);
  return modes;
}

inline Config checked(Order order = Order::in_order, Async async = Async::now) {
  Config config;
  config.order = order;
  config.async = async;
  config.detect = true;
  config.seconds = 20;
  return config;
}

/// The messages of all findings of a kind.
inline std::string finding(const Result& result, const std::string& kind) {
  std::string messages;
  for (const Finding& one : result.findings)
    if (one.kind == kind) messages += one.message + "\n";
  return messages;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string all_findings(const Result& result) {
  std::string text;
  for (const Finding& one : result.findings) text += one.kind + ": " + one.message + "\n";
  return text;
}

inline std::uint32_t shared_start() { return shared_address(shared_base()); }

template <class T>
void store_shared(std::uint32_t address, T value) {
  shared_store(address, &value, sizeof value);
}
template <class T>
T load_shared(std::uint32_t address) {
  T value;
  shared_load(address, &value, sizeof value);
  return value;
}

}  // namespace simt

/// No findings at all.
#define CHECK_CLEAN(result) CHECK_EQ(::simt::all_findings(result), std::string())
/// A finding of this kind whose message has this part.
#define CHECK_FINDING(result, kind, part)                              \
  CHECK_MESSAGE(::simt::contains(::simt::finding(result, kind), part), \
                "no " kind " with \"" part "\" in:\n", ::simt::all_findings(result))
