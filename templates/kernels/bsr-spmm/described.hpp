// described.hpp - the oracle of bsr-spmm for the kernels of others: A with its zeros, by a dense product.
#pragma once
#include <optional>

#include "tw/described_bsr.hpp"

namespace tilewright::bsr_spmm {

inline Reference described(const Described& call) {
  constexpr std::int64_t kMostElements = 1 << 26;
  const Array b = call.matrix("b"), c = call.matrix("c", -1, b.width()), values = call.array("values", 3);
  const std::int64_t rows = c.lines(), columns = b.lines();
  const bsr::Bsr pattern = bsr::described_pattern(call, rows, columns);
  if (rows * columns > kMostElements)
    call.refuse("values", "is a matrix of at most 2^26 elements, zeros included: say smaller sizes");
  Array a(values.type(), {rows, columns});
  bsr::each_element(pattern, values.width(), rows, columns, [&](auto line, auto j, auto row, auto column) {
    a.set(row, column, values.get(line, j));
  });
  const std::string former = call.has("residual") ? "residual" : "c";
  std::optional<Array> bias;
  if (call.has("bias")) bias = call.array("bias", 1);
  if (bias && bias->width() != rows) call.refuse("bias", "has an element for every row of C");
  return finish_with(multiply(a, b), call.epilogue("c", former, columns),
                     call.matrix(former, rows, c.width()),
                     [&](std::int64_t row, std::int64_t) { return bias ? bias->get(0, row) : 0; });
}

inline const DescribedEntry entry("bsr-spmm", described);

}  // namespace tilewright::bsr_spmm
