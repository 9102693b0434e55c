// tma_operand.cuh - operands of wgmma in either order, loaded by TMA.
#pragma once
#include <type_traits>

#include "tw/tma_tile.cuh"
#include "tw/wgmma_tile.cuh"

namespace tw {

/// The operand (wgmma_tile.cuh) of a matrix with contiguous K or contiguous M or N.
template <ptx::Major Order, int Depth>
using WgmmaOperand = std::conditional_t<Order == ptx::Major::k, KMajor<Depth>, MnMajor<Depth>>;

/// Loads `Extent` rows along M or N, from `first` on, of matrix `matrix` of a batch, at the operand's depth from `k` on, to
/// `to` in every thread block of the cluster. The map has rank 3: lines of the matrix, their number, matrices. Its boxes,
/// swizzled over the whole line, are an equal share for each thread block of
///   KMajor    `Extent` lines of `Depth` elements
///   MnMajor   `Depth` lines of 64 elements
/// Each thread block's mbarrier gets all bytes, 2 * Extent * Depth.
template <class Operand, int Extent, int Cluster>
TW_DEVICE void load_operand(std::uint32_t to, const Tensor& from, int first, int k, int matrix,
                            std::uint32_t full) {
  if constexpr (Operand::kMajor == ptx::Major::k) {
    load_lines<Extent, Operand::kRowBytes, Cluster>(to, from, {k, first, matrix}, full);
  } else {
    static_assert(Extent % 64 == 0, "whole panels");
#pragma unroll
    for (int i = 0; i < Extent; i += 64)
      load_lines<Operand::kDepth, 128, Cluster>(to + i / 64 * Operand::kPanelBytes, from,
                                                {first + i, k, matrix}, full);
  }
}

}  // namespace tw
