// ptx.cuh - every PTX instruction that kernels may use, as one documented function each: the only file with
// inline asm.
//
// Kernels include it, or a block of this folder that does. The same kernel source compiles with nvcc (sm_80 and up;
// Hopper's own wrappers on sm_90a) and with g++ (-DTW_EMULATED), where each wrapper calls the emulated device
// (simt/kernel.hpp). Both meanings stand side by side in TW_EITHER(hardware, emulated). The comment above a
// wrapper names its instruction and, after "PTX ISA:", the section of NVIDIA's PTX ISA manual for it.
//
// Conventions: addresses in shared memory are 32-bit (`shared_address`); sizes are bytes; a name that an
// architecture lacks is not declared there, so that the compiler's error names it.
//
// Bring-up switches, off by default, never on while timing:
//   -DTW_WAIT_LIMIT=<clocks>  a wait on an mbarrier that lasts longer traps instead of hanging the device
//   -DTW_JITTER               random delays per warp in front of synchronising wrappers: brings races to light
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#if defined(TW_EMULATED)
#include "simt/kernel.hpp"
#include "tw/intrinsics.hpp"
#define TW_EITHER(hardware, emulated) emulated
#define TW_DEVICE static inline
#define TW_MEMBER inline
#define TW_SHARED(name) unsigned char* const name = simt::shared_base()
#define TW_EXPORT(symbol) \
  extern "C" void symbol##_emulated(void** arguments) { tw::call_kernel(&symbol, arguments); }
using TensorMap = simt::TensorMap;
#else
#include <cuda.h>

#include "tw/wgmma_shapes.cuh"
#define TW_EITHER(hardware, emulated) hardware
/// Qualifies a function of a kernel file at namespace scope; TW_MEMBER one inside a class.
#define TW_DEVICE static __device__ __forceinline__
#define TW_MEMBER __device__ __forceinline__
/// The kernel's dynamic shared memory, 1024-byte aligned; the only declaration of shared memory in a kernel.
#define TW_SHARED(name) extern __shared__ __align__(1024) unsigned char name[]
/// Makes the kernel callable on the emulated device; nothing on a GPU.
#define TW_EXPORT(symbol)
using TensorMap = CUtensorMap;
#endif

// Features of the target. The host pass of nvcc (__CUDA_ARCH__ undefined) parses all and compiles none.
#if defined(TW_EMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TW_HAS_SM90 1
#else
#define TW_HAS_SM90 0
#endif
#if defined(TW_EMULATED) || !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TW_HAS_SM90A 1
#else
#define TW_HAS_SM90A 0
#endif

#if defined(TW_JITTER) && !defined(TW_EMULATED)
#define TW_DELAY(site) ::ptx::detail::jitter(site)
#else
#define TW_DELAY(site) static_cast<void>(0)
#endif

namespace ptx {

inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr int kWarpSize = 32;

// ------------------------------------------------------------------------------------- threads and registers

/// %laneid.
/// PTX ISA: Special Registers, %laneid
TW_DEVICE std::uint32_t lane_id() {
  std::uint32_t lane;
  TW_EITHER(asm("mov.u32 %0, %%laneid;" : "=r"(lane)), lane = simt::ids->lane);
  return lane;
}

/// The warp's number in its block, uniform over the warp as far as the compiler can see (one-dimensional
/// blocks).
TW_DEVICE int warp_id() { return __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x) / kWarpSize, 0); }

/// %clock64.
/// PTX ISA: Special Registers, %clock64
TW_DEVICE std::uint64_t clock() {
  std::uint64_t now;
  TW_EITHER(asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)), now = simt::clock64());
  return now;
}

/// nanosleep.u32: suspends the thread for 0 to 2 * `ns`.
/// PTX ISA: Miscellaneous Instructions, nanosleep
TW_DEVICE void nanosleep(std::uint32_t ns) {
  TW_EITHER(asm volatile("nanosleep.u32 %0;" ::"r"(ns)), simt::nanosleep(ns));
}

/// trap: stops the kernel with an error.
/// PTX ISA: Miscellaneous Instructions, trap
TW_DEVICE void trap() { TW_EITHER(asm volatile("trap;"), simt::trap("ptx::trap was called")); }

namespace detail {
#if defined(TW_JITTER) && !defined(TW_EMULATED)
/// One warp in four sleeps up to 4 us (or 0.25 us), by a hash of clock, multiprocessor, warp and call site.
TW_DEVICE void jitter(std::uint32_t site) {
  std::uint32_t sm, slot;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  std::uint32_t hash =
      static_cast<std::uint32_t>(clock() >> 4) * 2654435761u ^ (sm * 40503u + slot * 9973u + site * 7919u);
  hash = (hash ^ hash >> 15) * 2246822519u;
  hash ^= hash >> 13;
  if ((hash & 3) < 2) nanosleep(hash >> 8 & ((hash & 1) ? 4095 : 255));
}
#endif

template <class To, class From>
TW_DEVICE To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

template <class T>
inline constexpr bool is_half = false;
template <>
inline constexpr bool is_half<__half> = true;
template <class T>
inline constexpr bool is_bfloat16 = false;
template <>
inline constexpr bool is_bfloat16<__nv_bfloat16> = true;

#if defined(TW_EMULATED)
template <class T>
inline constexpr simt::MmaType mma_type = is_half<T> ? simt::MmaType::f16 : simt::MmaType::bf16;
#endif
}  // namespace detail

/// An empty asm that "writes" every register of `values`: keeps the compiler from moving their reads and
/// writes across it, as wgmma's accumulators need between wgmma_wait and use. No instruction.
/// PTX ISA: wgmma.fence (the rule it serves)
template <int Count>
TW_DEVICE void fence_registers(float (&values)[Count]) {
#if defined(TW_EMULATED)
  static_cast<void>(values);
#else
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(values[i])::"memory");
#endif
}

// --------------------------------------------------------------------------------------------------- packing

/// Two floats to one register of two `T` (__half or __nv_bfloat16), round to nearest even; `low` in bits
/// 0..15.
/// PTX ISA: Data Movement and Conversion Instructions, cvt (cvt.rn.f16x2.f32, cvt.rn.bf16x2.f32)
template <class T>
TW_DEVICE std::uint32_t pack(float low, float high) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>, "pack<__half> or pack<__nv_bfloat16>");
  if constexpr (detail::is_half<T>)
    return detail::bit_cast<std::uint32_t>(__floats2half2_rn(low, high));
  else
    return detail::bit_cast<std::uint32_t>(__floats2bfloat162_rn(low, high));
}

/// The inverse of pack.
template <class T>
TW_DEVICE float2 unpack(std::uint32_t packed) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>, "unpack<__half> or unpack<__nv_bfloat16>");
  if constexpr (detail::is_half<T>)
    return __half22float2(detail::bit_cast<__half2>(packed));
  else
    return __bfloat1622float2(detail::bit_cast<__nv_bfloat162>(packed));
}

