// oracle.hpp - a problem of bsr-spmm as the runner sees it: its tensors, the right answer in fp64 with the
// error that a correct kernel may have, and how variants are launched on it.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch.hpp"
#include "tw/bsr.hpp"
#include "reference.hpp"
#include "tilewright/family.hpp"
#include "values.hpp"

namespace tilewright::bsr_spmm {

namespace detail {

inline ElementType input_type(const std::string& name) {
  if (name == "f16") return ElementType::f16;
  if (name == "bf16") return ElementType::bf16;
  if (name == "f32") return ElementType::f32;
  throw std::invalid_argument("problem: input is '" + name + "', allowed are f16, bf16 and f32");
}

inline ElementType output_type(const std::string& name) {
  if (name == "f32") return ElementType::f32;
  if (name == "f16" || name == "bf16") return input_type(name);
  throw std::invalid_argument("problem: output is '" + name + "', allowed are f16, bf16 and f32");
}

constexpr std::int64_t kMostSize = std::int64_t{1} << 31;  // of m, n, k and of each distance

/// Place of a word among the values of a choice; the first where the problem does not say.
template <class Choice>
Choice choice(const Json& json, const char* name, std::initializer_list<const char*> values) {
  const std::string word = json.text(name, *values.begin());
  std::string allowed;
  int place = 0;
  for (const char* value : values) {
    if (word == value) return static_cast<Choice>(place);
    allowed.append(place++ > 0 ? ", " : "").append(value);
  }
  throw std::invalid_argument(std::string("problem: ") + name + " is '" + word + "', allowed are " + allowed);
}

inline Switch switched(const Json& json, const char* name) { return choice<Switch>(json, name, {"no", "yes"}); }

inline std::int64_t not_negative(const Json& json, const char* name, std::int64_t otherwise) {
  const std::int64_t value = json.integer(name, otherwise);
  if (value < 0 || value >= kMostSize)
    throw std::invalid_argument(std::string("problem: ") + name + " is " + std::to_string(value) +
                                ", it must not be negative, and below 2^31");
  return value;
}

/// Elements between lines beyond their length, of which there are `lines`: a few may be anywhere in an address space.
inline std::int64_t extra(const Json& json, const char* name, std::int64_t lines) {
  constexpr std::int64_t kFewLines = 1024, kMostApart = std::int64_t{1} << 36;
  const std::int64_t value = json.integer(name, 0);
  if (lines > kFewLines || value < 0) return not_negative(json, name, 0);
  if (value >= kMostApart)
    throw std::invalid_argument(std::string("problem: ") + name + " is " + std::to_string(value) +
                                ", it must be below 2^36");
  return value;
}

}  // namespace detail

/// Rows that are further apart than this many elements exist mostly as addresses.
constexpr std::int64_t kFar = 1 << 20;

/// The problem's JSON, read and checked; see Problem in workloads.ts.
struct Description {
  std::int64_t m, n, k, block, batch, extra_a, extra_b, extra_c, extra_r, offset_a, offset_b, offset_c, offset_bias, offset_r,
      leading_blocks, leading_columns;
  std::string input, output, values, file;  // file: of the values of A, if any
  Index index;
  Layout layout_b, layout_c;
  Switch transpose_a, bias, residual, tf32;
  Activation activation;
  std::int64_t ldb, ldc, ldr;
  double alpha, beta;
  bool host_columns;
  std::uint64_t seed;
  Bsr pattern;

  explicit Description(const Json& json) : Description(json, size_of(json)) {}

  bool transposed() const { return transpose_a == Switch::yes; }
  /// Rows of C, and of B.
  std::int64_t outer() const { return transposed() ? k : m; }
  std::int64_t inner() const { return transposed() ? m : k; }
  /// Rows of B that exist.
  std::int64_t inner_stored() const { return inner() - leading_columns * block; }

 private:
  struct Size {
    std::int64_t m, k;
  };

  /// Sizes of A; of a Matrix Market file whose problem says none, the file's, in whole blocks.
  static Size size_of(const Json& json) {
    const Json& given = json.at("pattern");
    if (json.find("m") || given.at("kind").text() != "matrix-market")
      return {detail::not_negative(json, "m", -1), detail::not_negative(json, "k", -1)};
    const std::int64_t block = json.at("block").integer();
    const Bsr file = make_pattern(given, 0, 0, block, true, 1);
    return {file.rows * block, file.columns * block};
  }

