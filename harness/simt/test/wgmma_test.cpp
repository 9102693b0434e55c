// wgmma against a plain product: all shapes, both majors, operands from registers, and its protocol.
#include <cmath>
#include <vector>

#include "device_test.hpp"
#include "numerics.hpp"

using namespace simt;

namespace {

constexpr std::uint32_t kB = 16384;  // offset of B; A starts at 0, both 1024-aligned

float a_at(std::uint32_t m, std::uint32_t k) {
  return static_cast<float>((m * 5 + k * 3) % 13) * 0.25f - 1.5f;
}
float b_at(std::uint32_t k, std::uint32_t n) {
  return static_cast<float>((k * 7 + n * 2) % 11) * 0.5f - 2.5f;
}
std::uint16_t bits(float value, MmaType type) {
  return type == MmaType::bf16 ? float_to_bfloat16(value) : float_to_half(value);
}

std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading, std::uint32_t stride,
                         std::uint32_t span) {
  const std::uint64_t layout = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  return (address >> 4) | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32 | layout << 62;
}

/// A descriptor for an operand of `count` rows (A) or columns (B) by 16 that leaves room for all of it.
std::uint64_t operand(std::uint32_t address, bool mn_major, std::uint32_t count, std::uint32_t span) {
  if (span == 0) return descriptor(address, count / 8 * 128, 128, 0);
  if (mn_major) return descriptor(address, 16 * span, 8 * span, span);  // panels of span bytes, 16 k deep
  return descriptor(address, 0, 8 * span, span);
}

/// Threads of the block fill an operand where its descriptor says each element lies.
template <class Value>
void fill(std::uint64_t bits_of, bool mn_major, std::uint32_t count, MmaType type, Value value) {
  const MatrixDescriptor decoded = decode_descriptor(bits_of);
  for (std::uint32_t i = ids->thread.x; i < count * 16; i += 128)
    store_shared(operand_address(decoded, mn_major, i / 16, i % 16), bits(value(i / 16, i % 16), type));
}

struct Case {
  WgmmaShape shape;
  std::uint32_t span;
  bool from_registers = false;
  int scale_a = 1;
};

Result multiply(const Config& config, const Case& test, std::vector<float>& out) {
  const auto n = static_cast<std::uint32_t>(test.shape.n);
  out.assign(64 * n, -1);
  return launch(config, {1}, {128}, 65536, {1}, [&, n] {
    const std::uint32_t base = shared_start();
    const std::uint64_t a = operand(base, test.shape.a_mn_major, 64, test.span);
    const std::uint64_t b = operand(base + kB, test.shape.b_mn_major, n, test.span);
    fill(a, test.shape.a_mn_major, 64, test.shape.type, a_at);
    fill(b, test.shape.b_mn_major, n, test.shape.type,
         [](std::uint32_t column, std::uint32_t k) { return b_at(k, column); });
    fence_proxy_async();
    sync_threads();
    const int thread = static_cast<int>(ids->thread.x);
    std::uint32_t registers[4] = {};
    for (int reg = 0; reg < 4; ++reg)
      for (int half = 0; half < 2; ++half) {
        const Element place = mma_a_f16(thread % 32, reg, half);
        const auto row = static_cast<std::uint32_t>(thread / 32 * 16 + place.row);
        registers[reg] |= static_cast<std::uint32_t>(
                              bits(a_at(row, static_cast<std::uint32_t>(place.column)), test.shape.type))
                          << 16 * half;
      }
    float d[128];
    wgmma_fence();
    for (int step = 0; step < 3; ++step)
      wgmma(d, test.shape, test.from_registers ? registers : nullptr, a, b, step > 0, test.scale_a, 1);
    wgmma_commit();
    wgmma_wait(0);
    for (std::uint32_t reg = 0; reg < n / 2; ++reg) {
      const Element place = wgmma_d(thread, static_cast<int>(reg));
      out[static_cast<std::uint32_t>(place.row) * n + static_cast<std::uint32_t>(place.column)] = d[reg];
    }
  });
}

void check_product(const Config& config, const Case& test) {
  std::vector<float> out;
  CHECK_CLEAN(multiply(config, test, out));
  const auto n = static_cast<std::uint32_t>(test.shape.n);
  for (std::uint32_t row = 0; row < 64; ++row)
    for (std::uint32_t column = 0; column < n; ++column) {
      float expected = 0;
      for (std::uint32_t k = 0; k < 16; ++k) expected += a_at(row, k) * b_at(k, column);
      if (out[row * n + column] == 3 * expected * static_cast<float>(test.scale_a)) continue;
      CHECK_EQ(out[row * n + column], 3 * expected * static_cast<float>(test.scale_a));
      return;
    }
}

