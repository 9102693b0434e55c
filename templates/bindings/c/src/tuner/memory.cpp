// memory.cpp - device memory of a context.
#include "tuner/memory.hpp"

#include "tuner/device.hpp"

namespace tilewright::library::tuner {

Memory::Memory(const Allocator& allocator, std::size_t bytes) : allocator_(allocator) {
  if (bytes == 0) return;
  data_ = allocator.allocate ? allocator.allocate(bytes, allocator.user) : device::allocate(bytes);
}

Memory::~Memory() {
  if (!data_) return;
  if (allocator_.release)
    allocator_.release(data_, allocator_.user);
  else if (device::generation(allocator_.device) == allocator_.generation)
    device::release(data_);  // a reset has freed it, and its address may be another's
}

}  // namespace tilewright::library::tuner
