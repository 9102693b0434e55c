// cuComplex.h - complex numbers as pairs, for kernels and host code.
#pragma once
#include <cmath>

using cuFloatComplex = float2;
using cuComplex = cuFloatComplex;
using cuDoubleComplex = double2;

// clang-format off
static inline cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
static inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
static inline float cuCrealf(cuFloatComplex a) { return a.x; }
static inline float cuCimagf(cuFloatComplex a) { return a.y; }
static inline cuFloatComplex cuConjf(cuFloatComplex a) { return {a.x, -a.y}; }
static inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
static inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
static inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
static inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return cuCaddf(cuCmulf(a, b), c); }
static inline float cuCabsf(cuFloatComplex a) { return std::hypot(a.x, a.y); }

static inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
static inline double cuCreal(cuDoubleComplex a) { return a.x; }
static inline double cuCimag(cuDoubleComplex a) { return a.y; }
static inline cuDoubleComplex cuConj(cuDoubleComplex a) { return {a.x, -a.y}; }
static inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return {a.x + b.x, a.y + b.y}; }
static inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return {a.x - b.x, a.y - b.y}; }
static inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
static inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return cuCadd(cuCmul(a, b), c); }
static inline double cuCabs(cuDoubleComplex a) { return std::hypot(a.x, a.y); }

/// Scaled by |b|, as numbers whose squares leave the range ask for.
static inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  const double scale = 1 / (std::fabs(b.x) + std::fabs(b.y)), bx = b.x * scale, by = b.y * scale, norm = 1 / (bx * bx + by * by);
  return {(a.x * scale * bx + a.y * scale * by) * norm, (a.y * scale * bx - a.x * scale * by) * norm};
}
static inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  const cuDoubleComplex c = cuCdiv({a.x, a.y}, {b.x, b.y});
  return {static_cast<float>(c.x), static_cast<float>(c.y)};
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {static_cast<float>(a.x), static_cast<float>(a.y)}; }
// clang-format on
