// box.cpp - tensor boxes, and what cuTensorMapEncodeTiled would say of a map.
#include "box.hpp"

#include <algorithm>
#include <cstring>

#include "numerics.hpp"
#include "report.hpp"

namespace simt {
namespace core {
namespace {

template <class Number>
void add_numbers(unsigned char* to, const unsigned char* from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Number a, b;
    std::memcpy(&a, to + i * sizeof a, sizeof a);
    std::memcpy(&b, from + i * sizeof b, sizeof b);
    a = static_cast<Number>(a + b);
    std::memcpy(to + i * sizeof a, &a, sizeof a);
  }
}

void add_16_bit(unsigned char* to, const unsigned char* from, std::uint32_t count, bool bfloat16) {
  const MmaType type = bfloat16 ? MmaType::bf16 : MmaType::f16;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint16_t a, b;
    std::memcpy(&a, to + i * 2, 2);
    std::memcpy(&b, from + i * 2, 2);
    const float sum = sixteen_bit_to_float(a, type) + sixteen_bit_to_float(b, type);
    a = bfloat16 ? float_to_bfloat16(sum) : float_to_half(sum);
    std::memcpy(to + i * 2, &a, 2);
  }
}

void add_elements(const TensorMap& map, unsigned char* to, const unsigned char* from, std::uint32_t count) {
  if (map.element_kind == 1 || map.element_kind == 2)
    return add_16_bit(to, from, count, map.element_kind == 2);
  if (map.element_kind == 3) return add_numbers<float>(to, from, count);
  switch (map.element_bytes) {
    case 4:
      return add_numbers<std::uint32_t>(to, from, count);
    case 8:
      return add_numbers<std::uint64_t>(to, from, count);
    default:
      fail("tensor-map", text("reduce-add of %u-byte integers: allowed are 4 and 8", map.element_bytes));
  }
}

std::string check_dimension(const TensorMap& map, std::uint32_t i) {
  if (map.size[i] == 0 || map.size[i] > (std::uint64_t{1} << 32))
    return text("size[%u] is %llu; allowed is 1 to 2^32", i, static_cast<unsigned long long>(map.size[i]));
  if (map.box[i] == 0 || map.box[i] > 256) return text("box[%u] is %u; allowed is 1 to 256", i, map.box[i]);
  if (i == 0) return "";
  if (map.stride[i] % 16 || map.stride[i] == 0 || map.stride[i] >= (std::uint64_t{1} << 40))
    return text("stride[%u] is %llu bytes; allowed are multiples of 16 below 2^40", i,
                static_cast<unsigned long long>(map.stride[i]));
  return "";
}

}  // namespace

void load_box(const TensorMap& map, const int* coordinates, unsigned char* arena, std::uint32_t destination) {
  const std::uint32_t span = map_swizzle_span(map.swizzle);
  walk_box(map, coordinates, [&](const BoxRun& run) {
    for_each_piece(destination, run.offset, run.count * map.element_bytes, span,
                   [&](std::uint32_t address, std::uint32_t bytes, std::uint32_t offset) {
                     if (run.global)
                       std::memcpy(arena + address, run.global + (offset - run.offset), bytes);
                     else
                       std::memset(arena + address, 0, bytes);
                   });
  });
}

void gather_box(const TensorMap* map, const unsigned char* arena, std::uint32_t source, unsigned char* data,
                std::uint32_t bytes) {
  for_each_piece(source, 0, bytes, map ? map_swizzle_span(map->swizzle) : 0,
                 [&](std::uint32_t address, std::uint32_t size, std::uint32_t offset) {
                   std::memcpy(data + offset, arena + address, size);
                 });
}

void store_box(const TensorMap& map, const int* coordinates, const unsigned char* data, BulkReduce reduce) {
  walk_box(store_bounds(map), coordinates, [&](const BoxRun& run) {
    if (!run.global) return;
    if (reduce == BulkReduce::add)
      add_elements(map, run.global, data + run.offset, run.count);
    else
      std::memcpy(run.global, data + run.offset, run.count * map.element_bytes);
  });
}

}  // namespace core

// The CUDA driver API's description of cuTensorMapEncodeTiled, for interleave none and element strides of 1.
std::string check_tensor_map(const TensorMap& map) {
  using core::text;
  if (map.rank < 1 || map.rank > 5) return text("rank is %u; allowed is 1 to 5", map.rank);
  const std::uint32_t bytes = map.element_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return text("elements of %u bytes; allowed are 1, 2, 4, 8", bytes);
  if (!map.base || reinterpret_cast<std::uintptr_t>(map.base) % 16)
    return "the tensor's address is not a multiple of 16";
  if (map.swizzle > 3)
    return text("there is no swizzle mode %u: 0 none, 1 32 B, 2 64 B, 3 128 B", map.swizzle);
  for (std::uint32_t i = 0; i < map.rank; ++i)
    if (std::string refusal = core::check_dimension(map, i); !refusal.empty()) return refusal;
  const std::uint32_t row = map.box[0] * bytes, span = map_swizzle_span(map.swizzle);
  if (row % 16) return text("box[0] is %u bytes; it must be a multiple of 16", row);
  if (span && row > span) return text("box[0] is %u bytes, wider than the swizzle's %u", row, span);
  if (box_bytes(map) > limits().shared_bytes_per_block)
    return text("the box has %u bytes, more than a block's shared memory", box_bytes(map));
  return "";
}

}  // namespace simt
