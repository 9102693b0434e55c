// activation.cuh - activations in fp32, on the device. A kernel includes this file beside ptx.cuh.
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

}  // namespace tilewright
