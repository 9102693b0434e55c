// epilogue.hpp - the right answer of a product with epilogue, act(alpha * product + beta * former + bias), and how far a kernel that
// sums in fp32 may be from it.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "tilewright/bounds.hpp"
#include "tilewright/fill.hpp"
#include "tilewright/parallel.hpp"
#include "tilewright/product.hpp"

namespace tilewright {

struct Epilogue {
  float alpha, beta;
  Activation activation;
  ElementType output;
  std::int64_t terms;  // of a sum, with one for each of alpha, beta and bias: they may round, too
  bool exact;          // sums are integers that fp32 and the output hold

  /// Writes the element number `index` of the reference. `magnitude`: the sum of the absolute values of the products.
  void finish(double product, double magnitude, double former, double bias, std::size_t index,
              Reference& reference) const {
    const double old = beta != 0 ? beta * former : 0;
    const double sum = alpha * product + old + bias, value = activate(activation, sum);
    const bool known = exact && (activation == Activation::none || activation == Activation::relu);
    reference.value[index] = known ? rounded(value, output) : value;
    // Of an infinite sum, ReLU makes infinity or exactly 0.
    const double error = sum_bound(terms, std::fabs(alpha) * magnitude + std::fabs(old) + std::fabs(bias));
    reference.bound[index] = known || !std::isfinite(sum)
                                 ? 0
                                 : activation_bound(activation, sum, error) + rounding_bound(value, output);
  }
};

/// The reference of a product. `bias(row, column)`: what is added.
template <class Bias>
Reference finish_with(const Product& product, const Epilogue& epilogue, const Array& former,
                      const Bias& bias) {
  Reference reference{std::vector<double>(product.sums.size()), std::vector<double>(product.sums.size())};
  parallel_for(former.lines(), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t column = 0; column < former.width(); ++column) {
        const std::size_t i = product.index(row, column);
        epilogue.finish(product.sums[i], product.magnitudes[i], former.get(row, column), bias(row, column), i,
                        reference);
      }
  });
  return reference;
}

/// With a row of biases, an element for every column, or none.
inline Reference finish_product(const Product& product, const Epilogue& epilogue, const Array& former,
                                const Array* bias) {
  return finish_with(product, epilogue, former,
                     [&](std::int64_t, std::int64_t column) { return bias ? bias->get(0, column) : 0; });
}

}  // namespace tilewright
