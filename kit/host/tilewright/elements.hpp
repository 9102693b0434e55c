// elements.hpp - element types as bits: decoding to double, rounding from double. Shared by the runner and
// the oracles.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tilewright/family.hpp"

namespace tilewright {

/// Value of the element at `location` (i32 included). Exact.
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
