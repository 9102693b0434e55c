// array.hpp - an operand on the host: n dimensions, by sizes and strides, in memory as a kernel finds it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/elements.hpp"
#include "tilewright/family.hpp"

namespace tilewright {

/// Elements of `sizes`, outermost first; the innermost dimension is contiguous. A line is one run along it: a row of a
/// matrix. Of a matrix whose rows are more than kFar elements apart only the rows themselves are kept.
class Array {
 public:
  static constexpr std::int64_t kFar = 1 << 20;

  /// Packed.
  Array(ElementType type, std::vector<std::int64_t> sizes);
  /// With such distances, in elements, between neighbours along each dimension but the innermost.
  Array(ElementType type, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides);

  ElementType type() const { return type_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t width() const { return sizes_.back(); }  ///< elements of a line
  std::int64_t lines() const;
  std::int64_t elements() const { return lines() * width(); }

  std::byte* line(std::int64_t index) { return bytes_.data() + offset_of(index); }
  const std::byte* line(std::int64_t index) const { return bytes_.data() + offset_of(index); }
  std::byte* at(std::int64_t line_index, std::int64_t column) {
    return line(line_index) + static_cast<std::size_t>(column) * element_bytes(type_);
  }
  double get(std::int64_t line_index, std::int64_t column) const {
    return decode(type_, line(line_index) + static_cast<std::size_t>(column) * element_bytes(type_));
  }
  void set(std::int64_t line_index, std::int64_t column, double value) {
    encode(type_, value, at(line_index, column));
  }

  /// The array as the runner takes it: all dimensions but the innermost become rows, which must be evenly spaced.
  /// `offset`: elements by which the base pointer is shifted off its alignment.
  Tensor tensor(std::string name, Role role, std::int64_t offset = 0) const;

 private:
  bool far() const { return sizes_.size() == 2 && strides_[0] > kFar; }
  std::size_t offset_of(std::int64_t line_index) const;  // bytes

  ElementType type_;
  std::vector<std::int64_t> sizes_, strides_;  // strides of all dimensions but the innermost
  std::vector<std::byte> bytes_;
};

}  // namespace tilewright
