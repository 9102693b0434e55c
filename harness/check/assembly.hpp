// assembly.hpp - what the instructions of inline PTX become on the emulated device: src/kernel-file/ptx.ts writes
// calls of these. Registers are bits; an instruction's type says how they are read.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tw/intrinsics.hpp"

namespace tw::assembly {

/// The bits of a register as a value of the instruction's type; another size is converted, as an immediate is.
template <class To, class From>
[[gnu::always_inline]] inline To as(const From& value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (sizeof(To) == sizeof(From)) {
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  } else if constexpr (std::is_pointer_v<From>) {
    return static_cast<To>(reinterpret_cast<std::uintptr_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
[[gnu::always_inline]] inline void put(To& to, const From& value) {
  to = as<To>(value);
}

template <class Address, class Offset>
[[gnu::always_inline]] inline char* pointer(const Address& address, const Offset& offset) {
  return reinterpret_cast<char*>(as<std::uint64_t>(address)) + offset;
}

/// Data of one vector access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Vector {
  T v[Count];
};

template <class T, int Count>
[[gnu::always_inline]] inline Vector<T, Count> load(const char* from) {
  return *reinterpret_cast<const Vector<T, Count>*>(from);
}
template <class T, int Count>
[[gnu::always_inline]] inline void store(char* to, const Vector<T, Count>& value) {
  *reinterpret_cast<Vector<T, Count>*>(to) = value;
}
/// Loads and stores with an order and a scope.
template <class T, int Count>
[[gnu::always_inline]] inline Vector<T, Count> load_atomic(const char* from, simt::Scope scope) {
  Vector<T, Count> value;
  simt::atomic_load(from, sizeof value, &value, scope);
  return value;
}
template <class T, int Count>
[[gnu::always_inline]] inline void store_atomic(char* to, const Vector<T, Count>& value, simt::Scope scope) {
  simt::atomic_store(to, sizeof value, &value, scope);
}
template <class T, int Count>
[[gnu::always_inline]] inline Vector<T, Count> load_shared(std::uint64_t address) {
  Vector<T, Count> value;
  simt::shared_load(static_cast<std::uint32_t>(address), &value, sizeof value);
  return value;
}
template <class T, int Count>
[[gnu::always_inline]] inline void store_shared(std::uint64_t address, const Vector<T, Count>& value) {
  simt::shared_store(static_cast<std::uint32_t>(address), &value, sizeof value);
}

/// Of a NaN and a number, the number.
template <class T>
inline T greater(T a, T b) {
  return a != a ? b : b != b ? a : a > b ? a : b;
}
template <class T>
inline T less(T a, T b) {
  return a != a ? b : b != b ? a : a < b ? a : b;
}

template <class T, class... Parts>
inline T packed(const Parts&... parts) {
  T whole{};
  std::size_t at = 0;
  ((std::memcpy(reinterpret_cast<char*>(&whole) + at, &parts, sizeof parts), at += sizeof parts), ...);
  return whole;
}
template <class T, class... Parts>
inline void unpack(const T& whole, Parts&... parts) {
  std::size_t at = 0;
  ((std::memcpy(&parts, reinterpret_cast<const char*>(&whole) + at, sizeof parts), at += sizeof parts), ...);
}

/// cvt.rn.f16x2.f32: the first operand becomes the upper half.
template <class T>
inline std::uint32_t packed_pair(float high, float low) {
  const T pair[2] = {T(low), T(high)};
  return packed<std::uint32_t>(pair[0], pair[1]);
}

/// cvt.rna.tf32.f32.
inline std::uint32_t to_tf32(float value) {
  const auto bits = as<std::uint32_t>(value);
  return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & 0xffffe000u;
}

inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

inline std::uint32_t bit_field(std::uint32_t value, std::uint32_t position, std::uint32_t length) {
  const std::uint64_t shifted = static_cast<std::uint64_t>(value) >> (position & 255u);
  return static_cast<std::uint32_t>((length & 255u) > 31 ? shifted : shifted & ((1u << (length & 255u)) - 1));
}

inline unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

[[gnu::always_inline]] inline void mma(float (&d)[4], const std::uint32_t* a, const std::uint32_t* b,
                                       simt::MmaType type) {
  simt::mma_m16n8(d, a, b, type);
}
/// With sums of two halves a register: kept in fp32 inside and rounded once.
[[gnu::always_inline]] inline void mma(std::uint32_t (&d)[2], const std::uint32_t* a, const std::uint32_t* b,
                                       simt::MmaType type) {
  __half halves[4];
  std::memcpy(halves, d, sizeof halves);
  float sums[4];
  for (int i = 0; i < 4; ++i) sums[i] = __half2float(halves[i]);
  simt::mma_m16n8(sums, a, b, type);
  for (int i = 0; i < 4; ++i) halves[i] = __float2half(sums[i]);
  std::memcpy(d, halves, sizeof halves);
}

/// The array that registers of an asynchronous instruction are: what it does with them happens later.
template <class T, std::size_t Count>
T* array_of(T* const (&registers)[Count]) {
  for (std::size_t i = 0; i < Count; ++i)
    if (registers[i] != registers[0] + i) simt::trap("registers of wgmma must be the elements of one array, in order");
  return registers[0];
}

}  // namespace tw::assembly
