#include "tilewright/fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include "tilewright/parallel.hpp"
#include "tw/random.hpp"

namespace tilewright {
namespace {

using Draw = std::function<double(Random&)>;

/// A sample of a distribution, rounded to an element type: filling is then one look-up per element.
class Palette {
 public:
  Palette(ElementType type, std::uint64_t seed, const Draw& draw)
      : size_(element_bytes(type)), bytes_(kColours * size_) {
    Random random(seed);
    for (std::size_t i = 0; i < kColours; ++i) encode(type, draw(random), bytes_.data() + i * size_);
  }

  /// Picks an entry for every element by a hash of its place.
  void fill(Array& array, std::uint64_t seed) const {
    parallel_for(array.lines(), 1 + (1 << 16) / (array.width() + 1), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        Random random(seed + hash(static_cast<std::uint64_t>(line)));
        std::uint64_t bits = 0;
        for (std::int64_t i = 0; i < array.width(); ++i, bits >>= 16) {
          if (i % 4 == 0) bits = random.next();
          std::memcpy(array.at(line, i), bytes_.data() + (bits & 0xffff) % kColours * size_, size_);
        }
      }
    });
  }

 private:
  static constexpr std::size_t kColours = 1 << 14;
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

/// Probability that an integer is not zero: sums then stay, at 6.5 sigma, within the integers that the output has.
double integer_chance(const Values& values) {
  const double limit = values.output == ElementType::bf16 ? 256 : values.output == ElementType::f16 ? 2048 : 1 << 20;
  return std::min(0.75, limit / (6.5 * std::sqrt(static_cast<double>(values.terms) + 1)));
}

/// Sums overflow f16 now and then, but never fp32; f16 elements are no infinities up to 6.5 standard deviations.
double huge_amplitude(ElementType type, ElementType output) {
  if (type != ElementType::f16) return 1e17;
  return output == ElementType::f16 ? 64 : 1e4;
}

Draw distribution(const Values& values, ElementType type) {
  const std::string& kind = values.kind;
  if (kind == "normal" || kind == "nan" || kind == "cancel") return [](Random& r) { return r.normal(); };
  if (kind == "positive") return [](Random& r) { return 1 - r.uniform(); };
  if (values.exact())
    return [chance = integer_chance(values)](Random& r) {
      const double draw = r.uniform() / chance;
      return draw < 0.5 ? -1 : draw < 1 ? 1 : 0;
    };
  if (kind == "huge")
    return [amplitude = huge_amplitude(type, values.output)](Random& r) { return amplitude * r.normal(); };
  if (kind == "tiny")
    return [scale = type == ElementType::f16 ? 1e-4 : 1e-20](Random& r) { return scale * r.normal() * r.uniform(); };
  throw std::invalid_argument("unknown values '" + kind +
                              "'; there are normal, positive, integers, swing, one-hot, nan, huge, tiny, cancel");
}

void set_line(Array& array, std::int64_t line, double value) {
  for (std::int64_t i = 0; i < array.width(); ++i) array.set(line, i, value);
}

void one_hot(Array& left, Array& right, const Values& values) {
  const std::int64_t codes = values.output == ElementType::bf16 || right.type() == ElementType::bf16 ? 251 : 2039;
  for (std::int64_t k = 0; k < right.lines(); ++k)
    for (std::int64_t n = 0; n < right.width(); ++n) right.set(k, n, static_cast<double>((k * 61 + n * 7) % codes));
  Random random(values.seed);
  for (std::int64_t row = 0; row < left.lines(); ++row) {
    set_line(left, row, 0);
    left.set(row, random.below(left.width()), 1);
  }
}

/// The first term of every sum is 128 * 65 more, the last one as much less.
void swing(Array& left, Array& right) {
  const std::int64_t last = left.width() - 1;
  if (last < 1) return;
  set_line(right, 0, 65);
  set_line(right, last, 65);
  for (std::int64_t row = 0; row < left.lines(); ++row) {
    left.set(row, 0, 128);
    left.set(row, last, -128);
  }
}

void non_finite(Array& left, Array& right, std::uint64_t seed) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  Random random(seed);
  const auto spoil = [&](Array& array, double value) {
    array.set(random.below(array.lines()), random.below(array.width()), value);
  };
  spoil(left, nan);
  // Infinities at both ends of lines: what is multiplied by them behind the depth shows even if it is 0.
  left.set(0, 0, infinity);
  left.set(std::min<std::int64_t>(1, left.lines() - 1), left.width() - 1, infinity);
  spoil(right, infinity);
  spoil(right, -infinity);
  spoil(right, nan);
  set_line(left, left.lines() - 1, 0);  // zeros times infinity
}

void cancel(Array& left, Array& right) {
  const std::int64_t pairs = left.width() / 2;
  for (std::int64_t row = 0; row < left.lines(); ++row) {
    for (std::int64_t k = 0; k < pairs; ++k) left.set(row, 2 * k + 1, -left.get(row, 2 * k));
    if (left.width() % 2) left.set(row, left.width() - 1, 0);
  }
  const std::size_t bytes = static_cast<std::size_t>(right.width()) * element_bytes(right.type());
  for (std::int64_t k = 0; k < pairs; ++k) std::memcpy(right.line(2 * k + 1), right.line(2 * k), bytes);
}

}  // namespace

void fill(Array& array, const Values& values, std::uint64_t stream) {
  const std::uint64_t seed = values.seed * 8 + stream;
  Palette(array.type(), seed, distribution(values, array.type())).fill(array, hash(seed));
}

void fill_product(Array& left, Array& right, const Values& values) {
  fill(left, values, 1);
  fill(right, values, 2);
  if (left.elements() == 0 || right.elements() == 0) return;
  if (values.kind == "one-hot") one_hot(left, right, values);
  if (values.kind == "swing") swing(left, right);
  if (values.kind == "nan") non_finite(left, right, values.seed);
  if (values.kind == "cancel") cancel(left, right);
}

}  // namespace tilewright
