// matmul.cpp - inner loops with GCC's vector types; on x86-64 a second version for AVX2 is chosen when the
// program loads.
#include "matmul.hpp"

#include <cstring>

#include "numerics.hpp"

// Sanitizers and ifunc resolvers do not mix.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIMT_VERSIONS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SIMT_VERSIONS
#endif
// Keeps small arrays of vectors in registers, at -O2 too.
#define SIMT_UNROLL _Pragma("GCC unroll 4")
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace simt::core {
namespace {

typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));  // 8 floats

#if defined(__x86_64__)
__attribute__((target("f16c,avx"))) void half_to_float_f16c(const std::uint16_t* from, float* to, int count) {
  for (int i = 0; i < count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
}
const bool has_f16c = __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx");
#endif

void half_to_float_array(const std::uint16_t* from, float* to, int count) {
#if defined(__x86_64__)
  if (has_f16c) return half_to_float_f16c(from, to, count);
#endif
  for (int i = 0; i < count; ++i) to[i] = half_to_float(from[i]);
}

}  // namespace

void to_float(const std::uint16_t* from, float* to, int count, MmaType type) {
  if (type == MmaType::bf16)
    for (int i = 0; i < count; ++i) to[i] = bfloat16_to_float(from[i]);
  else
    half_to_float_array(from, to, count);
}

SIMT_VERSIONS void multiply_16x8(const float (*a)[16], const float (*b)[8], float (*sum)[8], int depth) {
  for (int row = 0; row < 16; row += 4) {
    Vector total[4] = {};
    for (int k = 0; k < depth; ++k) {
      const Vector line = *reinterpret_cast<const Vector*>(b[k]);
      SIMT_UNROLL for (int i = 0; i < 4; ++i) total[i] += a[row + i][k] * line;
    }
    SIMT_UNROLL for (int i = 0; i < 4; ++i) * reinterpret_cast<Vector*>(sum[row + i]) = total[i];
  }
}

SIMT_VERSIONS void multiply_64xn(const float (*a)[16], const float* b, float* c, int n, bool keep) {
  for (int column = 0; column < n; column += 8) {
    for (int row = 0; row < 64; row += 4) {
      Vector total[4] = {};
      for (int k = 0; k < 16; ++k) {
        const Vector line = *reinterpret_cast<const Vector*>(b + k * n + column);
        SIMT_UNROLL for (int i = 0; i < 4; ++i) total[i] += a[row + i][k] * line;
      }
      SIMT_UNROLL for (int i = 0; i < 4; ++i) {
        Vector& out = *reinterpret_cast<Vector*>(c + (row + i) * n + column);
        out = keep ? out + total[i] : total[i];
      }
    }
  }
}

}  // namespace simt::core
