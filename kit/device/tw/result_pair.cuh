// result_pair.cuh - two neighbouring elements of a result, alpha * sum + beta * what was there, from registers to memory at once.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// Neighbours in a line, aligned for one access.
template <class T>
struct alignas(2 * sizeof(T)) NeighbourPair {
  T left, right;
};

/// Stores alpha * sums + beta * c at c[0] and c[1], rounded once; `c` is aligned to both. With beta 0, C is not read.
template <class T>
TW_DEVICE void store_neighbours(T* c, float left, float right, float alpha, float beta) {
  auto* const to = reinterpret_cast<NeighbourPair<T>*>(c);
  left *= alpha, right *= alpha;
  if (beta != 0) {
    const NeighbourPair<T> old = *to;
    left += beta * static_cast<float>(old.left);
    right += beta * static_cast<float>(old.right);
  }
  *to = {static_cast<T>(left), static_cast<T>(right)};
}

}  // namespace tw
