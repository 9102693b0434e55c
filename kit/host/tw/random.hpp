// random.hpp - reproducible random numbers: a counter hashed by splitmix64, so that any element of a tensor
// can be drawn on its own.
#pragma once
#include <cmath>
#include <cstdint>

namespace tilewright {

/// Finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(hash(seed)) {}
  std::uint64_t next() { return hash(state_++); }
  /// In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// 0 to limit - 1; the bias is below limit / 2^64.
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  /// N(0, 1), by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace tilewright