/// ex2.approx.ftz.f32: 2 to the power `x`, within 2^-22 of it; 0 below the normal numbers.
/// PTX ISA: Floating Point Instructions, ex2
TW_DEVICE float exp2_approx(float x) {
  float power;
  TW_EITHER(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x)), power = std::exp2(x));
  return power;
}

/// rcp.approx.ftz.f32: 1 / x, within 2^-23 of it, for normal numbers.
/// PTX ISA: Floating Point Instructions, rcp
TW_DEVICE float reciprocal_approx(float x) {
  float result;
  TW_EITHER(asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x)), result = 1.0f / x);
  return result;
}

/// cvt.rna.tf32.f32: nearest tf32, ties away from zero, as a 32-bit pattern for mma_m16n8k8_tf32.
/// PTX ISA: Data Movement and Conversion Instructions, cvt
TW_DEVICE std::uint32_t to_tf32(float value) {
  std::uint32_t bits;
  TW_EITHER(asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value)), bits = tw::round_to_tf32(value));
  return bits;
}

// --------------------------------------------------------------------------------------------- shared memory

/// cvta.to.shared: the 32-bit address, in the shared window, of a pointer to shared memory.
/// PTX ISA: Data Movement and Conversion Instructions, cvta
TW_DEVICE std::uint32_t shared_address(const void* pointer) {
  return TW_EITHER(static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer)),
                   simt::shared_address(pointer));
}

/// ld.shared::cta.b32.
/// PTX ISA: Data Movement and Conversion Instructions, ld
template <class T = std::uint32_t>
TW_DEVICE T load_shared(std::uint32_t address) {
  static_assert(sizeof(T) == 4, "load_shared reads 4 bytes; load_shared_v4 reads 16");
  std::uint32_t bits;
  TW_EITHER(asm volatile("ld.shared.b32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory"),
            simt::shared_load(address, &bits, 4));
  return detail::bit_cast<T>(bits);
}

/// ld.shared::cta.v4.b32; 16-byte aligned.
/// PTX ISA: Data Movement and Conversion Instructions, ld
TW_DEVICE uint4 load_shared_v4(std::uint32_t address) {
  uint4 v;
  TW_EITHER(asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z),
                         "=r"(v.w) : "r"(address) : "memory"),
            simt::shared_load(address, &v, 16));
  return v;
}

/// st.shared::cta.b32.
/// PTX ISA: Data Movement and Conversion Instructions, st
template <class T>
TW_DEVICE void store_shared(std::uint32_t address, const T& value) {
  static_assert(sizeof(T) == 4, "store_shared writes 4 bytes; store_shared_v4 writes 16");
  const auto bits = detail::bit_cast<std::uint32_t>(value);
  TW_EITHER(asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(bits) : "memory"),
            simt::shared_store(address, &bits, 4));
}

/// st.shared::cta.v4.b32; 16-byte aligned.
/// PTX ISA: Data Movement and Conversion Instructions, st
TW_DEVICE void store_shared_v4(std::uint32_t address, const uint4& v) {
  TW_EITHER(asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y),
                         "r"(v.z), "r"(v.w) : "memory"),
            simt::shared_store(address, &v, 16));
}

// -------------------------------------------------------------------------------------------------- cp.async

/// cp.async.ca (4, 8 bytes) or cp.async.cg (16 bytes, not kept in L1), global to shared. Both sides aligned
/// to `Bytes`.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async
template <int Bytes>
TW_DEVICE void cp_async(std::uint32_t destination, const void* source) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp_async copies 4, 8 or 16 bytes");
  if constexpr (Bytes == 16)
    TW_EITHER(
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(source) : "memory"),
        simt::cp_async(destination, source, 16, 16));
  else
    TW_EITHER(asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(destination), "l"(source),
                           "n"(Bytes) : "memory"),
              simt::cp_async(destination, source, Bytes, Bytes));
}

/// The same with zero fill: reads the first `source_bytes` (0 to Bytes) only and writes zeros for the rest.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async (src-size)
template <int Bytes>
TW_DEVICE void cp_async_zfill(std::uint32_t destination, const void* source, int source_bytes) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp_async_zfill copies 4, 8 or 16 bytes");
  if constexpr (Bytes == 16)
    TW_EITHER(asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source),
                           "r"(source_bytes) : "memory"),
              simt::cp_async(destination, source, 16, source_bytes));
  else
    TW_EITHER(asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(destination), "l"(source),
                           "n"(Bytes), "r"(source_bytes) : "memory"),
              simt::cp_async(destination, source, Bytes, source_bytes));
}

/// cp.async.commit_group.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.commit_group
TW_DEVICE void cp_async_commit() {
  TW_DELAY(1);
  TW_EITHER(asm volatile("cp.async.commit_group;" :: : "memory"), simt::cp_async_commit());
}

/// cp.async.wait_group: until at most `Pending` of the thread's own groups are in flight; other threads'
/// copies need a barrier after it.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.wait_group
template <int Pending>
TW_DEVICE void cp_async_wait() {
  TW_DELAY(2);
  TW_EITHER(asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory"),
            simt::cp_async_wait_group(Pending));
}

/// cp.async.wait_all: committed or not.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.wait_all
TW_DEVICE void cp_async_wait_all() {
  TW_DELAY(2);
  TW_EITHER(asm volatile("cp.async.wait_all;" :: : "memory"), simt::cp_async_wait_all());
}

/// cp.async.mbarrier.arrive.noinc.b64: an arrival on `barrier`, counted in its init, once all earlier
/// cp.async of this thread are done.
/// PTX ISA: Parallel Synchronization and Communication Instructions, cp.async.mbarrier.arrive
TW_DEVICE void cp_async_mbarrier_arrive_noinc(std::uint32_t barrier) {
  TW_DELAY(3);
  TW_EITHER(asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory"),
            simt::cp_async_mbarrier_arrive(barrier, true));
}

/// cp.async.mbarrier.arrive.b64: as above, but first raises the pending count by one, so that init need not
/// count it.
/// PTX ISA: Parallel Synchronization and Communication Instructions, cp.async.mbarrier.arrive
TW_DEVICE void cp_async_mbarrier_arrive(std::uint32_t barrier) {
  TW_DELAY(3);
  TW_EITHER(asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(barrier) : "memory"),
            simt::cp_async_mbarrier_arrive(barrier, false));
}

// ------------------------------------------------------------------------------------------ matrix fragments
// A warp moves 8x8 matrices of 16-bit elements. Lane 8*i + r gives the address of row r of matrix i (16
// bytes, 16-byte aligned); register i of lane t holds row t/4, columns 2*(t%4) and +1 of matrix i, or of its
// transpose (_trans).

/// ldmatrix.sync.aligned.m8n8.x1.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x1(std::uint32_t (&r)[1], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory"),
      simt::ldmatrix(r, 1, false, row));
}

/// ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x1_trans(std::uint32_t (&r)[1], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(
                row) : "memory"),
            simt::ldmatrix(r, 1, true, row));
}

