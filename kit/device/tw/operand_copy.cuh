// operand_copy.cuh - operands of mma.sync in either order, copied to shared memory from wherever they lie: by cp.async, or an
// element at a time (copy_tile.cuh).
//
//   const tw::OperandCopy<__half, tw::Major::k, 128, 64, 4, kThreads> copy(threadIdx.x);
//   const __half* const from = copy.at(matrix, pitch, row, k);
//   copy.copy(shared, stage, from, pitch, rows - row, depth - k);
//   ptx::cp_async_commit();
#pragma once
#include "tw/copy_tile.cuh"
#include "tw/mma_operands.cuh"

namespace tw {

/// One thread's share of the copies of tiles of an operand by `Threads` threads: `Extent` along M or N, `Depth` along K, of a
/// matrix that is contiguous along K or along M or N. `Bytes` per copy, as TileCopy's. load_a and load_b read the tiles.
template <class T, Major Order, int Extent, int Depth, int Bytes, int Threads>
class OperandCopy {
  static constexpr bool kByDepth = Order == Major::k;
  using Tile = TileCopy<T, kByDepth ? Extent : Depth, kByDepth ? Depth : Extent, Bytes, Threads>;

 public:
  static constexpr Major kMajor = Order;
  static constexpr int kDepth = Depth, kRowBytes = Tile::kRowBytes, kBytes = Tile::kBytes;

  TW_MEMBER explicit OperandCopy(int thread) : tile_(thread) {}

  /// Element `i` along M or N and `k` along K of a matrix whose lines are `pitch` elements apart. With a pitch of 64 bits it may
  /// lie anywhere, with one of 32 bits in a matrix of less than 2^31 elements.
  template <class Pitch>
  TW_MEMBER static const T* at(const T* matrix, Pitch pitch, int i, int k) {
    return kByDepth ? matrix + i * pitch + k : matrix + k * pitch + i;
  }

  /// Issues the copies of a tile to offset `to` of `shared`, from `source`, whose lines are `pitch` elements apart. Of the tile,
  /// `extent` along M or N and `depth` along K exist; they may be more than it has, or none. The rest becomes zeros.
  TW_MEMBER void copy(unsigned char* shared, int to, const T* source, long long pitch, int extent,
                      int depth) const {
    tile_.copy(shared, to, source, pitch, kByDepth ? extent : depth, kByDepth ? depth : extent);
  }

 private:
  Tile tile_;
};

}  // namespace tw
