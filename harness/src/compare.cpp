#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "memory.hpp"
#include "pattern.hpp"
#include "tilewright/elements.hpp"
#include "tilewright/parallel.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kGrain = 1 << 18;  // elements per range of the parallel loop

/// Magnitude from which rounding to nearest gives infinity.
double overflow_threshold(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 65520.0;
    case ElementType::bf16:
      return 0x1.FFp127;
    case ElementType::f32:
      return 0x1.FFFFFFp127;
    default:
      break;
  }
  return HUGE_VAL;
}

bool is_pattern(const std::byte* element, std::size_t size, std::uint16_t pattern) {
  for (std::size_t i = 0; i < size; i += 2)
    if (std::memcmp(element + i, &pattern, std::min<std::size_t>(size, 2)) != 0) return false;
  return true;
}

/// The elements of one output next to what they should be.
struct View {
  const Tensor& tensor;
  const std::byte* contents;
  const std::byte* initial;
  std::int64_t pitch;
  const Reference& reference;
  std::size_t size = element_bytes(tensor.type);

  const std::byte* element(const std::byte* base, std::int64_t row, std::int64_t col) const {
    return base + static_cast<std::size_t>(row * pitch + col) * size;
  }
  std::size_t index(std::int64_t row, std::int64_t col) const {
    return static_cast<std::size_t>(row * tensor.cols + col);
  }
  double value(std::int64_t row, std::int64_t col) const {
    return decode(tensor.type, element(contents, row, col));
  }
  /// Distance from the reference; of whole numbers of 64 bits in all their bits.
  double error(std::int64_t row, std::int64_t col) const {
    if (reference.exact.empty()) return std::abs(value(row, col) - reference.value[index(row, col)]);
    const std::uint64_t a = bits(row, col), b = reference.exact[index(row, col)];
    const bool less =
        tensor.type == ElementType::i64 ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    return static_cast<double>(less ? b - a : a - b);
  }
  std::uint64_t bits(std::int64_t row, std::int64_t col) const {
    std::uint64_t all = 0;
    std::memcpy(&all, element(contents, row, col), std::min(size, sizeof all));
    return all;
  }
  bool unspecified(std::size_t i) const { return !reference.unspecified.empty() && reference.unspecified[i]; }
  bool accepts(std::int64_t row, std::int64_t col) const {
    const std::size_t i = index(row, col);
    if (unspecified(i)) return true;
    if (!reference.exact.empty()) return error(row, col) <= reference.bound[i];
    return acceptable(tensor.type, value(row, col), reference.value[i], reference.bound[i]);
  }
  /// Whether the error is at most so many times the bound.
  bool within(std::int64_t row, std::int64_t col, double times) const {
    if (unspecified(index(row, col))) return true;
    const double distance = error(row, col);
    return distance <= times * reference.bound[index(row, col)] && std::isfinite(distance);
  }
  double ratio(std::int64_t row, std::int64_t col) const {
    const double distance = error(row, col), bound = reference.bound[index(row, col)];
    if (!(distance > 0) || !std::isfinite(distance)) return 0;
    return std::min(kMaxRatio, bound > 0 ? distance / bound : kMaxRatio);
  }
};

std::string number(double value) {
  if (std::isnan(value)) return "NaN";  // printf would show a sign that means nothing
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

/// An element, or what one should be: whole numbers in all their digits.
std::string digits(ElementType type, double value) {
  if (is_float(type) || !(std::abs(value) < 0x1p53) || value != std::trunc(value)) return number(value);
  return std::to_string(static_cast<std::int64_t>(value));
}

/// A whole number of 64 bits.
std::string digits_of_bits(ElementType type, std::uint64_t bits) {
  return type == ElementType::i64 ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
}

struct Tally {
  std::int64_t bad = 0, unwritten = 0, leaked = 0, nonfinite = 0;
  double worst = 0;
  void add(const Tally& other) {
    bad += other.bad;
    unwritten += other.unwritten;
    leaked += other.leaked;
    nonfinite += other.nonfinite;
    worst = std::max(worst, other.worst);
  }
};

void classify_bad(const View& view, std::int64_t row, std::int64_t col, Tally& tally) {
  const std::byte* element = view.element(view.contents, row, col);
  ++tally.bad;
  if (std::memcmp(element, view.element(view.initial, row, col), view.size) == 0)
    ++tally.unwritten;
  else if (is_pattern(element, view.size, kGuard))
    ++tally.leaked;
  else if (!std::isfinite(view.value(row, col)) || !std::isfinite(view.reference.value[view.index(row, col)]))
    ++tally.nonfinite;
}

Tally tally_rows(const View& view, std::int64_t begin, std::int64_t end) {
  Tally tally;
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t col = 0; col < view.tensor.cols; ++col) {
      if (view.within(row, col, std::min(tally.worst, 1.0))) continue;  // most elements: nothing new
      tally.worst = std::max(tally.worst, view.ratio(row, col));
      if (!view.accepts(row, col)) classify_bad(view, row, col, tally);
    }
  }
  return tally;
}

