// shape.hpp - a checked product and a call, as operation.hpp has them, in the words of the launch code. Plain C++17.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "operation.hpp"
#include "strides.h"
#include "tw/launch.hpp"

namespace tilewright::bsr_spmm {

/// Host copies of the pattern, null where the caller has none. Kernels serve indices of 32 bits alone.
inline const std::int32_t* row_ptr(const Shape& shape) {
  return static_cast<const std::int32_t*>(shape.host_row_ptr);
}
inline const std::int32_t* col_idx(const Shape& shape) {
  return static_cast<const std::int32_t*>(shape.host_col_idx);
}

/// A product of f16 matrices whose rows lie one behind the other.
inline Shape packed_f16(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t block, std::int64_t blocks,
                        const std::int32_t* row_ptr, const std::int32_t* col_idx) {
  Shape shape{};
  shape.m = m, shape.n = n, shape.k = k;
  shape.block = block, shape.blocks = blocks, shape.batch = 1;
  shape.ldb = shape.ldc = n;
  shape.host_row_ptr = row_ptr, shape.host_col_idx = col_idx;
  return shape;
}

/// Block rows and block columns of A; the last ones may be cut short.
inline std::int64_t rows_of_blocks(const Shape& shape) { return (shape.m + shape.block - 1) / shape.block; }
inline std::int64_t columns_of_blocks(const Shape& shape) { return (shape.k + shape.block - 1) / shape.block; }

/// Bytes of an element of A and B.
inline std::int64_t input_bytes(const Shape& shape) { return static_cast<std::int64_t>(bytes_of(shape.input)); }

/// Bytes of an element of C.
inline std::int64_t output_bytes(const Shape& shape) { return static_cast<std::int64_t>(bytes_of(shape.output)); }

namespace detail {

using tilewright::quotient_up;

/// As many thread blocks along y or z as a grid can have: rows of 1 to 65535 tiles, and panels.
inline unsigned grid_extent(std::int64_t count, const char* what) {
  constexpr std::int64_t kMost = 65535;
  refuse_unless(count <= kMost, [&] {
    return "launches " + std::to_string(count) + " thread blocks along " + what +
           ", and a grid has at most " + std::to_string(kMost);
  });
  return static_cast<unsigned>(count);
}

inline Strides strides(Layout layout, std::int64_t leading, std::int64_t product) {
  return layout == Layout::row ? Strides{leading, 1, product} : Strides{1, leading, product};
}

/// Sets the arguments that describe operands of every layout, of the paths naive and narrow, and those that come with a
/// call: with a residual, it stands in the place of the former C.
template <class Args>
void set_strided_operands(LaunchBuilder<Args, Call>& kernel, const Shape& shape) {
  kernel.args.index_words = static_cast<int>(bytes_of(shape.index) / 4);
  kernel.args.b_at = strides(shape.layout_b, shape.ldb, shape.b_stride);
  kernel.args.c_at = strides(shape.layout_c, shape.ldc, shape.c_stride);
  if (shape.residual == Switch::yes) {
    kernel.args.addend_at = strides(shape.layout_c, shape.ldr, shape.residual_stride);
    kernel.set(&Args::addend, &Call::residual);
  } else {
    kernel.args.addend_at = kernel.args.c_at;
    kernel.set(&Args::addend, &Call::c);
  }
}

}  // namespace detail
}  // namespace tilewright::bsr_spmm
