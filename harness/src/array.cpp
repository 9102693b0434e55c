#include "tilewright/array.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace tilewright {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 42;

std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size() - 1);
  std::int64_t stride = 1;
  for (std::size_t i = strides.size(); i-- > 0;) strides[i] = stride *= sizes[i + 1];
  return strides;
}

/// Elements from the first to behind the last.
std::int64_t extent(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    const std::int64_t stride = i < strides.size() ? strides[i] : 1, steps = sizes[i] - 1;
    if (steps > 0 && stride > (kMostElements - last) / steps)
      throw std::invalid_argument(
          "problem: an operand reaches over more than 2^42 elements, more than a machine holds");
    last += stride * steps;
  }
  return last + 1;
}

}  // namespace

Array::Array(ElementType type, std::vector<std::int64_t> sizes) : Array(type, sizes, packed_strides(sizes)) {}

Array::Array(ElementType type, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides)
    : type_(type), sizes_(std::move(sizes)), strides_(std::move(strides)) {
  if (sizes_.empty() || strides_.size() + 1 != sizes_.size())
    throw std::invalid_argument("an array has a stride for each dimension but the innermost");
  const std::int64_t elements = far() ? sizes_[0] * sizes_[1] : extent(sizes_, strides_);
  bytes_.resize(static_cast<std::size_t>(elements) * element_bytes(type));
}

std::int64_t Array::lines() const {
  return std::accumulate(sizes_.begin(), sizes_.end() - 1, std::int64_t{1}, std::multiplies<>());
}

std::size_t Array::offset_of(std::int64_t line_index) const {
  std::int64_t offset = 0;
  for (std::size_t i = strides_.size(); i-- > 0; line_index /= sizes_[i])
    offset += line_index % sizes_[i] * (far() ? width() : strides_[i]);
  return static_cast<std::size_t>(offset) * element_bytes(type_);
}

Tensor Array::tensor(std::string name, Role role, std::int64_t offset) const {
  Tensor tensor{std::move(name), type_, role, lines(), width(), width(), offset, bytes_};
  for (std::size_t i = strides_.size(), inner = 1; i-- > 0; inner *= static_cast<std::size_t>(sizes_[i])) {
    if (inner == 1) tensor.stride = strides_[i];
    if (sizes_[i] > 1 && strides_[i] != tensor.stride * static_cast<std::int64_t>(inner))
      throw std::invalid_argument("tensor '" + tensor.name + "': its lines are not evenly spaced");
  }
  tensor.sparse = far();
  return tensor;
}

}  // namespace tilewright
