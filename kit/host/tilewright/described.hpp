// described.hpp - a family's oracle for the kernels of others: the right answer, with its bound, for operands that a description gives. A
// family that has one says so in its described.hpp, which the runner of `validate x.cu` includes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tilewright/array.hpp"
#include "tilewright/epilogue.hpp"

namespace tilewright {

/// Operands and scalars of an operation, by the names that its signature has.
class Described {
 public:
  struct Operand {
    std::string argument;  // of the kernel, for messages
    const Tensor* tensor;  // its image: lines without gaps; empty of an output
    std::vector<std::int64_t> sizes;
    /// Place in the image of each element, in the order of the sizes.
    std::vector<std::size_t> places;
  };

  Described(std::string operation, std::map<std::string, Operand> operands,
            std::map<std::string, double> scalars, Activation activation)
      : operation_(std::move(operation)),
        operands_(std::move(operands)),
        scalars_(std::move(scalars)),
        activation_(activation) {}

  bool has(const std::string& name) const { return operands_.count(name) > 0; }
  const Operand& operand(const std::string& name) const { return operands_.at(name); }
  float scalar(const std::string& name) const { return static_cast<float>(scalars_.at(name)); }

  /// An operand of `rank` dimensions in the order of its sizes, packed; zeros where the kernel is given nothing. Throws
  /// std::invalid_argument for another rank, and for elements that are not exact in fp32.
  Array array(const std::string& name, std::size_t rank) const {
    const Operand& from = ranked(name, rank);
    const ElementType type = from.tensor->type;
    if (type != ElementType::f16 && type != ElementType::bf16 && type != ElementType::f32)
      refuse(name, "has elements of f16, bf16 or f32");
    Array array(type, from.sizes);
    const std::size_t size = element_bytes(type);
    if (!from.tensor->image.empty())
      for (std::size_t i = 0; i < from.places.size(); ++i)
        std::memcpy(array.line(0) + i * size, from.tensor->image.data() + from.places[i] * size, size);
    return array;
  }

  /// A matrix; `rows`, `columns`: how many it has by the other operands, -1 where these do not say.
  Array matrix(const std::string& name, std::int64_t rows = -1, std::int64_t columns = -1) const {
    Array matrix = array(name, 2);
    if (rows >= 0 && matrix.lines() != rows)
      refuse(name, "has " + std::to_string(rows) + " rows, by the other operands");
    if (columns >= 0 && matrix.width() != columns)
      refuse(name, "has " + std::to_string(columns) + " columns, by the other operands");
    return matrix;
  }

  /// Whole numbers, as many as `count` where that is not -1, each from 0 to `most`.
  std::vector<std::int64_t> indices(const std::string& name, std::int64_t count, std::int64_t most) const {
    const Operand& from = ranked(name, 1);
    if (count >= 0 && from.sizes[0] != count)
      refuse(name, "has " + std::to_string(count) + " elements, by the other operands");
    std::vector<std::int64_t> all;
    for (const std::size_t place : from.places) {
      const double value =
          decode(from.tensor->type, from.tensor->image.data() + place * element_bytes(from.tensor->type));
      if (!(value >= 0 && value <= static_cast<double>(most)))
        refuse(name, "has numbers from 0 to " + std::to_string(most) + ", not " + std::to_string(value));
      all.push_back(static_cast<std::int64_t>(value));
    }
    return all;
  }

  /// The end of a product with sums of `depth` terms that is written to `output`, by the scalars alpha and beta; what beta multiplies
  /// is `former`.
  Epilogue epilogue(const std::string& output, const std::string& former, std::int64_t depth) const {
    const float beta = scalar("beta");
    if (beta != 0 && operand(former).tensor->role == Role::output)
      refuse(former, "is read where beta is not 0: its role is inout");
    return {scalar("alpha"), beta, activation_, operand(output).tensor->type, depth + 3, false};
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    throw std::invalid_argument("the oracle " + operation_ + ": '" + name + "', here '" +
                                operand(name).argument + "', " + what);
  }

 private:
  const Operand& ranked(const std::string& name, std::size_t rank) const {
    const Operand& found = operand(name);
    if (found.sizes.size() != rank)
      refuse(name, "has " + std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") +
                       ": give it such a shape");
    return found;
  }

  std::string operation_;
  std::map<std::string, Operand> operands_;
  std::map<std::string, double> scalars_;
  Activation activation_;
};

/// The right contents of the operation's output, in the order of its sizes.
using DescribedOracle = Reference (*)(const Described&);

/// Oracles by family.
inline std::map<std::string, DescribedOracle>& described_oracles() {
  static std::map<std::string, DescribedOracle> oracles;
  return oracles;
}

/// A family's entry among them, made when the runner starts.
struct DescribedEntry {
  DescribedEntry(const char* family, DescribedOracle oracle) { described_oracles().emplace(family, oracle); }
};

}  // namespace tilewright
