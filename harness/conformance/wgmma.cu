// wgmma: every N, both types, A in shared memory or registers, both majors, all swizzles, signs, K steps
// inside a span. Operands are placed by plain stores with the PTX manual's canonical layouts, not by TMA, so
// that one misreading of a swizzle cannot hide another. Integers are small: every bit of the sums is defined.
#include "kernels.hpp"

namespace conformance {
namespace {

using ptx::Major;
using ptx::MatrixSwizzle;

constexpr std::uint32_t span_of(MatrixSwizzle swizzle) {
  return swizzle == MatrixSwizzle::none   ? 0
         : swizzle == MatrixSwizzle::b128 ? 128
         : swizzle == MatrixSwizzle::b64  ? 64
                                          : 32;
}
/// Elements along K: one span of them, or one instruction's where nothing is swizzled.
constexpr int depth_of(MatrixSwizzle swizzle) {
  return swizzle == MatrixSwizzle::none ? 16 : static_cast<int>(span_of(swizzle)) / 2;
}

/// An operand of `Extent` rows (A) or columns (B) in shared memory.
template <int Extent, Major kMajor, MatrixSwizzle kSwizzle>
struct Operand {
  static constexpr std::uint32_t kSpan = span_of(kSwizzle), kDepth = depth_of(kSwizzle), kPanel = kSpan / 2;
  static constexpr bool kByK = kMajor == Major::k;
  static constexpr std::uint32_t kStride = kSpan ? 8 * kSpan : kByK ? 256 : 128;
  static constexpr std::uint32_t kLeading = kSpan ? (kByK ? 0 : kDepth * kSpan) : kByK ? 128 : Extent * 16;
  static constexpr std::uint32_t kStep =
      kByK ? 32 : 16 * kSpan;  // bytes from one instruction's K to the next
  static constexpr std::uint32_t kBytes =
      (kSpan && !kByK ? (Extent + kPanel - 1) / kPanel * kPanel : Extent) * kDepth * 2;

  static TW_MEMBER std::uint32_t place(std::uint32_t mn, std::uint32_t k) {
    std::uint32_t offset = 0;
    if constexpr (kSpan && kByK)
      offset = mn / 8 * kStride + mn % 8 * kSpan + k * 2;
    else if constexpr (kSpan)
      offset = mn / kPanel * kLeading + k / 8 * kStride + k % 8 * kSpan + mn % kPanel * 2;
    else if constexpr (kByK)
      offset = mn / 8 * kStride + k / 8 * kLeading + mn % 8 * 16 + k % 8 * 2;
    else
      offset = mn / 8 * kStride + k / 8 * kLeading + k % 8 * 16 + mn % 8 * 2;
    if constexpr (kSpan) offset ^= (offset / 128 & (kSpan / 16 - 1)) * 16;
    return offset;
  }
  static TW_MEMBER std::uint64_t descriptor(std::uint32_t base, int step) {
    return ptx::wgmma_descriptor(base + static_cast<std::uint32_t>(step) * kStep, kLeading, kStride,
                                 kSwizzle);
  }
};

constexpr std::uint32_t round_up(std::uint32_t bytes) { return (bytes + 1023) / 1024 * 1024; }

/// One choice of everything. The input holds A[64][depth], then B[depth][N], row by row.
template <class ElementType, int Columns, Major ForA, Major ForB, MatrixSwizzle kSwizzle, bool InRegisters,
          int Sign = 1>
struct Choice {
  using T = ElementType;
  static constexpr int kN = Columns, kDepth = depth_of(kSwizzle), kSteps = kDepth / 16, kSign = Sign;
  static constexpr bool kInRegisters = InRegisters;
  static constexpr Major kMajorA = ForA, kMajorB = ForB;
  using A = Operand<64, ForA, kSwizzle>;
  using B = Operand<Columns, ForB, kSwizzle>;
  static constexpr std::uint32_t kBytesA = InRegisters ? 0 : round_up(A::kBytes);
};

/// d = A*B without, then with the old d: 2*A*B; the second time A counts with the choice's sign.
template <class C>
__global__ void __launch_bounds__(128) multiply(const Args args) {
  using T = typename C::T;
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), base_b = base + C::kBytesA;
  const T *a = reinterpret_cast<const T*>(args.input), *b = a + 64 * C::kDepth;
  if constexpr (!C::kInRegisters)
    for (int i = static_cast<int>(threadIdx.x); i < 64 * C::kDepth; i += 128)
      *reinterpret_cast<T*>(shared + C::A::place(i / C::kDepth, i % C::kDepth)) = a[i];
  for (int i = static_cast<int>(threadIdx.x); i < C::kN * C::kDepth; i += 128)
    *reinterpret_cast<T*>(shared + C::kBytesA + C::B::place(i % C::kN, i / C::kN)) = b[i];
  ptx::fence_proxy_async_shared();
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32,
            row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
  std::uint32_t fragments[C::kSteps][4];
  for (int step = 0; step < C::kSteps; ++step)
    for (int i = 0; i < 4; ++i) {
      const int at = (row + i % 2 * 8) * C::kDepth + step * 16 + lane % 4 * 2 + i / 2 * 8;
      fragments[step][i] = *reinterpret_cast<const std::uint32_t*>(a + at);
    }
  float d[C::kN / 2];
  for (float& x : d) x = 7;
  ptx::wgmma_fence();
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll
    for (int step = 0; step < C::kSteps; ++step) {
      const std::uint64_t db = C::B::descriptor(base_b, step);
      const bool accumulate = pass > 0 || step > 0;
      if constexpr (C::kInRegisters) {
        if (pass == 0) ptx::wgmma_rs<T, C::kMajorB>(d, fragments[step], db, accumulate);
        if (pass == 1) ptx::wgmma_rs<T, C::kMajorB, C::kSign>(d, fragments[step], db, accumulate);
      } else {
        const std::uint64_t da = C::A::descriptor(base, step);
        if (pass == 0) ptx::wgmma<T, C::kMajorA, C::kMajorB>(d, da, db, accumulate);
        if (pass == 1) ptx::wgmma<T, C::kMajorA, C::kMajorB, C::kSign>(d, da, db, accumulate);
      }
    }
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::fence_registers(d);
  for (int i = 0; i < C::kN / 2; ++i)
    args.output[(row + i / 2 % 2 * 8) * C::kN + i / 4 * 8 + lane % 4 * 2 + i % 2] = __float_as_uint(d[i]);
}

template <class C>
void product(const Words& in, Words& out) {
  using T = typename C::T;
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < C::kN; ++column) {
      double sum = 0;
      for (int k = 0; k < C::kDepth; ++k)
        sum += static_cast<double>(element<T>(in, row * C::kDepth + k)) *
               element<T>(in, 64 * C::kDepth + k * C::kN + column);
      out[row * C::kN + column] = as_word(static_cast<float>(sum + C::kSign * sum));
    }
}

