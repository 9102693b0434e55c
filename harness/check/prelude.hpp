// prelude.hpp - what an ordinary .cu finds declared on the emulated device before its first line: CUDA's names, precompiled
// once. The words that qualify functions and variables become markers, which src/kernel-file/rewrite.ts reads and takes
// away. A source that uses the standard library gets standard_prelude.hpp, which takes a compiler thrice as long to load.
#pragma once
#include "tw/intrinsics.hpp"
#include "assembly.hpp"
#include "entry.hpp"
#include "symbol_of.hpp"
#undef __noinline__  // a word of the standard headers' attributes; src/kernel-file/rewrite.ts takes it away elsewhere

#include <cfloat>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

#if !__has_include(<vector_types.h>)
#include "no_toolkit.hpp"
#endif

using CUtensorMap = simt::TensorMap;

namespace cuda {
namespace std = ::std;  // the CUDA C++ library's own; scopes, barriers and pipelines are in include/cuda
}

// ------------------------------------------------------------------------------ variables, messages, references

extern "C" {
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes);
void* __tsan_memmove(void* to, const void* from, std::size_t bytes);
void* __tsan_memset(void* to, int value, std::size_t bytes);
}

namespace tw {

/// A variable in device memory, where accesses are checked. A launch finds it as it was initialised, or as simt::Config says.
template <class T>
class DeviceVariable {
 public:
  DeviceVariable(const T& initial, const char* name, bool constant)
      : memory_(simt::device_variable(&initial, sizeof(T), name, constant)) {}
  ~DeviceVariable() { simt::release_device_variable(memory_); }
  DeviceVariable(const DeviceVariable&) = delete;
  DeviceVariable& operator=(const DeviceVariable&) = delete;
  T& value() const { return *static_cast<T*>(memory_); }

 private:
  void* memory_;
};

/// A parameter of a reference function: element type, pointer or value (harness/check/reference.hpp reads these).
struct ReferenceParameter {
  const char* type;
  bool pointer;
};

template <class T>
constexpr const char* reference_element() {
  static_assert(element_name<T>() != nullptr, "the reference takes an argument of a type that is not supported");
  return element_name<T>();
}

template <class... Parameters>
const ReferenceParameter* reference_parameters(void (*)(Parameters...)) {
  static const ReferenceParameter all[] = {
      {reference_element<std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<Parameters>>>>(),
       std::is_pointer_v<std::remove_cvref_t<Parameters>>}...};
  return all;
}

/// Fills a variable's initial contents from the tensor whose address lies in that slot of a call.
template <class T>
void fill(T& variable, const void* call, std::size_t slot, void*) {
  const void* from = nullptr;
  std::memcpy(&from, static_cast<const char*>(call) + 8 * slot, sizeof from);
  std::memcpy(const_cast<std::remove_cv_t<T>*>(&variable), from, sizeof variable);
}

/// Puts an address into a pointer of each struct of an array.
template <class Struct, class Field>
void point(const void* call, const PointerSlots& slots, void*, Field field) {
  const auto structs = slot_of<Struct*>(call, slots.array);
  const auto target = slot_of<const void*>(call, slots.target);
  for (long long i = 0; i < slot_of<long long>(call, slots.count); ++i) {
    auto& pointer = field(structs[i]);
    std::memcpy(const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(pointer))), &target, sizeof pointer);
  }
}

// atomicCAS, atomicCAS_block and atomicCAS_system of a source: src/kernel-file/rewrite.ts puts them there.
#define TW_NOTED_SWAP(suffix)                                                                              \
  template <class T>                                                                                       \
  inline T compare_and_swap##suffix(T* pointer, std::type_identity_t<T> expected, std::type_identity_t<T> desired) { \
    simt::note_swap(pointer, sizeof(T));                                                                   \
    return ::atomicCAS##suffix(pointer, expected, desired);                                                \
  }
TW_NOTED_SWAP()
TW_NOTED_SWAP(_block)
TW_NOTED_SWAP(_system)
#undef TW_NOTED_SWAP

inline constexpr int kMostLines = 200;  // that printf writes in one process

