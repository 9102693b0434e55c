#include "tilewright/elements.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace tilewright {
namespace {

/// Bits of a 16-bit float with `mantissa` fraction bits and exponent bias `bias`, rounded once from `value`.
std::uint16_t narrow(double value, int mantissa, int bias) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const std::uint16_t infinity = static_cast<std::uint16_t>(0x7FFF >> mantissa << mantissa);
  if (std::isnan(value)) return 0x7FFF;
  const double magnitude = std::abs(value);
  if (std::isinf(value) || magnitude == 0) return sign | (magnitude == 0 ? 0 : infinity);
  int exponent = 0;
  std::frexp(magnitude, &exponent);             // magnitude = f * 2^exponent, f in [0.5, 1)
  exponent = std::max(exponent - 1, 1 - bias);  // of the leading bit; subnormals share the least exponent
  const double units =
      std::nearbyint(std::ldexp(magnitude, mantissa - exponent));  // exact scaling, one rounding
  // A carry out of the fraction moves the sum into the next exponent by itself.
  const auto bits =
      static_cast<std::int64_t>(units) + (static_cast<std::int64_t>(exponent + bias - 1) << mantissa);
  return sign | static_cast<std::uint16_t>(std::min<std::int64_t>(bits, infinity));
}

template <class Value>
Value load(const std::byte* location) {
  Value value;
  std::memcpy(&value, location, sizeof value);
  return value;
}

}  // namespace

std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::i8:
    case ElementType::u8:
      return 1;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16:
      return 2;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64:
      return 8;
    default:
      return 4;
  }
}

std::uint16_t f16_from_double(double value) { return narrow(value, 10, 15); }
std::uint16_t bf16_from_double(double value) { return narrow(value, 7, 127); }

double double_from_f16(std::uint16_t bits) {
  // Moved into a float's fields the exponent is 112 too small, which a multiplication repairs, subnormals
  // included.
  const std::uint32_t fields = static_cast<std::uint32_t>(bits & 0x7FFF) << 13;
  const double magnitude = (bits & 0x7C00) == 0x7C00 ? double{std::bit_cast<float>(fields | 0x7F800000u)}
                                                     : double{std::bit_cast<float>(fields)} * 0x1p112;
  return bits & 0x8000 ? -magnitude : magnitude;
}

double double_from_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

double decode(ElementType type, const std::byte* location) {
  if (type == ElementType::f16) return double_from_f16(load<std::uint16_t>(location));
  if (type == ElementType::bf16) return double_from_bf16(load<std::uint16_t>(location));
  if (type == ElementType::i16) return load<std::int16_t>(location);
  if (type == ElementType::u16) return load<std::uint16_t>(location);
  if (type == ElementType::f64) return load<double>(location);
  if (type == ElementType::i64) return static_cast<double>(load<std::int64_t>(location));
  if (type == ElementType::u64) return static_cast<double>(load<std::uint64_t>(location));
  if (type == ElementType::u32) return load<std::uint32_t>(location);
  if (type == ElementType::i8) return load<std::int8_t>(location);
  if (type == ElementType::u8) return load<std::uint8_t>(location);
  std::uint32_t bits = 0;
  std::memcpy(&bits, location, 4);
  return type == ElementType::f32 ? static_cast<double>(std::bit_cast<float>(bits))
                                  : static_cast<double>(static_cast<std::int32_t>(bits));
}

void encode(ElementType type, double value, std::byte* location) {
  if (type == ElementType::f16 || type == ElementType::bf16) {
    const std::uint16_t bits = type == ElementType::f16 ? f16_from_double(value) : bf16_from_double(value);
    std::memcpy(location, &bits, 2);
  } else if (type == ElementType::f32) {
    const auto bits =
        std::isnan(value) ? 0x7FFFFFFFu : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    std::memcpy(location, &bits, 4);
  } else if (type == ElementType::f64) {
    std::memcpy(location, &value, 8);
  } else {
    // Little-endian: the low bytes come first.
    const auto integer = type == ElementType::u64 && value >= 0
                             ? static_cast<std::uint64_t>(value)
                             : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    std::memcpy(location, &integer, element_bytes(type));
  }
}

double rounded(double value, ElementType type) {
  std::byte element[8];
  encode(type, value, element);
  return decode(type, element);
}

double dot_product_bound(std::int64_t terms, double magnitude, double value, ElementType output) {
  const int output_digits = output == ElementType::f16 ? 11 : output == ElementType::bf16 ? 8 : 24;
  return 6 * std::sqrt(static_cast<double>(terms)) * std::ldexp(magnitude, -23) +
         1.01 * std::ldexp(std::abs(value), -output_digits) + std::ldexp(1.0, -25);
}

}  // namespace tilewright
