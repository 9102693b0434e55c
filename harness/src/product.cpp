#include "tilewright/product.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tilewright/parallel.hpp"

// The inner loop in the widest vectors that the CPU has; the choice is made once, when the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TW_CLONES __attribute__((target_clones("default", "avx2,fma", "avx512f")))
#else
#define TW_CLONES
#endif

namespace tilewright {
namespace {

// Sums of kRows x kPanel elements, and four rows of the right factor, stay in the L1 cache.
constexpr std::int64_t kPanel = 256, kRows = 8, kDepth = 4;

/// sums[0..255] += a[0..3] * b[0..3][0..255] and the same of magnitudes.
TW_CLONES void add_products(const float* a, const float* __restrict b, std::int64_t pitch,
                            double* __restrict sums, float* __restrict magnitudes) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const float m0 = std::fabs(a[0]), m1 = std::fabs(a[1]), m2 = std::fabs(a[2]), m3 = std::fabs(a[3]);
  const float *b0 = b, *b1 = b + pitch, *b2 = b1 + pitch, *b3 = b2 + pitch;
  for (std::int64_t j = 0; j < kPanel; ++j) {
    sums[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
    magnitudes[j] +=
        (m0 * std::fabs(b0[j]) + m1 * std::fabs(b1[j])) + (m2 * std::fabs(b2[j]) + m3 * std::fabs(b3[j]));
  }
}

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A matrix as floats, padded with zeros to whole multiples of kDepth rows or columns and of kPanel columns.
class Floats {
 public:
  Floats(const Array& matrix, std::int64_t row_multiple, std::int64_t column_multiple)
      : pitch_(rounded_up(matrix.width(), column_multiple)),
        values_(static_cast<std::size_t>(rounded_up(matrix.lines(), row_multiple) * pitch_)) {
    parallel_for(matrix.lines(), 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) convert(matrix, row);
    });
  }
  const float* row(std::int64_t index) const { return values_.data() + index * pitch_; }
  std::int64_t pitch() const { return pitch_; }

 private:
  void convert(const Array& matrix, std::int64_t row) {
    const std::byte* from = matrix.line(row);
    const std::size_t size = element_bytes(matrix.type());
    float* to = values_.data() + row * pitch_;
    for (std::int64_t i = 0; i < matrix.width(); ++i, from += size)
      to[i] = static_cast<float>(decode(matrix.type(), from));
  }

  std::int64_t pitch_;
  std::vector<float> values_;
};

}  // namespace

Product multiply(const Array& left, const Array& right) {
  if (left.sizes().size() != 2 || right.sizes().size() != 2 || left.width() != right.lines())
    throw std::invalid_argument("a product needs two matrices that fit each other");
  const std::int64_t rows = left.lines(), columns = right.width();
  const Floats a(left, 1, kDepth), b(right, kDepth, kPanel);
  Product product{columns, std::vector<double>(static_cast<std::size_t>(rows * columns)),
                  std::vector<float>(static_cast<std::size_t>(rows * columns))};
  const std::int64_t panels = b.pitch() / kPanel, groups = (rows + kRows - 1) / kRows;
  parallel_for(groups * panels, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(kRows * kPanel);
    std::vector<float> magnitudes(kRows * kPanel);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t row = task % groups * kRows, column = task / groups * kPanel;
      const std::int64_t count = std::min(kRows, rows - row), width = std::min(kPanel, columns - column);
      std::fill(sums.begin(), sums.end(), 0.0);
      std::fill(magnitudes.begin(), magnitudes.end(), 0.0f);
      for (std::int64_t k = 0; k < a.pitch(); k += kDepth)
        for (std::int64_t i = 0; i < count; ++i)
          add_products(a.row(row + i) + k, b.row(k) + column, b.pitch(), sums.data() + i * kPanel,
                       magnitudes.data() + i * kPanel);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t to = product.index(row + i, column);
        std::copy_n(sums.begin() + i * kPanel, width, product.sums.begin() + static_cast<std::ptrdiff_t>(to));
        std::copy_n(magnitudes.begin() + i * kPanel, width,
                    product.magnitudes.begin() + static_cast<std::ptrdiff_t>(to));
      }
    }
  });
  return product;
}

}  // namespace tilewright
