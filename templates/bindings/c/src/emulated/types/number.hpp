// number.hpp - what __half and __nv_bfloat16 have in common on the emulated device where no CUDA toolkit is
// installed: 16 bits, computed in float and rounded to nearest even after every operation.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics.hpp"
#include "vector_functions.h"

namespace tw {

struct HalfFormat {
  static constexpr float widen(std::uint16_t bits) { return simt::half_to_float(bits); }
  static constexpr std::uint16_t round(float value) { return simt::float_to_half(value); }
};

struct Bfloat16Format {
  static constexpr float widen(std::uint16_t bits) { return simt::bfloat16_to_float(bits); }
  static constexpr std::uint16_t round(float value) { return simt::float_to_bfloat16(value); }
};

template <class Format>
struct Number {
  std::uint16_t bits;

  Number() = default;
  constexpr Number(float value) : bits(Format::round(value)) {}
  Number(double value);
  constexpr Number(int value) : Number(static_cast<float>(value)) {}
  constexpr Number(unsigned value) : Number(static_cast<float>(value)) {}
  constexpr operator float() const { return Format::widen(bits); }

  friend constexpr Number operator+(Number a, Number b) {
    return static_cast<float>(a) + static_cast<float>(b);
  }
  friend constexpr Number operator-(Number a, Number b) {
    return static_cast<float>(a) - static_cast<float>(b);
  }
  friend constexpr Number operator*(Number a, Number b) {
    return static_cast<float>(a) * static_cast<float>(b);
  }
  friend constexpr Number operator/(Number a, Number b) {
    return static_cast<float>(a) / static_cast<float>(b);
  }
  friend constexpr Number operator-(Number a) {
    return std::bit_cast<Number>(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
  }
  Number& operator+=(Number other) { return *this = *this + other; }
  Number& operator-=(Number other) { return *this = *this - other; }
  Number& operator*=(Number other) { return *this = *this * other; }
};

/// Two of them in one register, `x` in the low half.
template <class T>
struct alignas(4) Pair {
  T x, y;
};

/// A double as a float whose last bit remembers that something was cut off ("round to odd"), so that rounding
/// it once more, to 16 bits, gives what rounding the double at once would.
inline float sticky(double value) {
  auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) nearest = std::nextafter(nearest, 0.0f);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) | 1u);
}

template <class T>
T larger(T a, T b) {
  return std::fmax(static_cast<float>(a), static_cast<float>(b));
}

template <class T>
T smaller(T a, T b) {
  return std::fmin(static_cast<float>(a), static_cast<float>(b));
}

template <class Format>
Number<Format>::Number(double value) : Number(sticky(value)) {}

}  // namespace tw

// Functions that exist for both types.
#define TW_NUMBER_FUNCTIONS(T)                                                                \
  inline T __hadd(T a, T b) { return a + b; }                                                 \
  inline T __hsub(T a, T b) { return a - b; }                                                 \
  inline T __hmul(T a, T b) { return a * b; }                                                 \
  inline T __hdiv(T a, T b) { return a / b; }                                                 \
  inline T __hneg(T a) { return -a; }                                                         \
  inline T __hmax(T a, T b) { return tw::larger(a, b); }                                      \
  inline T __hmin(T a, T b) { return tw::smaller(a, b); }                                     \
  inline tw::Pair<T> __hadd2(tw::Pair<T> a, tw::Pair<T> b) { return {a.x + b.x, a.y + b.y}; } \
  inline tw::Pair<T> __hsub2(tw::Pair<T> a, tw::Pair<T> b) { return {a.x - b.x, a.y - b.y}; } \
  inline tw::Pair<T> __hmul2(tw::Pair<T> a, tw::Pair<T> b) { return {a.x * b.x, a.y * b.y}; }
