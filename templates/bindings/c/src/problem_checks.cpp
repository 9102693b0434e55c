// problem_checks.cpp - host copies of index arrays, checked and made, and numbers of more than 64 bits as text.
#include "problem_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "tuner/device.hpp"

namespace tilewright::library {
namespace {

template <class Integer>
void check_offsets(const Integer* offsets, wide count, wide total, const char* name, const char* total_name) {
  const auto last = static_cast<std::size_t>(count) - 1;
  require(offsets[0] == 0 && offsets[last] == total,
          [&] { return std::string(name) + " does not run from 0 to " + total_name; });
  for (std::size_t i = 0; i < last; ++i)
    require(offsets[i] <= offsets[i + 1], [&] {
      return std::string(name) + "[" + number(i + 1) + "] = " + number(offsets[i + 1]) +
             " is below the one before";
    });
}

template <class Integer>
void check_indices(const Integer* indices, wide count, wide below, const char* name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    require(indices[i] >= 0 && indices[i] < below, [&] {
      return std::string(name) + "[" + number(i) + "] = " + number(indices[i]) + " is not between 0 and " +
             number(below - 1);
    });
}

}  // namespace

std::string number(wide value) {
  if (value < 0) return "-" + number(-value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

void check_offsets(const void* indices, Index type, wide count, wide total, const char* name,
                   const char* total_name) {
  if (!indices) return;
  if (type == Index::i64)
    check_offsets(static_cast<const std::int64_t*>(indices), count, total, name, total_name);
  else
    check_offsets(static_cast<const std::int32_t*>(indices), count, total, name, total_name);
}

void check_indices(const void* indices, Index type, wide count, wide below, const char* name) {
  if (!indices) return;
  if (type == Index::i64)
    check_indices(static_cast<const std::int64_t*>(indices), count, below, name);
  else
    check_indices(static_cast<const std::int32_t*>(indices), count, below, name);
}

std::vector<std::byte> host_copy(const void* host, const void* source, wide bytes, const char* name,
                                 tw_stream stream) {
  std::vector<std::byte> copy;
  require(bytes <= std::numeric_limits<std::ptrdiff_t>::max(),
          [&] { return std::string(name) + " has too many elements to count: " + number(bytes) + " bytes"; });
  copy.reserve(static_cast<std::size_t>(std::max<wide>(bytes, 1)));
  copy.resize(static_cast<std::size_t>(bytes));
  if (copy.empty()) return copy;
  require(host || source, [&] { return std::string(name) + " is null"; });
  require(host || !device::capturing(stream), [&] {
    return "the stream is being captured: " + std::string(name) + " cannot be read; give a host copy of it";
  });
  if (host)
    std::memcpy(copy.data(), host, copy.size());
  else
    device::download(copy.data(), source, copy.size(), stream);
  return copy;
}

}  // namespace tilewright::library