/// ldmatrix.sync.aligned.m8n8.x2.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x2(std::uint32_t (&r)[2], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]),
                         "=r"(r[1]) : "r"(row) : "memory"),
            simt::ldmatrix(r, 2, false, row));
}

/// ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x2_trans(std::uint32_t (&r)[2], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]),
                         "=r"(r[1]) : "r"(row) : "memory"),
            simt::ldmatrix(r, 2, true, row));
}

/// ldmatrix.sync.aligned.m8n8.x4.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]),
                         "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory"),
            simt::ldmatrix(r, 4, false, row));
}

/// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
TW_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], std::uint32_t row) {
  TW_DELAY(4);
  TW_EITHER(
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]),
                   "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory"),
      simt::ldmatrix(r, 4, true, row));
}

#if TW_HAS_SM90
/// stmatrix.sync.aligned.m8n8.x1.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x1(std::uint32_t row, const std::uint32_t (&r)[1]) {
  TW_EITHER(
      asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(r[0]) : "memory"),
      simt::stmatrix(r, 1, false, row));
}

/// stmatrix.sync.aligned.m8n8.x1.trans.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x1_trans(std::uint32_t row, const std::uint32_t (&r)[1]) {
  TW_EITHER(asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row),
                         "r"(r[0]) : "memory"),
            simt::stmatrix(r, 1, true, row));
}

/// stmatrix.sync.aligned.m8n8.x2.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x2(std::uint32_t row, const std::uint32_t (&r)[2]) {
  TW_EITHER(asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(r[0]),
                         "r"(r[1]) : "memory"),
            simt::stmatrix(r, 2, false, row));
}

/// stmatrix.sync.aligned.m8n8.x2.trans.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x2_trans(std::uint32_t row, const std::uint32_t (&r)[2]) {
  TW_EITHER(asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(row),
                         "r"(r[0]), "r"(r[1]) : "memory"),
            simt::stmatrix(r, 2, true, row));
}

/// stmatrix.sync.aligned.m8n8.x4.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x4(std::uint32_t row, const std::uint32_t (&r)[4]) {
  TW_EITHER(asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                         "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"),
            simt::stmatrix(r, 4, false, row));
}

/// stmatrix.sync.aligned.m8n8.x4.trans.shared.b16; sm_90.
/// PTX ISA: Warp-level matrix store instruction: stmatrix
TW_DEVICE void stmatrix_x4_trans(std::uint32_t row, const std::uint32_t (&r)[4]) {
  TW_EITHER(asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                         "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"),
            simt::stmatrix(r, 4, true, row));
}
#endif  // TW_HAS_SM90

/// mma.sync.aligned.m16n8k16.row.col.f32.T.T.f32: d += a * b for one warp, T = __half or __nv_bfloat16.
/// PTX ISA: Multiply-and-accumulate instruction: mma; Matrix fragments for mma.m16n8k16 with floating point
/// type
template <class T>
TW_DEVICE void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>, "mma_m16n8k16<__half> or <__nv_bfloat16>");
#if defined(TW_EMULATED)
  const std::uint32_t b[2] = {b0, b1};
  simt::mma_m16n8(d, a, b, detail::mma_type<T>);
#else
  if constexpr (detail::is_half<T>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32: d += a * b for one warp; operands from to_tf32.
/// PTX ISA: Multiply-and-accumulate instruction: mma; Matrix fragments for mma.m16n8k8
TW_DEVICE void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
#if defined(TW_EMULATED)
  const std::uint32_t b[2] = {b0, b1};
  simt::mma_m16n8(d, a, b, simt::MmaType::tf32);
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// -------------------------------------------------------------------------------------------- named barriers

/// bar.sync: `Threads` threads of the block (whole warps) synchronise at barrier `Id`. 0 is __syncthreads' own.
/// PTX ISA: Parallel Synchronization and Communication Instructions, bar, barrier
template <int Id, int Threads>
TW_DEVICE void bar_sync() {
  static_assert(Id >= 0 && Id < 16, "a block has barriers 0 to 15");
  static_assert(Threads > 0 && Threads <= 1024 && Threads % kWarpSize == 0, "whole warps");
  TW_DELAY(5);
  TW_EITHER(asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Threads) : "memory"), simt::bar_sync(Id, Threads));
}

/// bar.arrive: counts as having come to barrier `Id` and goes on; `Threads` as in the bar_sync that waits.
/// PTX ISA: Parallel Synchronization and Communication Instructions, bar, barrier
template <int Id, int Threads>
TW_DEVICE void bar_arrive() {
  static_assert(Id >= 0 && Id < 16, "a block has barriers 0 to 15");
  static_assert(Threads > 0 && Threads <= 1024 && Threads % kWarpSize == 0, "whole warps");
  TW_DELAY(5);
  TW_EITHER(asm volatile("bar.arrive %0, %1;" ::"n"(Id), "n"(Threads) : "memory"),
            simt::bar_arrive(Id, Threads));
}

/// bar_sync on barrier First + index, index < Count (a warpgroup's number, say). The ids stay constants in
/// the code, as ptxas reserves all 16 barriers for one that it cannot see.
template <int First, int Count, int Threads>
TW_DEVICE void bar_sync_of(int index) {
  if constexpr (Count == 1) {
    bar_sync<First, Threads>();
  } else {
    if (index == 0)
      bar_sync<First, Threads>();
    else
      bar_sync_of<First + 1, Count - 1, Threads>(index - 1);
  }
}

/// bar_arrive on barrier First + index, index < Count.
template <int First, int Count, int Threads>
TW_DEVICE void bar_arrive_of(int index) {
  if constexpr (Count == 1) {
    bar_arrive<First, Threads>();
  } else {
    if (index == 0)
      bar_arrive<First, Threads>();
    else
      bar_arrive_of<First + 1, Count - 1, Threads>(index - 1);
  }
}

// -------------------------------------------------------------------------------------------------- mbarrier
// A 64-bit object in shared memory, 8-byte aligned. A phase completes when `count` arrivals and all expected
// bytes have come; the parity given to a wait is that of the phase waited for (0, 1, 0, …). A wait with the
// parity of the phase before the current one passes at once.

/// mbarrier.init: `count` arrivals complete a phase, 1 to 2^20 - 1. Follow with fence_mbarrier_init and a
/// barrier.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.init
TW_DEVICE void mbarrier_init(std::uint32_t barrier, std::uint32_t count) {
  TW_EITHER(asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory"),
            simt::mbarrier_init(barrier, count));
}

/// mbarrier.inval: the memory may be used for something else.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.inval
TW_DEVICE void mbarrier_inval(std::uint32_t barrier) {
  TW_EITHER(asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier) : "memory"),
            simt::mbarrier_inval(barrier));
}

