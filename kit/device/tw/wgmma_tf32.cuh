// wgmma_tf32.cuh - products of floats by a warpgroup, of operands rounded to TF32. wgmma drops the low bits of both and takes them with
// contiguous K alone: the operand along M comes through registers, from a tile in either order, and is rounded there; the one along
// N is rounded where it lies, and turned where its M or N is contiguous.
//
//   const auto n = tw::round_in_place<kRows, TileM>(TileN{stage}, [] { ptx::bar_sync<1, 128>(); });
//   tw::multiply_tf32(acc, TileM{stage + kTileBytes}, n, accumulate);
#pragma once
#include "tw/mma_operands.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {
namespace detail {

/// The bits of the nearest TF32, ties away from zero, but for 13 low ones, which wgmma ignores: half a unit is added, and NaN stays.
/// Two instructions, where cvt.rna.tf32 is three.
TW_DEVICE std::uint32_t rounded_word(std::uint32_t bits) {
  const auto power = ptx::detail::bit_cast<float>(bits & 0xff800000u);  // of two, with the sign
  return ptx::detail::bit_cast<std::uint32_t>(ptx::detail::bit_cast<float>(bits) + power * 0x1p-11f);
}
TW_DEVICE uint4 rounded_words(const uint4& v) {
  return {rounded_word(v.x), rounded_word(v.y), rounded_word(v.z), rounded_word(v.w)};
}

/// Whether products with `Operand` along M take K in the order 0 2 4 6 1 3 5 7 within each eight: so a warp reads fragments of
/// contiguous M from all banks at once.
template <class Operand>
inline constexpr bool kInterleaved = Operand::kMajor == ptx::Major::mn;

}  // namespace detail

/// Rounds a warpgroup's operand of `Rows` rows of floats where it lies, for multiply_tf32 along N, with an `OperandM` along M. `sync` waits
/// for the warpgroup's threads; the last one behind it orders the rounded floats before wgmma.
template <int Rows, class OperandM, int Depth, class Sync>
TW_DEVICE KMajor<Depth, 4> round_in_place(const KMajor<Depth, 4>& tile, const Sync& sync) {
  constexpr int kUnits = Rows * Depth / 8 / 128;   // of a thread: eight floats along K
  constexpr int kBatch = kUnits < 2 ? kUnits : 2;  // read before the first is written
  static_assert(Rows * Depth % (8 * 128 * kBatch) == 0, "equal shares of whole vectors");
  const int thread = threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < kUnits; i += kBatch) {
    uint4 low[kBatch], high[kBatch];
    std::uint32_t at[kBatch];
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      const int unit = (i + j) * 128 + thread;
      at[j] = tile.address + swizzled<KMajor<Depth, 4>::kRowBytes>(unit % Rows, unit / Rows * 2);
      low[j] = detail::rounded_words(ptx::load_shared_v4(at[j]));
      high[j] = detail::rounded_words(ptx::load_shared_v4(at[j] ^ 16));
    }
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      const uint4 &a = low[j], &b = high[j];
      constexpr bool kInterleaved = detail::kInterleaved<OperandM>;
      ptx::store_shared_v4(at[j], kInterleaved ? uint4{a.x, a.z, b.x, b.z} : a);
      ptx::store_shared_v4(at[j] ^ 16, kInterleaved ? uint4{a.y, a.w, b.y, b.w} : b);
    }
  }
  ptx::fence_proxy_async_shared();
  sync();
  return tile;
}

/// The same of an operand with contiguous M or N, which becomes one with contiguous K: so many rows at a time as keep their place.
template <int Rows, class OperandM, int Depth, int Columns, class Sync>
TW_DEVICE KMajor<Depth, 4> round_in_place(const MnMajor<Depth, Columns, 4>& tile, const Sync& sync) {
  using From = MnMajor<Depth, Columns, 4>;
  using To = KMajor<Depth, 4>;
  constexpr int kRows = Rows < 2 * Columns ? Rows : 2 * Columns;  // whole panels
  constexpr int kVectors = kRows * Depth / 4 / 128;               // of a thread: four floats along K
  static_assert(Rows % kRows == 0 && kRows % Columns == 0, "whole panels");
  static_assert(kRows * Depth % (4 * 128) == 0 && From::kPanelBytes == Columns * To::kRowBytes,
                "equal shares of whole vectors; a panel's rows lie where it lay");
#pragma unroll
  for (int first = 0; first < Rows; first += kRows) {
    const int thread = threadIdx.x % 128;
    uint4 vectors[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int unit = i * 128 + thread, row = first + unit % kRows, chunk = unit / kRows;
      const int column = row % Columns;
      const std::uint32_t panel = tile.address + row / Columns * From::kPanelBytes + column % 4 * 4;
      std::uint32_t words[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int k = detail::kInterleaved<OperandM> ? chunk / 2 * 8 + chunk % 2 + 2 * j : chunk * 4 + j;
        words[j] = ptx::load_shared(panel + swizzled<From::kRowBytes>(k, column / 4));
      }
      vectors[i] = detail::rounded_words({words[0], words[1], words[2], words[3]});
    }
    sync();  // all of these rows have been read
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int unit = i * 128 + thread;
      ptx::store_shared_v4(tile.address + swizzled<To::kRowBytes>(first + unit % kRows, unit / kRows),
                           vectors[i]);
    }
  }
  ptx::fence_proxy_async_shared();
  sync();
  return {tile.address};
}

