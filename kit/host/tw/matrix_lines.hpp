// matrix_lines.hpp - the place of a matrix in memory, for signatures and launch code. Plain C++17.
#pragma once
#include <cstdint>

namespace tilewright {

/// Lines of a matrix: elements of each, how many there are, and elements from one to the next.
struct MatrixLines {
  std::int64_t width, count, pitch;
};

}  // namespace tilewright