  Description(const Json& json, const Size& size)
      : m(size.m),
        n(detail::not_negative(json, "n", -1)),
        k(size.k),
        block(json.at("block").integer()),
        batch(detail::not_negative(json, "batch", 1)),
        extra_a(extra_of(json, "batchExtraA")),
        extra_b(extra_of(json, "batchExtraB")),
        extra_c(extra_of(json, "batchExtraC")),
        extra_r(extra_c + detail::not_negative(json, "batchExtraResidual", 0)),
        offset_a(detail::not_negative(json, "offsetA", 0)),
        offset_b(detail::not_negative(json, "offsetB", 0)),
        offset_c(detail::not_negative(json, "offsetC", 0)),
        offset_bias(offset_c + detail::not_negative(json, "offsetBias", 0)),
        offset_r(offset_c + detail::not_negative(json, "offsetResidual", 0)),
        leading_blocks(detail::not_negative(json, "leadingBlocks", 0)),
        leading_columns(detail::not_negative(json, "leadingColumns", 0)),
        input(json.at("input").text()),
        output(json.at("output").text()),
        values(json.text("values", "normal")),
        file(values == "file" ? json.at("pattern").text("path", "") : ""),
        index(detail::choice<Index>(json, "index", {"i32", "i64"})),
        layout_b(detail::choice<Layout>(json, "layoutB", {"row", "column"})),
        layout_c(detail::choice<Layout>(json, "layoutC", {"row", "column"})),
        transpose_a(detail::switched(json, "transposeA")),
        bias(detail::switched(json, "bias")),
        residual(detail::switched(json, "residual")),
        tf32(detail::switched(json, "tf32")),
        activation(detail::choice<Activation>(json, "activation", {"none", "relu", "gelu-tanh", "gelu-erf", "silu"})),
        ldb((layout_b == Layout::row ? n : inner()) +
            detail::extra(json, "ldbExtra", layout_b == Layout::row ? inner() : n)),
        ldc((layout_c == Layout::row ? n : outer()) +
            detail::extra(json, "ldcExtra", layout_c == Layout::row ? outer() : n)),
        ldr((layout_c == Layout::row ? n : outer()) + detail::not_negative(json, "ldrExtra", 0)),
        alpha(json.number("alpha", 1)),
        beta(json.number("beta", 0)),
        host_columns(json.boolean("hostColumns", true)),
        seed(static_cast<std::uint64_t>(json.integer("seed", 1))) {
    if (block < 1 || block % 4 != 0 || block > 1024)
      throw std::invalid_argument("problem: block is " + std::to_string(block) +
                                  ", it must be a multiple of 4, at most 1024");
    if (values == "file" && file.empty())
      throw std::invalid_argument("problem: values is 'file', which a pattern of kind matrix-market names");
    if (batch == 0) throw std::invalid_argument("problem: batch is 0, it must be at least 1");
    if (batch > 1 && extra_c > 0 && ldc > (layout_c == Layout::row ? n : outer()))
      throw std::invalid_argument("problem: batchExtra or batchExtraC and ldcExtra together leave C with two distances; give one");
    if (leading_columns > 0 && leading_columns >= in_blocks(inner()))
      throw std::invalid_argument("problem: leadingColumns are fewer than op(A) has");
    const std::int64_t leading_rows = transposed() ? leading_columns : 0;
    pattern = make_pattern(json.at("pattern"), in_blocks(m) - leading_rows, in_blocks(k) - (leading_columns - leading_rows), block,
                           json.boolean("sorted", true), seed);
  }

  /// Between the products of one operand, beside what is between those of all.
  static std::int64_t extra_of(const Json& json, const char* own) {
    return detail::not_negative(json, "batchExtra", 0) + detail::not_negative(json, own, 0);
  }

