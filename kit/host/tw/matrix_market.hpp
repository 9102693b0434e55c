// matrix_market.hpp - reads where the entries of a Matrix Market file are
// (https://math.nist.gov/MatrixMarket/formats.html).
#pragma once
#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright::bsr {

/// The blocks that hold at least one entry. Sizes in blocks; columns ascend within a row.
struct BlockEntries {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::vector<std::int32_t>> columns_of;
};

namespace detail {

class MatrixMarketReader {
 public:
  explicit MatrixMarketReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw std::invalid_argument("cannot read the Matrix Market file " + path);
  }

  BlockEntries read(std::int64_t block) {
    read_banner();
    std::istringstream sizes(next_line("the line of sizes"));
    std::int64_t rows = 0, columns = 0, entries = 0;
    if (!(sizes >> rows >> columns >> entries) || rows < 1 || columns < 1 || entries < 0)
      fail("expected 'rows columns entries'");
    BlockEntries result;
    result.rows = (rows + block - 1) / block;
    result.columns = (columns + block - 1) / block;
    result.columns_of.resize(static_cast<std::size_t>(result.rows));
    for (std::int64_t i = 0; i < entries; ++i) {
      std::istringstream entry(
          next_line("entry " + std::to_string(i + 1) + " of " + std::to_string(entries)));
      std::int64_t row = 0, column = 0;
      if (!(entry >> row >> column)) fail("expected 'row column'");
      if (row < 1 || row > rows || column < 1 || column > columns)
        fail("entry (" + std::to_string(row) + ", " + std::to_string(column) +
             ") lies outside the matrix of " + std::to_string(rows) + " x " + std::to_string(columns));
      add(result, (row - 1) / block, (column - 1) / block);
      if (mirrored_ && row != column) {
        if (column > rows || row > columns) fail("a symmetric matrix must be square");
        add(result, (column - 1) / block, (row - 1) / block);
      }
    }
    for (std::vector<std::int32_t>& list : result.columns_of) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
  }

 private:
  void read_banner() {
    std::string line;
    std::getline(file_, line);
    ++line_;
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    std::istringstream words(line);
    std::string banner, object, format, field, symmetry;
    words >> banner >> object >> format >> field >> symmetry;
    if (banner != "%%matrixmarket" || object != "matrix")
      fail("the file must begin with '%%MatrixMarket matrix'");
    if (format != "coordinate") fail("format '" + format + "' is not sparse; only 'coordinate' is read");
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric" &&
        symmetry != "hermitian")
      fail("unknown symmetry '" + symmetry + "'");
    mirrored_ = symmetry != "general";
  }

  /// The next line that is neither a comment nor blank.
  std::string next_line(const std::string& what) {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      if (!line.empty() && line[0] != '%' && line.find_first_not_of(" \t\r") != std::string::npos)
        return line;
    }
    ++line_;
    fail("the file ends before " + what);
  }

  static void add(BlockEntries& result, std::int64_t row, std::int64_t column) {
    std::vector<std::int32_t>& list = result.columns_of[static_cast<std::size_t>(row)];
    if (list.empty() || list.back() != column) list.push_back(static_cast<std::int32_t>(column));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  std::string path_;
  std::ifstream file_;
  std::int64_t line_ = 0;
  bool mirrored_ = false;
};

}  // namespace detail

/// Positions of the entries of the file, cut into blocks of `block` x `block`. Symmetric files are unfolded.
/// Throws std::invalid_argument with file and line.
inline BlockEntries read_matrix_market(const std::string& path, std::int64_t block) {
  return detail::MatrixMarketReader(path).read(block);
}

}  // namespace tilewright::bsr
