// operation.hpp - the signature of bsr_spmm in C++. Rendered from operation.ts by `npx gen check --update`: do not
// edit. Shared by launch code, runner and library. Plain C++17.
#pragma once
#include <array>
#include <cstdint>

#include "tw/operation.hpp"

namespace tilewright::bsr_spmm {

/// C = act(alpha * op(A) * B + beta * C + bias), without addresses and scalars. Sizes and strides are complete: none stands for another.
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
  Layout layout_b;
  Layout layout_c;
  Switch transpose_a;
  Switch bias;
  Activation activation;
  Switch residual;
  Switch tf32;
  std::int64_t values_stride;
  std::int64_t ldb;
  std::int64_t b_stride;
  std::int64_t ldr;
  std::int64_t residual_stride;
  std::int64_t ldc;
  std::int64_t c_stride;
  const void* host_row_ptr;
  const void* host_col_idx;
  bool reads_c;
};

/// Addresses on the device, scalars, and the workspace.
struct Call {
  const void* row_ptr;
  const void* col_idx;
  const void* values;
  const void* b;
  const void* bias;
  const void* residual;
  void* c;
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
constexpr wide width_values([[maybe_unused]] const Shape& q) { return (wide(q.block)); }
constexpr wide lines_values([[maybe_unused]] const Shape& q) { return (wide(q.blocks)) * (wide(q.block)); }
constexpr wide extent_values(const Shape& q) { return lines_values(q) * width_values(q); }
constexpr wide width_b([[maybe_unused]] const Shape& q) { return q.layout_b == Layout::column ? (q.transpose_a == Switch::yes ? (wide(q.m)) : (wide(q.k))) : (wide(q.n)); }
constexpr wide lines_b([[maybe_unused]] const Shape& q) { return q.layout_b == Layout::column ? (wide(q.n)) : (q.transpose_a == Switch::yes ? (wide(q.m)) : (wide(q.k))); }
constexpr wide extent_b(const Shape& q) { return lines_b(q) * wide(q.ldb); }
constexpr wide width_bias([[maybe_unused]] const Shape& q) { return (q.transpose_a == Switch::yes ? (wide(q.k)) : (wide(q.m))); }
constexpr wide lines_bias([[maybe_unused]] const Shape& q) { return wide(1); }
constexpr wide extent_bias(const Shape& q) { return lines_bias(q) * width_bias(q); }
constexpr wide width_residual([[maybe_unused]] const Shape& q) { return q.layout_c == Layout::column ? (q.transpose_a == Switch::yes ? (wide(q.k)) : (wide(q.m))) : (wide(q.n)); }
constexpr wide lines_residual([[maybe_unused]] const Shape& q) { return q.layout_c == Layout::column ? (wide(q.n)) : (q.transpose_a == Switch::yes ? (wide(q.k)) : (wide(q.m))); }
constexpr wide extent_residual(const Shape& q) { return lines_residual(q) * wide(q.ldr); }
constexpr wide width_c([[maybe_unused]] const Shape& q) { return q.layout_c == Layout::column ? (q.transpose_a == Switch::yes ? (wide(q.k)) : (wide(q.m))) : (wide(q.n)); }
constexpr wide lines_c([[maybe_unused]] const Shape& q) { return q.layout_c == Layout::column ? (wide(q.n)) : (q.transpose_a == Switch::yes ? (wide(q.k)) : (wide(q.m))); }
constexpr wide extent_c(const Shape& q) { return lines_c(q) * wide(q.ldc); }

/// Number of semantic choices.
inline constexpr int kChoices = 11;

/// Value of each choice, as in kChoiceNames.
constexpr std::array<int, kChoices> choices([[maybe_unused]] const Shape& q) {
  return { {
      static_cast<int>(q.input),  // input
      static_cast<int>(q.output),  // output
      static_cast<int>(q.index),  // index
      static_cast<int>(q.layout_b),  // layout_b
      static_cast<int>(q.layout_c),  // layout_c
      static_cast<int>(q.transpose_a),  // transpose_a
      static_cast<int>(q.bias),  // bias
      static_cast<int>(q.activation),  // activation
      static_cast<int>(q.residual),  // residual
      static_cast<int>(q.tf32),  // tf32
      static_cast<int>((wide(q.batch) > 1)),  // batched
  } };
}

inline constexpr ChoiceName kChoiceNames[] = {
    {"input", { "f16", "bf16", "f32" } },
    {"output", { "f16", "bf16", "f32" } },
    {"index", { "i32", "i64" } },
    {"layout_b", { "row", "column" } },
    {"layout_c", { "row", "column" } },
    {"transpose_a", { "no", "yes" } },
    {"bias", { "no", "yes" } },
    {"activation", { "none", "relu", "gelu-tanh", "gelu-erf", "silu" } },
    {"residual", { "no", "yes" } },
    {"tf32", { "no", "yes" } },
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
  visit.choice("layoutB", kChoiceNames[3], q.layout_b, Layout::row);
  visit.choice("layoutC", kChoiceNames[4], q.layout_c, Layout::row);
  visit.choice("transposeA", kChoiceNames[5], q.transpose_a, Switch::no);
  visit.choice("bias", kChoiceNames[6], q.bias, Switch::no);
  visit.choice("activation", kChoiceNames[7], q.activation, Activation::none);
  visit.choice("residual", kChoiceNames[8], q.residual, Switch::no);
  visit.choice("tf32", kChoiceNames[9], q.tf32, Switch::no);
  visit.stride("values", q.values_stride, extent_values(q));
  visit.leading("b", q.ldb, width_b(q));
  visit.stride("b", q.b_stride, extent_b(q));
  visit.leading("residual", q.ldr, width_residual(q));
  visit.stride("residual", q.residual_stride, extent_residual(q));
  visit.leading("c", q.ldc, width_c(q));
  visit.stride("c", q.c_stride, extent_c(q));
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
  visit(call.values, q.input, Operand{ "values", Access::read, lines_values(q), width_values(q), width_values(q) });
  visit(call.b, q.input, Operand{ "b", Access::read, lines_b(q), width_b(q), wide(q.ldb) });
  if (q.bias == Switch::yes) visit(call.bias, q.output, Operand{ "bias", Access::read, lines_bias(q), width_bias(q), width_bias(q) });
  if (q.residual == Switch::yes) visit(call.residual, q.output, Operand{ "residual", Access::read, lines_residual(q), width_residual(q), wide(q.ldr) });
  visit(call.c, q.output, Operand{ "c", call.beta != 0 ? Access::update : Access::write, lines_c(q), width_c(q), wide(q.ldc) });
}

}  // namespace tilewright::bsr_spmm
