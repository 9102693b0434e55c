// problem.hpp - what problems of dense operands have in common: reading their JSON, and a base class.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/array.hpp"
#include "tilewright/family.hpp"
#include "tilewright/json.hpp"
#include "tw/operation.hpp"

namespace tilewright {

inline ElementType element_of(Type type) {
  return type == Type::f32 ? ElementType::f32 : type == Type::bf16 ? ElementType::bf16 : ElementType::f16;
}

/// The name of a choice in C, layout_x, for its name in problems, layoutX.
inline std::string choice_name(std::string_view name) {
  std::string result;
  for (const char letter : name) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    if (capital) result += '_';
    result += static_cast<char>(capital ? letter - 'A' + 'a' : letter);
  }
  return result;
}

/// The value that a problem gives a choice of the operation, as a number of its enumeration; the first where it does not
/// say. Throws std::invalid_argument for one that the choice does not have.
inline int read_choice(const Json& problem, const ChoiceName* names, std::string_view choice) {
  for (; names->name; ++names) {
    if (choice_name(choice) != names->name) continue;
    const std::string value = problem.text(choice, names->values[0]);
    for (int i = 0; i < 8 && names->values[i]; ++i)
      if (value == names->values[i]) return i;
    throw std::invalid_argument("problem: " + std::string(choice) + " is '" + value + "'");
  }
  throw std::invalid_argument("the operation has no choice '" + std::string(choice) + "'");
}

/// A size, distance or offset in elements: not negative, below 2^40.
inline std::int64_t read_size(const Json& problem, std::string_view name, std::int64_t otherwise = -1) {
  const std::int64_t value = problem.integer(name, otherwise);
  if (value < 0 || value >= std::int64_t{1} << 40)
    throw std::invalid_argument("problem: " + std::string(name) + " is " + std::to_string(value) +
                                ", it must not be negative, and below 2^40");
  return value;
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
