#include "compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "memory.hpp"
#include "pattern.hpp"
#include "tilewright/elements.hpp"

using namespace tilewright;

namespace {

/// An output of f16 elements next to its reference; correct until a test spoils it.
struct Case {
  Tensor tensor;
  std::vector<std::byte> contents, initial;
  Reference reference;

  Case(std::int64_t rows, std::int64_t cols, ElementType type = ElementType::f16) {
    tensor.name = std::string("c");  // an assigned literal makes GCC 12 warn without cause
    tensor.type = type;
    tensor.role = Role::output;
    tensor.rows = rows;
    tensor.cols = cols;
    tensor.stride = cols + 3;
    contents.resize(static_cast<std::size_t>(rows * tensor.stride) * element_bytes(type));
    fill(contents.data(), contents.size(), kGuard);
    initial.resize(contents.size());
    fill(initial.data(), initial.size(), kUnwritten);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        const double value = static_cast<double>((r * 7 + c) % 101);
        reference.value.push_back(value);
        reference.bound.push_back(0.01);
        put(r, c, value);
      }
    }
  }
  std::byte* at(std::int64_t r, std::int64_t c) {
    return contents.data() + static_cast<std::size_t>(r * tensor.stride + c) * element_bytes(tensor.type);
  }
  void put(std::int64_t r, std::int64_t c, double value) { encode(tensor.type, value, at(r, c)); }
  double& expected(std::int64_t r, std::int64_t c) {
    return reference.value[static_cast<std::size_t>(r * tensor.cols + c)];
  }
  Comparison run() { return compare(tensor, contents.data(), initial.data(), tensor.stride, reference); }
};

BadMap map_of(std::int64_t rows, std::int64_t cols, bool (*bad)(std::int64_t, std::int64_t)) {
  BadMap map{rows, cols, {}};
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) map.bad.push_back(bad(r, c));
  return map;
}

}  // namespace

TEST_CASE("a correct output passes") {
  Case item(65, 130);
  const Comparison result = item.run();
  CHECK(result.ok());
  CHECK_EQ(std::string(result.verdict()), "passed");
  CHECK_EQ(result.total, 65 * 130);
  CHECK_EQ(result.worst, 0.0);
}

TEST_CASE("acceptable judges finite values by the bound") {
  CHECK(acceptable(ElementType::f32, 1.5, 1.0, 0.5));
  CHECK(!acceptable(ElementType::f32, std::nextafter(1.5, 2), 1.0, 0.5));
  CHECK(acceptable(ElementType::f32, 0.0, -0.0, 0));
  CHECK(!acceptable(ElementType::f32, 1, 1, NAN));  // a bound that is no number accepts nothing
}

TEST_CASE("acceptable never lets nan pass") {
  CHECK(!acceptable(ElementType::f16, NAN, 1, 1e30));
  CHECK(!acceptable(ElementType::f16, NAN, HUGE_VAL, HUGE_VAL));
  CHECK(!acceptable(ElementType::f16, 0, NAN, HUGE_VAL));
  CHECK(!acceptable(ElementType::f16, HUGE_VAL, NAN, HUGE_VAL));
  CHECK(acceptable(ElementType::f16, NAN, NAN, 0));
}

TEST_CASE("acceptable knows where rounding overflows") {
  CHECK(acceptable(ElementType::f16, HUGE_VAL, HUGE_VAL, 0));
  CHECK(!acceptable(ElementType::f16, -HUGE_VAL, HUGE_VAL, 0));
  CHECK(!acceptable(ElementType::f16, 65504, HUGE_VAL, 1));
  CHECK(!acceptable(ElementType::f16, 65504, HUGE_VAL, HUGE_VAL));  // as where an operand is infinite
  CHECK(!acceptable(ElementType::f32, 0, -HUGE_VAL, HUGE_VAL));
  CHECK(acceptable(ElementType::f16, HUGE_VAL, 65519, 2));   // may round up to infinity within the bound
  CHECK(!acceptable(ElementType::f16, HUGE_VAL, 65504, 2));  // may not
  CHECK(acceptable(ElementType::f16, -HUGE_VAL, -70000, 0));
  CHECK(!acceptable(ElementType::f32, HUGE_VAL, 70000, 1));
  CHECK(acceptable(ElementType::bf16, HUGE_VAL, 3.4e38, 0));
}

TEST_CASE("wrong elements are counted and placed") {
  Case item(64, 128);
  for (std::int64_t c = 32; c < 48; ++c) item.put(5, c, 1000);
  const Comparison result = item.run();
  CHECK_EQ(result.bad, 16);
  CHECK_EQ(std::string(result.verdict()), "wrong");
  CHECK(result.first_bad == std::make_pair(std::int64_t{5}, std::int64_t{32}));
  CHECK(result.bad_rows == std::make_pair(std::int64_t{5}, std::int64_t{5}));
  CHECK(result.bad_columns == std::make_pair(std::int64_t{32}, std::int64_t{47}));
  CHECK_EQ(result.got, 1000.0);
  CHECK_EQ(result.pattern, "all of row 5, columns 32-47");
  CHECK(result.message().find("16 of 8192 elements fail (16 outside the bound)") != std::string::npos);
  Json evidence;
  result.add_to(evidence);
  CHECK_EQ(evidence.at("badColumns").dump(), "[32,47]");
}

