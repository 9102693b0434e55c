// slabs.cuh - products of blocks that go from global memory to registers, in vectors of 16 bytes, each read once: A in block sparse rows,
// its blocks row-major, times a few columns of B, by mma.sync.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// Place of this lane's vectors: its row of A and column of B, and its number among a slab's four vectors.
struct SlabLane {
  int row, column, vector;  // row and column: within a fragment

  TW_MEMBER SlabLane() {
    const int lane = threadIdx.x % 32;
    row = column = lane / 4;
    vector = lane % 4;
  }
};

/// A warp's share of a block row: vectors [next, end) of each of its rows, over stored blocks from `first` on.
struct SlabShare {
  int first, next, end;
};

/// A lane's part of `Ahead` slabs of A, and the block columns of its vectors. A slab is 32 columns of a block row's stored blocks, side by
/// side, by TilesM x 16 rows: a vector of 8 elements for each of 4 lanes. A product sums over columns in any order, so that the vectors are
/// fragments of two mma as they are, if B's, of TilesN x 8 columns, are cut alike.
///
/// `Target` has `row_ptr` and `col_idx`, indices of `index_words` words of 32 bits, the lower first; the distances `b_at.row` and
/// `b_at.column` in B, in elements; and `vectors_b`: 8 elements of a column of B are neighbours, aligned to 16 bytes.
template <class Input, int Block, int Ahead, int TilesM, int TilesN>
struct Slabs {
  static constexpr int kVectorsPerBlock = Block / 8, kVectorsPerSlab = 4;
  /// Vectors that are loaded together, of each row.
  static constexpr int kVectors = Ahead * kVectorsPerSlab;
  using Sums = float[TilesM][TilesN][4];

  uint4 a[Ahead][TilesM][2];  // rows 8 apart
  int column[Ahead];          // -1: behind the share's end

  /// Share number `share` of `Shares`: whole slabs, the first ones have one more.
  template <int Shares, class Target>
  TW_MEMBER static SlabShare share_of(const Target& target, int block_row, int share) {
    const int first = index(target, target.row_ptr, block_row);
    const int vectors = (index(target, target.row_ptr, block_row + 1) - first) * kVectorsPerBlock;
    const int slabs = (vectors + kVectorsPerSlab - 1) / kVectorsPerSlab;
    const auto begin = [&](int of) {
      return (slabs / Shares * of + min(of, slabs % Shares)) * kVectorsPerSlab;
    };
    return {first, begin(share), min(vectors, begin(share + 1))};
  }

  /// Loads the share's next vectors; zeros behind its end. `values`: the lane's first row in a product's first block.
  template <class Target>
  TW_MEMBER void load(const Target& target, const Input* values, const SlabShare& share,
                      const SlabLane& lane) {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const int vector = share.next + i * kVectorsPerSlab + lane.vector;
      const bool exists = vector < share.end;
      const long long block = share.first + vector / kVectorsPerBlock;
      const Input* const from = values + block * (Block * Block) + vector % kVectorsPerBlock * 8;
      column[i] = exists ? index(target, target.col_idx, block) : -1;
#pragma unroll
      for (int m = 0; m < TilesM; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          a[i][m][half] =
              exists ? __ldcs(reinterpret_cast<const uint4*>(from + (m * 16 + half * 8) * Block)) : uint4{};
    }
  }

  /// Adds the products of what `load` brought from vector `next` of the share on. `b`: the lane's first column of B. `columns`: of B from
  /// there on.
  template <class Target>
  TW_MEMBER void multiply(Sums& sums, const Target& target, const Input* b, int columns, int next,
                          const SlabLane& lane) const {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const int k = (next + i * kVectorsPerSlab + lane.vector) % kVectorsPerBlock * 8;
      const Input* const from = b + (static_cast<long long>(column[i]) * Block + k) * target.b_at.row;
      uint4 right[TilesN];
#pragma unroll
      for (int n = 0; n < TilesN; ++n)
        right[n] =
            column[i] >= 0 && n * 8 < columns ? load_b(target, from + n * 8 * target.b_at.column) : uint4{};
#pragma unroll
      for (int m = 0; m < TilesM; ++m) multiply(sums[m], a[i][m][0], a[i][m][1], right);
    }
  }

  /// Adds the products of a slab: of a lane's vectors of A, 8 rows apart, with those of B.
  TW_MEMBER static void multiply(float (&sums)[TilesN][4], const uint4& top, const uint4& bottom,
                                 const uint4 (&right)[TilesN]) {
    const std::uint32_t left[4] = {top.x, bottom.x, top.y, bottom.y};
    const std::uint32_t left2[4] = {top.z, bottom.z, top.w, bottom.w};
#pragma unroll
    for (int n = 0; n < TilesN; ++n) {
      ptx::mma_m16n8k16<Input>(sums[n], left, right[n].x, right[n].y);
      ptx::mma_m16n8k16<Input>(sums[n], left2, right[n].z, right[n].w);
    }
  }

  /// Number `i` of `row_ptr` or `col_idx`.
  template <class Target>
  TW_MEMBER static int index(const Target& target, const int* list, long long i) {
    return list[i * target.index_words];
  }

  /// 8 elements of a column of B from `b` on.
  template <class Target>
  TW_MEMBER static uint4 load_b(const Target& target, const Input* b) {
    return target.vectors_b ? load_vector(b) : load_elements(target, b);
  }

  /// The same where they are neighbours, aligned to 16 bytes.
  TW_MEMBER static uint4 load_vector(const Input* b) { return *reinterpret_cast<const uint4*>(b); }

  /// The same where they need not be.
  template <class Target>
  TW_MEMBER static uint4 load_elements(const Target& target, const Input* b) {
    const auto element = [&](int k) -> unsigned {
      return *reinterpret_cast<const unsigned short*>(b + k * target.b_at.row);
    };
    const auto pair = [&](int k) { return element(k) | element(k + 1) << 16; };
    return {pair(0), pair(2), pair(4), pair(6)};
  }
};

}  // namespace tw
