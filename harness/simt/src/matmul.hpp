// matmul.hpp - the arithmetic of mma and wgmma in fp32, vectorised. Products of two f16, bf16 or tf32 numbers
// are exact in fp32, so fused and separate multiply-add give the same bits: results do not depend on the
// machine.
#pragma once
#include <cstdint>

#include "simt/kernel.hpp"

namespace simt::core {

/// Converts `count` (a multiple of 8) 16-bit numbers.
void to_float(const std::uint16_t* from, float* to, int count, MmaType type);

/// sum[row][column] = sum over k of a[row][k] * b[k][column]; 16 x 8, depth 8 or 16.
void multiply_16x8(const float (*a)[16], const float (*b)[8], float (*sum)[8], int depth);

/// c[row][0..n) = (keep ? c : 0) + sum over 16 k of a[row][k] * b[k][column]; 64 rows, n a multiple of 8,
/// rows of c n floats.
void multiply_64xn(const float (*a)[16], const float* b, float* c, int n, bool keep);

}  // namespace simt::core
