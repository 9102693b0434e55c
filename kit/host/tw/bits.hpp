// bits.hpp - counts of bits that sets have in common or together, sets as arrays of words. Plain C++17. The instruction POPCNT counts
// where the CPU has it: x86-64's baseline lacks it, and without it a count takes several times as long.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tilewright::bits {
namespace detail {

/// Bits of `words` words; `word_at(i)` is one. Inlined into a function for one kind of CPU, it is compiled to the instructions of that.
template <class WordAt>
[[gnu::always_inline]] inline std::int32_t count_plainly(std::size_t words, const WordAt& word_at) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += static_cast<std::int32_t>(__builtin_popcountll(word_at(i)));
  return sum;
}

/// As bits::count_both_of_each, for one kind of CPU. Of four sets at a time: a word of `one` is read once for all of them.
template <class Count>
[[gnu::always_inline]] inline void count_each_plainly(const std::uint64_t* one, const std::uint64_t* others,
                                                      std::size_t sets, std::size_t words, Count* counts) {
  constexpr std::int32_t kMost = std::numeric_limits<Count>::max();
  std::size_t set = 0;
  for (; set + 4 <= sets; set += 4, others += 4 * words) {
    std::int32_t a = 0, b = 0, c = 0, d = 0;
    for (std::size_t i = 0; i < words; ++i) {
      a += static_cast<std::int32_t>(__builtin_popcountll(one[i] & others[i]));
      b += static_cast<std::int32_t>(__builtin_popcountll(one[i] & others[words + i]));
      c += static_cast<std::int32_t>(__builtin_popcountll(one[i] & others[2 * words + i]));
      d += static_cast<std::int32_t>(__builtin_popcountll(one[i] & others[3 * words + i]));
    }
    for (const std::int32_t sum : {a, b, c, d}) *counts++ = static_cast<Count>(std::min(kMost, sum));
  }
  for (; set < sets; ++set, others += words)
    *counts++ = static_cast<Count>(
        std::min(kMost, count_plainly(words, [=](std::size_t i) { return one[i] & others[i]; })));
}

#if defined(__x86_64__)
template <class Count>
[[gnu::target("popcnt")]] void count_each_by_popcnt(const std::uint64_t* one, const std::uint64_t* others,
                                                    std::size_t sets, std::size_t words, Count* counts) {
  count_each_plainly(one, others, sets, words, counts);
}
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

/// Bits that a set has in common with each of several, which lie one behind the other; as many as fit `Count` at most.
template <class Count>
void count_both_of_each(const std::uint64_t* one, const std::uint64_t* others, std::size_t sets,
                        std::size_t words, Count* counts) {
#if defined(__x86_64__)
  if (detail::has_popcnt()) return detail::count_each_by_popcnt(one, others, sets, words, counts);
#endif
  detail::count_each_plainly(one, others, sets, words, counts);
}

/// Bits that are in all three sets of so many words.
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
