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

}  // namespace tilewright::bsr_spmm
