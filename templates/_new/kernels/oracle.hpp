// oracle.hpp - the tensors of y = alpha * x + y, the right answer in fp64, and how far from it a kernel may
// be.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "launch.hpp"
#include "tilewright/family.hpp"

namespace tilewright::new_kernel {

/// Reads `count`, `alpha`, `values` (normal | integers | nan), `offset` (elements by which both arrays are
/// shifted off their alignment) and `seed`.
class Axpy final : public Problem {
 public:
  explicit Axpy(const Json& problem)
      : count_(problem.at("count").integer()),
        alpha_(static_cast<float>(problem.number("alpha", 1))),
        exact_(problem.text("values", "normal") == "integers"),
        key_(problem.dump()) {
    if (count_ < 0) throw std::invalid_argument("count must not be negative");
    std::mt19937 random(static_cast<unsigned>(problem.integer("seed", 1)));
    x_ = draw(random, problem.text("values", "normal"));
    y_ = draw(random, exact_ ? "integers" : "normal");
    const std::int64_t offset = problem.integer("offset", 0);
    tensors_ = {tensor("x", Role::input, x_, offset), tensor("y", Role::inout, y_, offset)};
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }

  /// One fused operation rounds once, two operations twice: at most 2^-24 of the product and of the result
  /// each. Small integers are exact.
  std::vector<Reference> reference() const override {
    Reference y;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double product = static_cast<double>(alpha_) * x_[i], value = product + y_[i];
      const double bound = 0x1p-24 * (std::abs(product) + 1.01 * std::abs(value)) + 0x1p-149;
      y.value.push_back(value);
      y.bound.push_back(exact_ || std::isnan(value) ? 0 : bound);
    }
    return {y};
  }

  double flops() const override { return 2.0 * static_cast<double>(count_); }
  double bytes() const override { return 12.0 * static_cast<double>(count_); }  // x and y read, y written

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    Shape shape{};
    shape.count = count_;
    shape.element = Type::f32;
    return new_kernel::bind(shape, parameters, limits);
  }

  CallBytes call(const Placement& placement) const override {
    Call call{};
    call.x = placement.tensors[0];
    call.y = placement.tensors[1];
    call.alpha = alpha_;
    return CallBytes(call);
  }

  std::string key() const override { return key_; }

 private:
  std::vector<float> draw(std::mt19937& random, const std::string& kind) const {
    if (kind != "normal" && kind != "integers" && kind != "nan")
      throw std::invalid_argument("values is '" + kind + "'; it is one of normal, integers, nan");
    std::vector<float> values(static_cast<std::size_t>(count_));
    std::normal_distribution<float> normal;
    for (float& value : values)
      value = kind == "integers" ? static_cast<float>(random() % 33) - 16.0F : normal(random);
    if (kind == "nan" && count_ > 2) {
      values[0] = std::numeric_limits<float>::quiet_NaN();
      values[values.size() / 2] = std::numeric_limits<float>::infinity();
      values.back() = -std::numeric_limits<float>::infinity();
    }
    return values;
  }

  Tensor tensor(const char* name, Role role, const std::vector<float>& values, std::int64_t offset) const {
    Tensor tensor{name, ElementType::f32, role, 1, count_, count_, offset, {}};
    tensor.image.resize(values.size() * sizeof(float));
    if (!values.empty()) std::memcpy(tensor.image.data(), values.data(), tensor.image.size());
    return tensor;
  }

  std::int64_t count_;
  float alpha_;
  bool exact_;
  std::string key_;
  std::vector<float> x_, y_;
  std::vector<Tensor> tensors_;
};

}  // namespace tilewright::new_kernel

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<new_kernel::Axpy>(problem);
}

}  // namespace tilewright
