// no_toolkit.hpp - types and functions of CUDA's headers that kernels of others use, for machines without a CUDA toolkit: beside
// the stand-ins that libraries for CPUs are built with (templates/bindings/c/src/emulated/types).
#pragma once

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// clang-format off
#define TW_SINGLE(type, name) struct name##1 { type x; }; inline name##1 make_##name##1(type x) { return {x}; }
TW_SINGLE(signed char, char)
TW_SINGLE(unsigned char, uchar)
TW_SINGLE(short, short)
TW_SINGLE(unsigned short, ushort)
TW_SINGLE(int, int)
TW_SINGLE(unsigned, uint)
TW_SINGLE(float, float)
TW_SINGLE(double, double)
#define TW_WIDE(type, name)                                                                                        \
  TW_SINGLE(type, name)                                                                                            \
  struct alignas(16) name##2 { type x, y; }; inline name##2 make_##name##2(type x, type y) { return {x, y}; }      \
  struct name##3 { type x, y, z; }; inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }    \
  struct alignas(16) name##4 { type x, y, z, w; }; inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
TW_WIDE(long, long)
TW_WIDE(unsigned long, ulong)
TW_WIDE(long long, longlong)
TW_WIDE(unsigned long long, ulonglong)
#undef TW_WIDE
#undef TW_SINGLE
// clang-format on

namespace tw {

template <class T>
Pair<T> operator+(Pair<T> a, Pair<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
Pair<T> operator-(Pair<T> a, Pair<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
Pair<T> operator*(Pair<T> a, Pair<T> b) {
  return {a.x * b.x, a.y * b.y};
}

}  // namespace tw

#define TW_PAIRS(T, TO_FLOAT, FROM_FLOAT)                                                                   \
  inline tw::Pair<T> __hmax2(tw::Pair<T> a, tw::Pair<T> b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; } \
  inline tw::Pair<T> __hmin2(tw::Pair<T> a, tw::Pair<T> b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; } \
  inline tw::Pair<T> __hneg2(tw::Pair<T> a) { return {-a.x, -a.y}; }                                        \
  inline tw::Pair<T> __h2div(tw::Pair<T> a, tw::Pair<T> b) { return {a.x / b.x, a.y / b.y}; }               \
  TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, gt, >)                                                             \
  TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, ge, >=)                                                            \
  TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, lt, <)                                                             \
  TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, le, <=)                                                            \
  TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, eq, ==)
#define TW_COMPARISON(T, TO_FLOAT, FROM_FLOAT, name, sign)                                               \
  inline tw::Pair<T> __h##name##2(tw::Pair<T> a, tw::Pair<T> b) {                                        \
    return {FROM_FLOAT(TO_FLOAT(a.x) sign TO_FLOAT(b.x)), FROM_FLOAT(TO_FLOAT(a.y) sign TO_FLOAT(b.y))}; \
  }
TW_PAIRS(__half, __half2float, __float2half)
TW_PAIRS(__nv_bfloat16, __bfloat162float, __float2bfloat16)
#undef TW_COMPARISON
#undef TW_PAIRS

inline __half __int2half_rn(int a) { return __float2half(static_cast<float>(a)); }
inline __half __uint2half_rn(unsigned a) { return __float2half(static_cast<float>(a)); }
inline int __half2int_rz(__half a) { return static_cast<int>(__half2float(a)); }
inline int __half2int_rd(__half a) { return static_cast<int>(std::floor(__half2float(a))); }
inline int __half2int_ru(__half a) { return static_cast<int>(std::ceil(__half2float(a))); }
inline float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
inline float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
