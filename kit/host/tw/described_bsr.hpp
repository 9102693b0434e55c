// described_bsr.hpp - the block sparse matrix of a description: operands row_ptr, col_idx and values, whose shape is
// [blocks, block, block].
#pragma once
#include <algorithm>

#include "tilewright/described.hpp"
#include "tw/bsr.hpp"

namespace tilewright::bsr {

/// The blocks of a matrix of so many rows and columns. Throws std::invalid_argument unless kernels may be given these.
inline Bsr described_pattern(const Described& call, std::int64_t rows, std::int64_t columns) {
  const std::vector<std::int64_t>& sizes = call.operand("values").sizes;
  if (sizes.size() != 3 || sizes[1] != sizes[2] || sizes[1] == 0)
    call.refuse("values", "has blocks as high as wide: give it the shape [blocks, block, block]");
  Bsr pattern;
  pattern.rows = (rows + sizes[1] - 1) / sizes[1];
  pattern.columns = (columns + sizes[1] - 1) / sizes[1];
  const auto narrow = [](const std::vector<std::int64_t>& all) {
    return std::vector<std::int32_t>(all.begin(), all.end());
  };
  pattern.row_ptr = narrow(call.indices("row_ptr", pattern.rows + 1, sizes[0]));
  pattern.col_idx = narrow(call.indices("col_idx", sizes[0], std::max<std::int64_t>(pattern.columns - 1, 0)));
  check(pattern);
  return pattern;
}

/// Calls `visit(line of values, column of a block, row, column)` for each stored element inside a matrix of so many rows and columns.
template <class Visit>
void each_element(const Bsr& pattern, std::int64_t block, std::int64_t rows, std::int64_t columns,
                  const Visit& visit) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t at = pattern.row_ptr[row / block]; at < pattern.row_ptr[row / block + 1]; ++at)
      for (std::int64_t j = 0; j < block && pattern.col_idx[at] * block + j < columns; ++j)
        visit(at * block + row % block, j, row, pattern.col_idx[at] * block + j);
}

}  // namespace tilewright::bsr
