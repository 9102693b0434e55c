// swizzle.cuh - swizzled tiles in shared memory: rows whose 16-byte chunks are permuted, so that the same chunk of
// eight rows (an ldmatrix) is spread over all banks, as are eight chunks of a row. TMA and wgmma have the layout too.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// Bytes after which the pattern of the 128-byte swizzle repeats: bases of swizzled tiles are aligned to it.
inline constexpr int kSwizzleAtom = 1024;

/// Offset of chunk `chunk` of row `row` in a tile with rows of `RowBytes` bytes. Up to 128 bytes this is the layout of
/// TMA's swizzle of that span: bits of the chunk's number are XORed with those of the 128-byte line's. Wider rows, a
/// multiple of 128 bytes, permute the chunks of each line alike.
template <int RowBytes, class Int>
TW_DEVICE Int swizzled(Int row, Int chunk) {
  static_assert(RowBytes == 32 || RowBytes == 64 || RowBytes % 128 == 0,
                "rows of 32 or 64 bytes, or whole lines");
  constexpr int kRowsPerLine = RowBytes >= 128 ? 1 : 128 / RowBytes;
  constexpr int kChunks = RowBytes >= 128 ? 8 : RowBytes / 16;
  return row * RowBytes + ((chunk ^ (row / kRowsPerLine & (kChunks - 1))) << 4);
}

/// The swizzle of rows of `RowBytes` bytes, as wgmma's descriptors encode it.
template <int RowBytes>
TW_DEVICE constexpr ptx::MatrixSwizzle matrix_swizzle() {
  static_assert(RowBytes == 32 || RowBytes == 64 || RowBytes == 128, "a swizzle spans 32, 64 or 128 bytes");
  return RowBytes == 32   ? ptx::MatrixSwizzle::b32
         : RowBytes == 64 ? ptx::MatrixSwizzle::b64
                          : ptx::MatrixSwizzle::b128;
}

}  // namespace tw
