// compare.hpp - an output against its reference: never by a flat tolerance, never in a way that lets NaN
// pass.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tilewright/family.hpp"
#include "tilewright/json.hpp"

namespace tilewright {

/// Result of comparing one output with its reference.
struct Comparison {
  std::string tensor;
  std::int64_t total = 0;
  std::int64_t bad = 0;        // elements that fail, for whatever reason
  std::int64_t unwritten = 0;  // ... of these, still poison, or (role inout) still the initial value
  std::int64_t leaked = 0;     // ... of these, the fill of guard zones and padding, copied
  std::int64_t nonfinite = 0;  // ... of these, NaN or infinite where the reference is not, or the reverse
  double worst = 0;            // largest |error| / bound over finite elements, at most kMaxRatio
  std::optional<std::pair<std::int64_t, std::int64_t>> first_bad;           // row, column
  std::pair<std::int64_t, std::int64_t> bad_rows{0, 0}, bad_columns{0, 0};  // first and last
  double expected = 0, got = 0, bound = 0;                                  // at first_bad
  std::string expected_text, got_text;  // whole numbers in all their digits
  std::string pattern;

  bool ok() const { return bad == 0; }
  /// The gate's word: out-of-bounds, unwritten, nonfinite, wrong; "passed" when ok.
  const char* verdict() const;
  /// One sentence: how many, where, the first one.
  std::string message() const;
  /// Adds wrongElements, totalElements, firstBad, badRows, badColumns, expected, got, pattern to a verdict's
  /// evidence.
  void add_to(Json& evidence) const;
};

/// An error of any size where the bound is 0 has no ratio; it is reported as this.
inline constexpr double kMaxRatio = 1e30;

/// Judges one element: `bits` may be any element type, `value` its decoded value.
/// A finite value passes when |value - reference| <= bound. NaN passes only where the reference is NaN, an
/// infinity where the reference is the same infinity or so large that rounding to `type` may overflow within
/// the bound.
bool acceptable(ElementType type, double value, double reference, double bound);

/// Compares rows x cols elements at `contents`, rows `pitch` elements apart, with the reference. `initial` is what
/// the buffer held before the launch, in the same layout. Uses all cores for large outputs.
Comparison compare(const Tensor& tensor, const std::byte* contents, const std::byte* initial,
                   std::int64_t pitch, const Reference& reference);

}  // namespace tilewright
