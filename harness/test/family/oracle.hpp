// oracle.hpp - the tests' own family: C = alpha A + beta C, elementwise, f32, row-major with strides. Small
// enough to be checked by eye, rich enough to hold every defect that the gate must tell apart.
#pragma once
#include <cmath>
#include <cstring>
#include <random>

#include "args.hpp"
#include "tilewright/elements.hpp"
#include "tilewright/family.hpp"

namespace tilewright::axpby {

struct Call {
  const void* a;
  void* c;
  void* workspace;
  float alpha, beta;
};

class AxpbyProblem : public Problem {
 public:
  explicit AxpbyProblem(const Json& json)
      : m_(json.at("m").integer()),
        n_(json.at("n").integer()),
        alpha_(json.number("alpha", 1)),
        beta_(json.number("beta", 0)),
        seed_(json.integer("seed", 1)),
        key_(json.dump()) {
    if (m_ < 0 || n_ < 1) throw std::invalid_argument("axpby: m must be >= 0 and n >= 1");
    const std::int64_t extra = json.integer("ldExtra", 0), offset = json.integer("offset", 0);
    tensors_ = {make("a", Role::input, extra, offset, 2 * static_cast<std::uint64_t>(seed_)),
                make("c", beta_ == 0 ? Role::output : Role::inout, extra, offset,
                     2 * static_cast<std::uint64_t>(seed_) + 1)};
    if (json.boolean("nan", false) && m_ > 0) encode(ElementType::f32, NAN, tensors_[0].image.data());
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }

  std::vector<Reference> reference() const override {
    Reference reference;
    for (std::int64_t i = 0; i < m_; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const double added = beta_ == 0 ? 0 : beta_ * element(1, i, j);
        reference.value.push_back(alpha_ * element(0, i, j) + added);
        reference.bound.push_back(1e-5);
      }
    }
    return {reference};
  }

  double flops() const override { return 3.0 * static_cast<double>(m_ * n_); }
  double bytes() const override { return 8.0 * static_cast<double>(m_ * n_); }

  Bound bind(const Parameters& parameters, const DeviceLimits&) const override {
    refuse_unless(n_ % parameters.number("vector") == 0,
                  [&] { return "n must be a multiple of " + std::to_string(parameters.number("vector")); });
    Bound bound;
    bound.workspace = {16, {}, 0, 4};
    if (m_ == 0) return bound;
    LaunchBuilder<Args, Call> kernel;
    kernel.launch.grid = {static_cast<unsigned>((n_ + 31) / 32), static_cast<unsigned>(m_), 1};
    kernel.launch.block = {32, 1, 1};
    kernel.launch.shared_bytes = 256;
    kernel.args.m = static_cast<int>(m_);
    kernel.args.n = static_cast<int>(n_);
    kernel.args.lda = static_cast<int>(tensors_[0].stride);
    kernel.args.ldc = static_cast<int>(tensors_[1].stride);
    kernel.set(&Args::a, &Call::a);
    kernel.set(&Args::c, &Call::c);
    kernel.set(&Args::counter, &Call::workspace);
    kernel.set(&Args::alpha, &Call::alpha);
    kernel.set(&Args::beta, &Call::beta);
    bound.launches.push_back(kernel.finish());
    return bound;
  }

  CallBytes call(const Placement& placement) const override {
    return CallBytes(Call{placement.tensors[0], placement.tensors[1], placement.workspace,
                          static_cast<float>(alpha_), static_cast<float>(beta_)});
  }

  std::string key() const override { return key_; }

 private:
  Tensor make(const char* name, Role role, std::int64_t extra, std::int64_t offset,
              std::uint64_t seed) const {
    Tensor tensor{name, ElementType::f32, role, m_, n_, n_ + extra, offset, {}};
    tensor.image.resize(static_cast<std::size_t>(m_ * tensor.stride) * 4);
    std::mt19937_64 random(seed);
    for (std::int64_t i = 0; i < m_ * tensor.stride; ++i)
      encode(ElementType::f32, static_cast<double>(random() % 17) - 8, tensor.image.data() + i * 4);
    return tensor;
  }
  double element(std::size_t tensor, std::int64_t i, std::int64_t j) const {
    return decode(ElementType::f32, tensors_[tensor].image.data() + (i * tensors_[tensor].stride + j) * 4);
  }

  std::int64_t m_, n_;
  double alpha_, beta_;
  std::int64_t seed_;
  std::string key_;
  std::vector<Tensor> tensors_;
};

}  // namespace tilewright::axpby

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<axpby::AxpbyProblem>(problem);
}

}  // namespace tilewright
