// problem.hpp - what problems of dense operands have in common: reading their JSON, and a base class.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/array.hpp"
#include "tilewright/family.hpp"
#include "tilewright/fill.hpp"
#include "tilewright/json.hpp"
#include "tw/operation.hpp"

namespace tilewright {

inline ElementType element_of(Type type) {
  return type == Type::f32 ? ElementType::f32 : type == Type::bf16 ? ElementType::bf16 : ElementType::f16;
}

inline ElementType element_of(Index type) { return type == Index::i64 ? ElementType::i64 : ElementType::i32; }

inline Role role_of(Access access) {
  return access == Access::read ? Role::input : access == Access::write ? Role::output : Role::inout;
}

/// The value that a problem gives a choice of the operation, as a number of its enumeration. Throws std::invalid_argument for one
/// that the choice does not have.
inline int read_choice(const Json& problem, std::string_view name, const ChoiceName& choice, int otherwise) {
  const std::string value = problem.text(name, choice.values[otherwise]);
  std::string allowed;
  for (int i = 0; i < 8 && choice.values[i]; ++i) {
    if (value == choice.values[i]) return i;
    allowed.append(i > 0 ? ", " : "").append(choice.values[i]);
  }
  throw std::invalid_argument("problem: " + std::string(name) + " is '" + value + "', allowed are " +
                              allowed);
}

/// A size, distance or offset in elements: not negative, below 2^40.
inline std::int64_t read_size(const Json& problem, std::string_view name, std::int64_t otherwise = -1) {
  const std::int64_t value = problem.integer(name, otherwise);
  if (value < 0 || value >= std::int64_t{1} << 40)
    throw std::invalid_argument("problem: " + std::string(name) + " is " + std::to_string(value) +
                                ", it must not be negative, and below 2^40");
  return value;
}

/// The values that a problem asks for, of sums of `terms` products; normal ones with seed 1 where it does not say.
inline Values read_values(const Json& problem, ElementType output, std::int64_t terms) {
  return {problem.text("values", "normal"), output, terms,
          static_cast<std::uint64_t>(problem.integer("seed", 1))};
}

/// A problem whose operands are arrays. A family adds them in the order of its calls' addresses, and says the rest.
class ArrayProblem : public Problem {
 public:
  const std::vector<Tensor>& tensors() const override { return tensors_; }
  std::string key() const override { return key_; }

  /// Every operand once, twice where it is read and written.
  double bytes() const override {
    double bytes = 0;
    for (const Tensor& tensor : tensors_)
      bytes += static_cast<double>(tensor.rows * tensor.cols) *
               static_cast<double>(element_bytes(tensor.type)) * (tensor.role == Role::inout ? 2 : 1);
    return bytes;
  }

 protected:
  explicit ArrayProblem(const Json& problem) : key_(problem.dump()) {}
  /// `offset`: elements by which the base pointer is shifted off its alignment.
  void add(const Array& array, const char* name, Role role, std::int64_t offset) {
    tensors_.push_back(array.tensor(name, role, offset));
  }
  /// An operand that is no array, such as indices.
  void add(Tensor tensor) { tensors_.push_back(std::move(tensor)); }

 private:
  std::string key_;
  std::vector<Tensor> tensors_;
};

}  // namespace tilewright
