// tma_tile.cuh - tiles of tensors that TMA copies between global and shared memory. One thread issues a copy; loads
// complete on an mbarrier (`full`), to which their bytes must have been announced, stores in a bulk group.
#pragma once
#include "tw/cluster.cuh"

namespace tw {

/// A tensor in global memory as its tensor map describes it.
struct Tensor {
  const TensorMap* map;
};

/// The same with a hint on how long L2 should keep what is copied.
struct HintedTensor {
  const TensorMap* map;
  ptx::CachePolicy policy;
};

/// The same, to leave L2 first.
struct StreamedTensor {
  const TensorMap* map;
};

/// Loads the box at coordinates `at`, innermost first, to `to`. What lies outside of the tensor arrives as zeros.
template <int Rank>
TW_DEVICE void load_box(std::uint32_t to, const Tensor& from, const int (&at)[Rank], std::uint32_t full) {
  ptx::tensor_load(to, from.map, at, full);
}
template <int Rank>
TW_DEVICE void load_box(std::uint32_t to, const HintedTensor& from, const int (&at)[Rank],
                        std::uint32_t full) {
  ptx::tensor_load(to, from.map, at, full, from.policy);
}

/// Stores the box at `from` in shared memory; what lies outside of the tensor is dropped. Commit it to a bulk group.
template <int Rank>
TW_DEVICE void store_box(const Tensor& to, const int (&at)[Rank], std::uint32_t from) {
  ptx::tensor_store(to.map, at, from);
}
template <int Rank>
TW_DEVICE void store_box(const HintedTensor& to, const int (&at)[Rank], std::uint32_t from) {
  ptx::tensor_store(to.map, at, from, to.policy);
}

template <int Rank>
TW_DEVICE void store_box(const StreamedTensor& to, const int (&at)[Rank], std::uint32_t from) {
  ptx::tensor_store(to.map, at, from, ptx::policy_evict_first());
}

/// Loads `Lines` lines of `LineBytes` bytes, the first at coordinates `at`, innermost first, into every thread block of the
/// cluster: each fetches an equal share of the lines and multicasts it. The map's box is such a share, and each block's
/// mbarrier gets all bytes.
template <int Lines, int LineBytes, int Cluster, int Rank>
TW_DEVICE void load_lines(std::uint32_t to, const Tensor& from, const int (&at)[Rank], std::uint32_t full) {
  static_assert(Lines % Cluster == 0, "equal shares");
  static_assert(Rank == 2 || Rank == 3, "a matrix, or a batch of matrices");
  if constexpr (Cluster == 1) {
    ptx::tensor_load(to, from.map, at, full);
  } else {
    const int share = cluster_rank<Cluster>() * (Lines / Cluster);
    const std::uint32_t mine = to + share * LineBytes;
    if constexpr (Rank == 2)
      ptx::tensor_load_multicast(mine, from.map, {at[0], at[1] + share}, full, (1 << Cluster) - 1);
    else
      ptx::tensor_load_multicast(mine, from.map, {at[0], at[1] + share, at[2]}, full, (1 << Cluster) - 1);
  }
}

/// The same of a matrix: `Rows` rows of `RowBytes` bytes, from (row, column) on.
template <int Rows, int RowBytes, int Cluster>
TW_DEVICE void load_rows(std::uint32_t to, const Tensor& from, int row, int column, std::uint32_t full) {
  load_lines<Rows, RowBytes, Cluster>(to, from, {column, row}, full);
}

/// Loads `Rows` rows by `Columns` columns of a matrix, from (row, column) on, as panels of `Panel` columns: rows of 128 bytes, one panel
/// behind the other. The map has rank 3, and this is up to the host:
///   whole panels   columns of a panel, rows, panels; a box takes all panels of the tile
///   `clipped`      columns, rows, 1; a box takes one panel, and TMA fills what lies behind the matrix with zeros
template <int Rows, int Columns, int Panel = 64, class From>
TW_DEVICE void load_panels(std::uint32_t to, const From& from, int row, int column, int clipped,
                           std::uint32_t full) {
  static_assert(Columns % Panel == 0, "whole panels");
  const int step = clipped ? Panel : Columns;
  for (int i = 0; i < Columns; i += step)
    load_box(to + i / Panel * (Rows * 128), from,
             {clipped ? column + i : 0, row, clipped ? 0 : column / Panel}, full);
}

/// Loads the same panels into every thread block of the cluster: each fetches an equal share of them and multicasts it. The
/// map has rank 2, and its boxes are `Rows` rows by 64 columns. Each block's mbarrier gets all bytes.
template <int Rows, int Columns, int Cluster>
TW_DEVICE void load_column_panels(std::uint32_t to, const Tensor& from, int row, int column,
                                  std::uint32_t full) {
  constexpr int kPanels = Columns / 64 / Cluster;
  static_assert(Columns % (64 * Cluster) == 0, "equal shares of whole panels");
  const int first = cluster_rank<Cluster>() * kPanels;
#pragma unroll
  for (int i = first; i < first + kPanels; ++i) {
    if constexpr (Cluster == 1)
      load_box(to + i * (Rows * 128), from, {column + i * 64, row}, full);
    else
      ptx::tensor_load_multicast(to + i * (Rows * 128), from.map, {column + i * 64, row}, full,
                                 (1 << Cluster) - 1);
  }
}

}  // namespace tw