/// mbarrier.arrive: one arrival, release at block scope.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.arrive
TW_DEVICE void mbarrier_arrive(std::uint32_t barrier) {
  TW_DELAY(6);
  TW_EITHER(asm volatile(
                "{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(barrier) : "memory"),
            simt::mbarrier_arrive(barrier));
}

/// mbarrier.try_wait.parity (sm_90; mbarrier.test_wait.parity before): has the phase of this parity
/// completed? May sleep for a while first.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.try_wait
TW_DEVICE bool mbarrier_try_wait(std::uint32_t barrier, std::uint32_t parity) {
#if defined(TW_EMULATED)
  return simt::mbarrier_try_wait(barrier, parity);
#else
  std::uint32_t done;
#if TW_HAS_SM90
  asm volatile(
      "{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\nselp.u32 %0, 1, 0, "
      "done;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
#else
  asm volatile(
      "{\n.reg .pred done;\nmbarrier.test_wait.parity.shared.b64 done, [%1], %2;\nselp.u32 %0, 1, 0, done;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
#endif
  return done != 0;
#endif
}

/// Blocks until the phase of this parity has completed; acquire at block scope. Use this, never an own
/// polling loop.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.try_wait
TW_DEVICE void mbarrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  TW_DELAY(7);
#if defined(TW_EMULATED)
  simt::mbarrier_wait(barrier, parity);
#elif defined(TW_WAIT_LIMIT)
  const std::uint64_t start = clock();
  while (!mbarrier_try_wait(barrier, parity))
    if (clock() - start > static_cast<std::uint64_t>(TW_WAIT_LIMIT)) trap();
#else
  while (!mbarrier_try_wait(barrier, parity)) {
  }
#endif
}

#if TW_HAS_SM90
/// mbarrier.arrive with a count: `count` arrivals at once; sm_90.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.arrive
TW_DEVICE void mbarrier_arrive_count(std::uint32_t barrier, std::uint32_t count) {
  TW_DELAY(6);
  TW_EITHER(
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count) : "memory"),
      simt::mbarrier_arrive(barrier, count));
}

/// mbarrier.expect_tx: the current phase also waits for `bytes` of asynchronous copies; sm_90.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.expect_tx
TW_DEVICE void mbarrier_expect_tx(std::uint32_t barrier, std::uint32_t bytes) {
  TW_EITHER(asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                         "r"(bytes) : "memory"),
            simt::mbarrier_expect_tx(barrier, bytes));
}

/// mbarrier.arrive.expect_tx: expect_tx and one arrival in one step; sm_90.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.arrive
TW_DEVICE void mbarrier_arrive_expect_tx(std::uint32_t barrier, std::uint32_t bytes) {
  TW_DELAY(6);
  TW_EITHER(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(bytes) : "memory"),
            simt::mbarrier_arrive_expect_tx(barrier, bytes));
}

/// mbarrier.arrive.shared::cluster on an address from map_shared_rank; sm_90. Default (block) scope on
/// purpose: `.release.cluster` compiles to a fence of the whole GPU and has halved a kernel's speed on an
/// H200. Enough to give a stage back after wgmma_wait; to hand over what generic stores wrote, use
/// mbarrier_arrive_cluster_release.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.arrive
TW_DEVICE void mbarrier_arrive_cluster(std::uint32_t barrier) {
  TW_DELAY(6);
  TW_EITHER(asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory"),
            simt::mbarrier_arrive(barrier));
}

/// mbarrier.arrive.release.cluster.shared::cluster; sm_90.
/// PTX ISA: Parallel Synchronization and Communication Instructions, mbarrier.arrive
TW_DEVICE void mbarrier_arrive_cluster_release(std::uint32_t barrier) {
  TW_DELAY(6);
  TW_EITHER(
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory"),
      simt::mbarrier_arrive(barrier, 1, simt::Scope::cluster));
}

// -------------------------------------------------------------------------------------------- fences (sm_90)

/// fence.mbarrier_init.release.cluster: makes mbarrier.init visible to the async proxy and to the cluster.
/// PTX ISA: Parallel Synchronization and Communication Instructions, membar, fence
TW_DEVICE void fence_mbarrier_init() {
  TW_EITHER(asm volatile("fence.mbarrier_init.release.cluster;" :: : "memory"), simt::fence_mbarrier_init());
}

/// fence.proxy.async.shared::cta: orders this thread's accesses to shared memory before later ones of the
/// async proxy (bulk and tensor copies, wgmma).
/// PTX ISA: Parallel Synchronization and Communication Instructions, membar, fence
TW_DEVICE void fence_proxy_async_shared() {
  TW_DELAY(8);
  TW_EITHER(asm volatile("fence.proxy.async.shared::cta;" :: : "memory"), simt::fence_proxy_async());
}

/// fence.proxy.async: the same for shared and global memory.
/// PTX ISA: Parallel Synchronization and Communication Instructions, membar, fence
TW_DEVICE void fence_proxy_async() {
  TW_DELAY(8);
  TW_EITHER(asm volatile("fence.proxy.async;" :: : "memory"), simt::fence_proxy_async());
}

/// fence.acq_rel.cluster.
/// PTX ISA: Parallel Synchronization and Communication Instructions, membar, fence
TW_DEVICE void fence_cluster() {
  TW_EITHER(asm volatile("fence.acq_rel.cluster;" :: : "memory"), simt::thread_fence(simt::Scope::cluster));
}

// ------------------------------------------------------------------------------------------ clusters (sm_90)

/// %cluster_ctarank: this block's rank in its cluster.
/// PTX ISA: Special Registers, %cluster_ctarank
TW_DEVICE std::uint32_t cluster_rank() {
  std::uint32_t rank;
  TW_EITHER(asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)), rank = simt::ids->cluster_rank);
  return rank;
}

/// %cluster_nctarank: blocks in the cluster.
/// PTX ISA: Special Registers, %cluster_nctarank
TW_DEVICE std::uint32_t cluster_size() {
  std::uint32_t size;
  TW_EITHER(asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size)), size = simt::ids->cluster_size);
  return size;
}

/// mapa.shared::cluster: the address, in block `rank` of the cluster, of what lies at `address` in this
/// block.
/// PTX ISA: Data Movement and Conversion Instructions, mapa
TW_DEVICE std::uint32_t map_shared_rank(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  TW_EITHER(asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank)),
            mapped = simt::map_shared_rank(address, rank));
  return mapped;
}

/// ld.shared::cluster.b32 from an address of map_shared_rank.
/// PTX ISA: Data Movement and Conversion Instructions, ld
template <class T = std::uint32_t>
TW_DEVICE T load_shared_cluster(std::uint32_t address) {
  static_assert(sizeof(T) == 4, "load_shared_cluster reads 4 bytes");
  std::uint32_t bits;
  TW_EITHER(asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory"),
            simt::shared_load(address, &bits, 4));
  return detail::bit_cast<T>(bits);
}

