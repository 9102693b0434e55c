#include "tilewright/operation_problem.hpp"

#include <doctest/doctest.h>

#include "tilewright/epilogue.hpp"

using namespace tilewright;

/// y = alpha * x + beta * y, with x in f16 and a bias, as operation.hpp is rendered of such a signature.
namespace tilewright::toy {

struct Shape {
  std::int64_t rows, columns, parts;
  Type element;
  Switch bias;
  std::int64_t ldx, x_stride;
};

struct Call {
  const void* x;
  const void* bias;
  void* y;
  float alpha, beta;
  void* workspace;
};

inline constexpr ChoiceName kChoiceNames[] = {{"element", {"f16", "bf16", "f32"}}, {"bias", {"no", "yes"}}};

template <class Visitor>
void each_field(Shape& q, Visitor&& visit) {
  visit.size("rows", q.rows);
  visit.size("columns", q.columns);
  visit.size("parts", q.parts, 1);
  visit.choice("element", kChoiceNames[0], q.element, Type::f32);
  visit.choice("bias", kChoiceNames[1], q.bias, Switch::no);
  visit.leading("x", q.ldx, q.columns);
  visit.stride("x", q.x_stride, q.rows * q.ldx);
}

template <class Visitor>
void each_scalar(Call& call, Visitor&& visit) {
  visit(call.alpha, "alpha", 1);
  visit(call.beta, "beta", 0);
}

template <class Visitor>
void each_operand(const Shape& q, Call& call, Visitor&& visit) {
  visit(call.x, q.element, Operand{"x", Access::read, q.rows, q.columns, q.ldx});
  if (q.bias == Switch::yes)
    visit(call.bias, q.element, Operand{"bias", Access::read, 1, q.columns, q.columns});
  const Access access = call.beta != 0 ? Access::update : Access::write;
  visit(call.y, q.element, Operand{"y", access, q.rows, q.columns, q.columns});
}

Bound bind(const Shape& shape, const Parameters&, const DeviceLimits&) {
  Bound bound;
  bound.workspace.bytes = static_cast<std::size_t>(shape.rows);
  return bound;
}

class ToyProblem final : public OperationProblem<Shape, Call> {
 public:
  explicit ToyProblem(const Json& json) : OperationProblem(json) {
    operand("x").set(1, 2, 5);
    add_operands();
  }
  double flops() const override { return 0; }
  std::vector<Reference> reference() const override { return {}; }
  bool has(const char* name) const { return find_operand(name) != nullptr; }
};

}  // namespace tilewright::toy

namespace {

toy::ToyProblem problem(const char* fields) {
  return toy::ToyProblem(Json::parse(std::string(R"({"rows": 2, "columns": 3)") + fields + "}"));
}

Bound bound_of(const Problem& problem) { return problem.bind(Parameters(nullptr, 0), DeviceLimits()); }

}  // namespace

TEST_CASE("a shape has the sizes, choices and distances that the problem says") {
  const toy::Shape shape = problem(R"(, "element": "bf16", "xExtra": 5, "xApart": 7)").shape();
  CHECK_EQ(shape.rows, 2);
  CHECK_EQ(shape.parts, 1);
  CHECK(shape.element == Type::bf16);
  CHECK(shape.bias == Switch::no);
  CHECK(problem("").shape().element == Type::f32);
  CHECK_EQ(shape.ldx, 8);
  CHECK_EQ(shape.x_stride, 23);
}

TEST_CASE("sizes that the family derives are not read") {
  const toy::Shape shape =
      read_shape<toy::Shape>(Json::parse(R"({"columns": 3, "parts": 4})"), {"rows", "parts"});
  CHECK_EQ(shape.rows, 0);
  CHECK_EQ(shape.parts, 0);
}

TEST_CASE("a problem that the signature does not allow is refused") {
  CHECK_THROWS_WITH(read_shape<toy::Shape>(Json::parse(R"({"rows": 2})")),
                    doctest::Contains("columns is -1"));
  CHECK_THROWS_WITH(problem(R"(, "element": "f64")"),
                    "problem: element is 'f64', allowed are f16, bf16, f32");
  CHECK_THROWS_WITH(problem(R"(, "xExtra": -1)"), doctest::Contains("xExtra is -1"));
}

TEST_CASE("operands that the call has become tensors, in the order of their addresses") {
  const toy::ToyProblem plain = problem(R"(, "element": "f16", "xExtra": 1, "xOffset": 3)");
  CHECK_FALSE(plain.has("bias"));
  REQUIRE_EQ(plain.tensors().size(), 2u);
  const Tensor& x = plain.tensors()[0];
  CHECK_EQ(x.name, "x");
  CHECK(x.type == ElementType::f16);
  CHECK_EQ(x.stride, 4);
  CHECK_EQ(x.offset, 3);
  CHECK_EQ(decode(ElementType::f16, x.image.data() + 12), 5.0);  // [1][2]
  CHECK(plain.tensors()[1].role == Role::output);
  CHECK_EQ(plain.bytes(), 24.0);

  const toy::ToyProblem added = problem(R"(, "bias": "yes", "beta": 0.5)");
  REQUIRE_EQ(added.tensors().size(), 3u);
  CHECK(added.tensors()[2].role == Role::inout);
  int operands[3];
  std::byte workspace{};
  const toy::Call call = added.typed_call({{&operands[0], &operands[1], &operands[2]}, &workspace});
  CHECK_EQ(call.x, &operands[0]);
  CHECK_EQ(call.bias, &operands[1]);
  CHECK_EQ(call.y, &operands[2]);
  CHECK_EQ(call.alpha, 1.0F);
  CHECK_EQ(call.beta, 0.5F);
  CHECK_EQ(call.workspace, &workspace);
  CHECK_EQ(plain.typed_call({{&operands[0], &operands[2]}, nullptr}).y, &operands[2]);
}

TEST_CASE("a problem is bound by its family") { CHECK_EQ(bound_of(problem("")).workspace.bytes, 2u); }

TEST_CASE("a product is finished with former values, a bias for each column and an activation") {
  Array left(ElementType::f16, {2, 2}), right(ElementType::f16, {2, 2}),
      former(ElementType::f16, {2, 2}, {5}), bias(ElementType::f16, {2});
  for (std::int64_t i = 0; i < 2; ++i) {
    left.set(i, i, 1);
    right.set(i, i, i == 0 ? -4 : 4);
    bias.set(0, i, static_cast<double>(i) + 1);
    former.set(i, 0, std::numeric_limits<double>::quiet_NaN());
    former.set(i, 1, 8);
  }
  Epilogue epilogue{2, 0, Activation::none, ElementType::f16, 5, false};
  const Reference plain = finish_product(multiply(left, right), epilogue, former, &bias);
  CHECK_EQ(plain.value, std::vector<double>{-7, 2, 1, 10});
  CHECK_EQ(plain.bound[3], doctest::Approx(sum_bound(5, 10) + rounding_bound(10, ElementType::f16)));

  epilogue.beta = 0.5;
  epilogue.exact = true;
  epilogue.activation = Activation::relu;
  const Reference exact = finish_product(multiply(left, right), epilogue, former, nullptr);
  CHECK(std::isnan(exact.value[0]));
  CHECK_EQ(exact.value[1], 4.0);
  CHECK_EQ(exact.value[3], 12.0);
  CHECK_EQ(exact.bound, std::vector<double>(4));
}
