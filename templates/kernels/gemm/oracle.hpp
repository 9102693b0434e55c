// oracle.hpp - a problem of gemm: its operands, and the right answer in fp64 with the error that a correct kernel may have.
#pragma once
#include "launch.hpp"
#include "tilewright/bounds.hpp"
#include "tilewright/fill.hpp"
#include "tilewright/parallel.hpp"
#include "tilewright/problem.hpp"
#include "tilewright/product.hpp"

namespace tilewright::gemm {

/// Reads the problem's sizes, choices, alpha, beta, values and seed, `aExtra`, `bExtra`, `cExtra` (elements by which rows
/// are longer) and `aOffset` and so on (elements by which operands are shifted off their alignment).
class DenseProblem final : public ArrayProblem {
 public:
  explicit DenseProblem(const Json& json)
      : ArrayProblem(json),
        shape_(read_shape(json)),
        alpha_(static_cast<float>(json.number("alpha", 1))),
        beta_(static_cast<float>(json.number("beta", 0))),
        values_{json.text("values", "normal"), element_of(shape_.element), shape_.k, seed(json)},
        a_(values_.output, {shape_.m, shape_.k}, {shape_.lda}),
        b_(values_.output, {shape_.k, shape_.n}, {shape_.ldb}),
        c_(values_.output, {shape_.m, shape_.n}, {shape_.ldc}),
        bias_(values_.output, {has_bias() ? shape_.n : 0}) {
    fill_product(a_, b_, values_);
    fill(c_, values_, 3);
    fill(bias_, values_, 4);
    add(a_, "a", Role::input, read_size(json, "aOffset", 0));
    add(b_, "b", Role::input, read_size(json, "bOffset", 0));
    if (has_bias()) add(bias_, "bias", Role::input, read_size(json, "biasOffset", 0));
    add(c_, "c", beta_ != 0 ? Role::inout : Role::output, read_size(json, "cOffset", 0));
  }

  const Shape& shape() const { return shape_; }
  double flops() const override { return 2.0 * double(shape_.m) * double(shape_.n) * double(shape_.k); }

  std::vector<Reference> reference() const override {
    const Product product = multiply(a_, b_);
    Reference reference{std::vector<double>(product.sums.size()), std::vector<double>(product.sums.size())};
    parallel_for(shape_.m, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t column = 0; column < shape_.n; ++column) finish(product, row, column, reference);
    });
    return {std::move(reference)};
  }

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    return gemm::bind(shape_, parameters, limits);
  }

  Call typed_call(const Placement& placement) const {
    const std::vector<void*>& at = placement.tensors;
    return {at[0], at[1], has_bias() ? at[2] : nullptr, at.back(), alpha_, beta_, placement.workspace};
  }
  CallBytes call(const Placement& placement) const override { return CallBytes(typed_call(placement)); }

 private:
  static std::uint64_t seed(const Json& json) { return static_cast<std::uint64_t>(json.integer("seed", 1)); }

  static Shape read_shape(const Json& json) {
    Shape shape{};
    shape.m = read_size(json, "m"), shape.n = read_size(json, "n"), shape.k = read_size(json, "k");
    shape.lda = shape.k + read_size(json, "aExtra", 0);
    shape.ldb = shape.n + read_size(json, "bExtra", 0);
    shape.ldc = shape.n + read_size(json, "cExtra", 0);
    shape.element = static_cast<Type>(read_choice(json, kChoiceNames, "element"));
    shape.bias = static_cast<Switch>(read_choice(json, kChoiceNames, "bias"));
    shape.activation = static_cast<Activation>(read_choice(json, kChoiceNames, "activation"));
    return shape;
  }

  bool has_bias() const { return shape_.bias == Switch::yes; }

  /// One element of C. Besides the k products, alpha, beta and bias round up to three times.
  void finish(const Product& product, std::int64_t row, std::int64_t column, Reference& reference) const {
    const std::size_t i = product.index(row, column);
    const double old = beta_ != 0 ? beta_ * c_.get(row, column) : 0, bias = has_bias() ? bias_.get(0, column) : 0;
    const double sum = alpha_ * product.sums[i] + old + bias;
    const double magnitude = std::fabs(alpha_) * double(product.magnitudes[i]) + std::fabs(old) + std::fabs(bias);
    const Activation function = shape_.activation;
    const double value = activate(function, sum);
    const bool exact = values_.exact() && (function == Activation::none || function == Activation::relu);
    reference.value[i] = exact ? rounded(value, values_.output) : value;
    // Of an infinite sum, ReLU makes infinity or exactly 0.
    reference.bound[i] = exact || !std::isfinite(sum)
                             ? 0
                             : activation_bound(function, sum, sum_bound(shape_.k + 3, magnitude)) +
                                   rounding_bound(value, values_.output);
  }

  Shape shape_;
  float alpha_, beta_;
  Values values_;
  Array a_, b_, c_, bias_;
};

}  // namespace tilewright::gemm

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<gemm::DenseProblem>(problem);
}

}  // namespace tilewright
