// printed.hpp - judgement of what kernels print.
#pragma once
#include <string>
#include <vector>

namespace tilewright {

/// Throws Rejection where the lines are not the right ones, in any order.
void judge_printed(std::vector<std::string> printed, std::vector<std::string> right);

}  // namespace tilewright
