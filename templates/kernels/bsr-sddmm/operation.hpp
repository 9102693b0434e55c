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

}  // namespace tilewright::bsr_sddmm
