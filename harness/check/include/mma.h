// mma.h - nvcuda::wmma on the emulated device. A fragment is kept as mma.sync keeps it, so that the products are the
// device's own; which lane holds which element is left open by CUDA, and a kernel may not rely on it. Element types
// half, __nv_bfloat16 and tf32; kernels with others are refused by name.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace tw_detail {

template <class T>
inline constexpr bool is_operand =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, precision::tf32>;

template <class T>
using stored = std::conditional_t<std::is_same_v<T, precision::tf32>, float, T>;

/// Place of an element in a matrix.
struct Place {
  int row, column;
};

/// Element `e` of a lane in the left operand of mma.m16n8: 16 rows a tile, k 16 (pairs) or 8 (tf32).
template <bool Tf32>
inline Place left(int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  if constexpr (Tf32) return {e / 4 * 16 + group + e % 2 * 8, thread + e % 4 / 2 * 4};
  const int pair = e / 2 % 4;
  return {e / 8 * 16 + group + pair % 2 * 8, thread * 2 + e % 2 + pair / 2 * 8};
}

/// The same of the right operand: 8 columns a tile.
template <bool Tf32>
inline Place right(int lane, int e) {
  const int group = lane / 4, thread = lane % 4;
  if constexpr (Tf32) return {thread + e % 2 * 4, e / 2 * 8 + group};
  return {thread * 2 + e % 2 + e / 2 % 2 * 8, e / 4 * 8 + group};
}

/// The same of the product of `columns` columns: tiles of 16 x 8, the column tiles of a row of tiles first.
inline Place product(int lane, int e, int columns) {
  const int tile = e / 4, across = columns / 8;
  return {tile / across * 16 + lane / 4 + e % 4 / 2 * 8, tile % across * 8 + lane % 4 * 2 + e % 2};
}

/// A shape of mma.m16n8 is wider than high only as its transpose: C^T = B^T A^T.
template <int M>
inline constexpr bool is_transposed = M == 8;

template <class Use, int M, int N, int K, class T>
inline Place place(int e) {
  constexpr bool kTf32 = std::is_same_v<T, precision::tf32>;
  const int lane = static_cast<int>(simt::ids->lane);
  Place at{};
  if constexpr (std::is_same_v<Use, accumulator>)
    at = product(lane, e, is_transposed<M> ? M : N);
  else if constexpr (std::is_same_v<Use, matrix_a> != is_transposed<M>)
    at = left<kTf32>(lane, e);
  else
    at = right<kTf32>(lane, e);
  if constexpr (is_transposed<M>) return {at.column, at.row};
  return at;
}

inline void check(const void* pointer, unsigned leading, unsigned element_bytes) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % 32 != 0)
    simt::trap("wmma: the address of a matrix is not 32-byte aligned");
  if (leading * element_bytes % 16 != 0) simt::trap("wmma: the leading dimension is not a multiple of 16 bytes");
}

template <class T>
std::uint32_t bits(const T* x) {
  std::uint32_t word;
  std::memcpy(&word, x, 4);
  return word;
}

}  // namespace tw_detail

/// A matrix of a warp: M x K, K x N or M x N elements, some of them in each lane.
template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static constexpr bool kProduct = std::is_same_v<Use, accumulator>;
  static constexpr bool kTf32 = K == 8;
  static_assert(kProduct ? std::is_same_v<T, float> || std::is_same_v<T, __half> : tw_detail::is_operand<T>,
                "the emulated device supports wmma with half, __nv_bfloat16 and tf32 alone");
  static_assert(K == 16 || K == 8, "the emulated device supports wmma with k of 16, and of 8 for tf32");
  static_assert((M == 16 && N == 16) || (!kTf32 && ((M == 32 && N == 8) || (M == 8 && N == 32))),
                "wmma has the shapes 16 x 16, 32 x 8 and 8 x 32");

 public:
  using element_type = tw_detail::stored<T>;
  using storage_element_type = element_type;
  static constexpr int num_elements =
      (kProduct ? M * N : std::is_same_v<Use, matrix_a> ? M * K : N * K) / 32;
  static constexpr int num_storage_elements = num_elements;
  alignas(4) element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class Value>
