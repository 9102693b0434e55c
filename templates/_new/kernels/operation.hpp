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

/// Visits the fields that a problem sets, with the names that problems have for them: sizes, choices, distances between lines and
/// between products.
template <class Visitor>
void each_field([[maybe_unused]] Shape& q, [[maybe_unused]] Visitor&& visit) {
  visit.size("count", q.count);
  visit.choice("element", kChoiceNames[0], q.element, Type::f32);
}

/// Visits the scalars of a call, each with its usual value.
template <class Visitor>
void each_scalar([[maybe_unused]] Call& call, [[maybe_unused]] Visitor&& visit) {
  visit(call.alpha, "alpha", 0);
}

/// Visits the addresses of the operands that a call has, in order, each with the place of its elements.
template <class Visitor>
void each_operand([[maybe_unused]] const Shape& q, Call& call, Visitor&& visit) {
  visit(call.x, q.element, Operand{ "x", Access::read, lines_x(q), width_x(q), width_x(q) });
  visit(call.y, q.element, Operand{ "y", Access::update, lines_y(q), width_y(q), width_y(q) });
}

}  // namespace tilewright::new_kernel