TEST_CASE("an element that nobody wrote is unwritten") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f32}) {
    Case item(8, 8, type);
    fill(item.at(3, 3), element_bytes(type), kUnwritten);
    CHECK(std::isnan(decode(type, item.at(3, 3))));
    const Comparison result = item.run();
    CHECK_EQ(std::string(result.verdict()), "unwritten");
    CHECK_EQ(result.unwritten, 1);
  }
}

TEST_CASE("an unspecified element may hold anything") {
  Case item(8, 8);
  item.reference.unspecified.resize(64);
  item.reference.unspecified[3 * 8 + 3] = item.reference.unspecified[4] = 1;
  fill(item.at(3, 3), 2, kUnwritten);
  item.put(0, 4, 1000);
  CHECK(item.run().ok());
  CHECK_EQ(item.run().worst, 0.0);
  item.put(0, 5, 1000);
  CHECK_EQ(item.run().bad, 1);
}

TEST_CASE("an inout element left as it was is unwritten") {
  Case item(8, 8);
  item.tensor.role = Role::inout;
  item.initial = item.contents;
  item.expected(2, 2) += 5;
  CHECK_EQ(std::string(item.run().verdict()), "unwritten");
}

TEST_CASE("few inout elements that are as they were among others that are not are wrong") {
  Case item(8, 8);
  item.tensor.role = Role::inout;
  item.initial = item.contents;
  for (std::int64_t c = 0; c < 8; ++c) item.expected(2, c) += 5;
  for (std::int64_t c = 1; c < 8; ++c) item.put(2, c, 77);
  const Comparison result = item.run();
  CHECK_EQ(std::string(result.verdict()), "wrong");
  CHECK_EQ(result.unwritten, 0);
}

TEST_CASE("guard fill in an output is out of bounds") {
  Case item(8, 8);
  fill(item.at(7, 0), 2, kGuard);
  CHECK_EQ(std::string(item.run().verdict()), "out-of-bounds");
}

TEST_CASE("whole numbers of 64 bits are compared in all their bits") {
  Case item(1, 2, ElementType::u64);
  const auto store = [&](std::int64_t col, std::uint64_t bits) { std::memcpy(item.at(0, col), &bits, 8); };
  item.reference.exact = {~std::uint64_t{0}, std::uint64_t{1} << 62};
  item.reference.value = {0x1p64, 0x1p62};
  item.reference.bound = {0, 0};
  store(0, ~std::uint64_t{0});
  store(1, std::uint64_t{1} << 62);
  CHECK(item.run().ok());
  store(0, ~std::uint64_t{0} - 1);
  CHECK(item.run().message().find("expected 18446744073709551615 within 0, got 18446744073709551614") !=
        std::string::npos);
  item.reference.bound = {1, 0};
  CHECK(item.run().ok());
  item.tensor.type = ElementType::i64;  // -1 and -2
  CHECK(item.run().ok());
  item.reference.bound = {0, 0};
  CHECK(item.run().message().find("expected -1 within 0, got -2") != std::string::npos);
}

TEST_CASE("class mismatch is nonfinite") {
  Case item(8, 8);
  item.put(1, 1, NAN);
  CHECK_EQ(std::string(item.run().verdict()), "nonfinite");
  Case other(8, 8);
  other.expected(1, 1) = NAN;
  CHECK_EQ(std::string(other.run().verdict()), "nonfinite");
  other.put(1, 1, NAN);
  CHECK(other.run().ok());
}

TEST_CASE("worst ratio is reported for passing outputs and capped") {
  Case item(4, 4);
  item.expected(0, 0) += 0.005;
  const Comparison close = item.run();
  CHECK(close.ok());
  CHECK(std::abs(close.worst - 0.5) < 1e-9);
  item.reference.bound[1] = 0;
  item.put(0, 1, 100);
  CHECK_EQ(item.run().worst, kMaxRatio);
}

TEST_CASE("a reference of the wrong size is a bug of the family") {
  Case item(4, 4);
  item.reference.bound.pop_back();
  CHECK_THROWS_WITH(item.run(), doctest::Contains("16 values and 15 bounds"));
}

TEST_CASE("patterns in words") {
  CHECK_EQ(describe_pattern(map_of(4, 4, [](auto, auto) { return true; })), "every element");
  CHECK_EQ(describe_pattern(map_of(4, 4, [](auto r, auto c) { return r == 1 && c == 2; })), "one element");
  CHECK_EQ(describe_pattern(map_of(128, 64, [](auto r, auto) { return r >= 64; })),
           "all of rows 64-127 (the last 64)");
  CHECK_EQ(describe_pattern(map_of(16, 130, [](auto, auto c) { return c >= 128; })),
           "all of columns 128-129 (the last 2)");
  CHECK_EQ(describe_pattern(map_of(16, 64, [](auto, auto c) { return c % 16 >= 8; })),
           "all of columns with c mod 16 in 8-15");
  CHECK_EQ(describe_pattern(map_of(64, 64, [](auto r, auto c) { return r % 8 == 1 && c < 32; })),
           "all of rows with r mod 8 in 1, columns 0-31");
  CHECK_EQ(describe_pattern(map_of(64, 64, [](auto r, auto c) { return r / 16 == c / 16; })),
           "4 of 16 tiles of 16x16, each wholly");
  CHECK_EQ(describe_pattern(map_of(64, 64, [](auto r, auto c) { return r == c && r < 20; })),
           "scattered: 20 elements in 2 of 16 tiles of 16x16; rows 0-19, columns 0-19");
}
