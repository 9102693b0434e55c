// matrix_market.hpp - reads Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html). Needs the standard library
// alone; packed files are unpacked by the programs gzip and bzip2. It takes what SciPy's reader takes, with the same entries, but for
// numbers of which that reader drops a part (`7.5` in a file of integers, `1.5D2`, `5x`): they are refused.
#pragma once
#include <algorithm>
#include <cctype>
#include <charconv>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewright::matrix_market {

/// Row and column from 0.
struct Entry {
  std::int64_t row, column;
  std::complex<double> value;
};

/// Entries in the file's order, symmetric files unfolded. A place may have several, whose sum counts. Of files in array format, all but
/// the zeros.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  bool complex = false;
  std::vector<Entry> entries;
};

namespace detail {

/// Lines of a file, without their ends.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> plain(std::fopen(path.c_str(), "r"), std::fclose);
    if (!plain) throw std::invalid_argument("cannot read the Matrix Market file " + path);
    unpacker_ = has_ending(".gz") ? "gzip" : has_ending(".bz2") ? "bzip2" : "";
    if (unpacker_.empty())
      file_ = plain.release();
    else
      file_ = popen((unpacker_ + " -dc -- " + quoted(path) + " 2>/dev/null").c_str(), "r");
    if (!file_) throw std::runtime_error("cannot start " + unpacker_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    close();
    std::free(line_);
  }

  /// False at the end of the file.
  bool next(std::string_view& line) {
    const ssize_t length = ::getline(&line_, &capacity_, file_);
    ++number_;
    if (length < 0) {
      must_be_whole();
      return false;
    }
    line = std::string_view(line_, static_cast<std::size_t>(length));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(path_ + ":" + std::to_string(number_) + ": " + what);
  }

 private:
  bool has_ending(std::string_view ending) const {
    return path_.size() >= ending.size() &&
           std::string_view(path_).substr(path_.size() - ending.size()) == ending;
  }

  static std::string quoted(const std::string& path) {
    std::string text = "'";
    for (const char one : path) text += one == '\'' ? "'\\''" : std::string(1, one);
    return text + "'";
  }

  int close() {
    std::FILE* const file = std::exchange(file_, nullptr);
    if (!file) return 0;
    return unpacker_.empty() ? std::fclose(file) : pclose(file);
  }

  void must_be_whole() {
    if (std::ferror(file_)) throw std::invalid_argument("cannot read the Matrix Market file " + path_);
    if (close() == 0) return;
    throw std::invalid_argument(path_ + ": " + unpacker_ +
                                " cannot unpack it: the file is damaged, or there is no " + unpacker_);
  }

  std::string path_, unpacker_;
  std::FILE* file_ = nullptr;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
  std::int64_t number_ = 0;
};

