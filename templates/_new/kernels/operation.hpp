// operation.hpp - the signature of new_kernel in C++. Rendered from operation.ts by `npx gen check --update`: do not
// edit. Shared by launch code, runner and library. Plain C++17.
#pragma once
#include <array>
#include <cstdint>

#include "tw/operation.hpp"

namespace tilewright::new_kernel {

/// y = alpha * x + y, without addresses and scalars. Sizes and strides are complete: none stands for another.
struct Shape {
  std::int64_t count;
  Type element;
};

/// Addresses on the device, scalars, and the workspace.
struct Call {
  const void* x;
  void* y;
  float alpha;
  void* workspace;
};

// Of each operand: the elements of a line (a row, or a column where that is its layout), the lines, and the
// elements from the first to behind the last line.
constexpr wide width_x([[maybe_unused]] const Shape& q) { return (wide(q.count)); }
constexpr wide lines_x([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_x(const Shape& q) { return lines_x(q) * width_x(q); }
constexpr wide width_y([[maybe_unused]] const Shape& q) { return (wide(q.count)); }
constexpr wide lines_y([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_y(const Shape& q) { return lines_y(q) * width_y(q); }

/// Number of semantic choices.
inline constexpr int kChoices = 1;

/// Value of each choice, as in kChoiceNames.
constexpr std::array<int, kChoices> choices([[maybe_unused]] const Shape& q) {
  return { {
      static_cast<int>(q.element),  // element
  } };
}

inline constexpr ChoiceName kChoiceNames[] = {
    {"element", { "f16", "bf16", "f32" } },
    {nullptr, {}},  // end
};

}  // namespace tilewright::new_kernel
