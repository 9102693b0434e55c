// Bulk copies and tensor copies: every rank, swizzle, edge, multicast and reduction. Loads are shown as the
// raw bytes that arrive in shared memory, so that a swizzle cannot cancel against another one.
#include "kernels.hpp"

namespace conformance {
namespace {

using tilewright::Swizzle;
using tilewright::TiledMap;

/// One thread issues a load of `bytes` bytes, all wait, and the raw shared memory goes to the output:
/// `footprint` bytes, of which the load may leave some alone.
template <class Issue>
TW_DEVICE void show_load(const Args& args, std::uint32_t shared, std::uint32_t bytes, std::uint32_t footprint,
                         Issue issue) {
  const std::uint32_t barrier = shared + footprint;
  for (std::uint32_t i = threadIdx.x; i < footprint / 4; i += blockDim.x)
    ptx::store_shared(shared + 4 * i, std::uint32_t{kUntouched});
  ptx::fence_proxy_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, bytes);
    issue(barrier);
  }
  __syncthreads();
  ptx::mbarrier_wait(barrier, 0);
  for (std::uint32_t i = threadIdx.x; i < footprint / 4; i += blockDim.x)
    args.output[blockIdx.x * (footprint / 4) + i] = ptx::load_shared(shared + 4 * i);
}

/// Fills `bytes` of shared memory with the input, unswizzled, and makes it visible to the async proxy.
TW_DEVICE void fill_for_store(const Args& args, std::uint32_t shared, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    ptx::store_shared(shared + 4 * i, args.input[i]);
  ptx::fence_proxy_async_shared();
  __syncthreads();
}

// ------------------------------------------------------------------------------------ one-dimensional copies

template <bool Hint>
__global__ void load_bulk(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  if (threadIdx.x == 0) ptx::bulk_prefetch(args.input, 2048);
  show_load(args, base, 2048, 2048, [&](std::uint32_t barrier) {
    if constexpr (Hint)
      ptx::bulk_load(base, args.input + 4, 2048, barrier, ptx::policy_evict_first());
    else
      ptx::bulk_load(base, args.input + 4, 2048, barrier);
  });
}
Case load_bulk_case(const char* name, const char* wrappers) {
  return {.group = "bulk",
          .name = name,
          .wrappers = wrappers,
          .output_words = 512,
          .shared_bytes = 2048 + 8,
          .reference = [](const Words& in, Words& out) {
            for (int i = 0; i < 512; ++i) out[i] = in[i + 4];
          }};
}
const Register r_load{load_bulk<false>, load_bulk_case("bulk_load", "bulk_load bulk_prefetch")};
const Register r_load_hint{load_bulk<true>, load_bulk_case("bulk_load_hint", "bulk_load policy_evict_first")};

/// Each block of a pair loads one half for both.
__global__ void __cluster_dims__(2, 1, 1) multicast_bulk(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), barrier = base + 1024, rank = ptx::cluster_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, 1024);
  }
  ptx::cluster_sync();
  if (threadIdx.x == 0) ptx::bulk_load_multicast(base + rank * 512, args.input + rank * 128, 512, barrier, 3);
  ptx::mbarrier_wait(barrier, 0);
  for (std::uint32_t i = threadIdx.x; i < 256; i += 32)
    args.output[blockIdx.x * 256 + i] = ptx::load_shared(base + 4 * i);
  ptx::cluster_sync();
}
const Register r_multicast{multicast_bulk,
                           {.group = "bulk",
                            .name = "bulk_load_multicast",
                            .wrappers = "bulk_load_multicast",
                            .output_words = 512,
                            .blocks = 2,
                            .cluster = 2,
                            .shared_bytes = 1024 + 8,
                            .reference = [](const Words& in, Words& out) {
                              for (int i = 0; i < 512; ++i) out[i] = in[i % 256];
                            }}};

