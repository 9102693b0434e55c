// activation.cuh: each function is within its bound of the same in fp64, one value at a time and four at once, NaN and infinities as
// documented.
#include "tw/activation.cuh"

#include <array>
#include <cmath>

#include "block_test.hpp"

using namespace simt;
using namespace blocks;
using tilewright::Activation;

namespace {

double exact(Activation function, double x) {
  switch (function) {
    case Activation::relu:
      return x <= 0 ? 0 : x;
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

/// Whether the value may be: NaN of NaN, and of -Inf where the function multiplies.
bool right(Activation function, float x, float value) {
  const bool multiplies = function != Activation::none && function != Activation::relu;
  if (std::isnan(x) || (std::isinf(x) && x < 0 && multiplies)) return std::isnan(value);
  const double wanted = exact(function, x);
  if (std::isinf(x)) return value == static_cast<float>(wanted);
  return std::fabs(value - wanted) <= std::ldexp(std::fabs(wanted) + std::fabs(x), -20);
}

constexpr std::array<float, 3> kBeside{-60, 0.25f, -80};  // of four: exponentials whose product is no float
constexpr std::array<float, 16> kValues{0,  1,  -1,  0.5f, -0.75f, 3,        -3,        8,
                                        -8, 20, -20, 90,   -90,    INFINITY, -INFINITY, NAN};

template <Activation Function>
void check_all(const Config& config) {
  const Buffer<float> one(kValues.size(), "one"), four(kValues.size() * 4, "four");
  CHECK_CLEAN(launch(config, {1}, {static_cast<unsigned>(kValues.size())}, 0, {1}, [&] {
    const float x = kValues[threadIdx.x];
    one[threadIdx.x] = tilewright::activate(Function, x);
    float values[4] = {x, kBeside[0], kBeside[1], kBeside[2]};
    tilewright::activate_four<Function>(values[0], values[1], values[2], values[3]);
    for (std::size_t i = 0; i < 4; ++i) four[4 * threadIdx.x + i] = values[i];
  }));
  for (std::size_t i = 0; i < kValues.size(); ++i) {
    CHECK(right(Function, kValues[i], one[i]));
    CHECK(right(Function, kValues[i], four[4 * i]));
    for (std::size_t j = 0; j < kBeside.size(); ++j) CHECK(right(Function, kBeside[j], four[4 * i + j + 1]));
  }
}

}  // namespace

TEST_CASE("functions are within their bounds, one by one and four at once") {
  for (const Config& config : few_modes()) {
    check_all<Activation::none>(config);
    check_all<Activation::relu>(config);
    check_all<Activation::gelu_tanh>(config);
    check_all<Activation::gelu_erf>(config);
    check_all<Activation::silu>(config);
  }
}
