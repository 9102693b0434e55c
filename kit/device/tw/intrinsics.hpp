// intrinsics.hpp - CUDA's own names under g++: what nvcc declares by itself and host headers lack. ptx.cuh
// includes this in the emulated build only. Collectives, fences and atomics go to the emulated device; the
// rest is plain arithmetic. A CUDA function that is not here does not compile on the emulated device, and the
// error names it: add it here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector_functions.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simt/kernel.hpp"

// -------------------------------------------------------------------------------------------------
// declarations

#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __grid_constant__
#define __grid_constant__
// The compiler reports loads and stores, but not what a call reads for a parameter or writes as its result (a
// __half, a float4): with every call inlined there are none of those. Not in the emitted library, which watches
// no accesses.
#undef __global__
#if defined(__SANITIZE_THREAD__)
#define __global__ __attribute__((flatten))
#else
#define __global__
#endif
#undef __cluster_dims__
#define __cluster_dims__(...)
#undef __maxnreg__
#define __maxnreg__(...)
#undef __shared__
#define __shared__ \
  static_assert(false, "declare shared memory with TW_SHARED(name) and carve it up by offsets");

#define threadIdx (::simt::ids->thread)
#define blockIdx (::simt::ids->block)
#define blockDim (::simt::ids->block_dim)
#define gridDim (::simt::ids->grid_dim)
inline constexpr int warpSize = 32;

namespace tw {

/// Calls a kernel with arguments as cudaLaunchKernel takes them: pointers to the values, in order.
template <class... Parameters>
void call_kernel(void (*kernel)(Parameters...), void** arguments) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
  }(std::index_sequence_for<Parameters...>{});
}

template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

/// cvt.rna.tf32.f32: the 13 low bits rounded away, nearest, ties away from zero.
inline std::uint32_t round_to_tf32(float value) {
  const auto bits = bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return bits & 0x7fffffu ? 0x7fffffffu : bits;
  return (bits + 0x1000u) & ~0x1fffu;
}

}  // namespace tw

// ------------------------------------------------------------------------------------ barriers, fences, warp
// collectives

static inline void __syncthreads() { simt::sync_threads(); }
static inline int __syncthreads_count(int predicate) { return simt::sync_threads_reduce(predicate, 0); }
static inline int __syncthreads_and(int predicate) { return simt::sync_threads_reduce(predicate, 1); }
static inline int __syncthreads_or(int predicate) { return simt::sync_threads_reduce(predicate, 2); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { simt::sync_warp(mask); }
static inline void __threadfence_block() { simt::thread_fence(simt::Scope::block); }
static inline void __threadfence() { simt::thread_fence(simt::Scope::gpu); }
static inline void __threadfence_system() { simt::thread_fence(simt::Scope::system); }
static inline void __nanosleep(unsigned ns) { simt::nanosleep(ns); }
[[noreturn]] static inline void __trap() { simt::trap("__trap() was called"); }

namespace tw {

/// Shuffles values of 2, 4 or 8 bytes, word by word.
template <class T>
[[gnu::always_inline]] inline T shuffle(unsigned mask, const T& value, simt::Shuffle mode, int lane,
                                        int width) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 2, 4 or 8 bytes");
  constexpr int words = sizeof(T) == 8 ? 2 : 1;
  std::uint32_t parts[words] = {};
  __builtin_memcpy(parts, &value, sizeof(T));
  for (std::uint32_t& part : parts) part = simt::shuffle(mask, part, mode, lane, width);
  T result;
  __builtin_memcpy(static_cast<void*>(&result), parts, sizeof(T));
  return result;
}

}  // namespace tw

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return tw::shuffle(mask, value, simt::Shuffle::idx, source, width);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return tw::shuffle(mask, value, simt::Shuffle::up, static_cast<int>(delta), width);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return tw::shuffle(mask, value, simt::Shuffle::down, static_cast<int>(delta), width);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return tw::shuffle(mask, value, simt::Shuffle::bfly, lanes, width);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return simt::ballot(mask, predicate != 0);
}
static inline int __any_sync(unsigned mask, int predicate) { return simt::ballot(mask, predicate != 0) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return simt::ballot(mask, predicate == 0) == 0; }
static inline unsigned __activemask() { return simt::active_mask(); }
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync compares 4 or 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return simt::match_any(mask, bits);
}
static inline unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::add, false);
}
static inline int __reduce_add_sync(unsigned mask, int v) {
  return simt::reduce(mask, v, simt::Reduce::add, true);
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::min, false);
}
static inline int __reduce_min_sync(unsigned mask, int v) {
  return simt::reduce(mask, v, simt::Reduce::min, true);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::max, false);
}
static inline int __reduce_max_sync(unsigned mask, int v) {
  return simt::reduce(mask, v, simt::Reduce::max, true);
}
static inline unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::and_, false);
}
static inline unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::or_, false);
}
static inline unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, simt::Reduce::xor_, false);
}

