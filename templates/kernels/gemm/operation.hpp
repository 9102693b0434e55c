// operation.hpp - the signature of gemm in C++. Rendered from operation.ts by `npx gen check --update`: do not
// edit. Shared by launch code, runner and library. Plain C++17.
#pragma once
#include <array>
#include <cstdint>

#include "tw/operation.hpp"

namespace tilewright::gemm {

/// C = act(alpha * A * B + beta * C + bias), without addresses and scalars. Sizes and strides are complete: none stands for another.
struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  Type element;
  Switch bias;
  Activation activation;
  std::int64_t lda;
  std::int64_t ldb;
  std::int64_t ldc;
};

/// Addresses on the device, scalars, and the workspace.
struct Call {
  const void* a;
  const void* b;
  const void* bias;
  void* c;
  float alpha;
  float beta;
  void* workspace;
};

// Of each operand: the elements of a line (a row, or a column where that is its layout), the lines, and the
// elements from the first to behind the last line.
constexpr wide width_a([[maybe_unused]] const Shape& q) { return (wide(q.k)); }
constexpr wide lines_a([[maybe_unused]] const Shape& q) { return (wide(q.m)); }
constexpr wide extent_a(const Shape& q) { return lines_a(q) * wide(q.lda); }
constexpr wide width_b([[maybe_unused]] const Shape& q) { return (wide(q.n)); }
constexpr wide lines_b([[maybe_unused]] const Shape& q) { return (wide(q.k)); }
constexpr wide extent_b(const Shape& q) { return lines_b(q) * wide(q.ldb); }
constexpr wide width_bias([[maybe_unused]] const Shape& q) { return (wide(q.n)); }
constexpr wide lines_bias([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_bias(const Shape& q) { return lines_bias(q) * width_bias(q); }
constexpr wide width_c([[maybe_unused]] const Shape& q) { return (wide(q.n)); }
constexpr wide lines_c([[maybe_unused]] const Shape& q) { return (wide(q.m)); }
constexpr wide extent_c(const Shape& q) { return lines_c(q) * wide(q.ldc); }

/// Number of semantic choices.
inline constexpr int kChoices = 3;

/// Value of each choice, as in kChoiceNames.
constexpr std::array<int, kChoices> choices([[maybe_unused]] const Shape& q) {
  return { {
      static_cast<int>(q.element),  // element
      static_cast<int>(q.bias),  // bias
      static_cast<int>(q.activation),  // activation
  } };
}

inline constexpr ChoiceName kChoiceNames[] = {
    {"element", { "f16", "bf16", "f32" } },
    {"bias", { "no", "yes" } },
    {"activation", { "none", "relu", "gelu-tanh", "gelu-erf", "silu" } },
    {nullptr, {}},  // end
};

/// Visits the fields that a problem sets, with the names that problems have for them: sizes, choices, distances between lines and
/// between products.
template <class Visitor>
void each_field([[maybe_unused]] Shape& q, [[maybe_unused]] Visitor&& visit) {
  visit.size("m", q.m);
  visit.size("n", q.n);
  visit.size("k", q.k);
  visit.choice("element", kChoiceNames[0], q.element, Type::f16);
  visit.choice("bias", kChoiceNames[1], q.bias, Switch::no);
  visit.choice("activation", kChoiceNames[2], q.activation, Activation::none);
  visit.leading("a", q.lda, width_a(q));
  visit.leading("b", q.ldb, width_b(q));
  visit.leading("c", q.ldc, width_c(q));
}

/// Visits the scalars of a call, each with its usual value.
template <class Visitor>
void each_scalar([[maybe_unused]] Call& call, [[maybe_unused]] Visitor&& visit) {
  visit(call.alpha, "alpha", 1);
  visit(call.beta, "beta", 0);
}

/// Visits the addresses of the operands that a call has, in order, each with the place of its elements.
template <class Visitor>
void each_operand([[maybe_unused]] const Shape& q, Call& call, Visitor&& visit) {
  visit(call.a, q.element, Operand{ "a", Access::read, lines_a(q), width_a(q), wide(q.lda) });
  visit(call.b, q.element, Operand{ "b", Access::read, lines_b(q), width_b(q), wide(q.ldb) });
  if (q.bias == Switch::yes) visit(call.bias, q.element, Operand{ "bias", Access::read, lines_bias(q), width_bias(q), width_bias(q) });
  visit(call.c, q.element, Operand{ "c", call.beta != 0 ? Access::update : Access::write, lines_c(q), width_c(q), wide(q.ldc) });
}

}  // namespace tilewright::gemm