template <class C>
void add(const std::string& name, float tolerance = 0) {
  constexpr bool half = ptx::detail::is_half<typename C::T>;
  const Fill integers = half ? Fill::half_integers : Fill::bfloat16_integers;
  const Fill reals = half ? Fill::half_reals : Fill::bfloat16_reals;
  const char* wrapper = C::kInRegisters ? "wgmma_rs" : "wgmma";
  Case what{.group = "wgmma",
            .name = name,
            .wrappers = std::string(wrapper) +
                        " wgmma_fence wgmma_commit wgmma_wait wgmma_descriptor fence_registers",
            .fill = tolerance > 0 ? reals : integers,
            .input_words = (64 + C::kN) * C::kDepth / 2,
            .output_words = 64 * C::kN,
            .threads = 128,
            .shared_bytes = C::kBytesA + round_up(C::B::kBytes),
            .tolerance = tolerance,
            .reference = product<C>};
  Register{multiply<C>, std::move(what)};
}

/// All N, in the forms that kernels use most: both operands in shared memory (B as it lies in a row-major
/// matrix), and A in registers.
template <int... Step>
void add_every_n(std::integer_sequence<int, Step...>) {
  (add<Choice<__half, 8 * (Step + 1), Major::k, Major::mn, MatrixSwizzle::b128, false>>(
       "wgmma_n" + std::to_string(8 * (Step + 1)) + "_f16_ss"),
   ...);
  (add<Choice<__nv_bfloat16, 8 * (Step + 1), Major::k, Major::k, MatrixSwizzle::b128, true>>(
       "wgmma_n" + std::to_string(8 * (Step + 1)) + "_bf16_rs"),
   ...);
}

template <class T, MatrixSwizzle kSwizzle>
void add_majors(const std::string& name) {
  add<Choice<T, 48, Major::k, Major::k, kSwizzle, false>>(name + "_a_k_b_k");
  add<Choice<T, 48, Major::k, Major::mn, kSwizzle, false>>(name + "_a_k_b_mn");
  add<Choice<T, 48, Major::mn, Major::k, kSwizzle, false>>(name + "_a_mn_b_k");
  add<Choice<T, 48, Major::mn, Major::mn, kSwizzle, false>>(name + "_a_mn_b_mn");
  add<Choice<T, 48, Major::k, Major::k, kSwizzle, true>>(name + "_a_registers_b_k");
  add<Choice<T, 48, Major::k, Major::mn, kSwizzle, true>>(name + "_a_registers_b_mn");
}

