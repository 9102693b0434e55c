// activation.cuh - activations in fp32, on the device.
#pragma once
#include "tw/activation.hpp"
#include "tw/ptx.cuh"

namespace tilewright {

/// The function's value at `x`, within 2^-20 of |value| + |x|; NaN where `x` is NaN. At -Inf, GELU and SiLU are NaN, as in
/// PyTorch: -Inf times 0.
TW_DEVICE float activate(Activation function, float x) {
  constexpr float kSqrtHalf = 0.70710678f, kTwiceSqrtTwoOverPi = 1.59576912f;
  switch (function) {
    case Activation::relu:
      return x <= 0 ? 0 : x;
    // x (1 + tanh(u)) / 2 is x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3).
    case Activation::gelu_tanh:
      return __fdividef(x, 1 + __expf(-kTwiceSqrtTwoOverPi * (x + 0.044715f * x * x * x)));
    case Activation::gelu_erf:
      return 0.5f * x * (1 + erff(kSqrtHalf * x));
    case Activation::silu:
      return __fdividef(x, 1 + __expf(-x));
    default:
      return x;
  }
}

/// activate of four values, GELU (tanh) and SiLU with fewer instructions: all four share a reciprocal, since the units for exponentials
/// and reciprocals have an eighth of the lanes of those for products.
template <Activation Function>
TW_DEVICE void activate_four(float& a, float& b, float& c, float& d) {
  if constexpr (Function != Activation::gelu_tanh && Function != Activation::silu) {
    a = activate(Function, a), b = activate(Function, b);
    c = activate(Function, c), d = activate(Function, d);
  } else {
    // Of x / (1 + 2^power), as in `activate`. A power of 30 at most leaves room for a product of four denominators.
    const auto denominator = [](float x) {
      constexpr float kLog2E = 1.44269504f;
      const float slope = Function == Activation::silu ? -kLog2E : -2.30220820f - 0.10294324f * x * x;
      return 1 + ptx::exp2_approx(fminf(slope * x, 30.0f));
    };
    // Less 2^-29, and 0 at least: the factor of a power that was cut is 0, so that -Inf becomes NaN.
    const auto scale = [](float& x, float others, float other) {
      x *= __saturatef(others * other - 0x1p-29f);
    };
    const float of_a = denominator(a), of_b = denominator(b), of_c = denominator(c), of_d = denominator(d);
    const float ab = of_a * of_b, cd = of_c * of_d, all = ptx::reciprocal_approx(ab * cd);
    const float one_over_ab = all * cd, one_over_cd = all * ab;
    scale(a, one_over_ab, of_b), scale(b, one_over_ab, of_a);
    scale(c, one_over_cd, of_d), scale(d, one_over_cd, of_c);
  }
}

}  // namespace tilewright
