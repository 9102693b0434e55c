// bsr.hpp - the structure of a matrix in block sparse rows: which blocks are stored, by the kinds of pattern that problems may
// ask for. Read by oracles, which have the runner's headers; launch code and libraries do not.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/json.hpp"
#include "tw/matrix_market.hpp"
#include "tw/random.hpp"

namespace tilewright::bsr {

/// Block structure of A, as the kernels see it.
struct Bsr {
  std::int64_t rows = 0, columns = 0;  // in blocks
  std::vector<std::int32_t> row_ptr{0};
  std::vector<std::int32_t> col_idx;
  std::int64_t blocks() const { return row_ptr.back(); }
  std::int64_t length(std::int64_t row) const { return row_ptr[row + 1] - row_ptr[row]; }
};

/// Throws std::invalid_argument, naming the first place that is wrong, unless the structure is one that
/// kernels may be given.
inline void check(const Bsr& a) {
  const auto fail = [](const std::string& what) { throw std::invalid_argument("BSR matrix: " + what); };
  if (a.row_ptr.size() != static_cast<std::size_t>(a.rows) + 1)
    fail("row_ptr has " + std::to_string(a.row_ptr.size()) + " entries, but " + std::to_string(a.rows) +
         " block rows need " + std::to_string(a.rows + 1));
  if (a.row_ptr.front() != 0) fail("row_ptr[0] is " + std::to_string(a.row_ptr.front()) + ", it must be 0");
  if (static_cast<std::size_t>(a.row_ptr.back()) != a.col_idx.size())
    fail("row_ptr ends with " + std::to_string(a.row_ptr.back()) + ", but col_idx has " +
         std::to_string(a.col_idx.size()) + " entries");
  std::vector<std::int64_t> seen(static_cast<std::size_t>(a.columns), -1);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    if (a.length(row) < 0)
      fail("row_ptr falls from " + std::to_string(a.row_ptr[row]) + " to " +
           std::to_string(a.row_ptr[row + 1]) + " at block row " + std::to_string(row));
    if (a.row_ptr[row + 1] > a.row_ptr.back())
      fail("row_ptr[" + std::to_string(row + 1) + "] is beyond the last entry of row_ptr");
    for (std::int64_t i = a.row_ptr[row]; i < a.row_ptr[row + 1]; ++i) {
      const std::int32_t column = a.col_idx[i];
      const std::string place = "col_idx[" + std::to_string(i) + "] (block row " + std::to_string(row) +
                                ") is " + std::to_string(column);
      if (column < 0 || column >= a.columns)
        fail(place + ", allowed are 0 to " + std::to_string(a.columns - 1));
      if (seen[column] == row) fail(place + ", which the row has already; a block may be stored once only");
      seen[column] = row;
    }
  }
}

namespace detail {

using Columns = std::vector<std::int32_t>;

inline void append(Bsr& a, const Columns& columns) {
  a.col_idx.insert(a.col_idx.end(), columns.begin(), columns.end());
  if (a.col_idx.size() > 0x7fffffff) throw std::invalid_argument("more than 2^31 - 1 blocks");
  a.row_ptr.push_back(static_cast<std::int32_t>(a.col_idx.size()));
}

/// `count` different columns in ascending order, at most all.
inline Columns choose(Random& random, std::int64_t count, std::int64_t columns) {
  Columns all(static_cast<std::size_t>(columns));
  std::iota(all.begin(), all.end(), 0);
  count = std::clamp<std::int64_t>(count, 0, columns);
  for (std::int64_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(columns - i)]);
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end());
  return all;
}

/// Columns [first, last), cut to the matrix.
inline Columns range(std::int64_t first, std::int64_t last, std::int64_t columns) {
  first = std::clamp<std::int64_t>(first, 0, columns);
  Columns result(static_cast<std::size_t>(std::max<std::int64_t>(std::min(last, columns) - first, 0)));
  std::iota(result.begin(), result.end(), static_cast<std::int32_t>(first));
  return result;
}

inline double density(const Json& pattern) {
  const double value = pattern.at("density").number();
  if (!(value >= 0 && value <= 1)) throw std::invalid_argument("pattern: density must be 0 to 1");
  return value;
}

