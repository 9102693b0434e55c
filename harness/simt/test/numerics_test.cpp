// Number formats, swizzles, operand addresses and boxes against their definitions, without running a kernel.
#include "numerics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

using namespace simt;

namespace {

/// The nearest of all finite halves (or bfloat16s), ties to even: found by trying the neighbours of a
/// truncation.
template <class ToFloat>
std::uint16_t nearest(float value, ToFloat to_float, std::uint16_t guess) {
  std::uint16_t best = guess;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int step = -1; step <= 1; ++step) {
    const auto candidate = static_cast<std::uint16_t>(guess + step);
    const double distance = std::fabs(static_cast<double>(to_float(candidate)) - value);
    if (distance < best_distance || (distance == best_distance && candidate % 2 == 0)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("every half survives the way to float and back") {
  for (int i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = half_to_float(bits);
    if (std::isnan(value))
      CHECK_EQ(float_to_half(value), 0x7fff);
    else
      CHECK_EQ(float_to_half(value), bits);
  }
}

TEST_CASE("halves round to nearest even") {
  CHECK_EQ(float_to_half(65519.996f), 0x7bff);  // below the middle of 65504 and 65536
  CHECK_EQ(float_to_half(65520.0f), 0x7c00);    // the middle: to infinity, as its last bit is even
  CHECK_EQ(float_to_half(-1e10f), 0xfc00);
  CHECK_EQ(float_to_half(0x1p-25f), 0x0000);  // the middle of 0 and the least subnormal
  CHECK_EQ(float_to_half(0x1.8p-24f), 0x0002);
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(0x33000000u + i * 1677u);  // 2^-25 to about 65000
    if (value >= 65504.0f) break;
    const std::uint16_t rounded = float_to_half(value);
    CHECK_EQ(rounded, nearest(value, half_to_float, rounded));
  }
}

TEST_CASE("bfloat16s round to nearest even") {
  CHECK_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80);  // a tie stays at the even one
  CHECK_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  CHECK_EQ(float_to_bfloat16(std::numeric_limits<float>::quiet_NaN()), 0x7fff);
  CHECK_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST_CASE("swizzles permute and undo themselves") {
  for (const std::uint32_t span : {32u, 64u, 128u}) {
    std::set<std::uint32_t> places;
    for (std::uint32_t address = 0; address < 4096; address += 2) {
      const std::uint32_t place = swizzle(address, span);
      places.insert(place);
      CHECK_EQ(swizzle(place, span), address);
      CHECK_EQ(place / span, address / span);  // stays in its span
    }
    CHECK_EQ(places.size(), std::size_t{2048});
    CHECK_EQ(swizzle(swizzle_alignment(span), span), swizzle_alignment(span));  // the pattern starts again
  }
}

TEST_CASE("a descriptor gives its fields back") {
  // address 0x1240, leading 0x800, stride 0x400, base offset 5, 64-byte swizzle (2)
  const std::uint64_t bits = 0x124ull | 0x80ull << 16 | 0x40ull << 32 | 5ull << 49 | 2ull << 62;
  const MatrixDescriptor d = decode_descriptor(bits);
  CHECK_EQ(d.address, 0x1240u);
  CHECK_EQ(d.leading, 0x800u);
  CHECK_EQ(d.stride, 0x400u);
  CHECK_EQ(d.base_offset, 5u);
  CHECK_EQ(d.span, 64u);
}

/// The operand of one wgmma covers each of its elements once, whatever the layout, when the distances leave
/// room.
TEST_CASE("operands do not overlap") {
  for (const std::uint32_t span : {0u, 32u, 64u, 128u})
    for (const bool mn_major : {false, true})
      for (const std::uint32_t extent : {8u, 64u, 256u}) {
        const std::uint32_t stride = span ? 8 * span : mn_major ? 128 : 256;
        const std::uint32_t leading = span ? 16 * span : mn_major ? extent * 16 : 128;
        const MatrixDescriptor d{1024, leading, stride, 0, span};
        std::set<std::uint32_t> places;
        for (std::uint32_t mn = 0; mn < extent; ++mn)
          for (std::uint32_t k = 0; k < 16; ++k) places.insert(operand_address(d, mn_major, mn, k));
        CHECK_EQ(places.size(), std::size_t{extent} * 16);
      }
}

TEST_CASE("a box is cut at the tensor") {
  std::vector<unsigned char> memory(8 * 4 * 2);
  TensorMap map{};
  map.base = memory.data();
  map.rank = 2;
  map.element_bytes = 2;
  map.size[0] = 8;
  map.size[1] = 4;
  map.stride[0] = 2;
  map.stride[1] = 16;
  map.box[0] = 6;
  map.box[1] = 3;
  const int at[] = {5, 2};  // columns 5..10 of 8, rows 2..4 of 4
  std::uint32_t inside = 0, outside = 0, next = 0;
  walk_box(map, at, [&](const BoxRun& run) {
    CHECK_EQ(run.offset, next);  // runs follow each other without gaps
    next = run.offset + run.count * 2;
    (run.global ? inside : outside) += run.count;
    if (!run.global) return;
    const auto element = static_cast<std::uint32_t>(run.global - memory.data()) / 2;
    CHECK_EQ(element % 8, 5u);
    CHECK_EQ(element / 8, 2 + run.offset / 12);
  });
  CHECK_EQ(inside, 2u * 3u);
  CHECK_EQ(outside, 18u - 6u);
  CHECK_EQ(next, box_bytes(map));
}
