// bounds.hpp - how far a correct kernel may be from the fp64 answer. Bounds are absolute and add up; `magnitude` is the
// sum of the absolute values of all terms. Half-precision accumulation does not stay within any of them.
#pragma once
#include <cmath>
#include <cstdint>

#include "tilewright/family.hpp"
#include "tw/operation.hpp"

namespace tilewright {

/// A sum of `terms` numbers or products in fp32, in any order: 6 sqrt(terms) 2^-23 magnitude.
inline double sum_bound(std::int64_t terms, double magnitude) {
  return 6 * std::sqrt(static_cast<double>(terms)) * std::ldexp(magnitude, -23);
}

/// One rounding of `value` to an element type: 1.01 u |value| + 2^-25, u = 2^-11 (f16), 2^-8 (bf16), 2^-24 (f32).
inline double rounding_bound(double value, ElementType type) { return dot_product_bound(0, 0, value, type); }

/// A product of two sums, or of a sum and an exact number (`error` 0), each within its own error.
inline double product_bound(double left, double left_error, double right, double right_error) {
  return std::fabs(left) * right_error + std::fabs(right) * left_error + left_error * right_error +
         std::ldexp(std::fabs(left * right), -23);
}

/// A chained product sum(x[i] * y[i]) whose x are results themselves, each within `error`: the errors carried along,
/// sum(error[i] * |y[i]|), and the sum's own.
inline double chained_bound(std::int64_t terms, double magnitude, double carried) {
  return carried + sum_bound(terms, magnitude + carried);
}

/// 1 / sqrt(x), 1 / x or sqrt(x) at an x within `error`, relative to the result: what the x brings, and two roundings.
inline double relative_root_bound(double x, double error) {
  return error / std::fmax(std::fabs(x) - error, std::ldexp(1.0, -126)) + std::ldexp(1.0, -22);
}

/// An element of x / norm(x), e.g. of LayerNorm or RMSNorm, before its last rounding: `centred` is the numerator within
/// `centred_error`, `square` the mean square with epsilon, a sum of `terms`.
inline double norm_bound(std::int64_t terms, double centred, double centred_error, double square) {
  const double root = 1 / std::sqrt(square), share = relative_root_bound(square, sum_bound(terms, square));
  return product_bound(centred, centred_error, root, root * share);
}

/// The activation in fp64. NaN stays NaN.
inline double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::gelu_tanh:
      return x / (1 + std::exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf:
      return 0.5 * x * std::erfc(-x * 0.7071067811865476);
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

/// The activation of an x within `error`: its steepest slope is below 1.13, and fp32 formulas lose up to 2^-18 |x| more.
inline double activation_bound(Activation activation, double x, double error) {
  if (activation == Activation::none || activation == Activation::relu) return error;
  return 1.13 * error + std::ldexp(std::fabs(x), -18);
}

}  // namespace tilewright
