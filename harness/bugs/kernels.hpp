// kernels.hpp - what the subjects' kernels share: arguments, and the layout of a 64 x 64 tile of halves in
// shared memory.
#pragma once
#if defined(TW_EMULATED)
#include "subject.hpp"
#endif
#include "tw/ptx.cuh"

namespace bugs {

constexpr std::uint32_t kTileBytes = 64 * 128;

struct SparseArgs {
  const int *row_ptr, *col_idx;
  const __half *values, *b;
  __half* c;
  int m, n;
};

#if defined(TW_EMULATED)
inline SparseArgs arguments(const Sparse& problem) {
  return {problem.row_ptr.get(),
          problem.col_idx.get(),
          problem.values.get(),
          problem.b.get(),
          problem.c.get(),
          problem.m,
          problem.n};
}
#endif

/// Byte offset of 16-byte chunk `chunk` of row `row`: 64 rows of 128 bytes, chunks permuted so that eight
/// rows of a column of chunks fall into different banks. TMA's 128-byte swizzle.
TW_DEVICE std::uint32_t tile_offset(int row, int chunk) {
  return static_cast<std::uint32_t>(row * 128 + ((chunk ^ row % 8) * 16));
}

/// Stores a warpgroup's m64n64 accumulator as halves into a swizzled tile; `thread` 0..127.
TW_DEVICE void store_tile(unsigned char* tile, const float (&acc)[32], int thread) {
  const int row = thread / 32 * 16 + thread % 32 / 4;
  for (int chunk = 0; chunk < 8; ++chunk)
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<std::uint32_t*>(tile + tile_offset(row + half * 8, chunk) + thread % 4 * 4) =
          ptx::pack<__half>(acc[chunk * 4 + half * 2], acc[chunk * 4 + half * 2 + 1]);
}

}  // namespace bugs
