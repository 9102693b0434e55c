// problem_checks.hpp - checks that the rendered sources of every operation call, and host copies of index arrays.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime.hpp"
#include "tw/operation.hpp"

namespace tilewright::library {

/// Elements of the largest tensor that addresses can be computed for in 64 bits.
inline constexpr wide kMostElements = std::numeric_limits<std::int64_t>::max() / 16;

/// Decimal digits.
std::string number(wide value);

/// Throws unless a host copy, if there is one, has `count` offsets that ascend from 0 to `total`. `total_name`: the
/// size that this is, for the message.
void check_offsets(const void* indices, Index type, wide count, wide total, const char* name,
                   const char* total_name);

/// Throws unless each of the `count` indices of a host copy, if there is one, is at least 0 and less than `below`.
void check_indices(const void* indices, Index type, wide count, wide below, const char* name);

/// An array of `bytes` bytes: the caller's host copy, or, where that is null, `source` on the device, behind the stream's work,
/// for which the call waits. Throws where both are null, and while the stream is being captured. Its address is never null.
std::vector<std::byte> host_copy(const void* host, const void* source, wide bytes, const char* name,
                                 tw_stream stream);

}  // namespace tilewright::library
