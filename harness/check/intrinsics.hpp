// intrinsics.hpp - functions of CUDA's device that kernels of others call, beside those of tw/intrinsics.hpp: classification of
// floats, conversions, directed rounding, SIMD within a word, and atomics of vectors.
#pragma once
#include <cmath>
#include <limits>

// CUDA has them in the global namespace, as math.h does.
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define __builtin_assume(...) static_cast<void>(0)

// clang-format off
static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a < b ? b : a; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

static inline double __hiloint2double(int high, int low) { return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)); }
static inline int __double2hiint(double a) { return static_cast<int>(__builtin_bit_cast(unsigned long long, a) >> 32); }
static inline int __double2loint(double a) { return static_cast<int>(__builtin_bit_cast(unsigned long long, a)); }
static inline long long __float2ll_rn(float a) { return static_cast<long long>(std::nearbyint(a)); }
static inline long long __float2ll_rz(float a) { return static_cast<long long>(a); }
static inline unsigned long long __float2ull_rn(float a) { return static_cast<unsigned long long>(std::nearbyint(a)); }
static inline unsigned long long __float2ull_rz(float a) { return static_cast<unsigned long long>(a); }
static inline float __ll2float_rn(long long a) { return static_cast<float>(a); }
static inline float __ull2float_rn(unsigned long long a) { return static_cast<float>(a); }
static inline long long __double2ll_rn(double a) { return static_cast<long long>(std::nearbyint(a)); }
static inline long long __double2ll_rz(double a) { return static_cast<long long>(a); }
static inline unsigned __double2uint_rn(double a) { return static_cast<unsigned>(std::nearbyint(a)); }
static inline unsigned __double2uint_rz(double a) { return static_cast<unsigned>(a); }
static inline double __uint2double_rn(unsigned a) { return a; }
static inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
static inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }

static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) { return by >= 32 ? low : by == 0 ? high : high << by | low >> (32 - by); }
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) { return by >= 32 ? high : by == 0 ? low : high << (32 - by) | low >> by; }
static inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
static inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1); }

static inline float norm3df(float a, float b, float c) { return std::hypot(a, b, c); }
static inline double norm3d(double a, double b, double c) { return std::hypot(a, b, c); }
static inline float norm4df(float a, float b, float c, float d) { return std::hypot(std::hypot(a, b), std::hypot(c, d)); }
static inline float rnorm3df(float a, float b, float c) { return 1.0f / std::hypot(a, b, c); }
static inline double rnorm3d(double a, double b, double c) { return 1.0 / std::hypot(a, b, c); }
static inline double erfcx(double a) { return std::exp(a * a) * std::erfc(a); }
static inline float erfcxf(float a) { return static_cast<float>(erfcx(a)); }
static inline float cyl_bessel_i0f(float a) { return std::cyl_bessel_if(0, std::fabs(a)); }
static inline float cyl_bessel_i1f(float a) { return std::copysign(std::cyl_bessel_if(1, std::fabs(a)), a); }
// clang-format on

/// Inverse of erf: a start that is right to three digits (Winitzki), and three of Newton's steps.
static inline double erfinv(double y) {
  if (!(y > -1 && y < 1))
    return y == 1 || y == -1 ? y * std::numeric_limits<double>::infinity() : std::nan("");
  const double log = std::log(1 - y * y), half = 2 / (3.14159265358979 * 0.147) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / 0.147) - half), y);
  for (int i = 0; i < 3; ++i) x -= (std::erf(x) - y) * 0.886226925452758 * std::exp(x * x);
  return x;
}
static inline float erfinvf(float y) { return static_cast<float>(erfinv(y)); }
static inline double normcdfinv(double y) { return 1.4142135623730951 * erfinv(2 * y - 1); }
static inline float normcdfinvf(float y) { return static_cast<float>(normcdfinv(y)); }

namespace tw {

/// A result of double precision as a float that is not above it, or not below.
inline float rounded_down(double exact) {
  const float near = static_cast<float>(exact);
  return near > exact ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}
inline float rounded_up(double exact) { return -rounded_down(-exact); }

/// Parts of `Bits` bits of two words, put together one by one.
template <class Part, class Step>
unsigned by_parts(unsigned a, unsigned b, Step step) {
  constexpr int kBits = 8 * sizeof(Part);
  unsigned result = 0;
  for (int at = 0; at < 32; at += kBits) {
    const unsigned part = static_cast<unsigned>(
        step(static_cast<int>(static_cast<Part>(a >> at)), static_cast<int>(static_cast<Part>(b >> at))));
    result |= (part & ((1u << kBits) - 1)) << at;
  }
  return result;
}

template <class Part>
int saturated(int value) {
  constexpr int kLeast = std::numeric_limits<Part>::min(), kMost = std::numeric_limits<Part>::max();
  return value < kLeast ? kLeast : value > kMost ? kMost : value;
}

}  // namespace tw

