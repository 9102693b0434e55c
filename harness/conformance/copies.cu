// cp.async in all sizes, its groups and its arrivals on an mbarrier; loads and stores of shared memory by
// address.
#include "kernels.hpp"

namespace conformance {
namespace {

/// `output` word i is input word i, for those of the first `words`.
void copy_of_input(const Words& in, Words& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i];
}

template <int Bytes>
__global__ void cp_async_size(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t mine = ptx::shared_address(shared) + threadIdx.x * Bytes;
  ptx::cp_async<Bytes>(mine, reinterpret_cast<const unsigned char*>(args.input) + threadIdx.x * Bytes);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  for (int word = 0; word < Bytes / 4; ++word)
    args.output[threadIdx.x * (Bytes / 4) + word] = ptx::load_shared(mine + 4 * word);
}

template <int Bytes>
Case cp_async_case() {
  return {.group = "copies",
          .name = "cp_async_" + std::to_string(Bytes),
          .wrappers = "cp_async cp_async_commit cp_async_wait load_shared shared_address",
          .output_words = 64 * Bytes / 4,
          .threads = 64,
          .shared_bytes = 64 * Bytes,
          .reference = copy_of_input};
}
const Register r_cp4{cp_async_size<4>, cp_async_case<4>()};
const Register r_cp8{cp_async_size<8>, cp_async_case<8>()};
const Register r_cp16{cp_async_size<16>, cp_async_case<16>()};

/// Thread t copies its first t % (Bytes + 1) bytes and gets zeros for the rest.
template <int Bytes>
__global__ void cp_async_zero_fill(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t mine = ptx::shared_address(shared) + threadIdx.x * Bytes;
  const int bytes = static_cast<int>(threadIdx.x) % (Bytes + 1);
  ptx::cp_async_zfill<Bytes>(mine, reinterpret_cast<const unsigned char*>(args.input) + threadIdx.x * Bytes,
                             bytes);
  ptx::cp_async_wait_all();
  for (int word = 0; word < Bytes / 4; ++word)
    args.output[threadIdx.x * (Bytes / 4) + word] = ptx::load_shared(mine + 4 * word);
}

template <int Bytes>
Case zero_fill_case() {
  return {.group = "copies",
          .name = "cp_async_zfill_" + std::to_string(Bytes),
          .wrappers = "cp_async_zfill cp_async_wait_all",
          .output_words = 64 * Bytes / 4,
          .threads = 64,
          .shared_bytes = 64 * Bytes,
          .reference = [](const Words& in, Words& out) {
            for (std::size_t i = 0; i < out.size() * 4; ++i)
              set_byte(out, i,
                       i % Bytes < i / Bytes % (Bytes + 1) ? byte_of(in, i) : static_cast<unsigned char>(0));
          }};
}
const Register r_zfill4{cp_async_zero_fill<4>, zero_fill_case<4>()};
const Register r_zfill8{cp_async_zero_fill<8>, zero_fill_case<8>()};
const Register r_zfill16{cp_async_zero_fill<16>, zero_fill_case<16>()};

/// Three groups in flight, waited for one by one; every thread reads its neighbour's part behind the barrier.
__global__ void cp_async_groups(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), t = threadIdx.x;
  for (std::uint32_t stage = 0; stage < 3; ++stage) {
    ptx::cp_async<16>(base + stage * 2048 + t * 16, args.input + stage * 512 + t * 4);
    ptx::cp_async_commit();
  }
  const std::uint32_t other = (t + 37) % 128;
  const auto put = [&](std::uint32_t stage) {
    __syncthreads();
    const uint4 v = ptx::load_shared_v4(base + stage * 2048 + other * 16);
    args.output[stage * 128 + t] = v.x ^ v.y ^ v.z ^ v.w;
  };
  ptx::cp_async_wait<2>();
  put(0);
  ptx::cp_async_wait<1>();
  put(1);
  ptx::cp_async_wait<0>();
  put(2);
}
const Register r_groups{cp_async_groups,
                        {.group = "copies",
                         .name = "cp_async_groups",
                         .wrappers = "cp_async_commit cp_async_wait load_shared_v4 __syncthreads",
                         .input_words = 3 * 512,
                         .output_words = 3 * 128,
                         .threads = 128,
                         .shared_bytes = 3 * 2048,
                         .reference = [](const Words& in, Words& out) {
                           for (int i = 0; i < 3 * 128; ++i) {
                             const std::uint32_t* v = &in[i / 128 * 512 + (i + 37) % 128 * 4];
                             out[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
                           }
                         }}};

template <bool NoIncrement>
__global__ void cp_async_arrives(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), t = threadIdx.x, barrier = base + 2048;
  // Without .noinc an arrival raises the count first, so init counts the threads' own arrivals only.
  if (t == 0) ptx::mbarrier_init(barrier, 128);
  __syncthreads();
  ptx::cp_async<16>(base + t * 16, args.input + t * 4);
  if constexpr (NoIncrement) {
    ptx::cp_async_mbarrier_arrive_noinc(barrier);
  } else {
    ptx::cp_async_mbarrier_arrive(barrier);
    ptx::mbarrier_arrive(barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  const uint4 v = ptx::load_shared_v4(base + (t + 1) % 128 * 16);
  args.output[t] = v.x ^ v.y ^ v.z ^ v.w;
}

Case arrives_case(const char* name, const char* wrapper) {
  return {.group = "copies",
          .name = name,
          .wrappers = std::string(wrapper) + " mbarrier_init mbarrier_wait",
          .output_words = 128,
          .threads = 128,
          .shared_bytes = 2048 + 8,
          .reference = [](const Words& in, Words& out) {
            for (int t = 0; t < 128; ++t) {
              const std::uint32_t* v = &in[(t + 1) % 128 * 4];
              out[t] = v[0] ^ v[1] ^ v[2] ^ v[3];
            }
          }};
}
const Register r_noinc{cp_async_arrives<true>,
                       arrives_case("cp_async_mbarrier_arrive_noinc", "cp_async_mbarrier_arrive_noinc")};
const Register r_inc{cp_async_arrives<false>,
                     arrives_case("cp_async_mbarrier_arrive", "cp_async_mbarrier_arrive")};

__global__ void shared_by_address(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), t = threadIdx.x;
  ptx::store_shared(base + 4 * t, args.input[t]);
  ptx::store_shared_v4(base + 128 + 16 * t, make_uint4(args.input[t], t, ~t, args.input[t + 32]));
  __syncthreads();
  const uint4 v = ptx::load_shared_v4(base + 128 + 16 * (31 - t));
  const std::uint32_t words[4] = {ptx::load_shared(base + 4 * (31 - t)), v.x ^ v.y, v.z,
                                  reinterpret_cast<const std::uint32_t*>(shared)[32 + 4 * t + 3]};
  for (int i = 0; i < 4; ++i) args.output[4 * t + i] = words[i];
}
const Register r_shared{shared_by_address,
                        {.group = "copies",
                         .name = "shared_by_address",
                         .wrappers = "load_shared store_shared load_shared_v4 store_shared_v4 shared_address",
                         .output_words = 128,
                         .shared_bytes = 128 + 512,
                         .reference = [](const Words& in, Words& out) {
                           for (std::uint32_t t = 0; t < 32; ++t) {
                             const std::uint32_t other = 31 - t;
                             out[4 * t] = in[other];
                             out[4 * t + 1] = in[other] ^ other;
                             out[4 * t + 2] = ~other;
                             out[4 * t + 3] = in[t + 32];
                           }
                         }}};

}  // namespace
}  // namespace conformance
