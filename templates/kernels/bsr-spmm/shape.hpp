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

/// Addresses on the device, of the types that Shape names.
struct Operands {
  const std::int32_t* row_ptr;
  const std::int32_t* col_idx;
  const void* values;
  const void* b;
  void* c;
  float alpha, beta;
  void* workspace;
};

namespace detail {

inline void require(bool holds, const std::string& reason) {
  if (!holds) throw Unsupported(reason);
}

inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

inline bool aligned(const void* pointer, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace detail
}  // namespace tilewright::bsr_spmm
