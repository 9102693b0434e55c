// oracle.hpp - a problem of bsr-sddmm: its operands, and the right answer in fp64 with the error that a correct kernel may have.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "launch.hpp"
#include "tilewright/epilogue.hpp"
#include "tilewright/operation_problem.hpp"
#include "tw/bsr.hpp"

namespace tilewright::bsr_sddmm {

/// Reads the problem's sizes, choices, pattern, batch, alpha, beta, values and seed, `xExtra`, `yExtra` (elements by which lines are
/// longer), `productExtra` (lines between the products of X, and of Y), `xApart`, `yApart`, `valuesApart` (elements by which products
/// lie further apart), `xOffset`, `yOffset`, `valuesOffset` (elements by which operands are shifted off their alignment) and
/// `leadingBlocks` (stored blocks before those of the first row), `leadingRows` and `leadingColumns` (block rows and block columns of A
/// before those of the pattern, of m and n, whose rows or columns of X and Y come first): these exist only as addresses.
class SddmmProblem final : public ArrayProblem {
 public:
  explicit SddmmProblem(const Json& json)
      : ArrayProblem(json),
        shape_(read_description(json)),
        leading_rows_(read_size(json, "leadingRows", 0)),
        leading_columns_(read_size(json, "leadingColumns", 0)),
        m_(shape_.m - leading_rows_ * shape_.block),
        n_(shape_.n - leading_columns_ * shape_.block),
        alpha_(static_cast<float>(json.number("alpha", 1))),
        beta_(static_cast<float>(json.number("beta", 0))),
        drawn_(read_values(json, element_of(shape_.output), shape_.k)),
        pattern_(bsr::make_pattern(json.at("pattern"), blocks_of(m_), blocks_of(n_), shape_.block,
                                   json.boolean("sorted", true), seed(json))) {
    const std::int64_t leading = read_size(json, "leadingBlocks", 0);
    shape_.blocks = leading + pattern_.blocks();
    const std::int64_t apart = read_size(json, "valuesApart", 0);
    shape_.values_stride = shape_.blocks * shape_.block * shape_.block + apart;
    for (std::int64_t i = 0; i < shape_.batch; ++i) products_.push_back(draw(static_cast<std::uint64_t>(i)));
    row_ptr_.assign(static_cast<std::size_t>(leading_rows_), static_cast<std::int32_t>(leading));
    for (const std::int32_t offset : pattern_.row_ptr)
      row_ptr_.push_back(static_cast<std::int32_t>(leading + offset));
    wide_row_ptr_.assign(row_ptr_.begin(), row_ptr_.end());
    for (const std::int32_t column : pattern_.col_idx)
      col_idx_.push_back(static_cast<std::int32_t>(leading_columns_ + column));
    wide_col_idx_.assign(col_idx_.begin(), col_idx_.end());
    shape_.host_row_ptr = is_wide() ? static_cast<const void*>(wide_row_ptr_.data()) : row_ptr_.data();
    add_indices("row_ptr", row_ptr_, wide_row_ptr_, 0);
    add_indices("col_idx", col_idx_, wide_col_idx_, leading);
    const auto add_factor = [&](Array Factors::* which, bool as_is, std::int64_t pitch, std::int64_t stride,
                                const char* name, std::int64_t offset, std::int64_t lead) {
      Tensor tensor = in_memory(which, as_is, pitch, stride).tensor(name, Role::input, offset);
      tensor.lead = lead;
      add(std::move(tensor));
    };
    const auto lead_of = [&](std::int64_t blocks, Layout layout, std::int64_t pitch) {
      return blocks * shape_.block * (layout == Layout::row ? pitch : 1);
    };
    add_factor(&Factors::left, shape_.layout_x == Layout::row, shape_.ldx, shape_.x_stride, "x",
               read_size(json, "xOffset", 0), lead_of(leading_rows_, shape_.layout_x, shape_.ldx));
    add_factor(&Factors::right, shape_.layout_y == Layout::column, shape_.ldy, shape_.y_stride, "y",
               read_size(json, "yOffset", 0), lead_of(leading_columns_, shape_.layout_y, shape_.ldy));
    Tensor values =
        in_memory(&Factors::former, true, shape_.block,
                  pattern_.blocks() * shape_.block * shape_.block + apart)
            .tensor("values", beta_ != 0 ? Role::inout : Role::output, read_size(json, "valuesOffset", 0));
    values.lead = leading * shape_.block * shape_.block;
    add(std::move(values));
  }