inline std::int64_t index(const Json& pattern, const char* name, std::int64_t limit) {
  const std::int64_t value = pattern.at(name).integer();
  if (value < 0 || value >= limit)
    throw std::invalid_argument(std::string("pattern: ") + name + " is " + std::to_string(value) +
                                ", allowed are 0 to " + std::to_string(limit - 1));
  return value;
}

/// Row lengths c * rank^-exponent in random order, c such that their sum is density * rows * columns as far
/// as full rows allow.
inline std::vector<std::int64_t> power_law(const Json& pattern, Random& random, std::int64_t rows,
                                           std::int64_t columns) {
  const double exponent = pattern.number("exponent", 1), wanted = density(pattern) * rows * columns;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  const auto fill = [&](double scale) {
    double sum = 0;
    for (std::int64_t rank = 0; rank < rows; ++rank) {
      lengths[rank] = std::min<std::int64_t>(columns, std::llround(scale * std::pow(rank + 1.0, -exponent)));
      sum += static_cast<double>(lengths[rank]);
    }
    return sum;
  };
  double low = 0, high = columns * std::pow(rows + 1.0, std::fabs(exponent)) + 1;
  for (int i = 0; i < 100; ++i) (fill((low + high) / 2) < wanted ? low : high) = (low + high) / 2;
  fill(high);
  for (std::int64_t i = rows - 1; i > 0; --i) std::swap(lengths[i], lengths[random.below(i + 1)]);
  return lengths;
}

/// Row lengths when exactly density * rows * columns places (rounded) are drawn from the whole matrix without
/// repetition: each place in turn is taken with the probability that keeps the count (selection sampling).
inline std::vector<std::int64_t> scattered(double density, Random& random, std::int64_t rows,
                                           std::int64_t columns) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  auto left = static_cast<double>(rows * columns), wanted = std::round(density * left);
  for (std::int64_t& length : lengths)
    for (std::int64_t column = 0; column < columns; ++column, --left)
      if (random.uniform() * left < wanted) {
        ++length;
        --wanted;
      }
  return lengths;
}

/// Lengths of all rows, for the kinds whose columns are drawn at random. Empty for other kinds.
inline std::vector<std::int64_t> random_lengths(const std::string& kind, const Json& pattern, Random& random,
                                                std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> lengths;
  if (kind == "random") lengths = scattered(density(pattern), random, rows, columns);
  if (kind == "equal-rows")
    lengths.assign(static_cast<std::size_t>(rows),
                   std::llround(density(pattern) * static_cast<double>(columns)));
  if (kind == "power-law") lengths = power_law(pattern, random, rows, columns);
  if (kind == "rows") {
    const Json::Array& counts = pattern.at("counts").items();
    if (counts.empty()) throw std::invalid_argument("pattern: counts is empty; give the blocks of each row");
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t count = counts[row % counts.size()].integer();
      if (count < 0 || count > columns)
        throw std::invalid_argument("pattern: counts has " + std::to_string(count) + ", allowed are 0 to " +
                                    std::to_string(columns) + ", the block columns");
      lengths.push_back(count);
    }
  }
  return lengths;
}

/// The columns of one row, for the kinds that know them. `row` and sizes in blocks.
inline Columns columns_of(const std::string& kind, const Json& pattern, std::int64_t row, const Bsr& a) {
  if (kind == "empty") return {};
  if (kind == "full-row")
    return row == index(pattern, "row", a.rows) ? range(0, a.columns, a.columns) : Columns{};
  if (kind == "full-column") return {static_cast<std::int32_t>(index(pattern, "column", a.columns))};
  if (kind == "diagonal") return range(row, row + 1, a.columns);
  if (kind == "arrow" && row == 0) return range(0, a.columns, a.columns);
  if (kind == "arrow") return row < a.columns ? Columns{0, static_cast<std::int32_t>(row)} : Columns{0};
  if (kind == "last-block") return row + 1 == a.rows ? range(a.columns - 1, a.columns, a.columns) : Columns{};
  if (kind == "banded") {
    const std::int64_t width = index(pattern, "width", a.columns + 1), middle = row * a.columns / a.rows;
    return range(middle - width, middle + width + 1, a.columns);
  }
  if (kind == "block-diagonal") {
    const std::int64_t size = pattern.integer("size", 4);
    if (size < 1) throw std::invalid_argument("pattern: size must be at least 1");
    return range(row / size * size, row / size * size + size, a.columns);
  }
  throw std::invalid_argument("pattern: unknown kind '" + kind +
                              "'; there are random, equal-rows, power-law, rows, banded, block-diagonal, "
                              "empty, full-row, full-column, "
                              "diagonal, arrow, last-block, explicit, matrix-market");
}

