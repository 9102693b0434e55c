// activation.hpp - names of the functions that may be applied to each element of a result; the values of `activation` in
// choiceKinds of src/model/operation.ts, in that order. For host and device, plain C++17.
#pragma once

namespace tilewright {

enum class Activation : int { none, relu, gelu_tanh, gelu_erf, silu };

}  // namespace tilewright