  const Shape& shape() const { return shape_; }
  double flops() const override {
    return 2.0 * double(shape_.batch) * double(pattern_.blocks()) * double(shape_.block * shape_.block) *
           double(shape_.k);
  }

  std::vector<Reference> reference() const override {
    const auto size = static_cast<std::size_t>(products_.front().former.elements());
    Reference reference{std::vector<double>(size * products_.size()),
                        std::vector<double>(size * products_.size())};
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const Floats x(products_[i].left, true), y(products_[i].right, false);
      parallel_for(pattern_.rows, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          for (std::int64_t block = pattern_.row_ptr[row]; block < pattern_.row_ptr[row + 1]; ++block)
            refer(x, y, products_[i].former, row, block, i * size, reference);
      });
    }
    return {std::move(reference)};
  }

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    return bsr_sddmm::bind(shape_, parameters, limits);
  }

  Call typed_call(const Placement& placement) const {
    const std::vector<void*>& at = placement.tensors;
    return {at[0], at[1], at[2], at[3], at[4], alpha_, beta_, placement.workspace};
  }
  CallBytes call(const Placement& placement) const override { return CallBytes(typed_call(placement)); }

 private:
  static constexpr std::uint64_t kSeedsApart = 1000;  // of the products of a batch

  /// X and Y^T of a product, and what was in A.
  struct Factors {
    Array left, right, former;
  };

  Factors draw(std::uint64_t product) const {
    Factors factors{{element_of(shape_.input), {m_, shape_.k}},
                    {element_of(shape_.input), {shape_.k, n_}},
                    {drawn_.output, {pattern_.blocks() * shape_.block, shape_.block}}};
    Values drawn = drawn_;
    drawn.seed += product * kSeedsApart;
    fill_product(factors.left, factors.right, drawn);
    fill(factors.former, drawn, 3);
    return factors;
  }

  /// A factor as floats, in lines along the depth: rows of X, and of Y.
  struct Floats {
    std::int64_t depth;
    std::vector<float> values;

    Floats(const Array& factor, bool by_rows)
        : depth(by_rows ? factor.width() : factor.lines()),
          values(static_cast<std::size_t>(factor.elements())) {
      for (std::int64_t line = 0; line < factor.lines(); ++line)
        for (std::int64_t i = 0; i < factor.width(); ++i)
          values[static_cast<std::size_t>(by_rows ? line * depth + i : i * depth + line)] =
              static_cast<float>(factor.get(line, i));
    }
    const float* line(std::int64_t index) const { return values.data() + index * depth; }
  };

  static std::uint64_t seed(const Json& json) { return static_cast<std::uint64_t>(json.integer("seed", 1)); }

  /// The shape without what depends on the pattern: the number of blocks and the distance between their products.
  static Shape read_description(const Json& json) {
    Shape shape = read_shape<Shape>(json, {"blocks"});
    if (shape.block < 1)
      throw std::invalid_argument("problem: block is " + std::to_string(shape.block) +
                                  ", it must be at least 1");
    if (shape.batch == 0) throw std::invalid_argument("problem: batch is 0, it must be at least 1");
    const std::int64_t extra = shape.batch > 1 ? read_size(json, "productExtra", 0) : 0;
    shape.x_stride += extra * shape.ldx;
    shape.y_stride += extra * shape.ldy;
    return shape;
  }

  /// An operand of all products as a kernel finds it: as it is or transposed, its lines `pitch` elements apart, its products
  /// `stride`. Lines between products are NaN. Where products do not begin at lines, each is one line of the array, and what lies
  /// between its own lines is NaN.
  Array in_memory(Array Factors::* which, bool as_is, std::int64_t pitch, std::int64_t stride) const {
    const Array& first = products_.front().*which;
    const std::int64_t lines = as_is ? first.lines() : first.width(),
                       width = as_is ? first.width() : first.lines();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (shape_.batch > 1 && stride % pitch != 0) {
      Array array(first.type(), {shape_.batch, (lines - 1) * pitch + width}, {stride});
      for (std::int64_t product = 0; product < shape_.batch; ++product)
        for (std::int64_t at = 0; at < array.width(); ++at) {
          const Array& factor = products_[static_cast<std::size_t>(product)].*which;
          const std::int64_t own = at / pitch, i = at % pitch;
          array.set(product, at, i >= width ? nan : as_is ? factor.get(own, i) : factor.get(i, own));
        }
      return array;
    }
    const std::int64_t apart = shape_.batch > 1 ? stride / pitch : lines;
    Array array(first.type(), {shape_.batch * apart, width}, {pitch});
    for (std::int64_t line = 0; line < array.lines(); ++line)
      for (std::int64_t i = 0; i < width; ++i) {
        const Array& factor = products_[static_cast<std::size_t>(line / apart)].*which;
        const std::int64_t own = line % apart;
        array.set(line, i, own >= lines ? nan : as_is ? factor.get(own, i) : factor.get(i, own));
      }
    return array;
  }

  bool is_wide() const { return shape_.index == Index::i64; }

  void add_indices(const char* name, const std::vector<std::int32_t>& narrow,
                   const std::vector<std::int64_t>& wide, std::int64_t lead) {
    const auto count = static_cast<std::int64_t>(narrow.size());
    const auto* from = is_wide() ? reinterpret_cast<const std::byte*>(wide.data())
                                 : reinterpret_cast<const std::byte*>(narrow.data());
    std::vector<std::byte> image(from, from + count * (is_wide() ? 8 : 4));
    const ElementType type = is_wide() ? ElementType::i64 : ElementType::i32;
    Tensor tensor{name, type, Role::input, 1, count, count, 0, std::move(image)};
    tensor.lead = lead;
    add(std::move(tensor));
  }

  /// left . right and |left| . |right|, in several sums at a time for the sake of speed.
  static std::pair<double, double> dot(const float* left, const float* right, std::int64_t count) {
    constexpr int kSums = 8;
    double sums[kSums] = {}, magnitudes[kSums] = {};
    for (std::int64_t k = 0; k < count; k += kSums)
      for (int i = 0; i < std::min<std::int64_t>(kSums, count - k); ++i) {
        const double product = double(left[k + i]) * double(right[k + i]);
        sums[i] += product;
        magnitudes[i] += std::fabs(product);
      }
    return {std::accumulate(sums, sums + kSums, 0.0), std::accumulate(magnitudes, magnitudes + kSums, 0.0)};
  }

  /// Block rows, or block columns, of so many rows or columns.
  std::int64_t blocks_of(std::int64_t size) const { return (size + shape_.block - 1) / shape_.block; }

  /// One block of a product whose values begin at `first`, with products of 0 behind the matrix. Besides the k products, alpha and
  /// beta round up to twice.
  void refer(const Floats& x, const Floats& y, const Array& former, std::int64_t row, std::int64_t block,
             std::size_t first, Reference& reference) const {
    const Epilogue epilogue{alpha_, beta_, Activation::none, drawn_.output, shape_.k + 2, drawn_.exact()};
    const std::int64_t side = shape_.block;
    for (std::int64_t element = 0; element < side * side; ++element) {
      const std::int64_t i = row * side + element / side;
      const std::int64_t j = pattern_.col_idx[static_cast<std::size_t>(block)] * side + element % side;
      const std::int64_t depth = i < m_ && j < n_ ? shape_.k : 0;
      const auto [sum, magnitude] = dot(x.line(std::min(i, m_)), y.line(std::min(j, n_)), depth);
      const auto to = static_cast<std::size_t>(block * side * side + element);
      epilogue.finish(sum, magnitude, former.get(block * side + element / side, element % side), 0,
                      first + to, reference);
    }
  }

  Shape shape_;
  std::int64_t leading_rows_, leading_columns_;
  std::int64_t m_, n_;  // rows and columns without these
  float alpha_, beta_;
  Values drawn_;
  bsr::Bsr pattern_;
  std::vector<Factors> products_;
  std::vector<std::int32_t> row_ptr_, col_idx_;
  std::vector<std::int64_t> wide_row_ptr_, wide_col_idx_;
};

}  // namespace tilewright::bsr_sddmm

namespace tilewright {

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return std::make_unique<bsr_sddmm::SddmmProblem>(problem);
}

}  // namespace tilewright