// -------------------------------------------------------------------------------------------------------
// atomics

namespace tw {

/// The step inside an atomic: the emulated device records the access itself, so the compiler's hooks stay
/// out.
template <class T, class Operand, class Step>
[[gnu::no_sanitize("thread")]] void atomic_step(void* location, const void* operand, void* old) {
  T before;
  Operand value;
  __builtin_memcpy(static_cast<void*>(&before), location, sizeof(T));
  __builtin_memcpy(static_cast<void*>(&value), operand, sizeof(Operand));
  const T after = Step{}(before, value);
  __builtin_memcpy(location, &after, sizeof(T));
  __builtin_memcpy(old, &before, sizeof(T));
}

template <class Step, simt::Scope scope = simt::Scope::gpu, class T, class Operand>
[[gnu::always_inline]] inline T atomic(T* pointer, const Operand& operand) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "atomics work on 2, 4 or 8 bytes");
  T old;
  simt::atomic(pointer, sizeof(T), atomic_step<T, Operand, Step>, &operand, &old, scope);
  return old;
}

template <class T>
struct Compare {
  T expected, desired;
};

// clang-format off
struct Add { template <class T> T operator()(T a, T b) const { return static_cast<T>(a + b); } };
struct Subtract { template <class T> T operator()(T a, T b) const { return static_cast<T>(a - b); } };
struct Minimum { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };
struct Maximum { template <class T> T operator()(T a, T b) const { return a < b ? b : a; } };
struct Exchange { template <class T> T operator()(T, T b) const { return b; } };
struct And { template <class T> T operator()(T a, T b) const { return a & b; } };
struct Or { template <class T> T operator()(T a, T b) const { return a | b; } };
struct Xor { template <class T> T operator()(T a, T b) const { return a ^ b; } };
struct Increment { unsigned operator()(unsigned a, unsigned limit) const { return a >= limit ? 0 : a + 1; } };
struct Decrement { unsigned operator()(unsigned a, unsigned limit) const { return a == 0 || a > limit ? limit : a - 1; } };
struct CompareAndSwap { template <class T> T operator()(T a, Compare<T> c) const { return a == c.expected ? c.desired : a; } };
// clang-format on

}  // namespace tw

// The operand converts to the location's type, as in CUDA's overloads. Atomics at the scope of a block are none for threads
// of other blocks.
#define TW_ATOMIC_AT(name, step, scope)                    \
  template <class T>                                       \
  static inline T name(T* p, std::type_identity_t<T> v) {  \
    return tw::atomic<tw::step, simt::Scope::scope>(p, v); \
  }
