// curand_mtgp32_kernel.h - cuRAND's MTGP32: a Mersenne twister whose state the threads of a block share. M. Saito and M. Matsumoto,
// "Variants of Mersenne Twister Suitable for Graphic Processors", ACM TOMS 39(2), 2013. States and tables are what the
// host gave them; curand.h's functions fill them there.
#pragma once
#include "curand_kernel.h"

/// Numbers of the recursions, a row for each.
struct mtgp32_kernel_params {
  unsigned pos_tbl[200];
  unsigned param_tbl[200][16], temper_tbl[200][16], single_temper_tbl[200][16];
  unsigned sh1_tbl[200], sh2_tbl[200];
  unsigned mask[1];
};
using mtgp32_kernel_params_t = mtgp32_kernel_params;

struct curandStateMtgp32 {
  unsigned s[1024];
  int offset, pIdx;
  mtgp32_kernel_params* k;
  int precise_double_flag;
};
using curandStateMtgp32_t = curandStateMtgp32;

namespace tw::mtgp32 {

constexpr unsigned kWords = 351;  // x[i + 351] is made of x[i], x[i + 1] and x[i + pos]

/// The word `ahead` of the first one that the block still needs.
[[gnu::always_inline]] inline unsigned& word(curandStateMtgp32* state, unsigned ahead) {
  return state->s[(state->offset + ahead) % 1024];
}

/// The number that the recursion's word `i` gives, which is put into the state.
[[gnu::always_inline]] inline unsigned draw(curandStateMtgp32* state, unsigned i) {
  const mtgp32_kernel_params& table = *state->k;
  const int row = state->pIdx;
  const unsigned pos = table.pos_tbl[row];
  unsigned x = (word(state, i) & table.mask[0]) ^ word(state, i + 1);
  x ^= x << table.sh1_tbl[row];
  const unsigned y = x ^ word(state, i + pos) >> table.sh2_tbl[row];
  const unsigned next = y ^ table.param_tbl[row][y % 16];
  word(state, i + kWords) = next;
  unsigned t = word(state, i + pos - 1);
  t ^= t >> 16;
  t ^= t >> 8;
  return next ^ table.temper_tbl[row][t % 16];
}

}  // namespace tw::mtgp32

/// One number for each thread of the block, all of which call it: at most 256, for more would need what the others draw.
[[gnu::always_inline]] inline unsigned curand(curandStateMtgp32* state) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned drawn = tw::mtgp32::draw(state, i);
  simt::sync_threads(simt::kDrawSync);
  if (i == 0) state->offset = (state->offset + threads) % 1024;
  simt::sync_threads(simt::kDrawSync);
  return drawn;
}

/// In (0, 1].
[[gnu::always_inline]] inline float curand_uniform(curandStateMtgp32* state) {
  return static_cast<float>(curand(state)) * tw::xorwow::kUnit + tw::xorwow::kUnit / 2;
}
