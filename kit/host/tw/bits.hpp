// bits.hpp - counts of bits that sets have in common or together, sets as arrays of words. Plain C++17. The instruction POPCNT counts
// where the CPU has it: x86-64's baseline lacks it, and without it a count takes several times as long.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilewright::bits {
namespace detail {

using Word = std::uint64_t;

/// Inlined into functions for one kind of CPU, whose instructions it is then compiled to.
template <class WordAt>
[[gnu::always_inline]] inline std::int32_t count(std::size_t words, const WordAt& word_at) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += static_cast<std::int32_t>(__builtin_popcountll(word_at(i)));
  return sum;
}
[[gnu::always_inline]] inline std::int32_t both(const Word* a, const Word* b, std::size_t words) {
  return count(words, [=](std::size_t i) { return a[i] & b[i]; });
}
[[gnu::always_inline]] inline std::int32_t all(const Word* a, const Word* b, const Word* c,
                                               std::size_t words) {
  return count(words, [=](std::size_t i) { return a[i] & b[i] & c[i]; });
}
[[gnu::always_inline]] inline std::int32_t any(const Word* a, const Word* b, const Word* c,
                                               std::size_t words) {
  return count(words, [=](std::size_t i) { return a[i] | b[i] | c[i]; });
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] inline std::int32_t both_by_popcnt(const Word* a, const Word* b,
                                                             std::size_t words) {
  return both(a, b, words);
}
[[gnu::target("popcnt")]] inline std::int32_t all_by_popcnt(const Word* a, const Word* b, const Word* c,
                                                            std::size_t words) {
  return all(a, b, c, words);
}
[[gnu::target("popcnt")]] inline std::int32_t any_by_popcnt(const Word* a, const Word* b, const Word* c,
                                                            std::size_t words) {
  return any(a, b, c, words);
}
inline bool has_popcnt() {
  static const bool has = __builtin_cpu_supports("popcnt");
  return has;
}
#endif

}  // namespace detail

/// Bits that are in both sets of so many words.
inline std::int32_t count_both(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
#if defined(__x86_64__)
  if (detail::has_popcnt()) return detail::both_by_popcnt(a, b, words);
#endif
  return detail::both(a, b, words);
}

/// Bits that are in all three.
inline std::int32_t count_all(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::size_t words) {
#if defined(__x86_64__)
  if (detail::has_popcnt()) return detail::all_by_popcnt(a, b, c, words);
#endif
  return detail::all(a, b, c, words);
}

/// Bits that are in one of them at least.
inline std::int32_t count_any(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::size_t words) {
#if defined(__x86_64__)
  if (detail::has_popcnt()) return detail::any_by_popcnt(a, b, c, words);
#endif
  return detail::any(a, b, c, words);
}

}  // namespace tilewright::bits
