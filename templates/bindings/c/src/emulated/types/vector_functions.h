// vector_functions.h - CUDA's short vector types for the emulated device where no CUDA toolkit is installed:
// same names, sizes and alignments as CUDA's own headers, which are used where they are found.
#pragma once

#define TW_VECTORS(type, name, alignment2, alignment4)                        \
  struct alignas(alignment2) name##2 { type x, y; };                          \
  struct name##3 { type x, y, z; };                                           \
  struct alignas(alignment4) name##4 { type x, y, z, w; };                    \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

TW_VECTORS(signed char, char, 2, 4)
TW_VECTORS(unsigned char, uchar, 2, 4)
TW_VECTORS(short, short, 4, 8)
TW_VECTORS(unsigned short, ushort, 4, 8)
TW_VECTORS(int, int, 8, 16)
TW_VECTORS(unsigned int, uint, 8, 16)
TW_VECTORS(float, float, 8, 16)
TW_VECTORS(double, double, 16, 16)
#undef TW_VECTORS

#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
