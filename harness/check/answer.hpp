// answer.hpp - what a reference says: the contents of every tensor, empty for inputs.
#pragma once
#include <cstring>
#include <vector>

#include "tilewright/elements.hpp"
#include "tilewright/family.hpp"

namespace tilewright::check {

/// Contents that a tensor should have.
struct Answer {
  std::vector<double> value;
  std::vector<std::uint64_t> exact = {};       // of whole numbers of 64 bits: their bits
  std::vector<std::uint8_t> unspecified = {};  // per element, whether it may hold anything; empty: none
  std::vector<double> bound = {};  // allowed distance, where the reference knows one; empty: it does not

  Answer() = default;
  explicit Answer(std::vector<double> values) : value(std::move(values)) {}
  bool empty() const { return value.empty(); }
};
using Answers = std::vector<Answer>;

inline std::vector<double> decoded(ElementType type, const std::byte* contents, std::size_t count) {
  std::vector<double> values(count);
  const std::size_t size = element_bytes(type);
  for (std::size_t i = 0; i < count; ++i) values[i] = decode(type, contents + i * size);
  return values;
}

/// Elements of type `given` as contents of a tensor of type `wanted`.
inline Answer answer_of(ElementType wanted, ElementType given, const std::byte* contents, std::size_t count) {
  Answer answer(decoded(given, contents, count));
  if (!is_wide_integer(wanted) || !is_wide_integer(given)) return answer;
  answer.exact.resize(count);
  if (count > 0) std::memcpy(answer.exact.data(), contents, count * sizeof(std::uint64_t));
  return answer;
}

/// A tensor at `contents`, as elements of type `given`: one line behind the other; of structs a field.
inline Answer answer_of(const Tensor& tensor, ElementType given, const std::byte* contents) {
  std::vector<std::byte> gathered;
  const std::size_t size = element_bytes(given);
  for (std::int64_t row = 0; row < tensor.rows; ++row) {
    const std::byte* from = contents + static_cast<std::size_t>(tensor.offset + row * tensor.stride) * size;
    gathered.insert(gathered.end(), from, from + static_cast<std::size_t>(tensor.cols) * size);
  }
  return answer_of(tensor.type, given, gathered.data(), gathered.size() / size);
}

inline std::size_t count_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.rows * tensor.cols);
}

/// Elements from the first to the last, with the gaps between lines.
inline std::size_t extent_of(const Tensor& tensor) {
  return count_of(tensor) == 0 ? 0
                               : static_cast<std::size_t>((tensor.rows - 1) * tensor.stride + tensor.cols);
}

/// Copies lines, one behind the other, to where a tensor has them.
inline void spread(const Tensor& tensor, std::size_t element, const std::byte* packed, std::byte* contents) {
  const std::size_t line = static_cast<std::size_t>(tensor.cols) * element;
  for (std::size_t row = 0; row < static_cast<std::size_t>(tensor.rows) && line > 0; ++row)
    std::memcpy(contents + row * static_cast<std::size_t>(tensor.stride) * element, packed + row * line,
                line);
}

}  // namespace tilewright::check
