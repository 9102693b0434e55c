// memory.hpp - device memory of a context: the caller's own functions, or the device's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tilewright::library::tuner {

/// Source of device memory.
struct Allocator {
  void* (*allocate)(std::size_t bytes, void* user) = nullptr;
  void (*release)(void* memory, void* user) = nullptr;
  void* user = nullptr;
  int device = 0;
  std::uint64_t generation = 0;  // of the device: see device::generation()
};

/// Device memory, aligned to 256 bytes; null where there was none, or none was asked for.
class Memory {
 public:
  Memory() = default;
  Memory(const Allocator& allocator, std::size_t bytes);
  Memory(Memory&& other) noexcept : allocator_(other.allocator_), data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Memory();
  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

 private:
  Allocator allocator_;
  void* data_ = nullptr;
};

}  // namespace tilewright::library::tuner
