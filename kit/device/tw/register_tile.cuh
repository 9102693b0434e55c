// register_tile.cuh - row-major tiles on their way from global to shared memory through the registers of all threads of a
// thread block: fetched early, stored when shared memory is free, as they are or transposed.
//
//   tw::RegisterTile<__half, 32, 64, 8, kThreads> b;
//   b.fetch(args.b + row * args.ldb, args.ldb, column, args.columns);
//   __syncthreads();  // everyone has read the step before
//   b.store<kPitch>(shared_b);
#pragma once
#include <type_traits>

#include "tw/ptx.cuh"

namespace tw {

/// One thread's share of a tile of `Rows` x `Columns` elements of 16 bits: vectors of `Count` elements, which `Threads` threads
/// take in turn. Matrices and their lines are aligned to vectors, as are columns of tiles.
template <class T, int Rows, int Columns, int Count, int Threads>
class RegisterTile {
 public:
  /// Fetches a whole tile, whose first element is at `source`; `pitch` elements between lines.
  template <class Pitch>
  TW_MEMBER void fetch(const T* source, Pitch pitch) {
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      const int at = element(i);
      if (is_there(at)) vectors_[i] = vector_at(source + at / Columns * pitch + at % Columns, Count);
    }
  }

  /// Fetches the columns from `first` on of Rows rows, the first of which begins at `source`. Zeros stand for those from `columns` on.
  template <class Pitch>
  TW_MEMBER void fetch(const T* source, Pitch pitch, int first, int columns) {
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      const int at = element(i), column = first + at % Columns;
      if (is_there(at)) vectors_[i] = vector_at(source + at / Columns * pitch + column, columns - column);
    }
  }

  /// Stores the tile at `shared`, `Pitch` elements between rows.
  template <int Pitch>
  TW_MEMBER void store(T* shared) const {
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      const int at = element(i);
      if (is_there(at))
        *reinterpret_cast<Vector*>(shared + at / Columns * Pitch + at % Columns) = vectors_[i];
    }
  }

  /// Stores the tile transposed at `shared`, `Pitch` elements between columns.
  template <int Pitch>
  TW_MEMBER void store_transposed(T* shared) const {
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
      const int at = element(i);
      if (is_there(at)) {
        const Parts parts = {vectors_[i]};
#pragma unroll
        for (int j = 0; j < Count; ++j)
          reinterpret_cast<Bits*>(shared)[(at % Columns + j) * Pitch + at / Columns] = parts.elements[j];
      }
    }
  }

 private:
  static_assert(sizeof(T) == 2 && Columns % Count == 0, "whole vectors of 16-bit elements");
  static constexpr int kVectors = Rows * Columns / Count;
  static constexpr int kRounds =
      (kVectors + Threads - 1) / Threads;  // the last may need only some of the threads

  using Bits = unsigned short;  // of an element
  using Vector = std::conditional_t<
      Count == 1, Bits,
      std::conditional_t<Count == 2, unsigned, std::conditional_t<Count == 4, uint2, uint4>>>;
  static_assert(sizeof(Vector) == Count * sizeof(T), "vectors of 1, 2, 4 or 8 elements");

  union Parts {
    Vector vector;
    Bits elements[Count];
  };

  /// Place in the tile of the thread's vector `i`.
  TW_MEMBER static int element(int i) { return (i * Threads + threadIdx.x) * Count; }
  TW_MEMBER static bool is_there(int at) { return kVectors % Threads == 0 || at < kVectors * Count; }

  /// `count` elements from `source` on, zeros behind them; whole vectors where there are enough.
  TW_MEMBER static Vector vector_at(const T* source, int count) {
    if (count >= Count) return *reinterpret_cast<const Vector*>(source);
    Parts parts;
#pragma unroll
    for (int i = 0; i < Count; ++i)
      parts.elements[i] = i < count ? reinterpret_cast<const Bits*>(source)[i] : 0;
    return parts.vector;
  }

  Vector vectors_[kRounds];
};

}  // namespace tw
