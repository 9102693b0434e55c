#include "tilewright/array.hpp"

#include <cmath>
#include <set>

#include <doctest/doctest.h>
#include "tilewright/bounds.hpp"
#include "tilewright/fill.hpp"
#include "tilewright/product.hpp"

using namespace tilewright;

namespace {

Values values(const char* kind, std::int64_t terms, ElementType output = ElementType::f16) {
  return {kind, output, terms, 7};
}

struct Factors {
  Array left, right;
  Factors(const char* kind, std::int64_t rows, std::int64_t terms, std::int64_t columns)
      : left(ElementType::f16, {rows, terms}), right(ElementType::f16, {terms, columns}) {
    fill_product(left, right, values(kind, terms));
  }
};

}  // namespace

TEST_CASE("strides say where elements lie") {
  Array array(ElementType::f32, {2, 3, 4}, {64, 8});
  array.set(4, 3, 5);  // [1][1][3]
  CHECK_EQ(array.get(4, 3), 5.0);
  CHECK_EQ(array.at(4, 3) - array.line(0), (64 + 8 + 3) * 4);
  CHECK_EQ(array.lines(), 6);
  CHECK_EQ(array.elements(), 24);
  CHECK_THROWS_WITH(array.tensor("x", Role::input), doctest::Contains("tensor 'x': its lines are not evenly spaced"));

  const Tensor even = Array(ElementType::f32, {2, 3, 4}, {24, 8}).tensor("x", Role::input, 1);
  CHECK_EQ(even.rows, 6);
  CHECK_EQ(even.cols, 4);
  CHECK_EQ(even.stride, 8);
  CHECK_EQ(even.offset, 1);
  CHECK_EQ(even.image.size(), std::size_t((5 * 8 + 4) * 4));
  CHECK_EQ(Array(ElementType::f16, {5, 0}).tensor("x", Role::input).image.size(), 0u);
  CHECK_THROWS_WITH(Array(ElementType::f16, {4, 4}, {4, 1}), doctest::Contains("a stride for each dimension but the innermost"));
  CHECK_THROWS_WITH(Array(ElementType::f16, {std::int64_t{1} << 30, 2, 2}, {std::int64_t{1} << 20, 2}), doctest::Contains("2^42 elements"));
}

TEST_CASE("rows that are far apart are kept packed") {
  Array array(ElementType::f16, {3, 8}, {std::int64_t{1} << 33});
  array.set(2, 7, 1);
  const Tensor tensor = array.tensor("x", Role::output);
  CHECK(tensor.sparse);
  CHECK_EQ(tensor.image.size(), 48u);
  CHECK_EQ(tensor.stride, std::int64_t{1} << 33);
}

TEST_CASE("a seed and a stream decide every element") {
  Array first(ElementType::bf16, {9, 33}), second(ElementType::bf16, {9, 33}, {40}), other(ElementType::bf16, {9, 33});
  fill(first, values("normal", 1), 1);
  fill(second, values("normal", 1), 1);
  fill(other, values("normal", 1), 2);
  int same = 0, shared = 0;
  for (std::int64_t i = 0; i < 9; ++i)
    for (std::int64_t j = 0; j < 33; ++j) {
      same += first.get(i, j) == second.get(i, j);
      shared += first.get(i, j) == other.get(i, j);
    }
  CHECK_EQ(same, 9 * 33);
  CHECK(shared < 30);
  CHECK_THROWS_WITH(fill(first, values("odd", 1), 1), doctest::Contains("unknown values 'odd'"));
}

