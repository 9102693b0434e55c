// elements.hpp - element types as bits: decoding to double, rounding from double. Shared by the runner and
// the oracles.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tilewright/family.hpp"

namespace tilewright {

/// Whole numbers of 64 bits, of which a double holds 53.
inline bool is_wide_integer(ElementType type) { return type == ElementType::i64 || type == ElementType::u64; }

inline bool is_float(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 ||
         type == ElementType::f64;
}

/// Value of the element at `location` (whole numbers included). Exact, but for those of more than 53 bits.
double decode(ElementType type, const std::byte* location);

/// `value` as the nearest element.
double rounded(double value, ElementType type);

/// Rounds to nearest, ties to even, overflow to infinity, NaN to the canonical NaN, and stores the element.
void encode(ElementType type, double value, std::byte* location);

std::uint16_t f16_from_double(double value);
std::uint16_t bf16_from_double(double value);
double double_from_f16(std::uint16_t bits);
double double_from_bf16(std::uint16_t bits);

}  // namespace tilewright
