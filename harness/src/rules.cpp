#include "rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewright/elements.hpp"

namespace tilewright {
namespace {

double rounded(ElementType type, double value) {
  std::array<std::byte, 8> element{};
  encode(type, value, element.data());
  return decode(type, element.data());
}

/// CUTLASS's profiler: relative, and absolute below a floor.
bool relatively_equal(double a, double b) {
  constexpr double kEpsilon = 0.05, kFloor = 1.0 / 256;
  const double difference = std::abs(a - b), size = std::abs(a) + std::abs(b);
  if (a == b) return true;
  if (a == 0 || b == 0 || size < kFloor) return difference < kEpsilon * kFloor;
  return difference < kEpsilon * size;
}

/// As numpy.isclose and torch.isclose: a NaN is close to nothing, an infinity to itself.
bool is_close(double value, double reference, double rtol, double atol) {
  if (value == reference) return true;
  return std::isfinite(reference) && std::abs(value - reference) <= atol + rtol * std::abs(reference);
}

}  // namespace

void AcceptanceRules::element(double got, double expected) {
  cutlass_ = cutlass_ && relatively_equal(got, expected);
  const bool close = is_close(got, expected, 1e-2, 1e-2);
  allclose_ = allclose_ && close;
  if (!close && !(std::isnan(got) && std::isnan(expected))) ++far_;
  // numpy.allclose(expected, result): relative to the result.
  if (got != expected) {
    const double least = std::abs(got - expected) - 1e-5 * std::abs(got);
    kernel_tuner_atol_ = std::isfinite(least) ? std::max(kernel_tuner_atol_, least) : HUGE_VAL;
  }
  products_ += 2 * got * expected;
  squares_ += got * got + expected * expected;
}

void AcceptanceRules::look_at(const Tensor& tensor, const std::byte* contents, const Reference& reference) {
  const std::size_t size = element_bytes(tensor.type);
  far_ = 0;
  for (std::int64_t row = 0; row < tensor.rows; ++row)
    for (std::int64_t col = 0; col < tensor.cols; ++col) {
      const auto index = static_cast<std::size_t>(row * tensor.cols + col);
      const std::byte* at = contents + static_cast<std::size_t>(row * tensor.stride + col) * size;
      element(decode(tensor.type, at), rounded(tensor.type, reference.value[index]));
    }
  const auto allowed = static_cast<std::int64_t>(0.01 * static_cast<double>(tensor.rows * tensor.cols));
  tilelang_ = tilelang_ && far_ <= allowed;
}

Json AcceptanceRules::json() const {
  // Nothing but zeros on both sides is 0 / 0, which no threshold accepts.
  const bool alike = 1 - products_ / squares_ < 1e-3;
  Json json = Json()
                  .set("cutlass", cutlass_)
                  .set("tilelang", tilelang_)
                  .set("deepgemm", alike)
                  .set("allclose", allclose_);
  return std::isfinite(kernel_tuner_atol_) ? json.set("kernelTunerAtol", kernel_tuner_atol_) : json;
}

}  // namespace tilewright