/// Two groups; the first buffer is overwritten once the store has read it.
template <bool Hint>
__global__ void store_bulk(const Args args) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  fill_for_store(args, base, 1024);
  const auto store = [&](std::uint32_t* to, std::uint32_t from) {
    if constexpr (Hint)
      ptx::bulk_store(to, from, 512, ptx::policy_evict_last());
    else
      ptx::bulk_store(to, from, 512);
    ptx::bulk_commit();
  };
  if (threadIdx.x == 0) {
    store(args.output, base);
    store(args.output + 128, base + 512);
    ptx::bulk_wait_read<1>();
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < 128; i += 32) ptx::store_shared(base + 4 * i, i);
  ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    store(args.output + 256, base);
    ptx::bulk_wait<0>();
  }
}
Case store_bulk_case(const char* name, const char* wrappers) {
  return {.group = "bulk",
          .name = name,
          .wrappers = wrappers,
          .output_words = 400,
          .shared_bytes = 1024,
          .reference = [](const Words& in, Words& out) {
            for (std::uint32_t i = 0; i < 384; ++i) out[i] = i < 256 ? in[i] : i - 256;
          }};
}
const Register r_store{
    store_bulk<false>,
    store_bulk_case("bulk_store", "bulk_store bulk_commit bulk_wait bulk_wait_read fence_proxy_async")};
const Register r_store_hint{store_bulk<true>,
                            store_bulk_case("bulk_store_hint", "bulk_store policy_evict_last")};

// --------------------------------------------------------------------------------------------- tensor copies

/// A tensor of 16-bit elements (32-bit where `bytes` is 4), densely packed, that fills at most the case's
/// buffer.
TiledMap tensor(std::uint32_t bytes, std::vector<std::uint64_t> size, std::vector<std::uint32_t> box,
                Swizzle swizzle) {
  TiledMap map;
  map.element_bytes = bytes;
  map.rank = static_cast<std::uint32_t>(size.size());
  std::uint64_t stride = bytes;
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    map.size[i] = size[i];
    map.box[i] = box[i];
    map.stride[i] = stride;
    stride = (stride * size[i] + 15) / 16 * 16;
  }
  map.swizzle = swizzle;
  return map;
}

std::uint32_t box_bytes(const TiledMap& map) {
  std::uint32_t bytes = map.element_bytes;
  for (std::uint32_t i = 0; i < map.rank; ++i) bytes *= map.box[i];
  return bytes;
}

std::uint32_t span_of(Swizzle swizzle) {
  return swizzle == Swizzle::none ? 0 : 16u << static_cast<int>(swizzle);
}

/// Byte `offset` of an unswizzled box lies here in shared memory (box at a multiple of the pattern's length).
std::uint32_t swizzled(std::uint32_t offset, std::uint32_t span) {
  const std::uint32_t mask = span == 0 ? 0 : span / 16 - 1;
  return offset ^ (offset / 128 & mask) * 16;
}

/// Byte `byte` of the box lies here. Rows are dense, unless they are narrower than the span, which then is
/// the pitch.
std::uint32_t placed(const TiledMap& map, std::uint32_t byte) {
  const std::uint32_t row = map.box[0] * map.element_bytes, span = span_of(map.swizzle);
  return swizzled(byte / row * (row < span ? span : row) + byte % row, span);
}

/// Bytes of shared memory from the first byte of a box to its last, gaps included.
std::uint32_t box_footprint(const TiledMap& map) {
  const std::uint32_t row = map.box[0] * map.element_bytes, span = span_of(map.swizzle);
  return box_bytes(map) / row * (row < span ? span : row);
}

/// The tensor as a store sees it: dimension 0 is clipped by 16-byte chunks (measured on an H200, 2026-11-21).
TiledMap store_bounds(TiledMap map) {
  const std::uint64_t chunk = 16 / map.element_bytes;
  map.size[0] = (map.size[0] + chunk - 1) / chunk * chunk;
  return map;
}

/// Calls visit(byte in the box, byte in the tensor or -1 outside) for every byte of the box at `at`.
template <class Visit>
void each_byte(const TiledMap& map, const int* at, Visit visit) {
  for (std::uint32_t byte = 0; byte < box_bytes(map); ++byte) {
    std::uint32_t rest = byte / map.element_bytes;
    std::int64_t global = byte % map.element_bytes;
    bool inside = true;
    for (std::uint32_t i = 0; i < map.rank; ++i) {
      const std::int64_t x = static_cast<std::int64_t>(at[i]) + rest % map.box[i];
      rest /= map.box[i];
      inside = inside && x >= 0 && x < static_cast<std::int64_t>(map.size[i]);
      global += x * static_cast<std::int64_t>(i == 0 ? map.element_bytes : map.stride[i]);
    }
    visit(byte, inside ? global : -1);
  }
}

