// oracle.hpp - a problem of bsr-spmm as the runner sees it: its tensors, the right answer in fp64 with the
// error that a correct kernel may have, and how variants are launched on it.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch.hpp"
#include "pattern.hpp"
#include "reference.hpp"
#include "tilewright/family.hpp"
#include "values.hpp"

namespace tilewright::bsr_spmm {

namespace detail {

inline ElementType input_type(const std::string& name) {
  if (name == "f16") return ElementType::f16;
  if (name == "bf16") return ElementType::bf16;
  throw std::invalid_argument("problem: input is '" + name + "', allowed are f16 and bf16");
}

inline ElementType output_type(const std::string& name) {
  if (name == "f32") return ElementType::f32;
  if (name == "f16" || name == "bf16") return input_type(name);
  throw std::invalid_argument("problem: output is '" + name + "', allowed are f16, bf16 and f32");
}

constexpr std::int64_t kMostSize = std::int64_t{1} << 31;  // of m, n, k and of each distance

/// A size in elements as blocks.
inline std::int64_t in_blocks(const Json& json, const char* name, std::int64_t block) {
  const std::int64_t size = json.at(name).integer();
  if (size >= kMostSize)
    throw std::invalid_argument(std::string("problem: ") + name + " is " + std::to_string(size) +
                                ", it must be below 2^31");
  if (size < 0 || size % block != 0)
    throw std::invalid_argument(std::string("problem: ") + name + " is " + std::to_string(size) +
                                ", it must be a multiple of block = " + std::to_string(block));
  return size / block;
}

inline std::int64_t not_negative(const Json& json, const char* name, std::int64_t otherwise) {
  const std::int64_t value = json.integer(name, otherwise);
  if (value < 0 || value >= kMostSize)
    throw std::invalid_argument(std::string("problem: ") + name + " is " + std::to_string(value) +
                                ", it must not be negative, and below 2^31");
  return value;
}

}  // namespace detail

/// Rows that are further apart than this many elements exist mostly as addresses.
constexpr std::int64_t kFar = 1 << 20;

/// The problem's JSON, read and checked; see Problem in workloads.ts.
struct Description {
  std::int64_t n, block, ldb, ldc, offset_b, offset_c, leading_blocks;
  std::string input, output, values;
  double alpha, beta;
  std::uint64_t seed;
  Bsr pattern;

  explicit Description(const Json& json)
      : n(detail::not_negative(json, "n", -1)),
        block(json.at("block").integer()),
        ldb(n + detail::not_negative(json, "ldbExtra", 0)),
        ldc(n + detail::not_negative(json, "ldcExtra", 0)),
        offset_b(detail::not_negative(json, "offsetB", 0)),
        offset_c(detail::not_negative(json, "offsetC", 0)),
        leading_blocks(detail::not_negative(json, "leadingBlocks", 0)),
        input(json.at("input").text()),
        output(json.at("output").text()),
        values(json.text("values", "normal")),
        alpha(json.number("alpha", 1)),
        beta(json.number("beta", 0)),
        seed(static_cast<std::uint64_t>(json.integer("seed", 1))) {
    if (block < 1 || block % 4 != 0 || block > 1024)
      throw std::invalid_argument("problem: block is " + std::to_string(block) +
                                  ", it must be a multiple of 4, at most 1024");
    const std::int64_t rows = detail::in_blocks(json, "m", block),
                       columns = detail::in_blocks(json, "k", block);
    pattern = make_pattern(json.at("pattern"), rows, columns, block, json.boolean("sorted", true), seed);
  }
};

class BsrProblem final : public Problem {
 public:
  explicit BsrProblem(const Json& json)
      : d_(json),
        integers_(d_.values == "integers" || d_.values == "swing" || d_.values == "one-hot"),
        key_(json.dump()),
        matrices_(make_matrices(d_)) {
    Filler(d_.values, d_.pattern, d_.block, d_.seed).fill(matrices_);
    for (const std::int32_t at : d_.pattern.row_ptr)
      row_ptr_.push_back(static_cast<std::int32_t>(at + d_.leading_blocks));
    make_tensors();
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }
  double flops() const override { return 2.0 * stored_elements() * static_cast<double>(d_.n); }
  std::string key() const override { return key_; }

  /// Every operand once: stored blocks and their indices, the rows of B that they refer to, C (twice when it
  /// is read).
  double bytes() const override {
    std::vector<bool> referred(static_cast<std::size_t>(d_.pattern.columns));
    for (const std::int32_t column : d_.pattern.col_idx) referred[column] = true;
    const double b_rows = static_cast<double>(std::count(referred.begin(), referred.end(), true) * d_.block);
    const double indices = 4.0 * static_cast<double>(d_.pattern.row_ptr.size() + d_.pattern.col_idx.size());
    const double c_elements = static_cast<double>(d_.pattern.rows * d_.block * d_.n) * (d_.beta != 0 ? 2 : 1);
    return 2 * (stored_elements() + b_rows * static_cast<double>(d_.n)) + indices +
           c_elements * static_cast<double>(element_bytes(matrices_.c.type));
  }

