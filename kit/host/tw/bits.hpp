// bits.hpp - counts of bits that sets have in common or together, sets as arrays of words. Plain C++17. The instruction POPCNT counts
// where the CPU has it: x86-64's baseline lacks it, and without it a count takes several times as long.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilewright::bits {
namespace detail {

/// Bits of `words` words; `word_at(i)` is one. Inlined into a function for one kind of CPU, it is compiled to the instructions of that.
template <class WordAt>
[[gnu::always_inline]] inline std::int32_t count_plainly(std::size_t words, const WordAt& word_at) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += static_cast<std::int32_t>(__builtin_popcountll(word_at(i)));
  return sum;
}

#if defined(__x86_64__)
template <class WordAt>
[[gnu::target("popcnt")]] std::int32_t count_by_popcnt(std::size_t words, const WordAt& word_at) {
  return count_plainly(words, word_at);
}
inline bool has_popcnt() {
  static const bool has = __builtin_cpu_supports("popcnt");
  return has;
}
#endif

template <class WordAt>
std::int32_t count(std::size_t words, const WordAt& word_at) {
#if defined(__x86_64__)
  if (has_popcnt()) return count_by_popcnt(words, word_at);
#endif
  return count_plainly(words, word_at);
}

}  // namespace detail

/// Bits that are in both sets of so many words.
inline std::int32_t count_both(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  return detail::count(words, [=](std::size_t i) { return a[i] & b[i]; });
}

/// Bits that are in all three.
inline std::int32_t count_all(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::size_t words) {
  return detail::count(words, [=](std::size_t i) { return a[i] & b[i] & c[i]; });
}

/// Bits that are in one of them at least.
inline std::int32_t count_any(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::size_t words) {
  return detail::count(words, [=](std::size_t i) { return a[i] | b[i] | c[i]; });
}

}  // namespace tilewright::bits