TEST_CASE("kinds bring what they promise") {
  const Factors cancelled("cancel", 5, 33, 17), hot("one-hot", 5, 33, 17), swung("swing", 5, 33, 17), bad("nan", 5, 33, 17);
  for (const double sum : multiply(cancelled.left, cancelled.right).sums) CHECK_EQ(sum, 0.0);
  const Product codes = multiply(hot.left, hot.right);
  for (std::int64_t row = 0; row < 5; ++row) {
    double ones = 0;
    for (std::int64_t k = 0; k < 33; ++k) ones += hot.left.get(row, k);
    CHECK_EQ(ones, 1.0);
    CHECK_EQ(codes.sums[codes.index(row, 1)] - codes.sums[codes.index(row, 0)], 7.0);
  }
  for (const double sum : multiply(swung.left, swung.right).sums) {
    CHECK_EQ(sum, std::round(sum));
    CHECK(std::fabs(sum) < 64);
  }
  const Product spoilt = multiply(bad.left, bad.right);
  int nans = 0;
  for (std::int64_t column = 0; column < 17; ++column) nans += std::isnan(spoilt.sums[spoilt.index(4, column)]);
  CHECK_GE(nans, 1);
  CHECK_LE(nans, 3);  // zeros times infinities and NaN
}

TEST_CASE("a product agrees with its definition") {
  for (const std::int64_t terms : {0, 1, 5, 64}) {
    Array left(ElementType::f16, {19, terms}, {terms + 3}), right(ElementType::bf16, {terms, 300}, {301});
    fill_product(left, right, values("normal", terms));
    const Product product = multiply(left, right);
    double worst = 0;
    for (std::int64_t row = 0; row < 19; ++row)
      for (std::int64_t column = 0; column < 300; ++column) {
        double sum = 0, magnitude = 0;
        for (std::int64_t k = 0; k < terms; ++k) {
          sum += left.get(row, k) * right.get(k, column);
          magnitude += std::fabs(left.get(row, k) * right.get(k, column));
        }
        worst = std::fmax(worst, std::fabs(sum - product.sums[product.index(row, column)]));
        worst = std::fmax(worst, std::fabs(magnitude - double(product.magnitudes[product.index(row, column)])) * 1e-7);
      }
    CHECK(worst < 1e-11);
  }
  CHECK_THROWS_WITH(multiply(Array(ElementType::f16, {2, 3}), Array(ElementType::f16, {2, 3})), doctest::Contains("two matrices that fit"));
}

TEST_CASE("bounds hold fp32 and not half") {
  // A mean square of 1000 elements and a normalised element, in fp32 and with sums rounded to 11 bits.
  Array x(ElementType::f32, {1, 1000});
  fill(x, values("normal", 1000), 1);
  const auto norm = [&](auto round) {
    double sum = 0;
    for (std::int64_t i = 0; i < 1000; ++i) sum = round(sum + x.get(0, i) * x.get(0, i));
    return round(x.get(0, 3) / std::sqrt(sum / 1000 + 1e-5));
  };
  double square = 0;
  for (std::int64_t i = 0; i < 1000; ++i) square += x.get(0, i) * x.get(0, i) / 1000;
  const double exact = norm([](double value) { return value; });
  const double bound = norm_bound(1000, x.get(0, 3), 0, square + 1e-5);
  CHECK(std::fabs(norm([](double value) { return double(float(value)); }) - exact) < bound);
  CHECK(std::fabs(norm([](double value) { return double_from_f16(f16_from_double(value)); }) - exact) > bound);
  CHECK(chained_bound(64, 10, 1e-3) > 1e-3 + sum_bound(64, 10));
}

TEST_CASE("activations are those of their definitions") {
  const auto near = [](double value, double wanted) { return std::fabs(value - wanted) < 1e-12; };
  CHECK(near(activate(Activation::gelu_erf, 1), 0.5 * (1 + std::erf(std::sqrt(0.5)))));
  CHECK(near(activate(Activation::gelu_tanh, -0.7),
             -0.35 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (-0.7 - 0.044715 * 0.343)))));
  CHECK(near(activate(Activation::silu, 2), 2 / (1 + std::exp(-2.0))));
  CHECK_EQ(activate(Activation::relu, -3), 0.0);
  CHECK(std::isnan(activate(Activation::relu, NAN)));
  double steepest = 0;
  for (const Activation function : {Activation::gelu_tanh, Activation::gelu_erf, Activation::silu})
    for (double at = -8; at < 8; at += 1e-3)
      steepest = std::fmax(steepest, std::fabs(activate(function, at + 1e-6) - activate(function, at)) / 1e-6);
  CHECK(steepest < 1.13);
}
