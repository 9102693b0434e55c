// Warp collectives, block barriers, atomics, packing and bit functions: what CUDA itself names, and ptx.cuh's
// helpers.
#include "kernels.hpp"
#include "tw/unaligned.cuh"

namespace conformance {
namespace {

constexpr unsigned kAll = ptx::kAllLanes;

__global__ void shuffles(const Args args) {
  const int lane = static_cast<int>(ptx::lane_id());
  const std::uint32_t v = args.input[lane];
  std::uint32_t* out = args.output + lane * 8;
  out[0] = __shfl_sync(kAll, v, (lane * 7 + 3) & 31);
  out[1] = __shfl_sync(kAll, v, lane + 1, 8);
  out[2] = __shfl_up_sync(kAll, v, 5);
  out[3] = __shfl_up_sync(kAll, v, 3, 16);
  out[4] = __shfl_down_sync(kAll, v, 9);
  out[5] = __shfl_down_sync(kAll, v, 2, 4);
  out[6] = __shfl_xor_sync(kAll, v, 21);
  out[7] = __shfl_xor_sync(kAll, v, 4, 8);
}
const Register r_shuffles{shuffles,
                          {.group = "threads",
                           .name = "shuffles",
                           .wrappers = "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync lane_id",
                           .output_words = 32 * 8,
                           .reference = [](const Words& in, Words& out) {
                             for (int lane = 0; lane < 32; ++lane) {
                               const int source[8] = {(lane * 7 + 3) & 31,
                                                      lane / 8 * 8 + (lane + 1) % 8,
                                                      lane >= 5 ? lane - 5 : lane,
                                                      lane % 16 >= 3 ? lane - 3 : lane,
                                                      lane + 9 < 32 ? lane + 9 : lane,
                                                      lane % 4 + 2 < 4 ? lane + 2 : lane,
                                                      lane ^ 21,
                                                      lane ^ 4};
                               for (int i = 0; i < 8; ++i) out[lane * 8 + i] = in[source[i]];
                             }
                           }}};

__global__ void votes(const Args args) {
  const unsigned lane = ptx::lane_id();
  const std::uint32_t v = args.input[lane];
  std::uint32_t* out = args.output + lane * 8;
  out[0] = __ballot_sync(kAll, v & 1);
  out[1] = static_cast<std::uint32_t>(__any_sync(kAll, lane == 7));
  out[2] = static_cast<std::uint32_t>(__all_sync(kAll, lane < 31));
  out[3] = __match_any_sync(kAll, v & 3);
  out[4] = __reduce_add_sync(kAll, v);
  out[5] = __reduce_max_sync(kAll, v);
  out[6] = static_cast<std::uint32_t>(__reduce_min_sync(kAll, static_cast<int>(v)));
  out[7] = __reduce_xor_sync(kAll, v);
}
const Register r_votes{
    votes,
    {.group = "threads",
     .name = "votes",
     .wrappers = "__ballot_sync __any_sync __all_sync __match_any_sync __reduce_add_sync __reduce_max_sync "
                 "__reduce_min_sync __reduce_xor_sync",
     .output_words = 32 * 8,
     .reference = [](const Words& in, Words& out) {
       std::uint32_t ballot = 0, sum = 0, largest = 0, mixed = 0, match[4] = {};
       std::int32_t least = 0x7fffffff;
       for (int lane = 0; lane < 32; ++lane) {
         ballot |= (in[lane] & 1u) << lane;
         match[in[lane] & 3] |= 1u << lane;
         sum += in[lane];
         largest = in[lane] > largest ? in[lane] : largest;
         least = static_cast<std::int32_t>(in[lane]) < least ? static_cast<std::int32_t>(in[lane]) : least;
         mixed ^= in[lane];
       }
       for (int lane = 0; lane < 32; ++lane) {
         const std::uint32_t all[8] = {
             ballot, 1, 0, match[in[lane] & 3], sum, largest, static_cast<std::uint32_t>(least), mixed};
         for (int i = 0; i < 8; ++i) out[lane * 8 + i] = all[i];
       }
     }}};

__global__ void block_votes(const Args args) {
  const int v = static_cast<int>(args.input[threadIdx.x] & 1);
  const int count = __syncthreads_count(v), all = __syncthreads_and(v), any = __syncthreads_or(v);
  args.output[threadIdx.x] = static_cast<std::uint32_t>(count | all << 16 | any << 17 | ptx::warp_id() << 20);
}
const Register r_block_votes{block_votes,
                             {.group = "threads",
                              .name = "block_votes",
                              .wrappers = "__syncthreads_count __syncthreads_and __syncthreads_or warp_id",
                              .output_words = 128,
                              .threads = 128,
                              .reference = [](const Words& in, Words& out) {
                                std::uint32_t count = 0;
                                for (int i = 0; i < 128; ++i) count += in[i] & 1;
                                for (std::uint32_t i = 0; i < 128; ++i)
                                  out[i] = count | (count == 128) << 16 | (count > 0) << 17 | i / 32 << 20;
                              }}};

__global__ void atomics(const Args args) {
  const std::uint32_t v = args.input[threadIdx.x];
  std::uint32_t* out = args.output;
  if (threadIdx.x < 12) out[threadIdx.x] = threadIdx.x == 2 || threadIdx.x == 4 ? 0xffffffffu : 0u;
  __syncthreads();
  atomicAdd(out + 0, v);
  atomicAdd(reinterpret_cast<float*>(out + 1), static_cast<float>(v & 15));
  atomicMin(out + 2, v);
  atomicMax(out + 3, v);
  atomicAnd(out + 4, v | 1u);
  atomicOr(out + 5, v & 0xff00u);
  atomicXor(out + 6, v);
  atomicInc(out + 7, 99);
  atomicDec(out + 8, 99);
  std::uint32_t seen = 0, expected;
  do {
    expected = seen;
    seen = atomicCAS(out + 9, expected, expected + v);
  } while (seen != expected);
  atomicSub(out + 10, v);
  atomicExch(out + 11, 77u);
}
const Register r_atomics{atomics,
                         {.group = "threads",
                          .name = "atomics",
                          .wrappers = "atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor "
                                      "atomicInc atomicDec atomicCAS atomicExch",
                          .output_words = 12,
                          .threads = 128,
                          .reference = [](const Words& in, Words& out) {
                            out = {0, 0, 0xffffffffu, 0, 0xffffffffu, 0, 0, 128 % 100, 0, 0, 0, 77};
                            float sum = 0;
                            for (int i = 0; i < 128; ++i) {
                              out[0] += in[i];
                              sum += static_cast<float>(in[i] & 15);
                              out[2] = in[i] < out[2] ? in[i] : out[2];
                              out[3] = in[i] > out[3] ? in[i] : out[3];
                              out[4] &= in[i] | 1u;
                              out[5] |= in[i] & 0xff00u;
                              out[6] ^= in[i];
                            }
                            out[1] = as_word(sum);
                            out[8] = (100 - 128 % 100) % 100;
                            out[9] = out[0];
                            out[10] = 0u - out[0];
                          }}};

/// Powers of two, which both units have exactly.
__global__ void approximations(const Args args) {
  const float power = static_cast<float>(threadIdx.x) - 32.0f;
  std::uint32_t* out = args.output + threadIdx.x * 2;
  out[0] = __float_as_uint(ptx::exp2_approx(power));
  out[1] = __float_as_uint(ptx::reciprocal_approx(ptx::exp2_approx(power)));
}
const Register r_approximations{approximations,
                                {.group = "threads",
                                 .name = "approximations",
                                 .wrappers = "exp2_approx reciprocal_approx",
                                 .output_words = 64 * 2,
                                 .threads = 64,
                                 .reference = [](const Words&, Words& out) {
                                   for (int t = 0; t < 64; ++t) {
                                     out[t * 2] = as_word(std::ldexp(1.0f, t - 32));
                                     out[t * 2 + 1] = as_word(std::ldexp(1.0f, 32 - t));
                                   }
                                 }}};

/// 16 bytes from each even byte of 32.
__global__ void windows(const Args args) {
  const std::uint32_t* in = args.input + threadIdx.x * 8;
  std::uint32_t* out = args.output + threadIdx.x * 32;
  const uint4 low{in[0], in[1], in[2], in[3]}, high{in[4], in[5], in[6], in[7]};
  for (int from = 0; from < 16; from += 2) {
    const uint4 bits = tw::window(low, high, from);
    out[from * 2] = bits.x;
    out[from * 2 + 1] = bits.y;
    out[from * 2 + 2] = bits.z;
    out[from * 2 + 3] = bits.w;
  }
}
const Register r_windows{windows,
                         {.group = "threads",
                          .name = "windows",
                          .wrappers = "window",
                          .input_words = 64 * 8,
                          .output_words = 64 * 32,
                          .threads = 64,
                          .reference = [](const Words& in, Words& out) {
                            for (int t = 0; t < 64; ++t)
                              for (int from = 0; from < 16; from += 2)
                                std::memcpy(&out[t * 32 + from * 2],
                                            reinterpret_cast<const char*>(&in[t * 8]) + from, 16);
                          }}};

__global__ void packing(const Args args) {
  const float a = __uint_as_float(args.input[2 * threadIdx.x]),
              b = __uint_as_float(args.input[2 * threadIdx.x + 1]);
  std::uint32_t* out = args.output + threadIdx.x * 7;
  out[0] = ptx::pack<__half>(a, b);
  out[1] = ptx::pack<__nv_bfloat16>(a, b);
  out[2] = ptx::to_tf32(a);
  const float2 half = ptx::unpack<__half>(out[0]), bfloat = ptx::unpack<__nv_bfloat16>(out[1]);
  out[3] = __float_as_uint(half.x);
  out[4] = __float_as_uint(half.y);
  out[5] = __float_as_uint(bfloat.x);
  out[6] = __float_as_uint(bfloat.y);
}
const Register r_packing{packing,
                         {.group = "threads",
                          .name = "packing",
                          .wrappers = "pack unpack to_tf32",
                          .fill = Fill::float_reals,
                          .input_words = 512,
                          .output_words = 256 * 7,
                          .threads = 256,
                          .reference = [](const Words& in, Words& out) {
                            for (int t = 0; t < 256; ++t) {
                              std::uint32_t* o = &out[t * 7];
                              std::uint16_t bits[4];
                              for (int i = 0; i < 2; ++i) {
                                const __half h = __float2half_rn(as_float(in[2 * t + i]));
                                const __nv_bfloat16 b = __float2bfloat16_rn(as_float(in[2 * t + i]));
                                std::memcpy(&bits[i], &h, 2);
                                std::memcpy(&bits[2 + i], &b, 2);
                                o[3 + i] = as_word(__half2float(h));
                                o[5 + i] = as_word(__bfloat162float(b));
                              }
                              o[0] = bits[0] | static_cast<std::uint32_t>(bits[1]) << 16;
                              o[1] = bits[2] | static_cast<std::uint32_t>(bits[3]) << 16;
                              o[2] = (in[2 * t] + 0x1000u) & ~0x1fffu;
                            }
                          }}};

__global__ void half_arithmetic(const Args args) {
  const auto* in = reinterpret_cast<const __half2*>(args.input) + threadIdx.x * 3;
  auto* out = reinterpret_cast<__half2*>(args.output) + threadIdx.x * 5;
  out[0] = __hadd2(in[0], in[1]);
  out[1] = __hmul2(in[0], in[1]);
  out[2] = __hfma2(in[0], in[1], in[2]);
  out[3] = __hmax2(in[0], in[1]);
  out[4] = __hmin2(in[1], in[2]);
}
const Register r_half_arithmetic{
    half_arithmetic,
    {.group = "threads",
     .name = "half_arithmetic",
     .wrappers = "__hadd2 __hmul2 __hfma2 __hmax2 __hmin2",
     .fill = Fill::half_reals,
     .output_words = 128 * 5,
     .threads = 128,
     .reference = [](const Words& in, Words& out) {
       for (int t = 0; t < 128; ++t)
         for (int i = 0; i < 2; ++i) {
           const double a = element<__half>(in, t * 6 + i), b = element<__half>(in, t * 6 + 2 + i),
                        c = element<__half>(in, t * 6 + 4 + i);
           const double result[5] = {a + b, a * b, a * b + c, a > b ? a : b, b < c ? b : c};
           for (int r = 0; r < 5; ++r) {
             const __half rounded = __double2half(result[r]);
             std::uint16_t bits;
             std::memcpy(&bits, &rounded, 2);
             set_byte(out, (t * 5 + r) * 4 + i * 2, static_cast<unsigned char>(bits));
             set_byte(out, (t * 5 + r) * 4 + i * 2 + 1, static_cast<unsigned char>(bits >> 8));
           }
         }
     }}};

__global__ void bit_functions(const Args args) {
  const std::uint32_t a = args.input[2 * threadIdx.x], b = args.input[2 * threadIdx.x + 1];
  std::uint32_t* out = args.output + threadIdx.x * 8;
  out[0] = static_cast<std::uint32_t>(__popc(a));
  out[1] = static_cast<std::uint32_t>(__clz(static_cast<int>(a >> (b & 31))));
  out[2] = static_cast<std::uint32_t>(__ffs(static_cast<int>(a << (b & 31))));
  out[3] = __brev(a);
  out[4] = __byte_perm(a, b, b >> 7);
  out[5] = __funnelshift_l(a, b, b & 63);
  out[6] = __funnelshift_r(a, b, b & 63);
  out[7] = __umulhi(a, b);
}
const Register r_bit_functions{
    bit_functions,
    {.group = "threads",
     .name = "bit_functions",
     .wrappers = "__popc __clz __ffs __brev __byte_perm __funnelshift_l __funnelshift_r __umulhi",
     .output_words = 64 * 8,
     .threads = 64,
     .reference = [](const Words& in, Words& out) {
       for (int t = 0; t < 64; ++t) {
         const std::uint32_t a = in[2 * t], b = in[2 * t + 1], shifted = a >> (b & 31), left = a << (b & 31);
         std::uint32_t* o = &out[t * 8];
         o[0] = o[3] = o[4] = 0;
         o[1] = 32;
         o[2] = 0;
         for (std::uint32_t bit = 0; bit < 32; ++bit) {
           o[0] += a >> bit & 1;
           o[3] |= (a >> bit & 1) << (31 - bit);
           if (shifted >> bit & 1) o[1] = 31 - bit;
           if (left >> (31 - bit) & 1) o[2] = 32 - bit;
         }
         for (int byte = 0; byte < 4; ++byte) {
           const std::uint32_t pick = b >> 7 >> 4 * byte & 7;  // 3 bits: prmt's sign mode is out of reach
           o[4] |= ((pick & 4 ? b : a) >> (pick & 3) * 8 & 255) << 8 * byte;
         }
         const std::uint32_t n = b & 31;
         o[5] = n ? b << n | a >> (32 - n) : b;
         o[6] = n ? a >> n | b << (32 - n) : a;
         o[7] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
       }
     }}};

__global__ void clock_and_sleep(const Args args) {
  const std::uint64_t before = ptx::clock();
  ptx::nanosleep(100);
  args.output[threadIdx.x] = ptx::clock() >= before;
}
const Register r_clock{clock_and_sleep,
                       {.group = "threads",
                        .name = "clock_and_sleep",
                        .wrappers = "clock nanosleep",
                        .reference = [](const Words&, Words& out) { out.assign(out.size(), 1); }}};

}  // namespace
}  // namespace conformance