/// Second look, only at an output that failed: where.
void locate(const View& view, Comparison& result) {
  BadMap map{view.tensor.rows, view.tensor.cols, std::vector<std::uint8_t>(view.reference.value.size())};
  result.bad_rows = {map.rows, 0};
  result.bad_columns = {map.cols, 0};
  for (std::int64_t row = 0; row < map.rows; ++row) {
    for (std::int64_t col = 0; col < map.cols; ++col) {
      if (view.accepts(row, col)) continue;
      map.bad[view.index(row, col)] = 1;
      if (!result.first_bad) result.first_bad = {row, col};
      result.bad_rows = {std::min(result.bad_rows.first, row), row};
      result.bad_columns = {std::min(result.bad_columns.first, col),
                            std::max(result.bad_columns.second, col)};
    }
  }
  const auto [row, col] = *result.first_bad;
  result.got = view.value(row, col);
  result.expected = view.reference.value[view.index(row, col)];
  result.bound = view.reference.bound[view.index(row, col)];
  result.pattern = describe_pattern(map);
  const auto& exact = view.reference.exact;
  const ElementType type = view.tensor.type;
  result.got_text =
      is_wide_integer(type) ? digits_of_bits(type, view.bits(row, col)) : digits(type, result.got);
  result.expected_text =
      exact.empty() ? digits(type, result.expected) : digits_of_bits(type, exact[view.index(row, col)]);
}

/// JSON has no NaN or infinity: those travel as words.
Json number_or_word(double value) { return std::isfinite(value) ? Json(value) : Json(number(value)); }

Json pair(std::pair<std::int64_t, std::int64_t> values) { return Json::Array{values.first, values.second}; }

}  // namespace

bool acceptable(ElementType type, double value, double reference, double bound) {
  if (std::isnan(reference)) return std::isnan(value);
  // The bound of an infinite reference may be infinite as well.
  if (std::isfinite(value)) return std::isfinite(reference) && std::abs(value - reference) <= bound;
  if (std::isnan(value) || std::signbit(value) != std::signbit(reference)) return false;
  return std::abs(reference) + bound >= overflow_threshold(type);
}

Comparison compare(const Tensor& tensor, const std::byte* contents, const std::byte* initial,
                   std::int64_t pitch, const Reference& reference) {
  const auto total = static_cast<std::size_t>(tensor.rows * tensor.cols);
  if (reference.value.size() != total || reference.bound.size() != total)
    throw std::invalid_argument(
        "reference of '" + tensor.name + "' has " + std::to_string(reference.value.size()) + " values and " +
        std::to_string(reference.bound.size()) + " bounds for " + std::to_string(total) + " elements");
  const View view{tensor, contents, initial, pitch, reference};
  Tally tally;
  std::mutex lock;
  parallel_for(tensor.rows, kGrain / std::max<std::int64_t>(tensor.cols, 1) + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 const Tally part = tally_rows(view, begin, end);
                 const std::lock_guard guard(lock);
                 tally.add(part);
               });
  // Of elements that had contents before, a few wrong ones may be as they were by chance, or since their neighbours were written.
  if (tensor.role == Role::inout && 2 * tally.unwritten < tally.bad) tally.unwritten = 0;
  Comparison result;
  result.tensor = tensor.name;
  result.total = static_cast<std::int64_t>(total);
  result.bad = tally.bad;
  result.unwritten = tally.unwritten;
  result.leaked = tally.leaked;
  result.nonfinite = tally.nonfinite;
  result.worst = tally.worst;
  if (!result.ok()) locate(view, result);
  return result;
}

const char* Comparison::verdict() const {
  if (ok()) return "passed";
  if (leaked > 0) return "out-of-bounds";
  if (unwritten > 0) return "unwritten";
  return nonfinite > 0 ? "nonfinite" : "wrong";
}

std::string Comparison::message() const {
  const auto [row, col] = first_bad.value_or(std::pair<std::int64_t, std::int64_t>{});
  std::string kinds;
  const auto mention = [&](std::int64_t count, const char* what) {
    if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  mention(leaked, "copied from outside an operand");
  mention(unwritten, "never written");
  mention(nonfinite, "of the wrong class (NaN, Inf or finite)");
  mention(bad - leaked - unwritten - nonfinite, "outside the bound");
  return "'" + tensor + "': " + std::to_string(bad) + " of " + std::to_string(total) + " elements fail (" +
         kinds + "): " + pattern + "; first at [" + std::to_string(row) + "][" + std::to_string(col) +
         "]: expected " + expected_text + " within " + number(bound) + ", got " + got_text;
}

void Comparison::add_to(Json& evidence) const {
  evidence.set("tensor", tensor).set("wrongElements", bad).set("totalElements", total);
  if (unwritten > 0) evidence.set("unwrittenElements", unwritten);
  if (nonfinite > 0) evidence.set("nonfiniteElements", nonfinite);
  if (leaked > 0) evidence.set("leakedElements", leaked);
  if (first_bad) evidence.set("firstBad", pair(*first_bad));
  evidence.set("badRows", pair(bad_rows)).set("badColumns", pair(bad_columns));
  evidence.set("expected", number_or_word(expected))
      .set("got", number_or_word(got))
      .set("bound", number_or_word(bound));
  evidence.set("pattern", pattern);
}

}  // namespace tilewright