  std::int64_t in_blocks(std::int64_t size) const { return (size + block - 1) / block; }
};

class BsrProblem final : public Problem {
 public:
  explicit BsrProblem(const Json& json)
      : d_(json),
        integers_(d_.values == "integers" || d_.values == "swing" || d_.values == "one-hot"),
        key_(json.dump()) {
    // Of A transposed the leading block columns are block rows without blocks.
    if (d_.transposed())
      row_ptr_.assign(static_cast<std::size_t>(d_.leading_columns), static_cast<std::int32_t>(d_.leading_blocks));
    for (const std::int32_t at : d_.pattern.row_ptr)
      row_ptr_.push_back(static_cast<std::int32_t>(at + d_.leading_blocks));
    for (const std::int32_t column : d_.pattern.col_idx)
      col_idx_.push_back(static_cast<std::int32_t>(column + (d_.transposed() ? 0 : d_.leading_columns)));
    const Bsr operand = d_.transposed() ? transpose(d_.pattern).pattern : d_.pattern;
    for (std::int64_t i = 0; i < d_.batch; ++i) {
      products_.push_back(make_matrices(d_));
      Filler(d_.values, d_.pattern, operand, d_.block, d_.seed + kSeedsApart * static_cast<std::uint64_t>(i))
          .fill(products_.back());
      if (!d_.file.empty()) fill_from_file(products_.back().a, d_.pattern, d_.block, d_.file);
      fill_padding(products_.back().a, std::numeric_limits<double>::quiet_NaN());
    }
    make_tensors();
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }
  double flops() const override {
    return 2.0 * stored_elements() * static_cast<double>(d_.n) * static_cast<double>(d_.batch);
  }
  std::string key() const override { return key_; }

  /// Every operand once: stored blocks and their indices, the rows of B that they refer to, C, what is added to it.
  double bytes() const override {
    const std::int64_t referred = d_.transposed() ? used_rows() : used_columns();
    const auto element = static_cast<double>(element_bytes(first().c.type));
    const double indices = (d_.index == Index::i64 ? 8.0 : 4.0) *
                           static_cast<double>(d_.pattern.row_ptr.size() + d_.pattern.col_idx.size());
    const double c_elements = static_cast<double>(d_.outer() * d_.n) * (d_.beta != 0 ? 2 : 1);
    const auto input = static_cast<double>(element_bytes(first().a.type));
    const double each = input * (stored_elements() + static_cast<double>(referred * d_.block * d_.n)) + element * c_elements;
    return each * static_cast<double>(d_.batch) + indices + element * static_cast<double>(first().bias.extent());
  }

  std::vector<Reference> reference() const override {
    const auto size = static_cast<std::size_t>(d_.outer() * d_.n);
    Reference reference;
    reference.value.resize(size * products_.size());
    reference.bound.resize(reference.value.size());
    for (std::size_t i = 0; i < products_.size(); ++i)
      refer(products_[i], reference.value.data() + i * size, reference.bound.data() + i * size);
    return {std::move(reference)};
  }

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    return bsr_spmm::bind(shape(), parameters, limits);
  }

  CallBytes call(const Placement& placement) const override {
    Call call{};
    std::size_t next = 0;
    call.row_ptr = placement.tensors[next++];
    call.col_idx = placement.tensors[next++];
    call.values = placement.tensors[next++];
    call.b = placement.tensors[next++];
    if (d_.bias == Switch::yes) call.bias = placement.tensors[next++];
    if (d_.residual == Switch::yes) call.residual = placement.tensors[next++];
    call.c = placement.tensors[next];
    call.alpha = static_cast<float>(d_.alpha);
    call.beta = static_cast<float>(d_.beta);
    call.workspace = placement.workspace;
    return CallBytes(call);
  }

  const Description& description() const { return d_; }
  /// Whether some operand exists mostly as addresses, which only a kernel that is careful can be given.
  bool is_sparse() const {
    return d_.leading_blocks > 0 || d_.leading_columns > 0 || is_far(d_.ldb) || is_far(d_.ldc) || (d_.batch > 1 && is_far(d_.extra_a));
  }