/// st.shared::cluster.b32 to an address of map_shared_rank.
/// PTX ISA: Data Movement and Conversion Instructions, st
template <class T>
TW_DEVICE void store_shared_cluster(std::uint32_t address, const T& value) {
  static_assert(sizeof(T) == 4, "store_shared_cluster writes 4 bytes");
  const auto bits = detail::bit_cast<std::uint32_t>(value);
  TW_EITHER(asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(address), "r"(bits) : "memory"),
            simt::shared_store(address, &bits, 4));
}

/// barrier.cluster.arrive.release.aligned.
/// PTX ISA: Parallel Synchronization and Communication Instructions, barrier.cluster
TW_DEVICE void cluster_arrive() {
  TW_DELAY(9);
  TW_EITHER(asm volatile("barrier.cluster.arrive.release.aligned;" :: : "memory"),
            simt::cluster_arrive(true));
}

/// barrier.cluster.arrive.relaxed.aligned: orders execution, not memory.
/// PTX ISA: Parallel Synchronization and Communication Instructions, barrier.cluster
TW_DEVICE void cluster_arrive_relaxed() {
  TW_DELAY(9);
  TW_EITHER(asm volatile("barrier.cluster.arrive.relaxed.aligned;" :: : "memory"),
            simt::cluster_arrive(false));
}

/// barrier.cluster.wait.acquire.aligned.
/// PTX ISA: Parallel Synchronization and Communication Instructions, barrier.cluster
TW_DEVICE void cluster_wait() {
  TW_DELAY(9);
  TW_EITHER(asm volatile("barrier.cluster.wait.acquire.aligned;" :: : "memory"), simt::cluster_wait());
}

/// Barrier of all threads of the cluster.
TW_DEVICE void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

/// elect.sync: true in exactly one lane of a converged warp.
/// PTX ISA: Parallel Synchronization and Communication Instructions, elect.sync
TW_DEVICE bool elect_one() {
#if defined(TW_EMULATED)
  return simt::elect_one(kAllLanes);
#else
  std::uint32_t elected;
  asm volatile("{\n.reg .pred elected;\nelect.sync _|elected, 0xffffffff;\nselp.u32 %0, 1, 0, elected;\n}"
               : "=r"(elected));
  return elected != 0;
#endif
}

/// griddepcontrol.wait: until the kernels that this one depends on have ended and their writes are visible.
/// PTX ISA: Parallel Synchronization and Communication Instructions, griddepcontrol
TW_DEVICE void griddep_wait() {
  TW_EITHER(asm volatile("griddepcontrol.wait;" :: : "memory"), simt::griddep_wait());
}

/// griddepcontrol.launch_dependents: the next kernel may start now.
/// PTX ISA: Parallel Synchronization and Communication Instructions, griddepcontrol
TW_DEVICE void griddep_launch_dependents() {
  TW_EITHER(asm volatile("griddepcontrol.launch_dependents;" :: : "memory"), simt::griddep_launch());
}

// ---------------------------------------------------------------------------- bulk and tensor copies (sm_90)
// Asynchronous copies by the async proxy. Loads complete on an mbarrier (complete_tx::bytes), stores in bulk
// groups of the issuing thread. One thread issues for the block. A multicast load writes the same offsets,
// and signals the same mbarrier offset, in every block of the cluster whose bit is set in `mask`.

/// Advice to L2 how long to keep the lines of a copy; made by policy_evict_first or policy_evict_last.
struct CachePolicy {
  std::uint64_t bits;
};

/// createpolicy.fractional.L2::evict_first.
/// PTX ISA: Data Movement and Conversion Instructions, createpolicy
TW_DEVICE CachePolicy policy_evict_first() {
  CachePolicy policy;
  TW_EITHER(asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy.bits)),
            policy.bits = 1);
  return policy;
}

/// createpolicy.fractional.L2::evict_last.
/// PTX ISA: Data Movement and Conversion Instructions, createpolicy
TW_DEVICE CachePolicy policy_evict_last() {
  CachePolicy policy;
  TW_EITHER(asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy.bits)),
            policy.bits = 2);
  return policy;
}

/// cp.async.bulk.shared::cluster.global: `bytes` contiguous bytes, global to shared; both 16-byte aligned,
/// bytes % 16 == 0.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk
TW_DEVICE void bulk_load(std::uint32_t destination, const void* source, std::uint32_t bytes,
                         std::uint32_t barrier) {
  TW_DELAY(10);
  TW_EITHER(
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
              destination),
          "l"(source), "r"(bytes), "r"(barrier) : "memory"),
      simt::bulk_load(destination, source, bytes, barrier, 0));
}

/// bulk_load with an L2 cache hint.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk
TW_DEVICE void bulk_load(std::uint32_t destination, const void* source, std::uint32_t bytes,
                         std::uint32_t barrier, [[maybe_unused]] CachePolicy policy) {
  TW_DELAY(10);
  TW_EITHER(
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
          "[%3], %4;" ::"r"(destination),
          "l"(source), "r"(bytes), "r"(barrier), "l"(policy.bits) : "memory"),
      simt::bulk_load(destination, source, bytes, barrier, 0));
}

/// bulk_load into every block of `mask`.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk
TW_DEVICE void bulk_load_multicast(std::uint32_t destination, const void* source, std::uint32_t bytes,
                                   std::uint32_t barrier, std::uint16_t mask) {
  TW_DELAY(10);
  TW_EITHER(asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                         "cluster [%0], [%1], %2, "
                         "[%3], %4;" ::"r"(destination),
                         "l"(source), "r"(bytes), "r"(barrier), "h"(mask) : "memory"),
            simt::bulk_load(destination, source, bytes, barrier, mask));
}

/// cp.async.bulk.global.shared::cta: `bytes` contiguous bytes, shared to global; completes in a bulk group.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk
TW_DEVICE void bulk_store(void* destination, std::uint32_t source, std::uint32_t bytes) {
  TW_DELAY(10);
  TW_EITHER(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination),
                         "r"(source), "r"(bytes) : "memory"),
            simt::bulk_store(destination, source, bytes));
}

/// bulk_store with an L2 cache hint.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk
TW_DEVICE void bulk_store(void* destination, std::uint32_t source, std::uint32_t bytes,
                          [[maybe_unused]] CachePolicy policy) {
  TW_DELAY(10);
  TW_EITHER(
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(destination),
          "r"(source), "r"(bytes), "l"(policy.bits) : "memory"),
      simt::bulk_store(destination, source, bytes));
}

/// cp.async.bulk.prefetch.L2: brings `bytes` bytes into L2.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.prefetch
TW_DEVICE void bulk_prefetch(const void* source, std::uint32_t bytes) {
  TW_EITHER(asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(source), "r"(bytes) : "memory"),
            simt::bulk_prefetch(source, bytes));
}

/// cp.async.bulk.commit_group.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.commit_group
TW_DEVICE void bulk_commit() {
  TW_EITHER(asm volatile("cp.async.bulk.commit_group;" :: : "memory"), simt::bulk_commit());
}

/// cp.async.bulk.wait_group: until at most `Pending` of the thread's groups are unfinished (written and
/// visible).
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.wait_group
template <int Pending>
TW_DEVICE void bulk_wait() {
  TW_EITHER(asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory"),
            simt::bulk_wait(Pending, false));
}