#define TW_SWAP_AT(name, scope)                                                                      \
  template <class T>                                                                                 \
  static inline T name(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {    \
    return tw::atomic<tw::CompareAndSwap, simt::Scope::scope>(p, tw::Compare<T>{expected, desired}); \
  }
#define TW_ATOMIC(name, step)             \
  TW_ATOMIC_AT(name, step, gpu)           \
  TW_ATOMIC_AT(name##_block, step, block) \
  TW_ATOMIC_AT(name##_system, step, system)
TW_ATOMIC(atomicAdd, Add)
TW_ATOMIC(atomicSub, Subtract)
TW_ATOMIC(atomicMin, Minimum)
TW_ATOMIC(atomicMax, Maximum)
TW_ATOMIC(atomicExch, Exchange)
TW_ATOMIC(atomicAnd, And)
TW_ATOMIC(atomicOr, Or)
TW_ATOMIC(atomicXor, Xor)
TW_ATOMIC(atomicInc, Increment)
TW_ATOMIC(atomicDec, Decrement)
TW_SWAP_AT(atomicCAS, gpu)
TW_SWAP_AT(atomicCAS_block, block)
TW_SWAP_AT(atomicCAS_system, system)
#undef TW_ATOMIC
#undef TW_SWAP_AT
#undef TW_ATOMIC_AT

// ------------------------------------------------------------------------------------- loads and stores with
// cache hints

// clang-format off
template <class T> static inline T __ldg(const T* p) { simt::read_only(p, sizeof(T)); return *p; }
template <class T> static inline T __ldca(const T* p) { return *p; }
template <class T> static inline T __ldcg(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline T __ldcv(const T* p) { return *p; }
template <class T> static inline T __ldlu(const T* p) { return *p; }
template <class T> static inline void __stwb(T* p, std::type_identity_t<T> v) { *p = v; }
template <class T> static inline void __stcg(T* p, std::type_identity_t<T> v) { *p = v; }
template <class T> static inline void __stcs(T* p, std::type_identity_t<T> v) { *p = v; }
template <class T> static inline void __stwt(T* p, std::type_identity_t<T> v) { *p = v; }

// -------------------------------------------------------------------------------------------- integers, bits

static inline std::size_t __cvta_generic_to_shared(const void* p) { return simt::shared_address(p); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32); }
static inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32); }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) { return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << (n & 31) >> 32); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) { return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (n & 31)); }
// clang-format on
static inline unsigned __brev(unsigned v) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (v >> bit & 1u) << (31 - bit);
  return reversed;
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> 4 * i & 7u;
    result |= static_cast<unsigned>(bytes >> 8 * pick & 0xffu) << 8 * i;
  }
  return result;
}

template <class A, class B>
static inline std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin(static_cast<T>(a), static_cast<T>(b));
  else
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
static inline std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax(static_cast<T>(a), static_cast<T>(b));
  else
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// -------------------------------------------------------------------------------------------------- floating
// point