  /// The plan's view of the problem.
  Shape shape() const {
    Shape shape{};
    shape.m = d_.m;
    shape.n = d_.n;
    shape.k = d_.k;
    shape.block = d_.block;
    shape.blocks = d_.leading_blocks + d_.pattern.blocks();
    shape.batch = d_.batch;
    shape.input = type_named(d_.input);
    shape.output = type_named(d_.output);
    shape.index = d_.index;
    shape.layout_b = d_.layout_b;
    shape.layout_c = d_.layout_c;
    shape.transpose_a = d_.transpose_a;
    shape.bias = d_.bias;
    shape.activation = d_.activation;
    shape.residual = d_.residual;
    shape.tf32 = d_.tf32;
    shape.values_stride = stored() + d_.extra_a;
    shape.ldb = d_.ldb;
    shape.b_stride = first().b.lines() * d_.ldb + d_.extra_b;
    shape.ldr = d_.ldr;
    shape.residual_stride = first().residual.lines() * d_.ldr + d_.extra_r;
    shape.ldc = d_.ldc;
    shape.c_stride = first().c.lines() * d_.ldc + d_.extra_c;
    shape.host_row_ptr = first_index(row_ptr_, wide_row_ptr_, 0);
    if (d_.host_columns) shape.host_col_idx = first_index(col_idx_, wide_col_idx_, d_.leading_blocks);
    shape.reads_c = d_.beta != 0;
    return shape;
  }

 private:
  static constexpr std::uint64_t kSeedsApart = 1000;  // of the products of a batch

  static Matrices make_matrices(const Description& d) {
    const ElementType input = detail::input_type(d.input), output = detail::output_type(d.output);
    const bool b_by_columns = d.layout_b == Layout::column, c_by_columns = d.layout_c == Layout::column;
    const auto near = [](std::int64_t stride, std::int64_t width) { return is_far(stride) ? width : stride; };
    const bool biased = d.bias == Switch::yes, added = d.residual == Switch::yes;
    return {Matrix(input, d.pattern.blocks() * d.block, d.block, d.block),
            Matrix(input, d.inner_stored(), d.n, near(d.ldb, b_by_columns ? d.inner_stored() : d.n), b_by_columns),
            Matrix(output, d.outer(), d.n, near(d.ldc, c_by_columns ? d.outer() : d.n), c_by_columns),
            Matrix(output, biased ? 1 : 0, d.outer(), d.outer()),
            Matrix(output, added ? d.outer() : 0, added ? d.n : 0, d.ldr, c_by_columns)};
  }

  static bool is_far(std::int64_t stride) { return stride > kFar; }

  const Matrices& first() const { return products_.front(); }
  std::int64_t stored() const { return d_.pattern.blocks() * d_.block * d_.block; }
  double stored_elements() const { return static_cast<double>(stored()); }

  std::int64_t used_rows() const {
    std::int64_t used = 0;
    for (std::int64_t row = 0; row < d_.pattern.rows; ++row) used += d_.pattern.length(row) > 0;
    return used;
  }
  std::int64_t used_columns() const {
    std::vector<bool> used(static_cast<std::size_t>(d_.pattern.columns));
    for (const std::int32_t column : d_.pattern.col_idx) used[column] = true;
    return std::count(used.begin(), used.end(), true);
  }

