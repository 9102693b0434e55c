// product_problem.hpp - problems of an operation act(alpha * A * B + beta * C + bias) on dense, row-major operands: values, the
// right answer in fp64, and the error that a kernel may have which sums in fp32.
#pragma once
#include <vector>

#include "tilewright/epilogue.hpp"
#include "tilewright/operation_problem.hpp"

namespace tilewright {

/// The operation's operands are `a`, `b` and `c`, with or without a `bias` per column; its scalars `alpha` and `beta`. Where it has
/// a choice `activation`, that is act. Reads values and seed beside what the signature has.
template <class Shape, class Call>
class ProductProblem final : public OperationProblem<Shape, Call> {
 public:
  explicit ProductProblem(const Json& json)
      : OperationProblem<Shape, Call>(json), values_(read_values(json, c().type(), a().width())) {
    fill_product(this->operand("a"), this->operand("b"), values_);
    fill(this->operand("c"), values_, 3);
    if (Array* const bias = this->find_operand("bias")) fill(*bias, values_, 4);
    this->add_operands();
  }

  double flops() const override {
    return 2.0 * double(c().lines()) * double(c().width()) * double(a().width());
  }

  /// Besides the products of a sum, alpha, beta and bias round up to three times.
  std::vector<Reference> reference() const override {
    const Epilogue epilogue{this->scalars().alpha, this->scalars().beta, activation(),
                            values_.output,        a().width() + 3,      values_.exact()};
    return {finish_product(multiply(a(), this->operand("b")), epilogue, c(), this->find_operand("bias"))};
  }

 private:
  const Array& a() const { return this->operand("a"); }
  const Array& c() const { return this->operand("c"); }

  Activation activation() const {
    if constexpr (requires(const Shape& shape) { shape.activation; }) return this->shape().activation;
    return Activation::none;
  }

  Values values_;
};

}  // namespace tilewright
