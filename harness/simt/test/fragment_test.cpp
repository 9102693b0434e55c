// ldmatrix, stmatrix and mma.sync against their definitions, element by element.
#include <cmath>

#include "device_test.hpp"
#include "numerics.hpp"

using namespace simt;

namespace {

template <class Kernel>
Result warp(Kernel kernel, const Config& config = checked()) {
  return launch(config, {1}, {32}, 4096, {1}, kernel);
}

std::uint16_t bits(float value, MmaType type) {
  return type == MmaType::bf16 ? float_to_bfloat16(value) : float_to_half(value);
}

}  // namespace

TEST_CASE("matrices load and store") {
  for (const Config& config : all_modes())
    for (int count : {1, 2, 4})
      for (bool transpose : {false, true})
        CHECK_CLEAN(warp(
            [=] {
              const std::uint32_t base = shared_start();
              const unsigned lane = ids->lane;
              for (unsigned i = lane; i < 256; i += 32)
                store_shared(base + i * 2, static_cast<std::uint16_t>(i));
              sync_warp(0xffffffff);
              std::uint32_t registers[4];
              ldmatrix(registers, count, transpose, base + lane * 16);
              for (int m = 0; m < count; ++m)
                for (int half = 0; half < 2; ++half) {
                  Element place = matrix_fragment(static_cast<int>(lane));
                  place.column += half;
                  if (transpose) place = {place.column, place.row};
                  CHECK_EQ(registers[m] >> 16 * half & 0xffff,
                           static_cast<unsigned>(m * 64 + place.row * 8 + place.column));
                }
              sync_warp(0xffffffff);
              stmatrix(registers, count, transpose, base + 1024 + lane * 16);
              sync_warp(0xffffffff);
              for (unsigned i = lane; i < static_cast<unsigned>(count) * 64; i += 32)
                CHECK_EQ(load_shared<std::uint16_t>(base + 1024 + i * 2), i);
            },
            config));
}

TEST_CASE("bank conflicts are counted") {
  const auto conflicts = [](unsigned pitch) {
    return warp([pitch] {
             const std::uint32_t base = shared_start();
             for (unsigned i = ids->lane; i < 1024; i += 32) store_shared(base + i * 4, 0);
             sync_warp(0xffffffff);
             std::uint32_t registers[1];
             ldmatrix(registers, 1, false, base + ids->lane % 8 * pitch);
           })
        .statistics.shared_bank_conflicts;
  };
  CHECK_EQ(conflicts(16), 0u);
  CHECK_EQ(conflicts(128), 7u);
  CHECK_EQ(conflicts(64), 3u);
  CHECK_EQ(conflicts(144), 0u);
  CHECK_EQ(conflicts(0), 0u);  // one row for all: a broadcast
}

TEST_CASE("mma multiplies") {
  for (MmaType type : {MmaType::f16, MmaType::bf16, MmaType::tf32}) {
    const int depth = type == MmaType::tf32 ? 8 : 16;
    CHECK_CLEAN(warp([=] {
      const auto a_at = [](int row, int k) { return static_cast<float>((row * 7 + k * 3) % 11 - 5) * 0.25f; };
      const auto b_at = [](int k, int column) { return static_cast<float>((k * 5 + column) % 9 - 4) * 0.5f; };
      const int lane = static_cast<int>(ids->lane);
      std::uint32_t a[4] = {}, b[2] = {};
      float d[4] = {1, 2, 3, 4};
      for (int reg = 0; reg < 4; ++reg)
        if (type == MmaType::tf32) {
          const Element place = mma_a_tf32(lane, reg);
          a[reg] =
              std::bit_cast<std::uint32_t>(a_at(place.row, place.column)) | 0x1fff;  // low bits are not read
        } else {
          for (int half = 0; half < 2; ++half) {
            const Element place = mma_a_f16(lane, reg, half);
            a[reg] |= static_cast<std::uint32_t>(bits(a_at(place.row, place.column), type)) << 16 * half;
          }
        }
      for (int reg = 0; reg < 2; ++reg)
        if (type == MmaType::tf32) {
          const Element place = mma_b_tf32(lane, reg);
          b[reg] = std::bit_cast<std::uint32_t>(b_at(place.row, place.column));
        } else {
          for (int half = 0; half < 2; ++half) {
            const Element place = mma_b_f16(lane, reg, half);
            b[reg] |= static_cast<std::uint32_t>(bits(b_at(place.row, place.column), type)) << 16 * half;
          }
        }
      mma_m16n8(d, a, b, type);
      for (int reg = 0; reg < 4; ++reg) {
        const Element place = mma_d(lane, reg);
        float expected = static_cast<float>(reg + 1);
        for (int k = 0; k < depth; ++k) expected += a_at(place.row, k) * b_at(k, place.column);
        CHECK_EQ(d[reg], expected);
      }
    }));
  }
}

TEST_CASE("misuse is reported") {
  CHECK_FINDING(warp([] {
                  std::uint32_t registers[4];
                  ldmatrix(registers, 4, false, shared_start() + ids->lane * 16 + 8);
                }),
                "misaligned", "ldmatrix row needs 16-byte");
  CHECK_FINDING(warp([] {
                  std::uint32_t registers[4] = {};
                  stmatrix(registers, 4, false, shared_start() + 3600 + ids->lane * 16);
                }),
                "shared-out-of-bounds", "stmatrix row of 16 bytes at shared address 0x1400");
  CHECK_FINDING(warp([] {
                  std::uint32_t registers[4];
                  ldmatrix(registers, 4, false, shared_start() - (1u << 27) + ids->lane * 16);
                }),
                "shared-out-of-bounds", "not in the thread block's own shared memory");
}