  /// The address from which the first index is the element number `lead`.
  const void* first_index(const std::vector<std::int32_t>& narrow, const std::vector<std::int64_t>& wide_indices,
                          std::int64_t lead) const {
    const bool wide_ones = d_.index == Index::i64;
    const void* first = wide_ones ? static_cast<const void*>(wide_indices.data()) : narrow.data();
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(first) -
                                         static_cast<std::uintptr_t>(lead) * (wide_ones ? 8 : 4));
  }

  void make_tensors() {
    wide_row_ptr_.assign(row_ptr_.begin(), row_ptr_.end());
    wide_col_idx_.assign(col_idx_.begin(), col_idx_.end());
    add_indices("row_ptr", row_ptr_, wide_row_ptr_);
    add_indices("col_idx", col_idx_, wide_col_idx_).lead = d_.leading_blocks;
    const Shape strides = shape();
    Tensor& values = add_operand("values", &Matrices::a, Role::input, d_.block, strides.values_stride, d_.extra_a);
    values.offset = d_.offset_a;
    values.lead = d_.leading_blocks * d_.block * d_.block;
    Tensor& b = add_operand("b", &Matrices::b, Role::input, d_.ldb, strides.b_stride, d_.extra_b);
    b.offset = d_.offset_b;
    b.lead = d_.leading_columns * d_.block * (d_.layout_b == Layout::row ? d_.ldb : 1);
    if (d_.bias == Switch::yes) {
      const Matrix& bias = first().bias;
      tensors_.push_back({"bias", bias.type, Role::input, 1, bias.columns, bias.columns, d_.offset_bias, bias.bytes});
    }
    if (d_.residual == Switch::yes)
      add_operand("residual", &Matrices::residual, Role::input, d_.ldr, strides.residual_stride, d_.extra_r).offset = d_.offset_r;
    const bool reads_c = d_.beta != 0 && d_.residual == Switch::no;
    add_operand("c", &Matrices::c, reads_c ? Role::inout : Role::output, d_.ldc, strides.c_stride, d_.extra_c).offset = d_.offset_c;
  }

  Tensor& add_indices(const char* name, const std::vector<std::int32_t>& narrow,
                      const std::vector<std::int64_t>& wide_indices) {
    const auto count = static_cast<std::int64_t>(narrow.size());
    const auto bytes_of_list = [](const auto& list) {
      const auto* bytes = reinterpret_cast<const std::byte*>(list.data());
      return std::vector<std::byte>(bytes, bytes + list.size() * sizeof list[0]);
    };
    const bool wide_ones = d_.index == Index::i64;
    return tensors_.emplace_back(Tensor{name, wide_ones ? ElementType::i64 : ElementType::i32, Role::input, 1, count,
                                        count, 0, wide_ones ? bytes_of_list(wide_indices) : bytes_of_list(narrow)});
  }

  /// The operand of all products. A line of the tensor is a line of the matrix; where products lie further apart than
  /// their lines, all of a product, of which what lies between the lines of an input is never looked at. The image of lines
  /// that are far apart has nothing between them.
  Tensor& add_operand(const char* name, Matrix Matrices::* which, Role role, std::int64_t stride,
                      std::int64_t product_stride, std::int64_t extra) {
    const Matrix& matrix = first().*which;
    const bool whole = d_.batch > 1 && extra > 0;
    const std::int64_t lines = whole ? d_.batch : d_.batch * matrix.lines(),
                       width = whole ? matrix.extent() : matrix.width(), pitch = whole ? product_stride : stride;
    const bool far = is_far(pitch);
    std::vector<std::byte> image;
    if (d_.batch == 1) {
      image = matrix.bytes;
    } else {
      const std::int64_t apart = far ? matrix.extent() : product_stride;  // in the image
      const std::size_t bytes_apart = static_cast<std::size_t>(apart) * element_bytes(matrix.type);
      image.resize(static_cast<std::size_t>(d_.batch) * bytes_apart);
      for (std::size_t i = 0; i < products_.size(); ++i) {
        const std::vector<std::byte>& bytes = (products_[i].*which).bytes;
        std::copy_n(bytes.begin(), std::min(bytes.size(), bytes_apart),
                    image.begin() + static_cast<std::ptrdiff_t>(i * bytes_apart));
      }
    }
    return tensors_.emplace_back(Tensor{name, matrix.type, role, lines, width, pitch, 0, std::move(image), far});
  }

  /// Fills the elements that blocks store behind the last row and column of A; they count for nothing.
  void fill_padding(Matrix& a, double value) const {
    if (d_.m % d_.block == 0 && d_.k % d_.block == 0) return;
    const std::int64_t first_row = d_.transposed() ? d_.leading_columns : 0;
    for (std::int64_t row = 0; row < d_.pattern.rows; ++row)
      for (std::int64_t at = d_.pattern.row_ptr[row]; at < d_.pattern.row_ptr[row + 1]; ++at)
        for (std::int64_t i = 0; i < d_.block; ++i)
          for (std::int64_t j = 0; j < d_.block; ++j)
            if ((first_row + row) * d_.block + i >= d_.m || col_idx_[static_cast<std::size_t>(at)] * d_.block + j >= d_.k)
              a.set(at * d_.block + i, j, value);
  }

  /// The answer for one product, in the order of C's elements in memory.
  void refer(const Matrices& matrices, double* value, double* bound) const {
    Matrix stored = matrices.a;
    fill_padding(stored, 0);
    const auto finish = [&](const Bsr& pattern, const Matrix& a) {
      const Product product = multiply(pattern, d_.block, a, matrices.b);
      parallel_for(d_.outer(), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          finish_row(product, d_.block * pattern.length(row / d_.block), matrices, row, value, bound);
      });
    };
    if (!d_.transposed()) return finish(d_.pattern, stored);
    const Transposed transposed = transpose(d_.pattern);
    finish(transposed.pattern, transpose(stored, transposed.source, d_.block));
  }

  /// act(alpha * sum + beta * C + bias) and its bound, for a row of C. Alpha, beta and bias are a rounding each and count as
  /// terms.
  void finish_row(const Product& product, std::int64_t products, const Matrices& matrices, std::int64_t row,
                  double* values, double* bounds) const {
    const Matrix& c = matrices.c;
    const Matrix& addend = d_.residual == Switch::yes ? matrices.residual : c;
    const float alpha = static_cast<float>(d_.alpha), beta = static_cast<float>(d_.beta);
    const double bias = d_.bias == Switch::yes ? first().bias.get(0, row) : 0;  // one for all products
    for (std::int64_t column = 0; column < d_.n; ++column) {
      const auto from = static_cast<std::size_t>(row * d_.n + column);
      const double added = beta != 0 ? beta * addend.get(row, column) : 0;
      const double x = alpha * product.sums[from] + added + bias;
      const double magnitude =
          std::fabs(alpha) * static_cast<double>(product.magnitudes[from]) + std::fabs(added) + std::fabs(bias);
      const std::int64_t to = c.column_major ? column * d_.outer() + row : row * d_.n + column;
      const std::int64_t terms = products + (d_.bias == Switch::yes ? 3 : 2);
      values[to] = activated(d_.activation, x);
      const double products_own = std::fabs(alpha) * rounding_of_products(product.magnitudes[from]);
      bounds[to] = bound_of(x, values[to], magnitude, terms, c.type, products_own);
      if (exact()) values[to] = rounded(values[to]);
    }
  }

  /// Operands rounded to TF32, 11 bits each, to nearest: their products, of so much altogether, are off by a part in 2^10.
  double rounding_of_products(double magnitude) const {
    return d_.tf32 == Switch::yes && d_.input == "f32" ? 1.01 * 0x1p-10 * magnitude : 0;
  }

  /// `carried`: the error of what is summed.
  double bound_of(double x, double value, double magnitude, std::int64_t terms, ElementType output, double carried) const {
    if (exact() || !std::isfinite(x)) return 0;  // -Inf becomes 0 in ReLU
    if (d_.activation == Activation::none || d_.activation == Activation::relu)
      return carried + dot_product_bound(terms, magnitude, value, output);
    // The error before the activation, through its steepest slope; the function's own error, see tw/activation.cuh; the
    // rounding.
    constexpr double kSlope = 1.13;
    const double own = 0x1p-20 * std::fabs(value) + 0x1p-22 * std::min(std::fabs(x), 16.0);
    return kSlope * (carried + dot_product_bound(terms, magnitude, x, ElementType::f32)) + own +
           dot_product_bound(0, 0, value, output);
  }

  /// Whether sums are small integers, exact in fp32, so that only the output's rounding is left, and it is known.
  bool exact() const {
    return integers_ && (d_.activation == Activation::none || d_.activation == Activation::relu);
  }
  double rounded(double value) const {
    std::byte element[8];
    encode(first().c.type, value, element);
    return decode(first().c.type, element);
  }

  Description d_;
  bool integers_;
  std::string key_;
  std::vector<Matrices> products_;
  std::vector<std::int32_t> row_ptr_, col_idx_;
  std::vector<std::int64_t> wide_row_ptr_, wide_col_idx_;
  std::vector<Tensor> tensors_;
};

}  // namespace tilewright::bsr_spmm

namespace tilewright {

inline std::unique_ptr<Problem> make_bsr_problem(const Json& problem) {
  try {
    return std::make_unique<bsr_spmm::BsrProblem>(problem);
  } catch (const JsonError& error) {
    throw std::invalid_argument(std::string("problem: ") + error.what());
  }
}

std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&) {
  return make_bsr_problem(problem);
}

}  // namespace tilewright