// clang-format off
static inline float __fadd_rd(float a, float b) { return tw::rounded_down(static_cast<double>(a) + b); }
static inline float __fadd_ru(float a, float b) { return tw::rounded_up(static_cast<double>(a) + b); }
static inline float __fsub_rd(float a, float b) { return tw::rounded_down(static_cast<double>(a) - b); }
static inline float __fsub_ru(float a, float b) { return tw::rounded_up(static_cast<double>(a) - b); }
static inline float __fmul_rd(float a, float b) { return tw::rounded_down(static_cast<double>(a) * b); }
static inline float __fmul_ru(float a, float b) { return tw::rounded_up(static_cast<double>(a) * b); }
static inline float __double2float_rd(double a) { return tw::rounded_down(a); }
static inline float __double2float_ru(double a) { return tw::rounded_up(a); }

// Names end in the number of parts: 4 of 8 bits, 2 of 16; an `s` or `u` before it says whether they have a sign.
#define TW_BY_PARTS(name, Part4, Part2, expression)                                                                                   \
  static inline unsigned __v##name##4(unsigned a, unsigned b) { using Part = Part4; return tw::by_parts<Part>(a, b, [](int x, int y) { return expression; }); }  \
  static inline unsigned __v##name##2(unsigned a, unsigned b) { using Part = Part2; return tw::by_parts<Part>(a, b, [](int x, int y) { return expression; }); }
#define TW_SIGNED(name, expression) TW_BY_PARTS(name, signed char, short, expression)
#define TW_UNSIGNED(name, expression) TW_BY_PARTS(name, unsigned char, unsigned short, expression)
TW_UNSIGNED(add, x + y)
TW_UNSIGNED(sub, x - y)
TW_SIGNED(addss, tw::saturated<Part>(x + y))
TW_SIGNED(subss, tw::saturated<Part>(x - y))
TW_UNSIGNED(addus, tw::saturated<Part>(x + y))
TW_UNSIGNED(subus, tw::saturated<Part>(x - y))
TW_SIGNED(maxs, x < y ? y : x)
TW_SIGNED(mins, x < y ? x : y)
TW_UNSIGNED(maxu, x < y ? y : x)
TW_UNSIGNED(minu, x < y ? x : y)
TW_SIGNED(absdiffs, x < y ? y - x : x - y)
TW_UNSIGNED(absdiffu, x < y ? y - x : x - y)
TW_UNSIGNED(avgu, (x + y + 1) >> 1)
TW_SIGNED(avgs, (x + y + 1) >> 1)
TW_UNSIGNED(cmpeq, -(x == y))
TW_UNSIGNED(cmpne, -(x != y))
TW_SIGNED(cmpgts, -(x > y))
TW_SIGNED(cmpges, -(x >= y))
TW_SIGNED(cmplts, -(x < y))
TW_SIGNED(cmples, -(x <= y))
TW_UNSIGNED(cmpgtu, -(x > y))
TW_UNSIGNED(cmpgeu, -(x >= y))
TW_UNSIGNED(cmpltu, -(x < y))
TW_UNSIGNED(cmpleu, -(x <= y))
TW_UNSIGNED(seteq, x == y)
TW_UNSIGNED(setne, x != y)
#undef TW_UNSIGNED
#undef TW_SIGNED
#undef TW_BY_PARTS
static inline unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
static inline unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
static inline unsigned __vabs4(unsigned a) { return tw::by_parts<signed char>(a, 0, [](int x, int) { return x < 0 ? -x : x; }); }
static inline unsigned __vabs2(unsigned a) { return tw::by_parts<short>(a, 0, [](int x, int) { return x < 0 ? -x : x; }); }
static inline unsigned __vsadu4(unsigned a, unsigned b) { const unsigned d = __vabsdiffu4(a, b); return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24); }
static inline unsigned __vsads4(unsigned a, unsigned b) { const unsigned d = __vabsdiffs4(a, b); return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24); }

// Each element alone is atomic, as on a GPU.
static inline float2 atomicAdd(float2* to, float2 by) { return {atomicAdd(&to->x, by.x), atomicAdd(&to->y, by.y)}; }
static inline float4 atomicAdd(float4* to, float4 by) { return {atomicAdd(&to->x, by.x), atomicAdd(&to->y, by.y), atomicAdd(&to->z, by.z), atomicAdd(&to->w, by.w)}; }
// clang-format on

/// A texture of linear memory is the address of its array. What lies beyond is a finding, though a GPU gives 0 there.
using cudaTextureObject_t = unsigned long long;
template <class T>
[[gnu::always_inline]] inline T tex1Dfetch(cudaTextureObject_t texture, int index) {
  return reinterpret_cast<const T*>(texture)[index];
}
template <class T>
[[gnu::always_inline]] inline void tex1Dfetch(T* value, cudaTextureObject_t texture, int index) {
  *value = tex1Dfetch<T>(texture, index);
}