/// Coordinates of the boxes of loads: partly before the start in dimension 0 (rank 1 and up), partly behind the
/// end in the last.
template <int Rank>
struct At {
  int x[Rank];
};
template <int Rank>
inline constexpr At<Rank> kAt{};
template <>
inline constexpr At<1> kAt<1>{{-16}};
template <>
inline constexpr At<2> kAt<2>{{-8, 13}};
template <>
inline constexpr At<3> kAt<3>{{-8, 1, 4}};
template <>
inline constexpr At<4> kAt<4>{{8, 1, -1, 1}};
template <>
inline constexpr At<5> kAt<5>{{-8, 1, 0, 1, 1}};

/// Coordinates of the boxes of stores: partly behind the end. A negative coordinate is an illegal instruction
/// (measured on an H200, 2026-11-21).
template <int Rank>
inline constexpr At<Rank> kStoreAt{};
template <>
inline constexpr At<1> kStoreAt<1>{{176}};
template <>
inline constexpr At<2> kStoreAt<2>{{16, 13}};
template <>
inline constexpr At<3> kStoreAt<3>{{16, 3, 4}};
template <>
inline constexpr At<4> kStoreAt<4>{{8, 1, 2, 1}};
template <>
inline constexpr At<5> kStoreAt<5>{{8, 2, 1, 1, 2}};

template <int Rank>
TiledMap tensor_of_rank() {
  if constexpr (Rank == 1)
    return tensor(2, {256}, {128}, Swizzle::none);
  else if constexpr (Rank == 2)
    return tensor(2, {40, 20}, {32, 16}, Swizzle::none);
  else if constexpr (Rank == 3)
    return tensor(2, {24, 6, 6}, {16, 4, 4}, Swizzle::none);
  else if constexpr (Rank == 4)
    return tensor(2, {24, 4, 3, 3}, {16, 4, 2, 3}, Swizzle::none);
  else
    return tensor(2, {16, 3, 2, 3, 3}, {16, 2, 2, 3, 2}, Swizzle::none);
}

enum class Form { plain, hint };

/// `Spread`: how many times its bytes the box's footprint is.
template <int Rank, Form How, std::uint32_t Spread = 1>
__global__ void load_tensor(const Args args, const __grid_constant__ TensorMap map,
                            const std::uint32_t bytes) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  if (threadIdx.x == 0) ptx::prefetch_tensor_map(&map);
  constexpr At<Rank> at = kAt<Rank>;
  show_load(args, base, bytes, bytes * Spread, [&](std::uint32_t barrier) {
    if constexpr (How == Form::hint)
      ptx::tensor_load(base, &map, at.x, barrier, ptx::policy_evict_last());
    else
      ptx::tensor_load(base, &map, at.x, barrier);
  });
}

template <int Rank>
Case tensor_load_case(std::string name, TiledMap map) {
  return {.group = "bulk",
          .name = std::move(name),
          .wrappers = "tensor_load prefetch_tensor_map",
          .input_words = 2048,
          .output_words = box_footprint(map) / 4,
          .shared_bytes = box_footprint(map) + 8,
          .map = Map{map, false},
          .reference = [map](const Words& in, Words& out) {
            constexpr At<Rank> at = kAt<Rank>;
            each_byte(map, at.x, [&](std::uint32_t byte, std::int64_t global) {
              set_byte(
                  out, placed(map, byte),
                  global < 0 ? static_cast<unsigned char>(0) : byte_of(in, static_cast<std::size_t>(global)));
            });
          }};
}
const Register r_t1{load_tensor<1, Form::plain>, tensor_load_case<1>("tensor_load_1d", tensor_of_rank<1>())};
const Register r_t2{load_tensor<2, Form::plain>, tensor_load_case<2>("tensor_load_2d", tensor_of_rank<2>())};
const Register r_t3{load_tensor<3, Form::plain>, tensor_load_case<3>("tensor_load_3d", tensor_of_rank<3>())};
const Register r_t4{load_tensor<4, Form::plain>, tensor_load_case<4>("tensor_load_4d", tensor_of_rank<4>())};
const Register r_t5{load_tensor<5, Form::plain>, tensor_load_case<5>("tensor_load_5d", tensor_of_rank<5>())};
const Register r_t2h{load_tensor<2, Form::hint>,
                     tensor_load_case<2>("tensor_load_2d_hint", tensor_of_rank<2>())};
