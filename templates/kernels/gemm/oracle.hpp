// oracle.hpp - a problem of gemm: its operands, and the right answer in fp64 with the error that a correct kernel may have.
#pragma once
#include "launch.hpp"
#include "tilewright/epilogue.hpp"
#include "tilewright/operation_problem.hpp"

namespace tilewright::gemm {

/// Reads values and seed beside what the signature has.
class DenseProblem final : public OperationProblem<Shape, Call> {
 public:
  explicit DenseProblem(const Json& json)
      : OperationProblem(json), values_(read_values(json, element_of(shape().element), shape().k)) {
    fill_product(operand("a"), operand("b"), values_);
    fill(operand("c"), values_, 3);
    if (Array* const bias = find_operand("bias")) fill(*bias, values_, 4);
    add_operands();
  }

  double flops() const override { return 2.0 * double(shape().m) * double(shape().n) * double(shape().k); }

  /// Besides the k products, alpha, beta and bias round up to three times.
  std::vector<Reference> reference() const override {
    const Epilogue epilogue{scalars().alpha, scalars().beta, shape().activation,
                            values_.output,  shape().k + 3,  values_.exact()};
    return {
        finish_product(multiply(operand("a"), operand("b")), epilogue, operand("c"), find_operand("bias"))};
  }

 private:
  Values values_;
};

}  // namespace tilewright::gemm

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<gemm::DenseProblem>(problem);
}

}  // namespace tilewright
