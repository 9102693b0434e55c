// values.hpp - what A, B and C are filled with: the kinds of values that a problem may ask for.
#pragma once
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tw/bsr.hpp"
#include "tw/random.hpp"
#include "tilewright/elements.hpp"
#include "tilewright/parallel.hpp"

namespace tilewright::bsr_spmm {

using bsr::Bsr;
using bsr::make_pattern;

/// Elements as they lie in memory: lines (rows, or columns where `column_major`) `stride` elements apart.
struct Matrix {
  ElementType type;
  std::int64_t rows, columns, stride;
  bool column_major;
  std::vector<std::byte> bytes;

  Matrix(ElementType element, std::int64_t row_count, std::int64_t column_count, std::int64_t line_stride,
         bool by_columns = false)
      : type(element), rows(row_count), columns(column_count), stride(line_stride), column_major(by_columns) {
    constexpr std::int64_t kMost = std::int64_t{1} << 42;
    if (stride > 0 && lines() > kMost / stride)
      throw std::invalid_argument("problem: an operand of " + std::to_string(lines()) + " rows, " +
                                  std::to_string(stride) + " elements apart, is more than a machine holds");
    bytes.resize(static_cast<std::size_t>(lines() * stride) * element_bytes(type));
  }
  std::int64_t lines() const { return column_major ? columns : rows; }
  std::int64_t width() const { return column_major ? rows : columns; }
  /// From the first element to behind the last.
  std::int64_t extent() const { return lines() > 0 && width() > 0 ? (lines() - 1) * stride + width() : 0; }
  std::byte* at(std::int64_t row, std::int64_t column) { return bytes.data() + offset(row, column); }
  const std::byte* at(std::int64_t row, std::int64_t column) const { return bytes.data() + offset(row, column); }
  double get(std::int64_t row, std::int64_t column) const { return decode(type, at(row, column)); }
  void set(std::int64_t row, std::int64_t column, double value) { encode(type, value, at(row, column)); }

 private:
  std::size_t offset(std::int64_t row, std::int64_t column) const {
    const std::int64_t element = column_major ? column * stride + row : row * stride + column;
    return static_cast<std::size_t>(element) * element_bytes(type);
  }
};

namespace detail {

/// A sample of a distribution, rounded to an element type: filling a tensor is then one look-up per element.
class Palette {
 public:
  Palette(ElementType type, std::uint64_t seed, const std::function<double(Random&)>& draw)
      : size_(element_bytes(type)), bytes_(kColours * size_) {
    Random random(seed);
    for (std::size_t i = 0; i < kColours; ++i) encode(type, draw(random), bytes_.data() + i * size_);
  }

  /// Gives every element of the matrix a colour of its own choice, by a hash of its place.
  void fill(Matrix& matrix, std::uint64_t seed) const {
    parallel_for(
        matrix.lines(), 1 + (1 << 16) / (matrix.width() + 1), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t line = begin; line < end; ++line) {
            Random random(seed + hash(static_cast<std::uint64_t>(line)));
            std::byte* const first = matrix.bytes.data() + static_cast<std::size_t>(line * matrix.stride) * size_;
            for (std::int64_t column = 0; column < matrix.width(); column += 4) {
              std::uint64_t bits = random.next();
              for (std::int64_t i = column; i < std::min(column + 4, matrix.width()); ++i, bits >>= 16)
                std::memcpy(first + static_cast<std::size_t>(i) * size_,
                            bytes_.data() + (bits & 0xffff) % kColours * size_, size_);
            }
          }
        });
  }

 private:
  static constexpr std::size_t kColours = 1 << 14;
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

/// Probability that an element of kind `integers` is not zero: then sums of `terms` products stay, at 6.5
/// sigma, within the integers that the output type represents.
inline double integer_chance(ElementType output, std::int64_t terms) {
  const double limit = output == ElementType::bf16 ? 256 : output == ElementType::f16 ? 2048 : 1 << 20;
  return std::min(0.75, limit / (6.5 * std::sqrt(static_cast<double>(terms) + 1)));
}

/// Amplitude of kind `huge`: sums overflow f16 now and then, but never the accumulators; numbers themselves
/// are no infinities of f16 up to 6.5 standard deviations.
inline double huge_amplitude(ElementType input, ElementType output) {
  if (input != ElementType::f16) return 1e17;
  return output == ElementType::f16 ? 64 : 1e4;
}

}  // namespace detail

/// The matrices of one product.
struct Matrices {
  Matrix a;  // blocks * block rows of `block` elements
  Matrix b, c;
  Matrix bias;      // a row; without elements where there is none
  Matrix residual;  // as C; without elements where there is none
};