const Register r_t3h{load_tensor<3, Form::hint>,
                     tensor_load_case<3>("tensor_load_3d_hint", tensor_of_rank<3>())};
// Swizzles: the inner box fills the span, and once half of it.
const Register r_s32{
    load_tensor<2, Form::plain>,
    tensor_load_case<2>("tensor_load_swizzle_32", tensor(2, {16, 40}, {16, 32}, Swizzle::b32))};
const Register r_s64{
    load_tensor<2, Form::plain>,
    tensor_load_case<2>("tensor_load_swizzle_64", tensor(2, {40, 40}, {32, 32}, Swizzle::b64))};
const Register r_s128{
    load_tensor<2, Form::plain>,
    tensor_load_case<2>("tensor_load_swizzle_128", tensor(2, {80, 40}, {64, 32}, Swizzle::b128))};
const Register r_s128f{
    load_tensor<2, Form::plain>,
    tensor_load_case<2>("tensor_load_swizzle_128_f32", tensor(4, {40, 24}, {32, 16}, Swizzle::b128))};
const Register r_half_span{
    load_tensor<2, Form::plain, 2>,
    tensor_load_case<2>("tensor_load_swizzle_128_half_span", tensor(2, {40, 40}, {32, 32}, Swizzle::b128))};

template <bool Hint>
__global__ void __cluster_dims__(2, 1, 1)
    multicast_tensor(const Args args, const __grid_constant__ TensorMap map, const std::uint32_t bytes) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared), barrier = base + 2 * bytes,
                      rank = ptx::cluster_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, 2 * bytes);
  }
  ptx::cluster_sync();
  const int row = static_cast<int>(rank) * 8;
  if (threadIdx.x == 0) {
    if constexpr (Hint)
      ptx::tensor_load_multicast(base + rank * bytes, &map, {0, row}, barrier, 3, ptx::policy_evict_first());
    else
      ptx::tensor_load_multicast(base + rank * bytes, &map, {0, row}, barrier, 3);
  }
  ptx::mbarrier_wait(barrier, 0);
  for (std::uint32_t i = threadIdx.x; i < bytes / 2; i += 32)
    args.output[blockIdx.x * (bytes / 2) + i] = ptx::load_shared(base + 4 * i);
  ptx::cluster_sync();
}
Case multicast_case(const char* name) {
  const TiledMap map = tensor(2, {64, 16}, {64, 8}, Swizzle::b128);
  return {.group = "bulk",
          .name = name,
          .wrappers = "tensor_load_multicast",
          .output_words = 1024,
          .blocks = 2,
          .cluster = 2,
          .shared_bytes = 2048 + 8,
          .map = Map{map, false},
          .reference = [](const Words& in, Words& out) {
            for (std::uint32_t byte = 0; byte < 4096; ++byte)
              set_byte(out, byte / 2048 * 2048 + swizzled(byte % 2048, 128), byte_of(in, byte % 2048));
          }};
}
const Register r_mc{multicast_tensor<false>, multicast_case("tensor_load_multicast")};
const Register r_mch{multicast_tensor<true>, multicast_case("tensor_load_multicast_hint")};

template <int Rank, Form How, bool Add, std::uint32_t Spread = 1>
__global__ void store_tensor(const Args args, const __grid_constant__ TensorMap map,
                             const std::uint32_t bytes) {
  TW_SHARED(shared);
  const std::uint32_t base = ptx::shared_address(shared);
  if constexpr (Add) {  // what the sums start from: zeros
    for (std::uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) args.output[i] = 0;
    ptx::fence_proxy_async();
  }
  fill_for_store(args, base, bytes * Spread);
  constexpr At<Rank> at = kStoreAt<Rank>;
  if (threadIdx.x == 0) {
    if constexpr (Add) {
      ptx::tensor_reduce_add(&map, at.x, base);
      ptx::tensor_reduce_add(&map, at.x, base);
    } else if constexpr (How == Form::hint) {
      ptx::tensor_store(&map, at.x, base, ptx::policy_evict_first());
    } else {
      ptx::tensor_store(&map, at.x, base);
    }
    ptx::bulk_commit();
    ptx::bulk_wait<0>();
  }
}

