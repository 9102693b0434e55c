// staged_result.cuh - from accumulators of mma.sync to the result, act(alpha * sum + beta * addend + bias), rounded once. Sums go
// through a warp's own staging buffer in shared memory, so that results, and what is added to them, move in vectors of 16 bytes.
#pragma once
#include "tw/activation.cuh"

namespace tw {

/// The result, row-major, and what its elements are made of beside the sums. `rows` and `columns` exist.
template <class T>
struct Result {
  T* c;
  const T* addend;  // read where beta is not 0
  const T* bias;    // per row or per column; null: none
  long long ldc, ld_addend;
  int rows, columns;
  bool aligned_c, aligned_addend;  // whether all rows begin at a multiple of 16 bytes
  tilewright::Activation activation;
  float alpha, beta;
};

/// Direction of a bias: an element per row of the result, or per column.
enum class BiasPer { row, column };

/// 16 bytes of elements.
template <class T>
struct alignas(16) Vector {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(T));
  T element[kCount];

  /// Reads `count` elements, and zeros for the rest. `aligned`: `from` is a multiple of 16 bytes.
  TW_MEMBER void load(const T* from, int count, bool aligned) {
    if (aligned && count >= kCount) {
      const uint4 bits = *reinterpret_cast<const uint4*>(from);
      __builtin_memcpy(static_cast<void*>(element), &bits, sizeof bits);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) element[i] = i < count ? from[i] : T(0.0f);
    }
  }
  TW_MEMBER void store(T* to, int count, bool aligned) const {
    if (aligned && count >= kCount) {
      uint4 bits;
      __builtin_memcpy(&bits, static_cast<const void*>(element), sizeof bits);
      *reinterpret_cast<uint4*>(to) = bits;
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        if (i < count) to[i] = element[i];
    }
  }
};

/// A warp's staging buffer: 16 rows of `Columns` sums. The padding keeps rows in different banks.
template <int Columns>
struct Staging {
  static constexpr int kPitch = Columns + 8, kBytes = 16 * kPitch * static_cast<int>(sizeof(float));

  float* sums;

  /// Stores a row of mma tiles: a lane has rows lane / 4 and lane / 4 + 8 of each, columns lane % 4 * 2 and the next.
  TW_MEMBER void store(const float (&tiles)[Columns / 8][4], int lane) const {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(sums + (h * 8 + lane / 4) * kPitch + n * 8 + lane % 4 * 2) =
            make_float2(tiles[n][h * 2], tiles[n][h * 2 + 1]);
  }

  /// Writes the results of these 16 rows, which are rows `row` to `row + 15` and columns from `column` on of the result.
  template <BiasPer Bias, class T>
  TW_MEMBER void write(const Result<T>& to, int row, int column, int lane) const {
    using V = Vector<T>;
    constexpr int kVectors = Columns / V::kCount;  // per row
    static_assert(32 % kVectors == 0, "a lane keeps its columns");
    const int first = lane % kVectors * V::kCount, count = to.columns - column - first;
    V bias = {};
    if (Bias == BiasPer::column && to.bias) bias.load(to.bias + column + first, count, false);
#pragma unroll 1
    for (int r = lane / kVectors; r < 16 && row + r < to.rows && count > 0; r += 32 / kVectors) {
      float values[V::kCount];
      load(values, r, first);
      if (Bias == BiasPer::row && to.bias) fill(bias, to.bias[row + r]);
      finish(to, values, bias, to.addend + (row + r) * to.ld_addend + column + first, count);
      V result;
#pragma unroll
      for (int i = 0; i < V::kCount; ++i) result.element[i] = static_cast<T>(values[i]);
      result.store(to.c + (row + r) * to.ldc + column + first, count, to.aligned_c);
    }
  }

 private:
  template <int Count>
  TW_MEMBER void load(float (&values)[Count], int row, int column) const {
#pragma unroll
    for (int i = 0; i < Count; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(sums + row * kPitch + column + i);
      values[i] = four.x, values[i + 1] = four.y, values[i + 2] = four.z, values[i + 3] = four.w;
    }
  }

  template <class T>
  TW_MEMBER static void fill(Vector<T>& vector, T value) {
#pragma unroll
    for (int i = 0; i < Vector<T>::kCount; ++i) vector.element[i] = value;
  }

  /// Sums to values before they are rounded. `addend`: the vector's place, of which `count` elements exist.
  template <class T, int Count>
  TW_MEMBER static void finish(const Result<T>& to, float (&values)[Count], const Vector<T>& bias,
                               const T* addend, int count) {
    Vector<T> added = {};
    if (to.beta != 0) added.load(addend, count, to.aligned_addend);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      values[i] *= to.alpha;
      if (to.beta != 0) values[i] += to.beta * static_cast<float>(added.element[i]);
      if (to.bias) values[i] += static_cast<float>(bias.element[i]);
      values[i] = tilewright::activate(to.activation, values[i]);
    }
  }
};

/// Writes a warp's results, which are rows from `row` on and columns from `column` on of the result, 16 rows at a time through
/// `buffer`, the warp's own staging buffer, 16-byte aligned.
template <BiasPer Bias, class T, int TilesM, int TilesN>
TW_DEVICE void write_results(const Result<T>& to, const float (&sums)[TilesM][TilesN][4], int row, int column,
                             int lane, float* buffer) {
  const Staging<TilesN * 8> staging{buffer};
#pragma unroll
  for (int m = 0; m < TilesM; ++m) {
    __syncwarp();  // the rows before have been read
    staging.store(sums[m], lane);
    __syncwarp();
    staging.template write<Bias>(to, row + m * 16, column, lane);
  }
}

}  // namespace tw