/// Fills A, blocks of `pattern`, with the numbers of a Matrix Market file, of which the pattern was made: entries of one place are
/// added in fp64, the sum is rounded once to A's type, to the nearest, ties to even. Other elements are 0.
inline void fill_from_file(Matrix& a, const Bsr& pattern, std::int64_t block, const std::string& path) {
  std::fill(a.bytes.begin(), a.bytes.end(), std::byte{0});
  for (const auto& [row, column, value] : matrix_market::read_real(path).entries) {
    const auto first = pattern.col_idx.begin() + pattern.row_ptr[row / block];
    const auto end = pattern.col_idx.begin() + pattern.row_ptr[row / block + 1];
    const auto at = std::find(first, end, column / block) - pattern.col_idx.begin();
    a.set(at * block + row % block, column % block, value.real());
  }
}

/// Fills matrices by kind:
///   normal    N(0, 1)
///   positive  (0, 1], the largest sums of magnitudes
///   integers  -1, 0, 1; sums are exact
///   swing     the same, but from a row's first block to its last one sums are larger by 8320: more bits than f16 or
///             bf16 has, in results that have few
///   one-hot   each row of A has a single 1, B holds a code of its place: C is a copy of rows of B
///   nan       normal; B is NaN in the rows that no block refers to, and has an Inf, a -Inf and a NaN, and A a NaN and
///             an Inf, where one does; half of the last block of A is 0: stored zeros times Inf and NaN are NaN; C has an Inf in each row
///   huge      sums overflow f16
///   tiny      subnormals
///   cancel    pairs of opposite products, every sum is 0
///   between   a bit below the next TF32 in even rows of A's blocks and even columns of B, in others a bit below the middle between two:
///             results show whether one of the operands is cut off and not rounded
///   file      normal; A is filled by fill_from_file
class Filler {
 public:
  /// `pattern`: the blocks of A; `operand`: those of op(A), as often as not the same.
  Filler(const std::string& kind, const Bsr& pattern, const Bsr& operand, std::int64_t block, std::uint64_t seed)
      : kind_(kind), pattern_(pattern), operand_(operand), block_(block), seed_(seed) {
    for (std::int64_t row = 0; row < operand.rows; ++row) longest_ = std::max(longest_, operand.length(row));
  }

  void fill(Matrices& matrices) const {
    if (kind_ == "one-hot") return one_hot(matrices);
    if (kind_ == "between") return between(matrices);
    const ElementType output = matrices.c.type;
    fill_drawn(matrices.a, output, 1);
    fill_drawn(matrices.b, output, 2);
    fill_drawn(matrices.c, output, 3);
    fill_drawn(matrices.bias, output, 4);
    fill_drawn(matrices.residual, output, 5);
    if (kind_ == "nan") {
      non_finite(matrices);
      infinite(matrices.c);
      infinite(matrices.residual);
    }
    if (kind_ == "swing") swing(matrices);
    if (kind_ == "cancel") cancel(matrices);
  }

 private:
  void fill_drawn(Matrix& matrix, ElementType output, std::uint64_t stream) const {
    detail::Palette(matrix.type, seed_ * 8 + stream, distribution(matrix.type, output))
        .fill(matrix, hash(seed_ * 8 + stream));
  }

  std::function<double(Random&)> distribution(ElementType input, ElementType output) const {
    if (kind_ == "normal" || kind_ == "nan" || kind_ == "cancel" || kind_ == "between" || kind_ == "file") return [](Random& r) { return r.normal(); };
    if (kind_ == "positive") return [](Random& r) { return 1 - r.uniform(); };
    if (kind_ == "integers" || kind_ == "swing")
      return [chance = detail::integer_chance(output, longest_ * block_)](Random& r) {
        const double draw = r.uniform() / chance;
        return draw < 0.5 ? -1 : draw < 1 ? 1 : 0;
      };
    if (kind_ == "huge")
      return
          [amplitude = detail::huge_amplitude(input, output)](Random& r) { return amplitude * r.normal(); };
    if (kind_ == "tiny")
      return [scale = input == ElementType::f16 ? 1e-4 : 1e-20](Random& r) {
        return scale * r.normal() * r.uniform();
      };
    throw std::invalid_argument("unknown values '" + kind_ +
                                "'; there are normal, positive, integers, swing, one-hot, nan, huge, tiny, cancel, between, file");
  }

  void one_hot(Matrices& matrices) const {
    const std::int64_t codes =
        matrices.c.type == ElementType::bf16 || matrices.b.type == ElementType::bf16 ? 251 : 2039;
    for (std::int64_t k = 0; k < matrices.b.rows; ++k)
      for (std::int64_t n = 0; n < matrices.b.columns; ++n)
        matrices.b.set(k, n, static_cast<double>((k * 61 + n * 7) % codes));
    Random random(seed_);
    for (std::int64_t row = 0; row < pattern_.rows; ++row)
      for (std::int64_t i = 0; i < block_ && pattern_.length(row) > 0; ++i)
        matrices.a.set((pattern_.row_ptr[row] + random.below(pattern_.length(row))) * block_ + i,
                       random.below(block_), 1);
  }

