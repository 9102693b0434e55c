// types.hpp - types of the emulated device that kernels and their host share. Includes little, since every kernel includes it.
#pragma once
#include <cstdint>

namespace simt {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// Emulated CUtensorMap. Encoding refuses what cuTensorMapEncodeTiled refuses, with the reason.
struct alignas(64) TensorMap {
  const void* base;
  std::uint64_t size[5], stride[5];  // elements; bytes
  std::uint32_t box[5];
  std::uint32_t rank, element_bytes;
  std::uint8_t swizzle;       // 0 none, 1 32 B, 2 64 B, 3 128 B (CUtensorMapSwizzle)
  std::uint8_t element_kind;  // 0 integer / raw, 1 f16, 2 bf16, 3 f32: for reduce-add
};

}  // namespace simt
