// oracle.hpp - a problem that a description gives whole: tensors, scalars, launch and reference. src/kernel-file/cases.ts
// writes it as JSON; nothing here knows any kernel.
#pragma once
#include "problem.hpp"

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<check::DescribedProblem>(problem);
}

}  // namespace tilewright