/// Fragments of a warp's part of wgmma tiles one below the other, of an operand with contiguous K.
template <class Operand>
class FragmentReader;
template <int Depth>
class FragmentReader<KMajor<Depth, 4>> {
  static constexpr int kRowBytes = KMajor<Depth, 4>::kRowBytes;

 public:
  TW_MEMBER FragmentReader(const KMajor<Depth, 4>& operand, int warp, int lane)
      : address_(operand.address), row_(warp * 16), lane_(lane) {}

  /// 16 rows of wgmma tile `tile` by 8 from `k` on.
  TW_MEMBER void read(std::uint32_t (&to)[4], int tile, int k) const {
    load_matrices<kRowBytes>(to, address_, tile * 64 + row_, k / 4, DownThenRight(lane_));
  }

 private:
  std::uint32_t address_;
  int row_, lane_;
};

/// The same with contiguous M, in panels of 32 columns: a float at a time, at four addresses and constants behind them.
template <int Depth>
class FragmentReader<MnMajor<Depth, 32, 4>> {
  using Operand = MnMajor<Depth, 32, 4>;

 public:
  TW_MEMBER FragmentReader(const Operand& operand, int warp, int lane) {
    const int column = warp % 2 * 16 + lane / 4, k = lane % 4 * 2;  // kInterleaved
    const std::uint32_t panel = operand.address + warp / 2 * Operand::kPanelBytes;
    const std::uint32_t first = swizzled<Operand::kRowBytes>(k, column / 4) + column % 4 * 4;
    // 8 columns on, chunk ^ 2; a row down, chunk ^ 1.
#pragma unroll
    for (int i = 0; i < 4; ++i) at_[i] = panel + (first ^ (i % 2 * 32 + i / 2 * 16)) + i / 2 * 128;
  }

  TW_MEMBER void read(std::uint32_t (&to)[4], int tile, int k) const {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = ptx::load_shared(at_[i] + tile * (2 * Operand::kPanelBytes) + k * 128);
  }

 private:
  std::uint32_t at_[4];  // of the first tile's registers, k = 0
};

/// acc (+)= m * n over the operands' whole depth, complete behind it; where `accumulate` is false acc may hold anything. `n` is rounded;
/// wgmma tiles lie along M. Fragments are loaded while those in front of them are multiplied.
template <class OperandM, int Depth, int Tiles, int Registers>
TW_DEVICE void multiply_tf32(float (&acc)[Tiles][Registers], const OperandM& m, const KMajor<Depth, 4>& n,
                             bool accumulate) {
  static_assert(OperandM::kDepth == Depth && Depth % 8 == 0, "operands of one depth");
  const FragmentReader<OperandM> reader(m, ptx::warp_id() % 4, ptx::lane_id());
  std::uint32_t fragments[2][Tiles][4];
#pragma unroll
  for (int k = 0; k < Depth; k += 8) {
    std::uint32_t(&a)[Tiles][4] = fragments[k / 8 % 2];
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
      reader.read(a[tile], tile, k);
#pragma unroll
      for (std::uint32_t& element : a[tile]) element = detail::rounded_word(element);
    }
    ptx::wgmma_fence();
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile)
      ptx::wgmma_tf32_rs(acc[tile], a[tile], n.descriptor(0, k), accumulate || k > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();  // the registers of the fragments in front are free
  }
  ptx::wgmma_wait<0>();
  ptx::fence_proxy_async_shared();  // the stage's next copy may overwrite what was read here
  __syncwarp();                     // by all lanes
}

}  // namespace tw
