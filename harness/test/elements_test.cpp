#include "tilewright/elements.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tilewright/parallel.hpp"

using namespace tilewright;

TEST_CASE("every 16 bit float survives") {
  int lost = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto word = static_cast<std::uint16_t>(bits);
    const double half = double_from_f16(word), brain = double_from_bf16(word);
    lost += !std::isnan(half) && f16_from_double(half) != word;
    lost += !std::isnan(brain) && bf16_from_double(brain) != word;
  }
  CHECK_EQ(lost, 0);
}

TEST_CASE("rounding to nearest even") {
  CHECK_EQ(f16_from_double(1 + 0x1p-11), 0x3C00);            // tie, down to even
  CHECK_EQ(f16_from_double(1 + 3 * 0x1p-11), 0x3C02);        // tie, up to even
  CHECK_EQ(f16_from_double(1 + 0x1p-11 + 0x1p-40), 0x3C01);  // one rounding, not two through float
  CHECK_EQ(f16_from_double(65519.999), 0x7BFF);
  CHECK_EQ(f16_from_double(65520), 0x7C00);
  CHECK_EQ(f16_from_double(-0x1p-25), 0x8000);  // half the least subnormal: tie to zero
  CHECK_EQ(f16_from_double(0x1.8p-25), 0x0001);
  CHECK_EQ(f16_from_double(0x1p-14 - 0x1p-26), 0x0400);  // rounds up into the normal numbers
  CHECK_EQ(bf16_from_double(1 + 0x1p-8), 0x3F80);
  CHECK_EQ(bf16_from_double(1e300), 0x7F80);
  CHECK_EQ(f16_from_double(NAN), 0x7FFF);
  CHECK_EQ(f16_from_double(-0.0), 0x8000);
}

TEST_CASE("whole numbers of every width") {
  const auto again = [](double value, ElementType type) { return rounded(value, type); };
  CHECK_EQ(again(-32768, ElementType::i16), -32768);
  CHECK_EQ(again(65535, ElementType::u16), 65535);
  CHECK_EQ(again(4294967295.0, ElementType::u32), 4294967295.0);
  CHECK_EQ(again(-0x1p63, ElementType::i64), -0x1p63);
  CHECK_EQ(again(0x1p64 - 2048, ElementType::u64), 0x1p64 - 2048);
  CHECK_EQ(again(-1, ElementType::u64), 0x1p64);  // all bits, as in C
}

TEST_CASE("dot product bound is the documented formula") {
  CHECK_EQ(dot_product_bound(64, 100, -3, ElementType::f16),
           6 * 8 * 0x1p-23 * 100 + 1.01 * 0x1p-11 * 3 + 0x1p-25);
  CHECK_EQ(dot_product_bound(0, 0, 0, ElementType::f32), 0x1p-25);
}

TEST_CASE("parallel for covers every index once") {
  std::vector<int> seen(10001);
  parallel_for(10001, 7, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  CHECK_EQ(std::accumulate(seen.begin(), seen.end(), 0), 10001);
  CHECK_THROWS_WITH(parallel_for(100, 1,
                                 [](std::int64_t i, std::int64_t) {
                                   if (i == 42) throw std::runtime_error("at 42");
                                 }),
                    doctest::Contains("at 42"));
  parallel_for(0, 1, [](std::int64_t, std::int64_t) { throw std::runtime_error("nothing to do"); });
}