[[gnu::always_inline]] inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const Value& value) {
  for (auto& x : f.x) x = static_cast<tw_detail::stored<T>>(value);
}

template <class Use, int M, int N, int K, class T, class Layout, class Element>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const Element* p,
                                                    unsigned leading) {
  static_assert(!std::is_void_v<Layout>, "an accumulator is loaded with its layout as the last argument");
  tw_detail::check(p, leading, sizeof *p);
  for (int e = 0; e < f.num_elements; ++e) {
    const auto [row, column] = tw_detail::place<Use, M, N, K, T>(e);
    f.x[e] = p[std::is_same_v<Layout, row_major> ? row * leading + column : column * leading + row];
  }
}

template <int M, int N, int K, class T>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p,
                                                    unsigned leading, layout_t layout) {
  tw_detail::check(p, leading, sizeof *p);
  for (int e = 0; e < f.num_elements; ++e) {
    const auto [row, column] = tw_detail::place<accumulator, M, N, K, T>(e);
    f.x[e] = p[layout == mem_row_major ? row * leading + column : column * leading + row];
  }
}

template <int M, int N, int K, class T>
[[gnu::always_inline]] inline void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f,
                                                     unsigned leading, layout_t layout) {
  tw_detail::check(p, leading, sizeof *p);
  for (int e = 0; e < f.num_elements; ++e) {
    const auto [row, column] = tw_detail::place<accumulator, M, N, K, T>(e);
    p[layout == mem_row_major ? row * leading + column : column * leading + row] = f.x[e];
  }
}

/// d = a b + c. Sums are kept in fp32; an accumulator of half is rounded once.
template <int M, int N, int K, class D, class C, class T, class LayoutA, class LayoutB>
[[gnu::always_inline]] inline void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                            const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                                            const fragment<matrix_b, M, N, K, T, LayoutB>& b,
                                            const fragment<accumulator, M, N, K, C>& c, bool = false) {
  constexpr bool kTransposed = tw_detail::is_transposed<M>, kTf32 = std::is_same_v<T, precision::tf32>;
  constexpr auto kType = kTf32                               ? simt::MmaType::tf32
                         : std::is_same_v<T, __nv_bfloat16> ? simt::MmaType::bf16
                                                             : simt::MmaType::f16;
  constexpr int kDown = (kTransposed ? N : M) / 16, kAcross = (kTransposed ? M : N) / 8,
                kPerWord = kTf32 ? 1 : 2;
  const auto* left = [&] { if constexpr (kTransposed) return b.x; else return a.x; }();
  const auto* right = [&] { if constexpr (kTransposed) return a.x; else return b.x; }();
  for (int i = 0; i < kDown; ++i)
    for (int j = 0; j < kAcross; ++j) {
      std::uint32_t of_left[4], of_right[2];
      for (int word = 0; word < 4; ++word) of_left[word] = tw_detail::bits(left + (i * 4 + word) * kPerWord);
      for (int word = 0; word < 2; ++word) of_right[word] = tw_detail::bits(right + (j * 2 + word) * kPerWord);
      float sums[4];
      const int first = (i * kAcross + j) * 4;
      for (int e = 0; e < 4; ++e) sums[e] = static_cast<float>(c.x[first + e]);
      simt::mma_m16n8(sums, of_left, of_right, kType);
      for (int e = 0; e < 4; ++e) d.x[first + e] = static_cast<D>(sums[e]);
    }
}

/// A float as tf32 keeps it: rounded to nearest, ties away from zero.
inline float __float_to_tf32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;
  std::memcpy(&value, &bits, 4);
  return value;
}

}  // namespace nvcuda::wmma