  void between(Matrices& matrices) const {
    Random random(seed_);
    const auto draw = [&](std::int64_t line) {
      constexpr double kUnit = 0x1p-10, kBit = 0x1p-22;
      return 1 + static_cast<double>(random.below(16)) * kUnit + (line % 2 == 0 ? kUnit : kUnit / 2) - kBit;
    };
    for (std::int64_t row = 0; row < matrices.a.rows; ++row)
      for (std::int64_t k = 0; k < block_; ++k) matrices.a.set(row, k, draw(row));
    for (std::int64_t k = 0; k < matrices.b.rows; ++k)
      for (std::int64_t n = 0; n < matrices.b.columns; ++n) matrices.b.set(k, n, draw(n));
    const ElementType output = matrices.c.type;
    for (Matrix* added : {&matrices.c, &matrices.bias, &matrices.residual}) fill_drawn(*added, output, 3);
  }

  void non_finite(Matrices& matrices) const {
    std::vector<bool> referred(static_cast<std::size_t>(operand_.columns));
    for (const std::int32_t column : operand_.col_idx) referred[column] = true;
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < matrices.b.rows; ++k)
      for (std::int64_t n = 0; !referred[k / block_] && n < matrices.b.columns; ++n)
        matrices.b.set(k, n, nan);
    if (pattern_.blocks() == 0 || matrices.b.columns == 0) return;
    Random random(seed_);
    const auto spoil = [&](std::int64_t column, double value) {
      const std::int64_t first = column * block_, rows = std::min(block_, matrices.b.rows - first);
      matrices.b.set(first + random.below(rows), random.below(matrices.b.columns), value);
    };
    const std::int64_t last = matrices.a.rows - block_ / 2;
    matrices.a.set(random.below(last), random.below(block_), nan);
    for (std::int64_t row = last; row < matrices.a.rows; ++row)
      for (std::int64_t k = 0; k < block_; ++k) matrices.a.set(row, k, 0);
    spoil(operand_.col_idx.back(), infinity);
    spoil(operand_.col_idx.back(), -infinity);
    spoil(operand_.col_idx.back(), nan);
    matrices.a.set(random.below(last), random.below(block_), infinity);
  }

  /// An Inf in each row: however small beta is, it shows.
  void infinite(Matrix& c) const {
    Random random(seed_ + 1);
    for (std::int64_t row = 0; row < c.rows && c.columns > 0; ++row)
      c.set(row, random.below(c.columns), std::numeric_limits<double>::infinity());
  }

  /// Column 0 of each row's first block is kSwingA times row 0 of B's, which is all kSwingB; that of its last block takes
  /// it back. Rows of one block stay as they are.
  void swing(Matrices& matrices) const {
    constexpr double kSwingA = 128, kSwingB = 65;
    for (std::int64_t k = 0; k < matrices.b.rows; k += block_)
      for (std::int64_t n = 0; n < matrices.b.columns; ++n) matrices.b.set(k, n, kSwingB);
    for (std::int64_t row = 0; row < pattern_.rows; ++row)
      for (std::int64_t at = pattern_.row_ptr[row]; at < pattern_.row_ptr[row + 1]; ++at) {
        const bool alone = pattern_.length(row) == 1;
        const double value = alone                                  ? 0
                             : at == pattern_.row_ptr[row]          ? kSwingA
                             : at + 1 == pattern_.row_ptr[row + 1] ? -kSwingA
                                                                    : 0;
        for (std::int64_t i = 0; i < block_; ++i) matrices.a.set(at * block_ + i, 0, value);
      }
  }

  void cancel(Matrices& matrices) const {
    const std::size_t size = element_bytes(matrices.a.type);
    for (std::int64_t row = 0; row < matrices.a.rows; ++row)
      for (std::int64_t k = 0; k < block_; k += 2)
        matrices.a.set(row, k + 1, -decode(matrices.a.type, matrices.a.at(row, k)));
    for (std::int64_t k = 0; k < matrices.b.rows; k += 2)
      for (std::int64_t n = 0; n < matrices.b.columns; ++n)
        std::memcpy(matrices.b.at(k + 1, n), matrices.b.at(k, n), size);
  }

  std::string kind_;
  const Bsr &pattern_, &operand_;
  std::int64_t block_;
  std::uint64_t seed_;
  std::int64_t longest_ = 0;
};

}  // namespace tilewright::bsr_spmm
