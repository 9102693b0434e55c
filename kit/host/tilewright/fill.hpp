// fill.hpp - numbers for operands, by kind: plain ones, and those that bring a certain kind of defect to light.
#pragma once
#include <cstdint>
#include <string>

#include "tilewright/array.hpp"

namespace tilewright {

/// Distribution of an operand's values. `kind` is one of
///   normal    N(0, 1)
///   positive  (0, 1], the largest sums of magnitudes
///   integers  -1, 0, 1: sums are exact
///   huge      sums overflow f16
///   tiny      subnormals
/// and, for the two factors of a product, also
///   swing     integers, but sums are larger by 8320 from the first term to the last: more bits than f16 or bf16 has
///   one-hot   each row of the left factor has a single 1, the right one holds a code of its place
///   nan       normal; NaN and both infinities in places, and zeros to be multiplied by them
///   cancel    pairs of opposite products: every sum is 0
struct Values {
  std::string kind;
  ElementType output;  // of sums
  std::int64_t terms;  // of a sum
  std::uint64_t seed;

  /// Whether sums of products are integers that fp32 and the output hold exactly.
  bool exact() const { return kind == "integers" || kind == "swing" || kind == "one-hot"; }
};

/// Draws every element. Arrays of one problem have different streams. A kind for products draws what it begins with.
/// Throws std::invalid_argument for an unknown kind.
void fill(Array& array, const Values& values, std::uint64_t stream);

/// Fills both factors of left (rows x terms) * right (terms x columns), streams 1 and 2.
void fill_product(Array& left, Array& right, const Values& values);

}  // namespace tilewright
