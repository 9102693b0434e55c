// oracle.hpp - problems of gemm: operands, and the right answer in fp64 with the error that a correct kernel may have.
#pragma once
#include "launch.hpp"
#include "tilewright/product_problem.hpp"

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<ProductProblem<gemm::Shape, gemm::Call>>(problem);
}

}  // namespace tilewright
