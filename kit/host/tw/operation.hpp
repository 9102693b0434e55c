// operation.hpp - vocabulary of semantic choices in C++: element types, layouts, activations. Values are those of
// choiceKinds in src/model/operation.ts, in that order. Plain C++17.
#pragma once
#include <cstdint>
#include <string_view>

#include "tw/activation.hpp"
#include "tw/matrix_lines.hpp"

namespace tilewright {

enum class Index : int { i32, i64 };
enum class Layout : int { row, column };
enum class Switch : int { no, yes };

/// Integer in which products of two sizes cannot overflow.
__extension__ typedef __int128 wide;

/// The type that a problem's JSON names; f16 for an unknown word, which the reader of the problem refuses first.
constexpr Type type_named(std::string_view name) {
  return name == "f32" ? Type::f32 : name == "bf16" ? Type::bf16 : Type::f16;
}

constexpr wide bytes_of(Type type) { return type == Type::f32 ? 4 : 2; }
/// Whether inputs and results are of different types of 16 bits, of which cuSPARSE and cuBLASLt make no products.
constexpr bool mixes_halves(Type input, Type output) {
  return input != output && input != Type::f32 && output != Type::f32;
}
constexpr wide bytes_of(Index index) { return index == Index::i64 ? 8 : 4; }

/// A semantic choice and the names of its values.
struct ChoiceName {
  const char* name;
  const char* values[8];
};

/// Kernels' access to an operand.
enum class Access : std::uint8_t { read, write, update };

/// An operand of a call: `lines` runs of `width` neighbouring elements, `pitch` elements from one to the next.
struct Operand {
  const char* name;
  Access access;
  wide lines, width, pitch;
};

}  // namespace tilewright