template <int Rank>
Case tensor_store_case(std::string name, TiledMap map) {
  return {.group = "bulk",
          .name = std::move(name),
          .wrappers = "tensor_store",
          .output_words = 2048,
          .shared_bytes = box_footprint(map),
          .map = Map{map, true},
          .reference = [map](const Words& in, Words& out) {
            constexpr At<Rank> at = kStoreAt<Rank>;
            each_byte(store_bounds(map), at.x, [&](std::uint32_t byte, std::int64_t global) {
              if (global >= 0)
                set_byte(out, static_cast<std::size_t>(global), byte_of(in, placed(map, byte)));
            });
          }};
}
const Register r_w1{store_tensor<1, Form::plain, false>,
                    tensor_store_case<1>("tensor_store_1d", tensor_of_rank<1>())};
const Register r_w2{store_tensor<2, Form::plain, false>,
                    tensor_store_case<2>("tensor_store_2d", tensor_of_rank<2>())};
const Register r_w3{store_tensor<3, Form::plain, false>,
                    tensor_store_case<3>("tensor_store_3d", tensor_of_rank<3>())};
const Register r_w4{store_tensor<4, Form::plain, false>,
                    tensor_store_case<4>("tensor_store_4d", tensor_of_rank<4>())};
const Register r_w5{store_tensor<5, Form::plain, false>,
                    tensor_store_case<5>("tensor_store_5d", tensor_of_rank<5>())};
const Register r_w2h{store_tensor<2, Form::hint, false>,
                     tensor_store_case<2>("tensor_store_2d_hint", tensor_of_rank<2>())};
const Register r_ws{
    store_tensor<2, Form::plain, false>,
    tensor_store_case<2>("tensor_store_swizzle_128", tensor(2, {72, 24}, {64, 16}, Swizzle::b128))};
// Not yet run on a GPU: that a store reads the layout that a load writes.
const Register r_ws_half{
    store_tensor<2, Form::plain, false, 2>,
    tensor_store_case<2>("tensor_store_swizzle_128_half_span", tensor(2, {40, 20}, {32, 16}, Swizzle::b128))};

/// Rows of 250 bytes, 288 apart: the store writes 256 of each.
TiledMap ragged_tensor() {
  TiledMap map = tensor(2, {125, 20}, {128, 16}, Swizzle::none);
  map.stride[1] = 288;
  return map;
}
const Register r_wclip{store_tensor<2, Form::plain, false>,
                       tensor_store_case<2>("tensor_store_2d_ragged", ragged_tensor())};

/// Adds the box twice to a tensor of zeros; small integers, so that every sum is exact.
template <class T>
Case reduce_case(const char* name, Fill fill) {
  TiledMap map = tensor(sizeof(T), {40, 20}, {32, 16}, Swizzle::none);
  map.bfloat16 = ptx::detail::is_bfloat16<T>;
  return {.group = "bulk",
          .name = name,
          .wrappers = "tensor_reduce_add",
          .fill = fill,
          .output_words = 1024,
          .shared_bytes = box_bytes(map),
          .map = Map{map, true},
          .reference = [map](const Words& in, Words& out) {
            out.assign(out.size(), 0);
            each_byte(map, kStoreAt<2>.x, [&](std::uint32_t byte, std::int64_t global) {
              if (global < 0 || byte % sizeof(T) != 0) return;
              const T sum = static_cast<T>(2 * element<T>(in, byte / sizeof(T)));
              unsigned char bytes[sizeof(T)];
              std::memcpy(bytes, &sum, sizeof(T));
              for (std::size_t i = 0; i < sizeof(T); ++i)
                set_byte(out, static_cast<std::size_t>(global) + i, bytes[i]);
            });
          }};
}
const Register r_add_f16{store_tensor<2, Form::plain, true>,
                         reduce_case<__half>("tensor_reduce_add_f16", Fill::half_integers)};
const Register r_add_bf16{store_tensor<2, Form::plain, true>,
                          reduce_case<__nv_bfloat16>("tensor_reduce_add_bf16", Fill::bfloat16_integers)};
const Register r_add_f32{store_tensor<2, Form::plain, true>,
                         reduce_case<float>("tensor_reduce_add_f32", Fill::float_integers)};

}  // namespace
}  // namespace conformance