template <class T>
void add_swizzles(const std::string& type) {
  add_majors<T, MatrixSwizzle::none>("wgmma_" + type + "_none");
  add_majors<T, MatrixSwizzle::b32>("wgmma_" + type + "_b32");
  add_majors<T, MatrixSwizzle::b64>("wgmma_" + type + "_b64");
  add_majors<T, MatrixSwizzle::b128>("wgmma_" + type + "_b128");
}

/// tf32: A in registers, both operands K-major and 8 deep; four steps inside a span of 128 bytes.
template <int Columns, int Sign = 1>
struct Tf32 {
  using T = float;
  static constexpr int kN = Columns, kDepth = 32, kSteps = 4, kSign = Sign;

  static TW_MEMBER std::uint32_t place(std::uint32_t n, std::uint32_t k) {
    const std::uint32_t offset = n / 8 * 1024 + n % 8 * 128 + k * 4;
    return offset ^ (offset / 128 & 7) * 16;
  }
};

template <class C>
__global__ void __launch_bounds__(128) multiply_tf32(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  const float *a = reinterpret_cast<const float*>(args.input), *b = a + 64 * C::kDepth;
  for (int i = static_cast<int>(threadIdx.x); i < C::kN * C::kDepth; i += 128)
    *reinterpret_cast<float*>(shared + C::place(i % C::kN, i / C::kN)) = b[i];
  ptx::fence_proxy_async_shared();
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32,
            row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
  std::uint32_t fragments[C::kSteps][4];
  for (int step = 0; step < C::kSteps; ++step)
    for (int i = 0; i < 4; ++i)
      fragments[step][i] =
          __float_as_uint(a[(row + i % 2 * 8) * C::kDepth + step * 8 + lane % 4 + i / 2 * 4]);
  float d[C::kN / 2];
  for (float& x : d) x = 7;
  ptx::wgmma_fence();
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll
    for (int step = 0; step < C::kSteps; ++step) {
      const std::uint64_t db =
          ptx::wgmma_descriptor(base + static_cast<std::uint32_t>(step) * 32, 0, 1024, MatrixSwizzle::b128);
      const bool accumulate = pass > 0 || step > 0;
      if (pass == 0) ptx::wgmma_tf32_rs(d, fragments[step], db, accumulate);
      if (pass == 1) ptx::wgmma_tf32_rs<C::kSign>(d, fragments[step], db, accumulate);
    }
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::fence_registers(d);
  for (int i = 0; i < C::kN / 2; ++i)
    args.output[(row + i / 2 % 2 * 8) * C::kN + i / 4 * 8 + lane % 4 * 2 + i % 2] = __float_as_uint(d[i]);
}

template <class C>
void add_tf32(const std::string& name, float tolerance = 0) {
  Case what{.group = "wgmma",
            .name = name,
            .wrappers = "wgmma_tf32_rs wgmma_fence wgmma_commit wgmma_wait wgmma_descriptor fence_registers",
            .fill = tolerance > 0 ? Fill::float_reals : Fill::float_integers,
            .input_words = (64 + C::kN) * C::kDepth,
            .output_words = 64 * C::kN,
            .threads = 128,
            .shared_bytes = round_up(C::kN * C::kDepth * 4),
            .tolerance = tolerance,
            .reference = product<C>};
  Register{multiply_tf32<C>, std::move(what)};
}

const bool kAdded = [] {
  add_every_n(std::make_integer_sequence<int, 32>{});
  add_swizzles<__half>("f16");
  add_swizzles<__nv_bfloat16>("bf16");
  add<Choice<__half, 16, Major::k, Major::mn, MatrixSwizzle::b128, false, -1>>("wgmma_minus_a_ss");
  add<Choice<__half, 16, Major::k, Major::mn, MatrixSwizzle::b128, true, -1>>("wgmma_minus_a_rs");
  // Reals in (-2, 2), 2 * 64 products: sums stay below 512; 8 ulp of that.
  add<Choice<__half, 8, Major::k, Major::mn, MatrixSwizzle::b128, false>>("wgmma_f16_rounding", 0x1p-11f);
  add<Choice<__nv_bfloat16, 8, Major::k, Major::mn, MatrixSwizzle::b128, false>>("wgmma_bf16_rounding",
                                                                                 0x1p-11f);
  add_tf32<Tf32<8>>("wgmma_n8_tf32_rs");
  add_tf32<Tf32<64>>("wgmma_n64_tf32_rs");
  add_tf32<Tf32<256>>("wgmma_n256_tf32_rs");
  add_tf32<Tf32<48, -1>>("wgmma_minus_a_tf32_rs");
  // As for mma's tf32: operands lose 13 of their bits. 2 * 32 products of reals in (-2, 2), each off by less than 2^-7.
  add_tf32<Tf32<8>>("wgmma_tf32_rounding", 0x1p-1f);
  return true;
}();

}  // namespace
}  // namespace conformance
