// curand_kernel.h - cuRAND's default generator (XORWOW) for kernels, with the numbers that a GPU draws. G. Marsaglia,
// "Xorshift RNGs", Journal of Statistical Software 8(14), 2003; a subsequence is 2^67 steps long. MTGP32 has a header of its
// own; other generators are refused by name.
#pragma once
#include <array>
#include <cmath>
#include <vector>

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;

namespace tw::xorwow {

constexpr int kWords = 5, kBits = 32 * kWords;
using Vector = std::array<unsigned, kWords>;
using Matrix = std::array<Vector, kBits>;  // row i: what bit i of a vector becomes

[[gnu::always_inline]] inline void step(unsigned (&v)[kWords]) {
  const unsigned t = v[0] ^ v[0] >> 2, last = v[4];
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = last ^ last << 4 ^ t ^ t << 1;
}

[[gnu::no_sanitize("thread")]] inline Vector product(const Vector& vector, const Matrix& matrix) {
  Vector result{};
  for (int bit = 0; bit < kBits; ++bit)
    if (vector[bit / 32] >> bit % 32 & 1u)
      for (int i = 0; i < kWords; ++i) result[i] ^= matrix[bit][i];
  return result;
}

/// `count` steps, a power of two: 2^power.
[[gnu::no_sanitize("thread")]] inline const Matrix& steps(unsigned power) {
  static std::vector<Matrix> known;
  if (known.empty()) {
    Matrix& one = known.emplace_back();
    for (int bit = 0; bit < kBits; ++bit) {
      unsigned v[kWords]{};
      v[bit / 32] = 1u << bit % 32;
      step(v);
      for (int i = 0; i < kWords; ++i) one[bit][i] = v[i];
    }
  }
  while (known.size() <= power) {
    const Matrix last = known.back();
    Matrix& next = known.emplace_back();
    for (int bit = 0; bit < kBits; ++bit) next[bit] = product(last[bit], last);
  }
  return known[power];
}

/// count * 2^power steps at once.
[[gnu::no_sanitize("thread")]] inline Vector advanced(Vector vector, unsigned long long count, unsigned power) {
  for (; count; count >>= 1, ++power)
    if (count & 1) vector = product(vector, steps(power));
  return vector;
}

inline void advance(curandState* state, unsigned long long count, unsigned power) {
  Vector vector;
  for (int i = 0; i < kWords; ++i) vector[i] = state->v[i];
  vector = advanced(vector, count, power);
  for (int i = 0; i < kWords; ++i) state->v[i] = vector[i];
}

constexpr float kUnit = 0x1p-32f;
constexpr float kCircle = kUnit * 6.2831855f;

}  // namespace tw::xorwow

// clang-format off
[[gnu::always_inline]] inline void skipahead(unsigned long long n, curandState* state) { tw::xorwow::advance(state, n, 0); state->d += 362437u * static_cast<unsigned>(n); }
[[gnu::always_inline]] inline void skipahead_sequence(unsigned long long n, curandState* state) { tw::xorwow::advance(state, n, 67); }
// clang-format on

[[gnu::always_inline]] inline void curand_init(unsigned long long seed, unsigned long long sequence,
                                               unsigned long long offset, curandState* state) {
  const unsigned low = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned high = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

[[gnu::always_inline]] inline unsigned curand(curandState* state) {
  tw::xorwow::step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

/// In (0, 1].
[[gnu::always_inline]] inline float curand_uniform(curandState* state) {
  return static_cast<float>(curand(state)) * tw::xorwow::kUnit + tw::xorwow::kUnit / 2;
}
[[gnu::always_inline]] inline double curand_uniform_double(curandState* state) {
  const unsigned long long low = curand(state), high = curand(state);
  return static_cast<double>(low ^ high << 21) * 0x1p-53 + 0x1p-54;
}

/// Box and Muller's pair.
[[gnu::always_inline]] inline float2 curand_normal2(curandState* state) {
  const float u = curand_uniform(state);
  const float v = static_cast<float>(curand(state)) * tw::xorwow::kCircle + tw::xorwow::kCircle / 2;
  const float radius = std::sqrt(-2.0f * std::log(u));
  return {radius * std::sin(v), radius * std::cos(v)};
}
[[gnu::always_inline]] inline float curand_normal(curandState* state) {
  if (state->boxmuller_flag) return state->boxmuller_flag = 0, state->boxmuller_extra;
  const float2 pair = curand_normal2(state);
  state->boxmuller_extra = pair.y;
  state->boxmuller_flag = 1;
  return pair.x;
}
[[gnu::always_inline]] inline float curand_log_normal(curandState* state, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}

#include "curand_mtgp32_kernel.h"