/// cp.async.bulk.wait_group.read: until at most `Pending` groups still read their source; it may be
/// overwritten then.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.wait_group
template <int Pending>
TW_DEVICE void bulk_wait_read() {
  TW_EITHER(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory"),
            simt::bulk_wait(Pending, true));
}

/// prefetch.tensormap: brings the descriptor into the cache. The map is a `const __grid_constant__ TensorMap`
/// parameter.
/// PTX ISA: Data Movement and Conversion Instructions, prefetch, prefetchu
TW_DEVICE void prefetch_tensor_map(const TensorMap* map) {
  TW_EITHER(asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"), simt::tensor_prefetch(map));
}

#if !defined(TW_EMULATED)
namespace detail {
// The coordinate list of a tensor copy of rank 1 to 5: its text (operands from %5 on) and its operands.
#define TW_AT_1 "{%5}"
#define TW_AT_2 "{%5, %6}"
#define TW_AT_3 "{%5, %6, %7}"
#define TW_AT_4 "{%5, %6, %7, %8}"
#define TW_AT_5 "{%5, %6, %7, %8, %9}"
#define TW_AT_OPERANDS_1 "r"(at[0])
#define TW_AT_OPERANDS_2 TW_AT_OPERANDS_1, "r"(at[1])
#define TW_AT_OPERANDS_3 TW_AT_OPERANDS_2, "r"(at[2])
#define TW_AT_OPERANDS_4 TW_AT_OPERANDS_3, "r"(at[3])
#define TW_AT_OPERANDS_5 TW_AT_OPERANDS_4, "r"(at[4])

// %0 shared address, %1 map, %2 mbarrier, %3 multicast mask, %4 cache policy: the same numbers in every form.
#define TW_TENSOR_ASM(RANK, TEXT)                                                                        \
  asm volatile(TEXT ::"r"(shared), "l"(map), "r"(barrier), "h"(mask), "l"(policy), TW_AT_OPERANDS_##RANK \
               : "memory")
#define TW_TENSOR_LOAD(RANK, QUALIFIERS, TAIL)                                           \
  TW_TENSOR_ASM(RANK, "cp.async.bulk.tensor." #RANK                                      \
                      "d.shared::cluster.global.mbarrier::complete_tx::bytes" QUALIFIERS \
                      " [%0], [%1, " TW_AT_##RANK "], [%2]" TAIL ";")

template <int Rank>
struct TensorCopy;

#define TW_TENSOR_RANK(RANK)                                                                                \
  template <>                                                                                               \
  struct TensorCopy<RANK> {                                                                                 \
    template <bool Multicast, bool Hint>                                                                    \
    static __device__ __forceinline__ void load(std::uint32_t shared, const TensorMap* map, const int* at,  \
                                                std::uint32_t barrier, std::uint16_t mask,                  \
                                                std::uint64_t policy) {                                     \
      if constexpr (Multicast && Hint)                                                                      \
        TW_TENSOR_LOAD(RANK, ".multicast::cluster.L2::cache_hint", ", %3, %4");                             \
      else if constexpr (Multicast)                                                                         \
        TW_TENSOR_LOAD(RANK, ".multicast::cluster", ", %3");                                                \
      else if constexpr (Hint)                                                                              \
        TW_TENSOR_LOAD(RANK, ".L2::cache_hint", ", %4");                                                    \
      else                                                                                                  \
        TW_TENSOR_LOAD(RANK, "", "");                                                                       \
    }                                                                                                       \
    template <bool Hint>                                                                                    \
    static __device__ __forceinline__ void store(const TensorMap* map, const int* at, std::uint32_t shared, \
                                                 std::uint64_t policy) {                                    \
      constexpr std::uint32_t barrier = 0;                                                                  \
      constexpr std::uint16_t mask = 0;                                                                     \
      if constexpr (Hint)                                                                                   \
        TW_TENSOR_ASM(RANK,                                                                                 \
                      "cp.async.bulk.tensor." #RANK                                                         \
                      "d.global.shared::cta.bulk_group.L2::cache_hint [%1, " TW_AT_##RANK "], [%0], %4;");  \
      else                                                                                                  \
        TW_TENSOR_ASM(RANK, "cp.async.bulk.tensor." #RANK                                                   \
                            "d.global.shared::cta.bulk_group [%1, " TW_AT_##RANK "], [%0];");               \
    }                                                                                                       \
    static __device__ __forceinline__ void reduce_add(const TensorMap* map, const int* at,                  \
                                                      std::uint32_t shared) {                               \
      constexpr std::uint32_t barrier = 0;                                                                  \
      constexpr std::uint16_t mask = 0;                                                                     \
      constexpr std::uint64_t policy = 0;                                                                   \
      TW_TENSOR_ASM(RANK, "cp.reduce.async.bulk.tensor." #RANK                                              \
                          "d.global.shared::cta.add.tile.bulk_group [%1, " TW_AT_##RANK "], [%0];");        \
    }                                                                                                       \
  };
TW_TENSOR_RANK(1)
TW_TENSOR_RANK(2)
TW_TENSOR_RANK(3)
TW_TENSOR_RANK(4)
TW_TENSOR_RANK(5)
#undef TW_TENSOR_RANK
#undef TW_TENSOR_LOAD
#undef TW_TENSOR_ASM
}  // namespace detail
#endif

/// cp.async.bulk.tensor.<Rank>d.shared::cluster.global: the map's box at coordinates `at` (elements,
/// innermost first; what lies outside the tensor is zero) to shared memory, swizzled as the map says.
/// `tensor_load(to, &map, {x, y}, full)`. PTX ISA: Data Movement and Conversion Instructions,
/// cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_load(std::uint32_t destination, const TensorMap* map, const int (&at)[Rank],
                           std::uint32_t barrier) {
  TW_DELAY(11);
  TW_EITHER((detail::TensorCopy<Rank>::template load<false, false>(destination, map, at, barrier, 0, 0)),
            simt::tensor_load(destination, map, at, barrier, 0));
}

/// tensor_load with an L2 cache hint.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_load(std::uint32_t destination, const TensorMap* map, const int (&at)[Rank],
                           std::uint32_t barrier, [[maybe_unused]] CachePolicy policy) {
  TW_DELAY(11);
  TW_EITHER(
      (detail::TensorCopy<Rank>::template load<false, true>(destination, map, at, barrier, 0, policy.bits)),
      simt::tensor_load(destination, map, at, barrier, 0));
}

/// tensor_load into every block of `mask`.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_load_multicast(std::uint32_t destination, const TensorMap* map, const int (&at)[Rank],
                                     std::uint32_t barrier, std::uint16_t mask) {
  TW_DELAY(12);
  TW_EITHER((detail::TensorCopy<Rank>::template load<true, false>(destination, map, at, barrier, mask, 0)),
            simt::tensor_load(destination, map, at, barrier, mask));
}

/// tensor_load_multicast with an L2 cache hint.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_load_multicast(std::uint32_t destination, const TensorMap* map, const int (&at)[Rank],
                                     std::uint32_t barrier, std::uint16_t mask,
                                     [[maybe_unused]] CachePolicy policy) {
  TW_DELAY(12);
  TW_EITHER(
      (detail::TensorCopy<Rank>::template load<true, true>(destination, map, at, barrier, mask, policy.bits)),
      simt::tensor_load(destination, map, at, barrier, mask));
}

/// cp.async.bulk.tensor.<Rank>d.global.shared::cta: the box in shared memory to the tensor (parts outside are
/// dropped); completes in a bulk group. PTX ISA: Data Movement and Conversion Instructions,
/// cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_store(const TensorMap* map, const int (&at)[Rank], std::uint32_t source) {
  TW_DELAY(13);
  TW_EITHER((detail::TensorCopy<Rank>::template store<false>(map, at, source, 0)),
            simt::tensor_store(map, source, at, simt::BulkReduce::none));
}