/// Words of a line, between spaces and tabs.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  /// Empty behind the last one.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kSpace));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  static constexpr const char* kSpace = " \t\r";
  std::string_view rest_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path) {}

  Matrix read() {
    read_banner();
    read_sizes();
    if (array_)
      read_array();
    else
      read_coordinates();
    for (std::string_view line; lines_.next(line);)
      if (!is_blank(line))
        lines_.fail("a line behind the last " + unit() + "; the file announces " + std::to_string(count_));
    return std::move(matrix_);
  }

 private:
  enum class Field { real, complex, integer, natural, pattern };
  enum class Symmetry { general, symmetric, skew, hermitian };

  struct Word {
    const char* name;
    int value;
  };

  void read_banner() {
    std::string_view line;
    lines_.next(line);
    Words words(line);
    const std::string_view banner = words.next();
    if (banner != "%%MatrixMarket" && banner != "%MatrixMarket")
      lines_.fail("a Matrix Market file begins with '%%MatrixMarket matrix'");
    named(words.next(), "object", {{"matrix", 0}});
    array_ = named(words.next(), "format", {{"coordinate", 0}, {"array", 1}}) == 1;
    field_ = static_cast<Field>(named(words.next(), "field",
                                      {{"real", 0},
                                       {"double", 0},
                                       {"complex", 1},
                                       {"integer", 2},
                                       {"unsigned-integer", 3},
                                       {"pattern", 4}}));
    symmetry_ = static_cast<Symmetry>(
        named(words.next(), "symmetry",
              {{"general", 0}, {"symmetric", 1}, {"skew-symmetric", 2}, {"hermitian", 3}}));
    if (array_ && field_ == Field::pattern)
      lines_.fail("a file in array format has values, it cannot be a pattern");
    matrix_.complex = field_ == Field::complex;
  }

  /// Value of a word of the banner, which may be in upper case.
  int named(std::string_view word, const char* what, const std::vector<Word>& known) const {
    std::string lower(word), all;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const Word& one : known) {
      if (lower == one.name) return one.value;
      all.append(all.empty() ? "" : ", ").append(one.name);
    }
    lines_.fail(std::string("unknown ") + what + " '" + std::string(word) + "', allowed are " + all);
  }

  /// Comments are lines before that of the sizes whose first character, behind spaces, is %.
  void read_sizes() {
    std::string_view line;
    do {
      if (!lines_.next(line)) lines_.fail("the file ends before the line of sizes");
    } while (is_blank(line) || Words(line).next().front() == '%');
    Words words(line);
    const char* const wanted = array_ ? "expected 'rows columns'" : "expected 'rows columns entries'";
    matrix_.rows = size(words.next(), wanted);
    matrix_.columns = size(words.next(), wanted);
    if (!array_) count_ = size(words.next(), wanted);
    if (!words.next().empty()) lines_.fail(std::string(wanted) + " and no more");
    if (symmetry_ != Symmetry::general && matrix_.rows != matrix_.columns)
      lines_.fail("a symmetric matrix must be square, this one is " + extent());
    if (array_ && matrix_.rows > 0 &&
        matrix_.columns > std::numeric_limits<std::int64_t>::max() / matrix_.rows)
      lines_.fail("an array of " + extent() + " has more than 2^63 elements");
  }

  std::int64_t size(std::string_view word, const std::string& wanted) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range)
      lines_.fail("'" + std::string(word) + "' is beyond 2^63 - 1");
    if (error != std::errc() || end != word.data() + word.size() || value < 0)
      lines_.fail(wanted + ", found '" + std::string(word) + "'");
    return value;
  }

  void read_coordinates() {
    std::string_view line;
    for (std::int64_t i = 0; i < count_; ++i) {
      next_value(line, i);
      Words words(line);
      const std::int64_t row = place(words.next(), "row", matrix_.rows);
      const std::int64_t column = place(words.next(), "column", matrix_.columns);
      add(row, column, value(words));
    }
  }

  /// Columns one after the other; of symmetric matrices the lower triangle, of skew-symmetric ones without the diagonal.
  void read_array() {
    std::string_view line;
    const std::int64_t below = symmetry_ == Symmetry::skew ? 1 : 0;
    for (std::int64_t column = 0; column < matrix_.columns; ++column) {
      const std::int64_t first = symmetry_ == Symmetry::general ? 0 : column + below;
      for (std::int64_t row = first; row < matrix_.rows; ++row) {
        next_value(line, count_++);
        Words words(line);
        if (const std::complex<double> one = value(words); one != 0.0) add(row, column, one);
      }
    }
  }

  /// The next line that is not blank.
  void next_value(std::string_view& line, std::int64_t index) {
    do {
      if (!lines_.next(line))
        lines_.fail("the file ends before " + unit() + " " + std::to_string(index + 1) + of_all());
    } while (is_blank(line));
  }

  std::int64_t place(std::string_view word, const char* what, std::int64_t limit) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::invalid_argument || end != word.data() + word.size())
      lines_.fail(std::string("expected a ") + what + ", found '" + std::string(word) + "'");
    if (error != std::errc() || value < 1 || value > limit)
      lines_.fail(std::string(what) + " " + std::string(word) + " lies outside the matrix of " + extent());
    return value - 1;
  }

  std::complex<double> value(Words& words) const {
    switch (field_) {
      case Field::pattern:
        return 1;
      case Field::integer:
        return static_cast<double>(number<std::int64_t>(words.next(), "a whole number"));
      case Field::natural:
        return static_cast<double>(
            number<std::uint64_t>(words.next(), "a whole number that is not negative"));
      case Field::real:
        return number<double>(words.next(), "a number");
      case Field::complex:
        break;
    }
    const auto real = number<double>(words.next(), "a number");
    return {real, number<double>(words.next(), "the imaginary part")};
  }

  template <class Number>
  Number number(std::string_view word, const char* wanted) const {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool too_large = error == std::errc::result_out_of_range;
    if ((error != std::errc() && !too_large) || end != word.data() + word.size())
      lines_.fail(std::string("expected ") + wanted + ", found '" + std::string(word) + "'");
    if (!too_large) return value;
    if constexpr (std::is_floating_point_v<Number>)
      return std::strtod(std::string(word).c_str(), nullptr);  // 0 or infinity
    lines_.fail("'" + std::string(word) + "' has more than 64 bits");
  }

  void add(std::int64_t row, std::int64_t column, std::complex<double> value) {
    matrix_.entries.push_back({row, column, value});
    if (symmetry_ == Symmetry::general || row == column) return;
    const std::complex<double> other = symmetry_ == Symmetry::skew        ? -value
                                       : symmetry_ == Symmetry::hermitian ? std::conj(value)
                                                                          : value;
    matrix_.entries.push_back({column, row, other});
  }

  static bool is_blank(std::string_view line) { return Words(line).next().empty(); }
  std::string extent() const {
    return std::to_string(matrix_.rows) + " x " + std::to_string(matrix_.columns);
  }
  std::string unit() const { return array_ ? "value" : "entry"; }
  std::string of_all() const { return array_ ? "" : " of " + std::to_string(count_); }

  Lines lines_;
  Matrix matrix_;
  bool array_ = false;
  Field field_ = Field::real;
  Symmetry symmetry_ = Symmetry::general;
  std::int64_t count_ = 0;
};

}  // namespace detail

/// The matrix of a file; `.gz` and `.bz2` are unpacked. Throws std::invalid_argument, with file and line where one is at fault.
inline Matrix read(const std::string& path) { return detail::Reader(path).read(); }

/// The same of real numbers, sorted by row and column, a place's entries summed. Complex files are refused.
inline Matrix read_real(const std::string& path) {
  Matrix matrix = read(path);
  if (matrix.complex)
    throw std::invalid_argument(path + ":1: its field is complex; kernels take real numbers");
  std::vector<Entry>& entries = matrix.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool same =
        kept > 0 && entries[kept - 1].row == entries[i].row && entries[kept - 1].column == entries[i].column;
    if (same)
      entries[kept - 1].value += entries[i].value;
    else
      entries[kept++] = entries[i];
  }
  entries.resize(kept);
  return matrix;
}

}  // namespace tilewright::matrix_market
