// operation_problem.hpp - problems as the signature of an operation describes them, by what is rendered of it in operation.hpp: a
// shape read from JSON, and an array for every operand.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/problem.hpp"

namespace tilewright {

/// Reads the fields of a shape from a problem's JSON: sizes and choices by their names; for distances between the lines of an operand `a`
/// `aExtra`, and between its products `aApart`: elements by which they are larger than they need be, 0 if absent.
class ShapeReader {
 public:
  /// `derived`: sizes that the family finds out otherwise.
  ShapeReader(const Json& problem, std::initializer_list<std::string_view> derived)
      : problem_(problem), derived_(derived) {}

  void size(std::string_view name, std::int64_t& field, std::int64_t otherwise = -1) const {
    if (std::find(derived_.begin(), derived_.end(), name) == derived_.end())
      field = read_size(problem_, name, otherwise);
  }
  template <class Choice>
  void choice(std::string_view name, const ChoiceName& values, Choice& field, Choice otherwise) const {
    field = static_cast<Choice>(read_choice(problem_, name, values, static_cast<int>(otherwise)));
  }
  void leading(const std::string& operand, std::int64_t& field, wide width) const {
    field = static_cast<std::int64_t>(width) + read_size(problem_, operand + "Extra", 0);
  }
  void stride(const std::string& operand, std::int64_t& field, wide extent) const {
    field = static_cast<std::int64_t>(extent) + read_size(problem_, operand + "Apart", 0);
  }

 private:
  const Json& problem_;
  std::vector<std::string_view> derived_;
};

/// The shape that a problem's JSON describes, but for sizes that the family derives.
template <class Shape>
Shape read_shape(const Json& problem, std::initializer_list<std::string_view> derived = {}) {
  Shape shape{};
  each_field(shape, ShapeReader(problem, derived));
  return shape;
}

namespace detail {

/// The family's own bind.
template <class Shape>
Bound bind_shape(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  return bind(shape, parameters, limits);
}

}  // namespace detail

/// A problem of one product: `Shape` and `Call` are the family's. Besides the shape it reads scalars by their names, and `aOffset`: elements
/// by which the operand `a` is shifted off its alignment. A family fills the operands and then calls add_operands().
template <class Shape, class Call>
class OperationProblem : public ArrayProblem {
 public:
  const Shape& shape() const { return shape_; }

  Bound bind(const Parameters& parameters, const DeviceLimits& limits) const override {
    return detail::bind_shape(shape_, parameters, limits);
  }

  Call typed_call(const Placement& placement) const {
    Call call = scalars_;
    call.workspace = placement.workspace;
    std::size_t next = 0;
    each_operand(shape_, call,
                 [&](auto& address, auto, const Operand&) { address = placement.tensors[next++]; });
    return call;
  }
  CallBytes call(const Placement& placement) const override { return CallBytes(typed_call(placement)); }

 protected:
  explicit OperationProblem(const Json& problem) : ArrayProblem(problem), shape_(read_shape<Shape>(problem)) {
    each_scalar(scalars_, [&](float& scalar, const char* name, double usual) {
      scalar = static_cast<float>(problem.number(name, usual));
    });
    each_operand(shape_, scalars_, [&](auto&, auto type, const Operand& operand) {
      const auto narrow = [](wide size) { return static_cast<std::int64_t>(size); };
      operands_.push_back(
          {operand, read_size(problem, std::string(operand.name) + "Offset", 0),
           Array(element_of(type), {narrow(operand.lines), narrow(operand.width)}, {narrow(operand.pitch)})});
    });
  }

  /// Scalars of the call, whose addresses are null.
  const Call& scalars() const { return scalars_; }

  /// The operand of that name; null where the call has none.
  const Array* find_operand(std::string_view name) const {
    const auto at = std::find_if(operands_.begin(), operands_.end(),
                                 [&](const Placed& one) { return one.what.name == name; });
    return at == operands_.end() ? nullptr : &at->array;
  }
  Array* find_operand(std::string_view name) {
    return const_cast<Array*>(std::as_const(*this).find_operand(name));
  }
  /// One that every call has.
  const Array& operand(std::string_view name) const { return *find_operand(name); }
  Array& operand(std::string_view name) { return *find_operand(name); }

  void add_operands() {
    for (const auto& [what, offset, array] : operands_) add(array, what.name, role_of(what.access), offset);
  }

 private:
  struct Placed {
    Operand what;
    std::int64_t offset;
    Array array;
  };

  Shape shape_;
  Call scalars_{};
  std::vector<Placed> operands_;
};

}  // namespace tilewright