/// Two groups on two accumulators; `after` gets the first accumulator while the second may be in flight.
template <class After>
Result two_groups(const Config& config, bool fence, int pending, After after) {
  return launch(config, {1}, {128}, 65536, {1}, [&, fence, pending] {
    const std::uint32_t base = shared_start();
    const WgmmaShape shape{64, MmaType::f16, false, false};
    const std::uint64_t a = operand(base, false, 64, 128), b = operand(base + kB, false, 64, 128);
    fill(a, false, 64, MmaType::f16, a_at);
    fill(b, false, 64, MmaType::f16, [](std::uint32_t column, std::uint32_t k) { return b_at(k, column); });
    fence_proxy_async();
    sync_threads();
    float first[32] = {}, second[32] = {};
    if (fence) wgmma_fence();
    wgmma(first, shape, nullptr, a, b, false, 1, 1);
    wgmma_commit();
    wgmma(second, shape, nullptr, a, b, false, 1, 1);
    wgmma_commit();
    wgmma_wait(pending);
    after(base, first, second);
    wgmma_wait(0);
  });
}

}  // namespace

TEST_CASE("all n") {
  for (int n = 8; n <= 256; n += 8)
    check_product(checked(), {{n, n % 16 ? MmaType::f16 : MmaType::bf16, false, false}, n % 64 ? 0u : 128u});
}

TEST_CASE("all layouts") {
  for (std::uint32_t span : {0u, 32u, 64u, 128u})
    for (bool a_mn : {false, true})
      for (bool b_mn : {false, true})
        for (MmaType type : {MmaType::f16, MmaType::bf16})
          check_product(checked(), {{64, type, a_mn, b_mn}, span});
}

TEST_CASE("all modes agree") {
  for (const Config& config : all_modes()) {
    check_product(config, {{128, MmaType::f16, false, true}, 128});
    check_product(config, {{40, MmaType::bf16, false, false}, 0, true});
  }
}

TEST_CASE("a from registers and signs") {
  check_product(checked(), {{64, MmaType::f16, false, true}, 64, true});
  check_product(checked(), {{96, MmaType::bf16, false, false}, 0, true, -1});
  check_product(checked(), {{32, MmaType::f16, true, false}, 32, false, -1});
}

TEST_CASE("tf32 is 8 deep, and loses its low bits") {
  for (const Config& config : all_modes())
    for (bool from_registers : {false, true})
      for (int n : {8, 96}) {
        std::vector<float> out(static_cast<std::size_t>(64 * n), -1);
        // A bit below those of tf32 on every number: no result shows it.
        const auto word = [](float value) {
          return std::bit_cast<std::uint32_t>(value) | (value == 0 ? 0 : 0x1000u);
        };
        CHECK_CLEAN(launch(config, {1}, {128}, 65536, {1}, [&, n] {
          const std::uint32_t base = shared_start();
          const std::uint64_t a = operand(base, false, 64, 32),
                              b = operand(base + kB, false, static_cast<std::uint32_t>(n), 32);
          // Four bytes of tf32 lie where two elements of 16 bits do.
          const auto place = [](std::uint64_t of, std::uint32_t mn, std::uint32_t k) {
            return operand_address(decode_descriptor(of), false, mn, 2 * k);
          };
          for (std::uint32_t i = ids->thread.x; i < 64 * 8; i += 128)
            store_shared(place(a, i / 8, i % 8), word(a_at(i / 8, i % 8)));
          for (std::uint32_t i = ids->thread.x; i < static_cast<std::uint32_t>(n) * 8; i += 128)
            store_shared(place(b, i / 8, i % 8), word(b_at(i % 8, i / 8)));
          fence_proxy_async();
          sync_threads();
          const int thread = static_cast<int>(ids->thread.x);
          std::uint32_t registers[4];
          for (int reg = 0; reg < 4; ++reg) {
            const Element at = mma_a_tf32(thread % 32, reg);
            registers[reg] = word(a_at(static_cast<std::uint32_t>(thread / 32 * 16 + at.row),
                                       static_cast<std::uint32_t>(at.column)));
          }
          float d[48];
          wgmma_fence();
          wgmma(d, {n, MmaType::tf32, false, false}, from_registers ? registers : nullptr, a, b, false, 1, 1);
          wgmma_commit();
          wgmma_wait(0);
          for (int reg = 0; reg < n / 2; ++reg) {
            const Element at = wgmma_d(thread, reg);
            out[static_cast<std::size_t>(at.row * n + at.column)] = d[reg];
          }
        }));
        for (std::uint32_t row = 0; row < 64; ++row)
          for (std::uint32_t column = 0; column < static_cast<std::uint32_t>(n); ++column) {
            float expected = 0;
            for (std::uint32_t k = 0; k < 8; ++k) expected += a_at(row, k) * b_at(k, column);
            CHECK_EQ(out[row * static_cast<std::uint32_t>(n) + column], expected);
          }
      }
}

