// matrix_lines.hpp - the place of a matrix in memory, for signatures and launch code. Plain C++17.
#pragma once
#include <cstdint>

namespace tilewright {

enum class Type : int { f16, bf16, f32 };

/// Lines of a matrix: the type of their elements, elements of each, how many there are, and elements from one to the next.
struct MatrixLines {
  Type type;
  std::int64_t width, count, pitch;
};

}  // namespace tilewright
