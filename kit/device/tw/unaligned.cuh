// unaligned.cuh - vectors of 16 bytes between memory that holds them at any element and memory that takes them aligned.
#pragma once
#include <type_traits>

#include "tw/ptx.cuh"

namespace tw {

/// The 16 bytes from byte `from` on, even and less than 16, of the 32 in `low` and `high`.
TW_DEVICE uint4 window(const uint4& low, const uint4& high, int from) {
  const bool two = from & 8, one = from & 4;  // words to leave out
  const unsigned bits = from % 4 * 8;
  const unsigned a = two ? low.z : low.x, b = two ? low.w : low.y, c = two ? high.x : low.z,
                 d = two ? high.y : low.w, e = two ? high.z : high.x, f = two ? high.w : high.y;
  const unsigned p = one ? b : a, q = one ? c : b, r = one ? d : c, s = one ? e : d, t = one ? f : e;
  return {__funnelshift_r(p, q, bits), __funnelshift_r(q, r, bits), __funnelshift_r(r, s, bits),
          __funnelshift_r(s, t, bits)};
}

/// Elements from `address` to the next multiple of 16 bytes.
template <class T>
TW_DEVICE int elements_to_vector(const T* address) {
  return static_cast<int>(-reinterpret_cast<std::uintptr_t>(address) % 16 / sizeof(T));
}

/// 16 bytes of elements from `from` on, the first `count` of which are wanted, if not all. Whole aligned vectors within [begin, end) may
/// be read for them; else elements are read one by one, and zeros stand for those behind `count`.
template <class T>
TW_DEVICE uint4 load_vector(const T* from, int count, const T* begin, const T* end) {
  constexpr int kCount = 16 / static_cast<int>(sizeof(T));
  const auto address = reinterpret_cast<std::uintptr_t>(from), aligned = address / 16 * 16;
  const bool inside = aligned >= reinterpret_cast<std::uintptr_t>(begin) &&
                      aligned + 32 <= reinterpret_cast<std::uintptr_t>(end);
  if (count >= kCount && (inside || aligned == address)) {
    const auto* const vectors = reinterpret_cast<const uint4*>(aligned);
    return aligned == address ? vectors[0]
                              : window(vectors[0], vectors[1], static_cast<int>(address - aligned));
  }
  uint4 bits{0, 0, 0, 0};
  T elements[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) elements[i] = i < count ? from[i] : T(0.0f);
  __builtin_memcpy(&bits, static_cast<const void*>(elements), sizeof bits);
  return bits;
}

/// The element of 2 or 4 bytes at an address in shared memory.
template <class T>
TW_DEVICE T shared_element(std::uint32_t address) {
  const auto word = ptx::load_shared<std::uint32_t>(address & ~3u);
  using Bits = std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>;
  const auto bits = static_cast<Bits>(word >> address % 4 * 8);
  T element;
  __builtin_memcpy(static_cast<void*>(&element), &bits, sizeof bits);
  return element;
}

}  // namespace tw