TEST_CASE("groups finish one by one") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(two_groups(config, true, 1, [&](std::uint32_t, const float* first, const float* second) {
      CHECK_EQ(std::isnan(first[0]), false);
      if (config.async == Async::late) CHECK_EQ(std::isnan(second[0]), true);  // poison: not waited for
    }));
}

TEST_CASE("operands must stay until waited for") {
  for (const Config& config : few_modes()) {
    const auto overwrite = [](std::uint32_t base, const float*, const float*) {
      store_shared(base + ids->thread.x * 2, std::uint16_t{0});
    };
    CHECK_FINDING(two_groups(config, true, 1, overwrite), "race", "earlier wgmma by warpgroup 0");
    CHECK_CLEAN(two_groups(config, true, 0, [](std::uint32_t base, const float*, const float*) {
      sync_threads();
      store_shared(base + ids->thread.x * 2, std::uint16_t{0});
    }));
  }
}

TEST_CASE("the fence is demanded") {
  CHECK_FINDING(two_groups(checked(), false, 0, [](std::uint32_t, const float*, const float*) {}), "wgmma",
                "without wgmma.fence");
}

namespace {

template <class Kernel>
Result group(Kernel kernel) {
  return launch(checked(), {1}, {128}, 65536, {1}, [&] {
    const std::uint32_t base = shared_start();
    float d[128] = {};
    wgmma_fence();
    kernel(base, d);
    wgmma_commit();
    wgmma_wait(0);
  });
}

}  // namespace

TEST_CASE("misuse is reported") {
  const WgmmaShape shape{64, MmaType::f16, false, false};
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  const auto good = operand(base, false, 64, 128);
                  wgmma(d, {64, MmaType::tf32, false, true}, nullptr, good, good, false, 1, 1);
                }),
                "wgmma", "tf32 operands are K-major");
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  wgmma(d, {12, MmaType::f16, false, false}, nullptr, base, base, false, 1, 1);
                }),
                "wgmma", "n is 12");
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  const auto good = operand(base, false, 64, 128);
                  wgmma(d, shape, nullptr, good, ids->thread.x == 70 ? good + 1 : good, false, 1, 1);
                }),
                "wgmma", "descriptors differ");
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  const auto moved = operand(base + 256, false, 64, 128);
                  wgmma(d, shape, nullptr, moved, moved, false, 1, 1);
                }),
                "wgmma", "not in the first row of a 1024-byte swizzle atom");
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  const auto far = operand(base + 64512, false, 64, 128);
                  wgmma(d, shape, nullptr, far, far, false, 1, 1);
                }),
                "shared-out-of-bounds", "wgmma read of A");
  CHECK_FINDING(group([&](std::uint32_t base, float* d) {
                  const auto good = operand(base, false, 64, 128);
                  wgmma(d, shape, nullptr, good, good, ids->warp == 2, 1, 1);
                }),
                "wgmma", "different shape or scale-d");
  const Result stuck = launch(checked(), {1}, {128}, 65536, {1}, [&] {
    float d[32] = {};
    const auto good = operand(shared_start(), false, 64, 128);
    wgmma_fence();
    if (ids->warp != 3) wgmma(d, shape, nullptr, good, good, false, 1, 1);
    wgmma_commit();
    wgmma_wait(0);
  });
  CHECK_FINDING(stuck, "deadlock", "for the other warps of the warpgroup to issue the same wgmma");
}

TEST_CASE("register budgets") {
  const WithLimits hopper({1024, 227 << 10, 16, 65536});
  const auto run = [](auto kernel) { return launch(checked(), {1}, {384}, 0, {1}, kernel); };
  CHECK_CLEAN(run([] { ids->warp < 4 ? setmaxnreg(24, false) : setmaxnreg(240, true); }));
  CHECK_FINDING(run([] { setmaxnreg(20, false); }), "setmaxnreg", "multiples of 8 from 24 to 256");
  CHECK_FINDING(run([] { setmaxnreg(240, true); }), "setmaxnreg", "add up to 92160");
  Config launched = checked();
  launched.registers = 168;  // 168 + 168 in two warpgroups
  const auto pool = [&](int less, int more) {
    return launch(launched, {1}, {256}, 0, {1},
                  [=] { ids->warp < 4 ? setmaxnreg(less, false) : setmaxnreg(more, true); });
  };
  CHECK_CLEAN(pool(96, 240));
  CHECK_FINDING(pool(104, 240), "setmaxnreg", "add up to 44032, but the block is launched with 43008");
  CHECK_FINDING(pool(96, 160), "setmaxnreg", "setmaxnreg.inc to 160 while the warp has 168 registers");
  CHECK_FINDING(run([] {
                  if (ids->warp == 0) setmaxnreg(24, false);
                }),
                "setmaxnreg", "all four must execute");
}
