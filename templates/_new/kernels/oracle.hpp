// oracle.hpp - the operands of y = alpha * x + y, the right answer in fp64, and how far from it a kernel may be.
#pragma once
#include <cmath>
#include <limits>

#include "launch.hpp"
#include "tilewright/bounds.hpp"
#include "tilewright/operation_problem.hpp"

namespace tilewright::new_kernel {

/// Reads `values` (see tilewright/fill.hpp) and `seed` beside what the signature has: `count`, `alpha`, and `xOffset`, `yOffset`
/// (elements by which the arrays are shifted off their alignment).
class Axpy final : public OperationProblem<Shape, Call> {
 public:
  explicit Axpy(const Json& problem)
      : OperationProblem(problem), values_(read_values(problem, ElementType::f32, 1)) {
    Array& x = operand("x");
    fill(x, values_, 1);
    fill(operand("y"), values_, 2);
    if (values_.kind == "nan" && shape().count > 2) {
      x.set(0, 0, std::numeric_limits<double>::quiet_NaN());
      x.set(0, shape().count / 2, std::numeric_limits<double>::infinity());
      x.set(0, shape().count - 1, -std::numeric_limits<double>::infinity());
    }
    add_operands();
  }

  double flops() const override { return 2.0 * double(shape().count); }

  /// One fused operation rounds once, two operations twice. Small integers are exact.
  std::vector<Reference> reference() const override {
    Reference y;
    for (std::int64_t i = 0; i < shape().count; ++i) {
      const double product = scalars().alpha * operand("x").get(0, i),
                   value = product + operand("y").get(0, i);
      const double bound =
          rounding_bound(product, ElementType::f32) + rounding_bound(value, ElementType::f32);
      y.value.push_back(value);
      y.bound.push_back(values_.exact() || !std::isfinite(value) ? 0 : bound);
    }
    return {y};
  }

 private:
  Values values_;
};

}  // namespace tilewright::new_kernel

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<new_kernel::Axpy>(problem);
}

}  // namespace tilewright
