// epilogue.cuh - what becomes of sums on their way to C = function(alpha * sums + beta * C + bias), in registers.
#pragma once
#include "tw/activation.cuh"

namespace tw {

/// C with rows x columns elements, row-major, `ldc` elements between rows; a bias per column, or null.
template <class T>
struct Epilogue {
  const T* c;
  const T* bias;
  long long ldc;
  int rows, columns;
  float alpha, beta;

  /// Finishes a warp's 16 rows of sums, laid out as WarpAccumulators and as a warp's share of wgmma's accumulators; the first
  /// is for (row, column) of C. With beta 0, C is not read. Sums outside of C stay.
  template <tilewright::Activation Function, int Registers>
  TW_MEMBER void finish(float (&sums)[Registers], int row, int column) const {
    row += ptx::lane_id() / 4;
    column += ptx::lane_id() % 4 * 2;
    const auto each = [&](const auto& value_at) {
#pragma unroll
      for (int i = 0; i < Registers; ++i) {
        const int m = row + i / 2 % 2 * 8, n = column + i / 4 * 8 + i % 2;
        if (m < rows && n < columns) sums[i] = value_at(sums[i], m, n);
      }
    };
    if (beta != 0)
      each([&](float sum, int m, int n) { return alpha * sum + beta * static_cast<float>(c[m * ldc + n]); });
    else if (alpha != 1)
      each([&](float sum, int, int) { return alpha * sum; });
    if (bias) each([&](float sum, int, int n) { return sum + static_cast<float>(bias[n]); });
    if (Function != tilewright::Activation::none)
      each([&](float sum, int, int) { return tilewright::activate(Function, sum); });
  }
};

}  // namespace tw
