// ldmatrix, stmatrix and mma.sync. Inputs of the exact cases are small integers: every bit of the result is
// defined.
#include "kernels.hpp"

namespace conformance {
namespace {

/// Element (row, column) of 8x8 matrix `m` of a buffer of 16-bit matrices, 64 elements each.
std::uint16_t matrix_element(const Words& words, int m, int row, int column) {
  return sixteen_bits(words, static_cast<std::size_t>(m) * 64 + row * 8 + column);
}

template <int Count, bool Transpose>
__global__ void load_matrices(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), lane = threadIdx.x;
  for (std::uint32_t i = lane; i < Count * 32; i += 32) ptx::store_shared(base + 4 * i, args.input[i]);
  __syncwarp();
  std::uint32_t r[Count];
  const std::uint32_t row = base + lane % (Count * 8) * 16;
  if constexpr (Count == 1) Transpose ? ptx::ldmatrix_x1_trans(r, row) : ptx::ldmatrix_x1(r, row);
  if constexpr (Count == 2) Transpose ? ptx::ldmatrix_x2_trans(r, row) : ptx::ldmatrix_x2(r, row);
  if constexpr (Count == 4) Transpose ? ptx::ldmatrix_x4_trans(r, row) : ptx::ldmatrix_x4(r, row);
  for (int i = 0; i < Count; ++i) args.output[lane * Count + i] = r[i];
}

template <int Count, bool Transpose>
__global__ void store_matrices(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), lane = threadIdx.x;
  std::uint32_t r[Count];
  for (int i = 0; i < Count; ++i) r[i] = args.input[lane * Count + i];
  const std::uint32_t row = base + lane % (Count * 8) * 16;
  if constexpr (Count == 1) Transpose ? ptx::stmatrix_x1_trans(row, r) : ptx::stmatrix_x1(row, r);
  if constexpr (Count == 2) Transpose ? ptx::stmatrix_x2_trans(row, r) : ptx::stmatrix_x2(row, r);
  if constexpr (Count == 4) Transpose ? ptx::stmatrix_x4_trans(row, r) : ptx::stmatrix_x4(row, r);
  __syncwarp();
  for (std::uint32_t i = lane; i < Count * 32; i += 32) args.output[i] = ptx::load_shared(base + 4 * i);
}

template <int Count, bool Transpose>
Case matrix_case(const char* wrapper, bool load) {
  return {.group = "fragments",
          .name = std::string(wrapper) + "_x" + std::to_string(Count) + (Transpose ? "_trans" : ""),
          .wrappers = std::string(wrapper) + "_x" + std::to_string(Count) + (Transpose ? "_trans" : ""),
          .output_words = Count * 32,
          .shared_bytes = Count * 128,
          .reference = [load](const Words& in, Words& out) {
            for (int lane = 0; lane < 32; ++lane)
              for (int i = 0; i < Count; ++i)
                for (int e = 0; e < 2; ++e) {
                  int row = lane / 4, column = lane % 4 * 2 + e;
                  if (Transpose) std::swap(row, column);
                  const std::size_t in_register = static_cast<std::size_t>(lane * Count + i) * 2 + e;
                  const std::size_t in_matrix = static_cast<std::size_t>(i) * 64 + row * 8 + column;
                  const std::size_t to = load ? in_register : in_matrix;
                  const std::uint16_t bits =
                      load ? matrix_element(in, i, row, column) : sixteen_bits(in, in_register);
                  set_byte(out, to * 2, static_cast<unsigned char>(bits));
                  set_byte(out, to * 2 + 1, static_cast<unsigned char>(bits >> 8));
                }
          }};
}
const Register r_l1{load_matrices<1, false>, matrix_case<1, false>("ldmatrix", true)};
const Register r_l1t{load_matrices<1, true>, matrix_case<1, true>("ldmatrix", true)};
const Register r_l2{load_matrices<2, false>, matrix_case<2, false>("ldmatrix", true)};
const Register r_l2t{load_matrices<2, true>, matrix_case<2, true>("ldmatrix", true)};
const Register r_l4{load_matrices<4, false>, matrix_case<4, false>("ldmatrix", true)};
const Register r_l4t{load_matrices<4, true>, matrix_case<4, true>("ldmatrix", true)};
const Register r_s1{store_matrices<1, false>, matrix_case<1, false>("stmatrix", false)};
const Register r_s1t{store_matrices<1, true>, matrix_case<1, true>("stmatrix", false)};
const Register r_s2{store_matrices<2, false>, matrix_case<2, false>("stmatrix", false)};
const Register r_s2t{store_matrices<2, true>, matrix_case<2, true>("stmatrix", false)};
const Register r_s4{store_matrices<4, false>, matrix_case<4, false>("stmatrix", false)};
const Register r_s4t{store_matrices<4, true>, matrix_case<4, true>("stmatrix", false)};