/// printf of a kernel: one line on stderr, with the thread that prints it. That of a function of the host is what it was.
[[gnu::format(printf, 1, 2), gnu::no_sanitize("thread")]] inline int print_of_thread(const char* format, ...) {
  static int lines = 0;
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  const int written = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!simt::note_printed(text)) return std::fputs(text, stdout), written;
  if (++lines > kMostLines) return written;
  const auto& [block, thread] = std::pair(simt::ids->block, simt::ids->thread);
  std::fprintf(stderr, "block (%u,%u,%u) thread (%u,%u,%u): %s", block.x, block.y, block.z, thread.x, thread.y,
               thread.z, text);
  return written;
}

/// Inlined, so that the line is the assertion's.
[[noreturn, gnu::always_inline]] inline void fail_assertion(const char* condition) {
  char text[300];
  std::snprintf(text, sizeof text, "assertion failed: %s", condition);
  simt::trap(text);
}

}  // namespace tw

#include "assert.h"
#if __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>  // as host code: its device code is PTX
#endif
using tw::print_of_thread;
namespace std {
using tw::print_of_thread;  // std::printf
}
#define printf(...) print_of_thread(__VA_ARGS__)

// ------------------------------------------------------------------------------------- what intrinsics.hpp lacks

// clang-format off
using uint = unsigned int;
using ushort = unsigned short;
using uchar = unsigned char;
static inline float fdividef(float a, float b) { return a / b; }
static inline float normcdff(float a) { return 0.5f * std::erfc(-a * 0.70710678f); }
static inline float rhypotf(float a, float b) { return 1.0f / std::hypot(a, b); }
static inline float rcbrtf(float a) { return 1.0f / std::cbrt(a); }
static inline void sincospif(float a, float* s, float* c) { *s = std::sin(a * 3.14159265358979f); *c = std::cos(a * 3.14159265358979f); }
static inline float sinpif(float a) { return std::sin(a * 3.14159265358979f); }
static inline float cospif(float a) { return std::cos(a * 3.14159265358979f); }
static inline float __fmaf_rz(float a, float b, float c) { return std::fma(a, b, c); }
static inline float __fadd_rz(float a, float b) { return a + b; }
static inline float __fmul_rz(float a, float b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return std::sqrt(a); }
static inline unsigned __float2uint_rn(float a) { return static_cast<unsigned>(std::nearbyint(a)); }
static inline unsigned __float2uint_rz(float a) { return static_cast<unsigned>(a); }
static inline unsigned __float2uint_rd(float a) { return static_cast<unsigned>(std::floor(a)); }
static inline unsigned __float2uint_ru(float a) { return static_cast<unsigned>(std::ceil(a)); }
static inline float __int2float_rz(int a) { return static_cast<float>(a); }
static inline double __int2double_rn(int a) { return a; }
static inline int __double2int_rn(double a) { return static_cast<int>(std::nearbyint(a)); }
static inline int __double2int_rz(double a) { return static_cast<int>(a); }
static inline float __double2float_rn(double a) { return static_cast<float>(a); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64); }
static inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __sad(int a, int b, unsigned c) { return static_cast<int>(static_cast<unsigned>(a < b ? b - a : a - b) + c); }
static inline int __dp4a(int a, int b, int c) { for (int i = 0; i < 4; ++i) c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i); return c; }
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) { for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xffu) * (b >> 8 * i & 0xffu); return c; }
static inline unsigned long long __brevll(unsigned long long v) { return static_cast<unsigned long long>(__brev(static_cast<unsigned>(v))) << 32 | __brev(static_cast<unsigned>(v >> 32)); }
static inline long long clock64() { return static_cast<long long>(simt::clock64()); }
static inline bool __isGlobal(const void*) { return true; }
static inline void __prof_trigger(int) {}
static inline void __brkpt() { simt::trap("__brkpt() was called"); }
template <class T> static inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) { const bool all = __match_any_sync(mask, value) == mask; *predicate = all; return all ? mask : 0; }
// clang-format on
#include "intrinsics.hpp"

// ------------------------------------------------------------------------------------------------------ markers

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __managed__
#define __global__ tw_marks_global
#define __device__ tw_marks_device
#define __host__ tw_marks_host
#define __shared__ tw_marks_shared
#define __constant__ tw_marks_constant
#define __managed__ tw_marks_device
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((tw_cluster_dims(__VA_ARGS__)))
#undef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#undef __inline__
#define __inline__ inline
#undef __restrict__
#define __restrict__ __restrict
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
