// described.hpp - the oracle of bsr-sddmm for the kernels of others: the stored blocks of a dense product.
#pragma once
#include "tw/described_bsr.hpp"

namespace tilewright::bsr_sddmm {

inline Reference described(const Described& call) {
  const Array x = call.matrix("x"), y = call.matrix("y", -1, x.width()), former = call.array("values", 3);
  const bsr::Bsr pattern = bsr::described_pattern(call, x.lines(), y.lines());
  Array turned(y.type(), {y.width(), y.lines()});
  for (std::int64_t row = 0; row < y.lines(); ++row)
    for (std::int64_t column = 0; column < y.width(); ++column) turned.set(column, row, y.get(row, column));
  const Product product = multiply(x, turned);
  const Epilogue epilogue = call.epilogue("values", "values", x.width());
  // Beyond the last row and column there is nothing to multiply.
  Product stored{former.width(), std::vector<double>(static_cast<std::size_t>(former.elements())),
                 std::vector<float>(static_cast<std::size_t>(former.elements()))};
  bsr::each_element(
      pattern, former.width(), x.lines(), y.lines(), [&](auto line, auto j, auto row, auto column) {
        stored.sums[stored.index(line, j)] = product.sums[product.index(row, column)];
        stored.magnitudes[stored.index(line, j)] = product.magnitudes[product.index(row, column)];
      });
  return finish_product(stored, epilogue, former, nullptr);
}

inline const DescribedEntry entry("bsr-sddmm", described);

}  // namespace tilewright::bsr_sddmm
