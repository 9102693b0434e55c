// shape.hpp - the product C = alpha A B + beta C as the launch code of bsr-spmm sees it. Plain C++17.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tw/launch.hpp"

namespace tilewright::bsr_spmm {

/// The product without its pointers: what is known when a plan is made.
struct Shape {
  std::int64_t m, n, k;         // elements; m and k are multiples of block
  std::int64_t block;           // 32, 64 or 128
  std::int64_t blocks;          // stored
  std::string_view input;       // of A and B: "f16", "bf16"
  std::string_view output;      // of C: the same, or "f32"
  std::int64_t ldb, ldc;        // elements from row to row, at least n
  const std::int32_t* row_ptr;  // host copy, m / block + 1 entries; null where the caller has none
  const std::int32_t* col_idx;  // host copy, `blocks` entries; null where the caller has none
  bool reads_c = false;         // beta is known not to be 0; false: nothing is known of it

  std::int64_t output_bytes() const { return output == "f32" ? 4 : 2; }  // of an element of C
};

/// What comes with a run: addresses on the device, of the types that Shape names, and the scalars.
struct Call {
  const std::int32_t* row_ptr;
  const std::int32_t* col_idx;
  const void* values;
  const void* b;
  void* c;
  void* workspace;
  float alpha, beta;
};

namespace detail {

inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// As many thread blocks along y or z as a grid can have: rows of 1 to 65535 tiles, and panels.
inline unsigned grid_extent(std::int64_t count, const char* what) {
  constexpr std::int64_t kMost = 65535;
  refuse_unless(count <= kMost, [&] {
    return "launches " + std::to_string(count) + " thread blocks along " + what +
           ", and a grid has at most " + std::to_string(kMost);
  });
  return static_cast<unsigned>(count);
}

/// Sets the arguments that the paths naive, simt and mma have in common.
template <class Args>
void set_operands(LaunchBuilder<Args, Call>& kernel, const Shape& shape) {
  kernel.args.ldb = shape.ldb;
  kernel.args.ldc = shape.ldc;
  kernel.args.columns = static_cast<int>(shape.n);
  kernel.set(&Args::row_ptr, &Call::row_ptr);
  kernel.set(&Args::col_idx, &Call::col_idx);
  kernel.set(&Args::values, &Call::values);
  kernel.set(&Args::b, &Call::b);
  kernel.set(&Args::c, &Call::c);
  kernel.set(&Args::alpha, &Call::alpha);
  kernel.set(&Args::beta, &Call::beta);
}

}  // namespace detail
}  // namespace tilewright::bsr_spmm
