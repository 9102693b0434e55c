// printed.cpp - judgement of what kernels print.
#include "printed.hpp"

#include <algorithm>
#include <iterator>

#include "operands.hpp"

namespace tilewright {

namespace {

using Lines = std::vector<std::string>;

Lines without(const Lines& lines, const Lines& others) {
  Lines rest;
  std::set_difference(lines.begin(), lines.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

std::string said(const char* what, const Lines& lines) {
  if (lines.empty()) return "";
  return std::string("; ") + std::to_string(lines.size()) + what + "'" + lines.front() + "'";
}

}  // namespace

void judge_printed(Lines printed, Lines right) {
  std::sort(printed.begin(), printed.end());
  std::sort(right.begin(), right.end());
  if (printed == right) return;
  throw reject("wrong", "lines printed: " + std::to_string(printed.size()) + ", by the reference " +
                            std::to_string(right.size()) +
                            said(" are missing, the first: ", without(right, printed)) +
                            said(" are no lines of the reference, the first: ", without(printed, right)));
}

}  // namespace tilewright
