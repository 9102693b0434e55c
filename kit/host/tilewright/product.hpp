// product.hpp - a matrix product in fp64 on all cores, with what bounds a kernel's error.
#pragma once
#include <cstdint>
#include <vector>

#include "tilewright/array.hpp"

namespace tilewright {

/// left * right and |left| |right|, dense, row-major.
struct Product {
  std::int64_t columns = 0;
  std::vector<double> sums;
  std::vector<float> magnitudes;

  std::size_t index(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * columns + column);
  }
};

/// The product of two matrices. Elements must be exact in fp32.
Product multiply(const Array& left, const Array& right);

}  // namespace tilewright
