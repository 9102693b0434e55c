// reference.hpp - the product in fp64, and the magnitude |A| |B| that bounds a kernel's error, on all cores.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "tilewright/parallel.hpp"
#include "tw/activation.hpp"
#include "values.hpp"

// The inner loop in the widest vectors that the CPU has; the choice is made once, when the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TW_BSR_CLONES __attribute__((target_clones("default", "avx2,fma", "avx512f")))
#else
#define TW_BSR_CLONES
#endif

namespace tilewright::bsr_spmm {

namespace detail {

/// Columns of C that are summed at a time: sums and magnitudes of a row stay in the L1 cache.
constexpr std::int64_t kPanel = 256;

/// sums[0..255] += a[0..3] * b[0..3][0..255] and the same of magnitudes.
TW_BSR_CLONES inline void add_products(const double* a, const float* __restrict b, std::int64_t pitch,
                                       double* __restrict sums, float* __restrict magnitudes) {
  const float m0 = static_cast<float>(std::fabs(a[0])), m1 = static_cast<float>(std::fabs(a[1])),
              m2 = static_cast<float>(std::fabs(a[2])), m3 = static_cast<float>(std::fabs(a[3]));
  const float *b0 = b, *b1 = b + pitch, *b2 = b1 + pitch, *b3 = b2 + pitch;
  for (std::int64_t j = 0; j < kPanel; ++j) {
    sums[j] += (a[0] * b0[j] + a[1] * b1[j]) + (a[2] * b2[j] + a[3] * b3[j]);
    magnitudes[j] +=
        (m0 * std::fabs(b0[j]) + m1 * std::fabs(b1[j])) + (m2 * std::fabs(b2[j]) + m3 * std::fabs(b3[j]));
  }
}

/// All elements as float, which every input type converts to exactly; padded with zeros to whole panels of columns and a
/// multiple of `block` rows.
class Floats {
 public:
  explicit Floats(const Matrix& matrix, std::int64_t block = 1)
      : pitch_((matrix.columns + kPanel - 1) / kPanel * kPanel) {
    values_.resize(static_cast<std::size_t>((matrix.rows + block - 1) / block * block * pitch_));
    if (matrix.type == ElementType::f32) {
      convert<float>(matrix, [](float value) { return value; });
      return;
    }
    std::vector<float> table(1 << 16);
    for (std::uint32_t bits = 0; bits < table.size(); ++bits) {
      const auto word = static_cast<std::uint16_t>(bits);
      table[bits] = static_cast<float>(matrix.type == ElementType::f16 ? double_from_f16(word)
                                                                       : double_from_bf16(word));
    }
    convert<std::uint16_t>(matrix, [&](std::uint16_t bits) { return table[bits]; });
  }
  const float* row(std::int64_t index) const { return values_.data() + index * pitch_; }
  std::int64_t pitch() const { return pitch_; }

 private:
  /// Fills in all elements, each `value_of` what is stored, an `Element`.
  template <class Element, class ValueOf>
  void convert(const Matrix& matrix, const ValueOf& value_of) {
    parallel_for(matrix.rows, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t column = 0; column < matrix.columns; ++column) {
          Element element;
          std::memcpy(&element, matrix.at(row, column), sizeof element);
          values_[static_cast<std::size_t>(row * pitch_ + column)] = value_of(element);
        }
    });
  }

  std::int64_t pitch_;
  std::vector<float> values_;
};

}  // namespace detail

/// The pattern of A transposed, and where each of its blocks is stored in A.
struct Transposed {
  Bsr pattern;
  std::vector<std::int64_t> source;
};

inline Transposed transpose(const Bsr& pattern) {
  Transposed result{{pattern.columns, pattern.rows, {}, pattern.col_idx}, std::vector<std::int64_t>(pattern.col_idx.size())};
  std::vector<std::int32_t>& offsets = result.pattern.row_ptr;
  offsets.assign(static_cast<std::size_t>(pattern.columns) + 1, 0);
  for (const std::int32_t column : pattern.col_idx) ++offsets[column + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::int32_t> next(offsets);
  for (std::int64_t row = 0; row < pattern.rows; ++row)
    for (std::int64_t at = pattern.row_ptr[row]; at < pattern.row_ptr[row + 1]; ++at) {
      const std::int32_t to = next[pattern.col_idx[at]]++;
      result.pattern.col_idx[to] = static_cast<std::int32_t>(row);
      result.source[to] = at;
    }
  return result;
}

/// The blocks of A transposed, in the order of `source`.
inline Matrix transpose(const Matrix& a, const std::vector<std::int64_t>& source, std::int64_t block) {
  Matrix result(a.type, a.rows, a.columns, a.stride);
  for (std::size_t to = 0; to < source.size(); ++to)
    for (std::int64_t i = 0; i < block; ++i)
      for (std::int64_t j = 0; j < block; ++j)
        std::memcpy(result.at(static_cast<std::int64_t>(to) * block + j, i), a.at(source[to] * block + i, j),
                    element_bytes(a.type));
  return result;
}

/// A * B and |A| |B|, dense, row-major. Blocks that are not stored contribute nothing, not even the NaN of 0
/// * Inf.
struct Product {
  std::vector<double> sums;
  std::vector<float> magnitudes;
};

inline Product multiply(const Bsr& pattern, std::int64_t block, const Matrix& a, const Matrix& b) {
  using detail::kPanel;
  const std::int64_t rows = pattern.rows * block, columns = b.columns;
  const detail::Floats right(b, block), left(a);
  Product product{std::vector<double>(static_cast<std::size_t>(rows * columns)),
                  std::vector<float>(static_cast<std::size_t>(rows * columns))};
  const std::int64_t panels = right.pitch() / kPanel;
  parallel_for(pattern.rows * panels, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(kPanel);
    std::vector<float> magnitudes(kPanel);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t block_row = task / panels, column = task % panels * kPanel;
      for (std::int64_t i = 0; i < block; ++i) {
        std::fill(sums.begin(), sums.end(), 0);
        std::fill(magnitudes.begin(), magnitudes.end(), 0.f);
        for (std::int64_t at = pattern.row_ptr[block_row]; at < pattern.row_ptr[block_row + 1]; ++at) {
          const float* values = left.row(at * block + i);
          for (std::int64_t k = 0; k < block; k += 4) {
            const double four[] = {values[k], values[k + 1], values[k + 2], values[k + 3]};
            detail::add_products(four, right.row(pattern.col_idx[at] * block + k) + column, right.pitch(),
                                 sums.data(), magnitudes.data());
          }
        }
        const std::int64_t count = std::min(kPanel, columns - column),
                           to = (block_row * block + i) * columns + column;
        std::copy_n(sums.begin(), count, product.sums.begin() + to);
        std::copy_n(magnitudes.begin(), count, product.magnitudes.begin() + to);
      }
    }
  });
  return product;
}

/// An activation in fp64.
inline double activated(Activation function, double x) {
  constexpr double kSqrtTwoOverPi = 0.7978845608028654;
  switch (function) {
    case Activation::relu: return x <= 0 ? 0 : x;
    case Activation::gelu_tanh: return 0.5 * x * (1 + std::tanh(kSqrtTwoOverPi * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf: return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
    case Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

}  // namespace tilewright::bsr_spmm