inline std::vector<std::int32_t> integers(const Json& list) {
  std::vector<std::int32_t> result;
  for (const Json& item : list.items()) result.push_back(static_cast<std::int32_t>(item.integer()));
  return result;
}

/// The blocks in which a Matrix Market file has an entry. Sizes of `a` that are 0 become the file's.
inline void take_file(Bsr& a, const std::string& path, std::int64_t block) {
  const matrix_market::Matrix file = matrix_market::read_real(path);
  const auto in_blocks = [&](std::int64_t size) { return size / block + (size % block != 0); };
  const std::int64_t rows = in_blocks(file.rows), columns = in_blocks(file.columns);
  if (rows > 0x7ffffffe || columns > 0x7fffffff)
    throw std::invalid_argument(path + " has " + std::to_string(rows) + " x " + std::to_string(columns) +
                                " blocks, more than 32-bit indices count");
  if (a.rows == 0) a.rows = rows;
  if (a.columns == 0) a.columns = columns;
  if (a.rows < rows || a.columns < columns)
    throw std::invalid_argument(path + " has " + std::to_string(rows) + " x " + std::to_string(columns) +
                                " blocks, more than the problem's " + std::to_string(a.rows) + " x " +
                                std::to_string(a.columns));
  std::size_t next = 0;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    Columns found;
    for (; next < file.entries.size() && file.entries[next].row / block == row; ++next)
      found.push_back(static_cast<std::int32_t>(file.entries[next].column / block));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    append(a, found);
  }
}

}  // namespace detail

/// The structure that `pattern` describes. Sizes in blocks; for kind matrix-market, 0 takes the file's own.
/// `block` is the block's size, to cut a file's entries into blocks. Throws std::invalid_argument.
///
///   random {density}: exactly that share, anywhere      equal-rows {density}: so many in each row, at
///   random places power-law {density, exponent}: lengths fall as rank^-exponent, in random order      rows
///   {counts}: lengths, repeated banded {width}: so many blocks on both sides of the diagonal block-diagonal
///   {size}: full squares of blocks full-row {row}, full-column {column}, diagonal, arrow, last-block, empty
///   explicit {rowPtr, colIdx}      matrix-market {path}: every block in which the file has an entry
inline Bsr make_pattern(const Json& pattern, std::int64_t rows, std::int64_t columns, std::int64_t block,
                        bool sorted, std::uint64_t seed) {
  const std::string& kind = pattern.at("kind").text();
  Bsr a;
  a.rows = rows;
  a.columns = columns;
  Random random(seed);
  if (kind == "explicit") {
    a.row_ptr = detail::integers(pattern.at("rowPtr"));
    a.col_idx = detail::integers(pattern.at("colIdx"));
    if (a.row_ptr.empty()) throw std::invalid_argument("BSR matrix: row_ptr is empty; it begins with 0");
  } else if (kind == "matrix-market") {
    detail::take_file(a, pattern.at("path").text(), block);
  } else {
    const std::vector<std::int64_t> lengths = detail::random_lengths(kind, pattern, random, rows, columns);
    for (std::int64_t row = 0; row < rows; ++row)
      detail::append(a, lengths.empty() ? detail::columns_of(kind, pattern, row, a)
                                        : detail::choose(random, lengths[row], columns));
  }
  check(a);
  if (!sorted)
    for (std::int64_t row = 0; row < a.rows; ++row)
      for (std::int64_t i = a.length(row) - 1; i > 0; --i)
        std::swap(a.col_idx[a.row_ptr[row] + i], a.col_idx[a.row_ptr[row] + random.below(i + 1)]);
  return a;
}

}  // namespace tilewright::bsr
