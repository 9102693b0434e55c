// copies.h - scopes, sizes and copies, which cuda::barrier and cuda::pipeline share.
#pragma once
#include "../cooperative_groups/memcpy_async.h"
#include "scopes.h"

namespace cuda {

/// A number of bytes that is a multiple of Alignment, as the ends of the copy are.
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  explicit constexpr aligned_size_t(std::size_t bytes) : value(bytes) {}
  constexpr operator std::size_t() const { return value; }
};

namespace detail {

inline std::uint32_t address_of(const std::uint64_t* word) { return simt::shared_address(word); }

/// The own part of a copy that `count` threads make: cp.async where both ends allow it, else plain accesses.
template <class T>
[[gnu::always_inline]] inline void copy(unsigned rank, unsigned count, T* to, const T* from,
                                        std::size_t bytes) {
  char* destination = reinterpret_cast<char*>(to);
  const char* source = reinterpret_cast<const char*>(from);
  const std::size_t step = cooperative_groups::detail::copy_bytes(destination, source, bytes);
  if (step == 0)
    for (std::size_t i = rank; i < bytes; i += count) destination[i] = source[i];
  else
    for (std::size_t i = rank * step; i < bytes; i += count * step)
      simt::cp_async(simt::shared_address(destination + i), source + i, static_cast<int>(step),
                     static_cast<int>(step));
}

}  // namespace detail
}  // namespace cuda