// clang-format off
static inline unsigned __float_as_uint(float v) { return tw::bit_cast<unsigned>(v); }
static inline int __float_as_int(float v) { return tw::bit_cast<int>(v); }
static inline float __uint_as_float(unsigned v) { return tw::bit_cast<float>(v); }
static inline float __int_as_float(int v) { return tw::bit_cast<float>(v); }
static inline long long __double_as_longlong(double v) { return tw::bit_cast<long long>(v); }
static inline double __longlong_as_double(long long v) { return tw::bit_cast<double>(v); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return std::sqrt(a); }
static inline float __frsqrt_rn(float a) { return 1.0f / std::sqrt(a); }
// C23 has these too: a newer <math.h> may have declared them, without a body.
extern "C" inline float rsqrtf(float a) noexcept { return 1.0f / std::sqrt(a); }
extern "C" inline double rsqrt(double a) noexcept { return 1.0 / std::sqrt(a); }
static inline float __saturatef(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
static inline int __float2int_rn(float a) { return static_cast<int>(std::nearbyint(a)); }
static inline int __float2int_rz(float a) { return static_cast<int>(a); }
static inline int __float2int_rd(float a) { return static_cast<int>(std::floor(a)); }
static inline int __float2int_ru(float a) { return static_cast<int>(std::ceil(a)); }
static inline float __int2float_rn(int a) { return static_cast<float>(a); }
static inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
// clang-format on

// glibc declares these names as functions of its own.
#define __expf(x) (::std::exp(static_cast<float>(x)))
#define __exp10f(x) (::std::pow(10.0f, static_cast<float>(x)))
#define __logf(x) (::std::log(static_cast<float>(x)))
#define __log2f(x) (::std::log2(static_cast<float>(x)))
#define __log10f(x) (::std::log10(static_cast<float>(x)))
#define __powf(x, y) (::std::pow(static_cast<float>(x), static_cast<float>(y)))
#define __sinf(x) (::std::sin(static_cast<float>(x)))
#define __cosf(x) (::std::cos(static_cast<float>(x)))
#define __tanf(x) (::std::tan(static_cast<float>(x)))

// Functions that cuda_fp16.h and cuda_bf16.h declare for device code only. A fused multiply-add of 16-bit values is
// exact in double wherever its rounding could matter, so one rounding at the end is right.
#define TW_SIXTEEN_BIT(T, T2, TO_FLOAT, FROM_FLOAT, FROM_DOUBLE, JOIN, LOW, HIGH)                  \
  static inline T __hfma(T a, T b, T c) {                                                          \
    return FROM_DOUBLE(static_cast<double>(TO_FLOAT(a)) * TO_FLOAT(b) + TO_FLOAT(c));              \
  }                                                                                                \
  static inline T2 __hfma2(T2 a, T2 b, T2 c) {                                                     \
    return JOIN(__hfma(LOW(a), LOW(b), LOW(c)), __hfma(HIGH(a), HIGH(b), HIGH(c)));                \
  }                                                                                                \
  static inline T __hfma_relu(T a, T b, T c) { return __hmax(__hfma(a, b, c), FROM_FLOAT(0.0f)); } \
  static inline T2 __hfma2_relu(T2 a, T2 b, T2 c) {                                                \
    return JOIN(__hfma_relu(LOW(a), LOW(b), LOW(c)), __hfma_relu(HIGH(a), HIGH(b), HIGH(c)));      \
  }                                                                                                \
  TW_SIXTEEN_BIT_MATH(T, T2, exp, std::exp(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)              \
  TW_SIXTEEN_BIT_MATH(T, T2, exp2, std::exp2(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)            \
  TW_SIXTEEN_BIT_MATH(T, T2, log, std::log(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)              \
  TW_SIXTEEN_BIT_MATH(T, T2, log2, std::log2(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)            \
  TW_SIXTEEN_BIT_MATH(T, T2, rcp, 1.0f / x, TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)                 \
  TW_SIXTEEN_BIT_MATH(T, T2, sqrt, std::sqrt(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)            \
  TW_SIXTEEN_BIT_MATH(T, T2, rsqrt, 1.0f / std::sqrt(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)    \
  TW_SIXTEEN_BIT_MATH(T, T2, sin, std::sin(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)              \
  TW_SIXTEEN_BIT_MATH(T, T2, cos, std::cos(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)              \
  TW_SIXTEEN_BIT_MATH(T, T2, tanh, std::tanh(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)            \
  TW_SIXTEEN_BIT_MATH(T, T2, floor, std::floor(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)          \
  TW_SIXTEEN_BIT_MATH(T, T2, ceil, std::ceil(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)            \
  TW_SIXTEEN_BIT_MATH(T, T2, trunc, std::trunc(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)          \
  TW_SIXTEEN_BIT_MATH(T, T2, rint, std::nearbyint(x), TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH)
#define TW_SIXTEEN_BIT_MATH(T, T2, NAME, EXPRESSION, TO_FLOAT, FROM_FLOAT, JOIN, LOW, HIGH) \
  static inline T h##NAME(T value) {                                                        \
    const float x = TO_FLOAT(value);                                                        \
    return FROM_FLOAT(EXPRESSION);                                                          \
  }                                                                                         \
  static inline T2 h2##NAME(T2 pair) { return JOIN(h##NAME(LOW(pair)), h##NAME(HIGH(pair))); }

TW_SIXTEEN_BIT(__half, __half2, __half2float, __float2half_rn, __double2half, __halves2half2, __low2half,
               __high2half)
TW_SIXTEEN_BIT(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16_rn, __double2bfloat16,
               __halves2bfloat162, __low2bfloat16, __high2bfloat16)
#undef TW_SIXTEEN_BIT
#undef TW_SIXTEEN_BIT_MATH

static inline int __half2int_rn(__half v) { return __float2int_rn(__half2float(v)); }
static inline int __bfloat162int_rn(__nv_bfloat16 v) { return __float2int_rn(__bfloat162float(v)); }