/// tensor_store with an L2 cache hint.
/// PTX ISA: Data Movement and Conversion Instructions, cp.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_store(const TensorMap* map, const int (&at)[Rank], std::uint32_t source,
                            [[maybe_unused]] CachePolicy policy) {
  TW_DELAY(13);
  TW_EITHER((detail::TensorCopy<Rank>::template store<true>(map, at, source, policy.bits)),
            simt::tensor_store(map, source, at, simt::BulkReduce::none));
}

/// cp.reduce.async.bulk.tensor.<Rank>d…add: adds the box in shared memory to the tensor, atomically per
/// element in the map's type; completes in a bulk group.
/// PTX ISA: Data Movement and Conversion Instructions, cp.reduce.async.bulk.tensor
template <int Rank>
TW_DEVICE void tensor_reduce_add(const TensorMap* map, const int (&at)[Rank], std::uint32_t source) {
  TW_DELAY(13);
  TW_EITHER(detail::TensorCopy<Rank>::reduce_add(map, at, source),
            simt::tensor_store(map, source, at, simt::BulkReduce::add));
}
#endif  // TW_HAS_SM90

// -------------------------------------------------------------------------------------------- wgmma (sm_90a)
// d[64, N] += A[64, 16] * B[16, N] by the four warps of a warpgroup, asynchronously. Register i of thread t
// holds row 16*(t/32 % 4) + 8*(i/2 % 2) + t%32/4, column 8*(i/4) + 2*(t%4) + i%2: N/2 registers per thread, N
// = 8, 16, … 256. Operands of 32 bits, tf32, are 8 deep: as many bytes.

/// The contiguous dimension of an operand in shared memory: K, or M (for A) and N (for B).
enum class Major : int { k = 0, mn = 1 };

/// The swizzle of an operand in shared memory, as matrix descriptors encode it (bits 62 and 63).
enum class MatrixSwizzle : std::uint32_t { none = 0, b128 = 1, b64 = 2, b32 = 3 };

/// The 64-bit matrix descriptor of a wgmma operand that starts at `address` (16-byte aligned). `leading` and
/// `stride` are byte distances; with a swizzle of S bytes:
///   K-major: rows of S bytes, `stride` between groups of 8 rows, `leading` unused;
///   MN-major: rows (one per k) of S bytes, `stride` between groups of 8 k, `leading` between panels of S
///   bytes along MN; no swizzle: 8x8 matrices of 128 contiguous bytes; K-major: `leading` between them along
///   K, `stride` along M or N; MN-major: `leading` along K, `stride` along MN.
/// PTX ISA: Asynchronous warpgroup-level matrix instructions, Matrix Descriptor Format
TW_DEVICE constexpr std::uint64_t wgmma_descriptor(std::uint32_t address, std::uint32_t leading,
                                                   std::uint32_t stride, MatrixSwizzle swizzle) {
  return static_cast<std::uint64_t>((address & 0x3ffff) >> 4) |
         static_cast<std::uint64_t>((leading & 0x3ffff) >> 4) << 16 |
         static_cast<std::uint64_t>((stride & 0x3ffff) >> 4) << 32 |
         static_cast<std::uint64_t>(swizzle) << 62;
}

#if TW_HAS_SM90A
/// wgmma.fence.sync.aligned: before the first wgmma and whenever registers of d or A were touched in between.
/// PTX ISA: Asynchronous multiply-and-accumulate instruction: wgmma.fence
TW_DEVICE void wgmma_fence() {
  TW_EITHER(asm volatile("wgmma.fence.sync.aligned;" :: : "memory"), simt::wgmma_fence());
}

/// wgmma.commit_group.sync.aligned.
/// PTX ISA: Asynchronous wgmma instructions, wgmma.commit_group
TW_DEVICE void wgmma_commit() {
  TW_DELAY(14);
  TW_EITHER(asm volatile("wgmma.commit_group.sync.aligned;" :: : "memory"), simt::wgmma_commit());
}

/// wgmma.wait_group.sync.aligned: until at most `Pending` groups are in flight; only then may d be read and
/// the operands be overwritten.
/// PTX ISA: Asynchronous wgmma instructions, wgmma.wait_group
template <int Pending>
TW_DEVICE void wgmma_wait() {
  static_assert(Pending >= 0 && Pending < 8, "wgmma_wait<0> to wgmma_wait<7>");
  TW_DELAY(15);
  TW_EITHER(asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory"),
            simt::wgmma_wait(Pending));
}

