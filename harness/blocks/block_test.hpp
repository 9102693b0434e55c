// block_test.hpp - what the tests of building blocks share: numbers in 16 bits and tensor maps of them.
#pragma once
#include <cuda_fp16.h>

#include <vector>

#include "device_test.hpp"
#include "tw/swizzle.cuh"

namespace blocks {

/// A number that tells its place, exact in 16 bits.
inline float number_at(int row, int column) { return static_cast<float>((row * 37 + column * 5) % 61 - 30); }

/// A row-major matrix of device memory, each element number_at its place. `T`: __half or float.
template <class T>
class MatrixOf {
 public:
  MatrixOf(int rows, int columns)
      : columns_(columns), buffer_(static_cast<std::size_t>(rows) * columns, "matrix") {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        at(row, column) = static_cast<T>(number_at(row, column));
  }
  T& at(int row, int column) const { return buffer_[static_cast<std::size_t>(row) * columns_ + column]; }

  /// A map of `size`, `box` and, beside the first dimension, `stride` in elements; innermost first.
  simt::TensorMap map(std::vector<int> size, std::vector<int> box, std::vector<int> stride,
                      int swizzle_bytes) const {
    simt::TensorMap map{};
    map.base = &at(0, 0);
    map.rank = static_cast<std::uint32_t>(size.size());
    map.element_bytes = sizeof(T);
    map.swizzle = swizzle_bytes == 128 ? 3 : swizzle_bytes == 64 ? 2 : swizzle_bytes == 32 ? 1 : 0;
    for (std::size_t i = 0; i < size.size(); ++i) {
      map.size[i] = static_cast<std::uint64_t>(size[i]);
      map.box[i] = static_cast<std::uint32_t>(box[i]);
      if (i > 0) map.stride[i] = static_cast<std::uint64_t>(stride[i - 1]) * sizeof(T);
    }
    CHECK_EQ(simt::check_tensor_map(map), std::string());
    return map;
  }

 private:
  int columns_;
  simt::Buffer<T> buffer_;
};
using Matrix = MatrixOf<__half>;

/// Offset of an element of 16 bits in a tile of swizzle.cuh with rows of `RowBytes` bytes.
template <int RowBytes>
std::uint32_t swizzled_offset(int row, int column) {
  return static_cast<std::uint32_t>(tw::swizzled<RowBytes>(row, column / 8) + column % 8 * 2);
}

/// The element at an address in shared memory.
inline float shared_number(std::uint32_t address) {
  const auto bits = simt::load_shared<std::uint16_t>(address);
  __half value;
  std::memcpy(static_cast<void*>(&value), &bits, 2);
  return __half2float(value);
}

}  // namespace blocks
