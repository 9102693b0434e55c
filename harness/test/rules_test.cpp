#include "rules.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tilewright/elements.hpp"

using namespace tilewright;

namespace {

/// The rules' answers on a column of f16 elements, all 1 but the first ones.
Json opinions(std::initializer_list<double> first, std::int64_t rows = 1000, double expected = 1) {
  Tensor tensor;
  tensor.type = ElementType::f16;
  tensor.rows = rows;
  tensor.cols = tensor.stride = 1;
  std::vector<std::byte> contents(static_cast<std::size_t>(rows) * 2);
  Reference reference;
  for (std::int64_t row = 0; row < rows; ++row) {
    encode(tensor.type, expected, contents.data() + row * 2);
    reference.value.push_back(expected);
    reference.bound.push_back(0);
  }
  std::size_t at = 0;
  for (const double value : first) encode(tensor.type, value, contents.data() + 2 * at++);
  AcceptanceRules rules;
  rules.look_at(tensor, contents.data(), reference);
  return rules.json();
}

bool accepts(const Json& json, const char* rule) { return json.at(rule).boolean(); }

}  // namespace

TEST_CASE("a correct output is accepted by all") {
  const Json json = opinions({});
  for (const char* rule : {"cutlass", "tilelang", "deepgemm", "allclose"}) CHECK(accepts(json, rule));
  CHECK_EQ(json.at("kernelTunerAtol").number(), 0.0);
}

TEST_CASE("a small error passes some") {
  const Json json = opinions({1.0625});  // 6 %
  CHECK(accepts(json, "cutlass"));       // 0.05 of the sum of both
  CHECK(!accepts(json, "allclose"));
  CHECK(accepts(json, "tilelang"));  // one element of a thousand
  CHECK(accepts(json, "deepgemm"));
  CHECK(std::abs(json.at("kernelTunerAtol").number() - 0.0625) < 1e-4);
}

TEST_CASE("one element in a hundred may be anything to tilelang") {
  CHECK(accepts(opinions({9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), "tilelang"));
  CHECK(!accepts(opinions({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), "tilelang"));
}

TEST_CASE("a global measure does not see one element") {
  CHECK(accepts(opinions({0}, 2000), "deepgemm"));
  CHECK(!accepts(opinions({0, 0, 0}, 1000), "deepgemm"));
}

TEST_CASE("nan is accepted by none that looks at every element") {
  const Json json = opinions({NAN});
  for (const char* rule : {"cutlass", "deepgemm", "allclose"}) CHECK(!accepts(json, rule));
  CHECK(accepts(json, "tilelang"));
  CHECK(json.find("kernelTunerAtol") == nullptr);
}
