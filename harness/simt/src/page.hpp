// page.hpp - the unit in which memory is protected.
#pragma once
#include <cstddef>

namespace simt::core {

/// Bytes: a multiple of the system's pages. x86-64 has pages of 4 KiB; arm64 of 4, 16 or 64 KiB, told at run
/// time only.
#if defined(__x86_64__)
inline constexpr std::size_t kPage = 4096;
#else
inline constexpr std::size_t kPage = 65536;
#endif

}  // namespace simt::core