// mma: the input holds A[16][K] and B[K][8] row by row, then C[16][8] as floats (integers).
template <class T>
constexpr int kDepth = sizeof(T) == 4 ? 8 : 16;
template <class T>
constexpr int kOperandWords = (16 + 8) * kDepth<T> * static_cast<int>(sizeof(T)) / 4;

/// A register of an operand: elements `first` and, where T has 16 bits, `second` of the operand buffer.
template <class T>
TW_DEVICE std::uint32_t operand_register(const void* elements, int first, int second) {
  if constexpr (sizeof(T) == 4) return static_cast<const std::uint32_t*>(elements)[first];
  const auto* bits = static_cast<const std::uint16_t*>(elements);
  return bits[first] | static_cast<std::uint32_t>(bits[second]) << 16;
}

template <class T>
__global__ void multiply(const Args args) {
  constexpr int depth = kDepth<T>, wide = sizeof(T) == 4 ? 1 : 2;  // elements per register
  const int group = static_cast<int>(threadIdx.x) / 4, member = static_cast<int>(threadIdx.x) % 4;
  const void *a = args.input, *b = reinterpret_cast<const T*>(args.input) + 16 * depth;
  std::uint32_t fragment_a[4], fragment_b[2];
  for (int i = 0; i < 4; ++i) {
    const int at = (group + i % 2 * 8) * depth + member * wide + i / 2 * depth / 2;
    fragment_a[i] = operand_register<T>(a, at, at + 1);
  }
  for (int i = 0; i < 2; ++i) {
    const int k = member * wide + i * depth / 2;
    fragment_b[i] = operand_register<T>(b, k * 8 + group, (k + 1) * 8 + group);
  }
  const auto* c = reinterpret_cast<const std::uint32_t*>(args.input) + kOperandWords<T>;
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = static_cast<float>(c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] % 64);
  if constexpr (sizeof(T) == 4)
    ptx::mma_m16n8k8_tf32(d, fragment_a, fragment_b[0], fragment_b[1]);
  else
    ptx::mma_m16n8k16<T>(d, fragment_a, fragment_b[0], fragment_b[1]);
  for (int i = 0; i < 4; ++i)
    args.output[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = __float_as_uint(d[i]);
}

template <class T>
Case multiply_case(const char* name, const char* wrapper, Fill fill, float tolerance) {
  return {.group = "fragments",
          .name = name,
          .wrappers = wrapper,
          .fill = fill,
          .input_words = kOperandWords<T> + 128,
          .output_words = 128,
          .tolerance = tolerance,
          .reference = [](const Words& in, Words& out) {
            constexpr int depth = kDepth<T>;
            for (int row = 0; row < 16; ++row)
              for (int column = 0; column < 8; ++column) {
                double sum = in[kOperandWords<T> + row * 8 + column] % 64;
                for (int k = 0; k < depth; ++k)
                  sum += static_cast<double>(element<T>(in, row * depth + k)) *
                         element<T>(in, 16 * depth + k * 8 + column);
                out[row * 8 + column] = as_word(static_cast<float>(sum));
              }
          }};
}
// Reals lie in (-2, 2), sums below 128: 4 ulp of 128 = 2^-14 for 16-bit operands. tf32 drops 13 bits of each
// operand: the reference does not, so the bound is 8 products of 2 * 2 * 2^-10.
const Register r_mma_f16{multiply<__half>,
                         multiply_case<__half>("mma_f16", "mma_m16n8k16", Fill::half_integers, 0)};
const Register r_mma_bf16{multiply<__nv_bfloat16>, multiply_case<__nv_bfloat16>("mma_bf16", "mma_m16n8k16",
                                                                                Fill::bfloat16_integers, 0)};
const Register r_mma_tf32{multiply<float>,
                          multiply_case<float>("mma_tf32", "mma_m16n8k8_tf32", Fill::float_integers, 0)};
const Register r_mma_f16_real{
    multiply<__half>, multiply_case<__half>("mma_f16_rounding", "mma_m16n8k16", Fill::half_reals, 0x1p-14f)};
const Register r_mma_bf16_real{
    multiply<__nv_bfloat16>,
    multiply_case<__nv_bfloat16>("mma_bf16_rounding", "mma_m16n8k16", Fill::bfloat16_reals, 0x1p-14f)};
const Register r_mma_tf32_real{multiply<float>, multiply_case<float>("mma_tf32_rounding", "mma_m16n8k8_tf32",
                                                                     Fill::float_reals, 0x1p-4f)};

}  // namespace
}  // namespace conformance