#if !defined(TW_EMULATED)
namespace detail {
// Operands behind the accumulators. Both in shared memory: A's and B's descriptors, accumulate?, signs,
// majors. A in registers: its four registers, B's descriptor, accumulate?, signs, B's major.
#define TW_WGMMA_TEXT(N, DEPTH, TYPE, PREDICATE, OPERANDS)                                        \
  "{\n.reg .pred accumulate;\nsetp.ne.b32 accumulate, %" #PREDICATE                               \
  ", 0;\n"                                                                                        \
  "wgmma.mma_async.sync.aligned.m64n" #N "k" DEPTH ".f32." TYPE "." TYPE " {" TW_WGMMA_PLACES_##N \
      "}, " OPERANDS ";\n}"
#define TW_WGMMA_SS(N, TYPE, A, B, P, SA, SB, MA, MB)                                                      \
  asm volatile(                                                                                            \
      TW_WGMMA_TEXT(N, "16", TYPE, P, "%" #A ", %" #B ", accumulate, %" #SA ", %" #SB ", %" #MA ", %" #MB) \
      : TW_WGMMA_OPERANDS_##N                                                                              \
      : "l"(a), "l"(b), "r"(accumulate), "n"(SignA), "n"(SignB), "n"(MajorA), "n"(MajorB)                  \
      : "memory")
#define TW_WGMMA_RS(N, TYPE, A0, A1, A2, A3, B, P, SA, SB, MB)                                      \
  asm volatile(TW_WGMMA_TEXT(N, "16", TYPE, P,                                                      \
                             "{%" #A0 ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B ", accumulate, %" #SA \
                             ", %" #SB ", %" #MB)                                                   \
               : TW_WGMMA_OPERANDS_##N                                                              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(SignA),   \
                 "n"(SignB), "n"(MajorB)                                                            \
               : "memory")

// tf32 is K-major always.
#define TW_WGMMA_TF32_RS(N, A0, A1, A2, A3, B, P, SA, SB)                                             \
  asm volatile(                                                                                       \
      TW_WGMMA_TEXT(N, "8", "tf32", P,                                                                \
                    "{%" #A0 ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B ", accumulate, %" #SA ", %" #SB) \
      : TW_WGMMA_OPERANDS_##N                                                                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(SignA), "n"(SignB)   \
      : "memory")

/// One legal N, by its number of accumulator registers; other sizes have no member and do not compile.
template <int Registers>
struct Wgmma;

#define TW_WGMMA(N, R0, R1, R2, R3, R4, R5, R6, R7, R8)                                            \
  template <>                                                                                      \
  struct Wgmma<N / 2> {                                                                            \
    template <class T, int MajorA, int MajorB, int SignA, int SignB>                               \
    static __device__ __forceinline__ void ss(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, \
                                              int accumulate) {                                    \
      if constexpr (is_half<T>)                                                                    \
        TW_WGMMA_SS(N, "f16", R0, R1, R2, R3, R4, R5, R6);                                         \
      else                                                                                         \
        TW_WGMMA_SS(N, "bf16", R0, R1, R2, R3, R4, R5, R6);                                        \
    }                                                                                              \
    template <class T, int MajorB, int SignA, int SignB>                                           \
    static __device__ __forceinline__ void rs(float (&d)[N / 2], const std::uint32_t (&a)[4],      \
                                              std::uint64_t b, int accumulate) {                   \
      if constexpr (is_half<T>)                                                                    \
        TW_WGMMA_RS(N, "f16", R0, R1, R2, R3, R4, R5, R6, R7, R8);                                 \
      else                                                                                         \
        TW_WGMMA_RS(N, "bf16", R0, R1, R2, R3, R4, R5, R6, R7, R8);                                \
    }                                                                                              \
    template <int SignA, int SignB>                                                                \
    static __device__ __forceinline__ void tf32_rs(float (&d)[N / 2], const std::uint32_t (&a)[4], \
                                                   std::uint64_t b, int accumulate) {              \
      TW_WGMMA_TF32_RS(N, R0, R1, R2, R3, R4, R5, R6, R7);                                         \
    }                                                                                              \
  };
TW_WGMMA_SHAPES(TW_WGMMA)
#undef TW_WGMMA
#undef TW_WGMMA_TF32_RS
#undef TW_WGMMA_RS
#undef TW_WGMMA_SS
#undef TW_WGMMA_TEXT
}  // namespace detail
#endif

/// wgmma.mma_async.sync.aligned.m64n{2*Registers}k16.f32.T.T, both operands by descriptor: d = SignA*A *
/// SignB*B + d, or without the old d where `accumulate` is false (the same in all threads).
/// PTX ISA: Asynchronous multiply-and-accumulate instruction: wgmma.mma_async
template <class T, Major MajorA, Major MajorB, int SignA = 1, int SignB = 1, int Registers>
TW_DEVICE void wgmma(float (&d)[Registers], std::uint64_t a, std::uint64_t b, bool accumulate) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>, "wgmma<__half, …> or wgmma<__nv_bfloat16, …>");
  static_assert(Registers % 4 == 0 && Registers >= 4 && Registers <= 128, "N = 2 * Registers: 8, 16, … 256");
  TW_EITHER(
      (detail::Wgmma<Registers>::template ss<T, int(MajorA), int(MajorB), SignA, SignB>(d, a, b, accumulate)),
      simt::wgmma(d, {Registers * 2, detail::mma_type<T>, MajorA == Major::mn, MajorB == Major::mn}, nullptr,
                  a, b, accumulate, SignA, SignB));
}

/// The same with A in registers: the fragment of mma_m16n8k16 for the warp's 16 rows.
/// PTX ISA: Asynchronous multiply-and-accumulate instruction: wgmma.mma_async
template <class T, Major MajorB, int SignA = 1, int SignB = 1, int Registers>
TW_DEVICE void wgmma_rs(float (&d)[Registers], const std::uint32_t (&a)[4], std::uint64_t b,
                        bool accumulate) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>,
                "wgmma_rs<__half, …> or wgmma_rs<__nv_bfloat16, …>");
  static_assert(Registers % 4 == 0 && Registers >= 4 && Registers <= 128, "N = 2 * Registers: 8, 16, … 256");
  TW_EITHER((detail::Wgmma<Registers>::template rs<T, int(MajorB), SignA, SignB>(d, a, b, accumulate)),
            simt::wgmma(d, {Registers * 2, detail::mma_type<T>, false, MajorB == Major::mn}, a, 0, b,
                        accumulate, SignA, SignB));
}

/// wgmma.mma_async.sync.aligned.m64n{2*Registers}k8.f32.tf32.tf32 with A in registers: the fragment of mma_m16n8k8_tf32 for the
/// warp's 16 rows. Both operands are K-major, and lose their 13 low bits unless to_tf32 has rounded them.
/// PTX ISA: Asynchronous multiply-and-accumulate instruction: wgmma.mma_async
template <int SignA = 1, int SignB = 1, int Registers>
TW_DEVICE void wgmma_tf32_rs(float (&d)[Registers], const std::uint32_t (&a)[4], std::uint64_t b,
                             bool accumulate) {
  static_assert(Registers % 4 == 0 && Registers >= 4 && Registers <= 128, "N = 2 * Registers: 8, 16, … 256");
  TW_EITHER(
      (detail::Wgmma<Registers>::template tf32_rs<SignA, SignB>(d, a, b, accumulate)),
      simt::wgmma(d, {Registers * 2, simt::MmaType::tf32, false, false}, a, 0, b, accumulate, SignA, SignB));
}

/// setmaxnreg.inc.sync.aligned: the warpgroup takes registers, up to `Count` per thread.
/// PTX ISA: Miscellaneous Instructions, setmaxnreg
template <int Count>
TW_DEVICE void setmaxnreg_inc() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0, "setmaxnreg: 24 to 256 in steps of 8");
  TW_EITHER(asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count)), simt::setmaxnreg(Count, true));
}

/// setmaxnreg.dec.sync.aligned: the warpgroup gives registers back, down to `Count` per thread.
/// PTX ISA: Miscellaneous Instructions, setmaxnreg
template <int Count>
TW_DEVICE void setmaxnreg_dec() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0, "setmaxnreg: 24 to 256 in steps of 8");
  TW_EITHER(asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count)), simt::setmaxnreg(Count, false));
}
#endif  // TW_HAS_SM90A

}  // namespace ptx
