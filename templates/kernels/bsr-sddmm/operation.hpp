// operation.hpp - the signature of bsr_sddmm in C++. Rendered from operation.ts by `npx gen check --update`: do not
// edit. Shared by launch code, runner and library. Plain C++17.
#pragma once
#include <array>
#include <cstdint>

#include "tw/operation.hpp"

namespace tilewright::bsr_sddmm {

/// A = alpha * (X * Y^T) + beta * A, at the stored blocks of A, without addresses and scalars. Sizes and strides are complete: none stands for another.
struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t block;
  std::int64_t blocks;
  std::int64_t batch;
  Type input;
  Type output;
  Index index;
  Layout layout_x;
  Layout layout_y;
  std::int64_t ldx;
  std::int64_t x_stride;
  std::int64_t ldy;
  std::int64_t y_stride;
  std::int64_t values_stride;
  const void* host_row_ptr;
  const void* host_col_idx;
};

/// Addresses on the device, scalars, and the workspace.
struct Call {
  const void* row_ptr;
  const void* col_idx;
  const void* x;
  const void* y;
  void* values;
  float alpha;
  float beta;
  void* workspace;
};

// Of each operand: the elements of a line (a row, or a column where that is its layout), the lines, and the
// elements from the first to behind the last line.
constexpr wide width_row_ptr([[maybe_unused]] const Shape& q) { return ((wide(q.m) + wide(q.block) - 1) / wide(q.block) + 1); }
constexpr wide lines_row_ptr([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_row_ptr(const Shape& q) { return lines_row_ptr(q) * width_row_ptr(q); }
constexpr wide width_col_idx([[maybe_unused]] const Shape& q) { return (wide(q.blocks)); }
constexpr wide lines_col_idx([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_col_idx(const Shape& q) { return lines_col_idx(q) * width_col_idx(q); }
constexpr wide width_x([[maybe_unused]] const Shape& q) { return q.layout_x == Layout::column ? (wide(q.m)) : (wide(q.k)); }
constexpr wide lines_x([[maybe_unused]] const Shape& q) { return q.layout_x == Layout::column ? (wide(q.k)) : (wide(q.m)); }
constexpr wide extent_x(const Shape& q) { return lines_x(q) * wide(q.ldx); }
constexpr wide width_y([[maybe_unused]] const Shape& q) { return q.layout_y == Layout::column ? (wide(q.n)) : (wide(q.k)); }
constexpr wide lines_y([[maybe_unused]] const Shape& q) { return q.layout_y == Layout::column ? (wide(q.k)) : (wide(q.n)); }
constexpr wide extent_y(const Shape& q) { return lines_y(q) * wide(q.ldy); }
constexpr wide width_values([[maybe_unused]] const Shape& q) { return (wide(q.block)); }
constexpr wide lines_values([[maybe_unused]] const Shape& q) { return (wide(q.blocks)) * (wide(q.block)); }
constexpr wide extent_values(const Shape& q) { return lines_values(q) * width_values(q); }

/// Number of semantic choices.
inline constexpr int kChoices = 6;

/// Value of each choice, as in kChoiceNames.
constexpr std::array<int, kChoices> choices([[maybe_unused]] const Shape& q) {
  return { {
      static_cast<int>(q.input),  // input
      static_cast<int>(q.output),  // output
      static_cast<int>(q.index),  // index
      static_cast<int>(q.layout_x),  // layout_x
      static_cast<int>(q.layout_y),  // layout_y
      static_cast<int>((wide(q.batch) > 1)),  // batched
  } };
}

inline constexpr ChoiceName kChoiceNames[] = {
    {"input", { "f16", "bf16", "f32" } },
    {"output", { "f16", "bf16", "f32" } },
    {"index", { "i32", "i64" } },
    {"layout_x", { "row", "column" } },
    {"layout_y", { "row", "column" } },
    {"batched", { "no", "yes" } },
    {nullptr, {}},  // end
};

/// Visits the fields that a problem sets, with the names that problems have for them: sizes, choices, distances between lines and
/// between products.
template <class Visitor>
void each_field([[maybe_unused]] Shape& q, [[maybe_unused]] Visitor&& visit) {
  visit.size("m", q.m);
  visit.size("n", q.n);
  visit.size("k", q.k);
  visit.size("block", q.block);
  visit.size("blocks", q.blocks);
  visit.size("batch", q.batch, 1);
  visit.choice("input", kChoiceNames[0], q.input, Type::f16);
  visit.choice("output", kChoiceNames[1], q.output, Type::f16);
  visit.choice("index", kChoiceNames[2], q.index, Index::i32);
  visit.choice("layoutX", kChoiceNames[3], q.layout_x, Layout::row);
  visit.choice("layoutY", kChoiceNames[4], q.layout_y, Layout::row);
  visit.leading("x", q.ldx, width_x(q));
  visit.stride("x", q.x_stride, extent_x(q));
  visit.leading("y", q.ldy, width_y(q));
  visit.stride("y", q.y_stride, extent_y(q));
  visit.stride("values", q.values_stride, extent_values(q));
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
  visit(call.row_ptr, q.index, Operand{ "row_ptr", Access::read, lines_row_ptr(q), width_row_ptr(q), width_row_ptr(q) });
  visit(call.col_idx, q.index, Operand{ "col_idx", Access::read, lines_col_idx(q), width_col_idx(q), width_col_idx(q) });
  visit(call.x, q.input, Operand{ "x", Access::read, lines_x(q), width_x(q), wide(q.ldx) });
  visit(call.y, q.input, Operand{ "y", Access::read, lines_y(q), width_y(q), wide(q.ldy) });
  visit(call.values, q.output, Operand{ "values", call.beta != 0 ? Access::update : Access::write, lines_values(q), width_values(q), width_values(q) });
}

}  // namespace tilewright::bsr_sddmm