  std::vector<Reference> reference() const override {
    const Product product = multiply(d_.pattern, d_.block, matrices_.a, matrices_.b);
    Reference reference{std::vector<double>(product.sums.size()), std::vector<double>(product.sums.size())};
    parallel_for(matrices_.c.rows, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) finish_row(product, row, reference);
    });
    return {std::move(reference)};
  }

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    return bsr_spmm::bind(shape(), parameters, limits);
  }

  CallBytes call(const Placement& placement) const override {
    Call call{};
    call.row_ptr = placement.tensors[0];
    call.col_idx = placement.tensors[1];
    call.values = placement.tensors[2];
    call.b = placement.tensors[3];
    call.c = placement.tensors[4];
    call.alpha = static_cast<float>(d_.alpha);
    call.beta = static_cast<float>(d_.beta);
    call.workspace = placement.workspace;
    return CallBytes(call);
  }

  const Description& description() const { return d_; }
  /// Whether some operand exists mostly as addresses, which only a kernel that is careful can be given.
  bool is_sparse() const { return d_.leading_blocks > 0 || is_far(d_.ldb) || is_far(d_.ldc); }

  /// The plan's view of the problem.
  Shape shape() const {
    Shape shape{};
    shape.m = d_.pattern.rows * d_.block;
    shape.n = d_.n;
    shape.k = d_.pattern.columns * d_.block;
    shape.block = d_.block;
    shape.blocks = d_.leading_blocks + d_.pattern.blocks();
    shape.batch = 1;
    shape.input = type_named(d_.input);
    shape.output = type_named(d_.output);
    shape.ldb = d_.ldb;
    shape.ldc = d_.ldc;
    shape.host_row_ptr = row_ptr_.data();
    shape.host_col_idx = before(d_.pattern.col_idx.data(), d_.leading_blocks);
    shape.reads_c = d_.beta != 0;
    return shape;
  }

 private:
  static Matrices make_matrices(const Description& d) {
    const ElementType input = detail::input_type(d.input);
    return {Matrix(input, d.pattern.blocks() * d.block, d.block, d.block),
            Matrix(input, d.pattern.columns * d.block, d.n, is_far(d.ldb) ? d.n : d.ldb),
            Matrix(detail::output_type(d.output), d.pattern.rows * d.block, d.n, is_far(d.ldc) ? d.n : d.ldc)};
  }

  static bool is_far(std::int64_t stride) { return stride > kFar; }

  /// The pointer from which `first` is the element number `lead`.
  static const std::int32_t* before(const std::int32_t* first, std::int64_t lead) {
    return reinterpret_cast<const std::int32_t*>(reinterpret_cast<std::uintptr_t>(first) -
                                                 static_cast<std::uintptr_t>(lead) * sizeof(std::int32_t));
  }

  void make_tensors() {
    const auto indices = [&](const char* name, const std::vector<std::int32_t>& values) -> Tensor& {
      const auto count = static_cast<std::int64_t>(values.size());
      const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
      return tensors_.emplace_back(Tensor{
          name, ElementType::i32, Role::input, 1, count, count, 0, {bytes, bytes + values.size() * 4}});
    };
    const auto operand = [&](const char* name, const Matrix& matrix, Role role, std::int64_t stride,
                             std::int64_t offset) -> Tensor& {
      return tensors_.emplace_back(Tensor{
          name, matrix.type, role, matrix.rows, matrix.columns, stride, offset, matrix.bytes, is_far(stride)});
    };
    indices("row_ptr", row_ptr_);
    indices("col_idx", d_.pattern.col_idx).lead = d_.leading_blocks;
    operand("values", matrices_.a, Role::input, d_.block, 0).lead = d_.leading_blocks * d_.block * d_.block;
    operand("b", matrices_.b, Role::input, d_.ldb, d_.offset_b);
    operand("c", matrices_.c, d_.beta != 0 ? Role::inout : Role::output, d_.ldc, d_.offset_c);
  }

  double stored_elements() const { return static_cast<double>(d_.pattern.blocks() * d_.block * d_.block); }

  /// alpha * sum + beta * C and its bound, for a row of C. The two roundings of alpha and beta count as
  /// terms.
  void finish_row(const Product& product, std::int64_t row, Reference& reference) const {
    const Matrix& c = matrices_.c;
    const std::int64_t terms = d_.block * d_.pattern.length(row / d_.block) + 2;
    const float alpha = static_cast<float>(d_.alpha), beta = static_cast<float>(d_.beta);
    for (std::int64_t column = 0; column < d_.n; ++column) {
      const auto i = static_cast<std::size_t>(row * d_.n + column);
      const std::byte* old =
          c.bytes.data() + static_cast<std::size_t>(row * c.stride + column) * element_bytes(c.type);
      const double added = beta != 0 ? beta * decode(c.type, old) : 0;
      const double value = alpha * product.sums[i] + added;
      const double magnitude =
          std::fabs(alpha) * static_cast<double>(product.magnitudes[i]) + std::fabs(added);
      reference.value[i] = integers_ ? rounded(value) : value;
      reference.bound[i] = integers_ ? 0 : dot_product_bound(terms, magnitude, value, c.type);
    }
  }

  /// Sums of small integers are exact in fp32, so that only the output's rounding is left, and it is known.
  double rounded(double value) const {
    std::byte element[8];
    encode(matrices_.c.type, value, element);
    return decode(matrices_.c.type, element);
  }

  Description d_;
  bool integers_;
  std::string key_;
  Matrices matrices_;
  std::vector<std::int32_t> row_ptr_;
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
