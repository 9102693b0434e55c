// problem.hpp - the problems that the subjects solve, with answers in double precision: a block-sparse matrix
// times a dense one, and block-sparse attention. Rows have 0, 1, S-1, S, S+1, 2S+1 and more than 3S+1 blocks
// (S = 3 stages): most synchronisation bugs show for some of these lengths only.
#pragma once
#include <cuda_fp16.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "simt/simt.hpp"

namespace bugs {

constexpr int kBlock = 64;  // rows and columns of a block

/// Emulated device memory of `count` T.
template <class T>
class Buffer {
 public:
  Buffer(std::size_t count, const char* name)
      : count_(count), memory_(static_cast<T*>(simt::allocate(count * sizeof(T), name))) {}
  T* get() const { return memory_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Release {
    void operator()(T* memory) const { simt::release(memory); }
  };
  std::size_t count_;
  std::unique_ptr<T, Release> memory_;
};

/// C[m, n] = A[m, k] * B[k, n]; A in blocks of 64 x 64.
struct Sparse {
  int m, n, k;
  Buffer<int> row_ptr, col_idx;
  Buffer<__half> values, b, c;
  std::vector<double> answer, magnitude;  // A*B and |A|*|B|

  /// Fills C with NaN, and says that it holds nothing.
  void poison() const;
  std::size_t wrong_elements() const;
};

/// The one problem of all sparse subjects, made once.
const Sparse& sparse();

/// O = softmax(Q K^T / 8) V: each 64 queries over the blocks of 64 keys that are listed for them; causal on the
/// diagonal.
struct Attention {
  int length;
  Buffer<int> row_ptr, col_idx;
  Buffer<__half> q, k, v, o;
  std::vector<double> answer;

  void poison() const;
  std::size_t wrong_elements() const;
};
const Attention& attention();

/// A map over a row-major matrix of halves with boxes of `box_rows` x 64 columns. `swizzle`: as in
/// simt::TensorMap.
simt::TensorMap matrix_map(const __half* base, int rows, int columns, int box_rows, int swizzle = 3);

}  // namespace bugs
