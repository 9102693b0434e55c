// args.h - the arguments of the kernels of the path narrow: launch.hpp fills them in, narrow.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "strides.h"
#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::narrow {

/// In the order in which a kernel reads them, 48 bytes and then lines of 64: the first read of each is a wait.
template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const Input* values;
  long long values_stride;  // elements from one product's blocks to the next one's
  int rows, columns;        // of C
  int index_words;          // words of 32 bits in an index
  int vectors_b;            // 8 elements of a column of B are neighbours, aligned to 16 bytes
  const int* col_idx;

  const Input* b;
  Strides b_at, c_at;
  Output* c;

  int c_by_columns;  // neighbours in C are elements of a column
  Activation activation;
  alignas(8) float beta;  // alone in its 8 bytes, so that it is not loaded along with alpha
  const Output* bias;     // null: none
  const Output* addend;   // the former C, or the residual
  Strides addend_at;
  alignas(8) float alpha;

  unsigned* counters;  // parts of each tile that are done, 0 between launches; in the workspace
  float* partials;     // the parts' sums, tile by tile; in the workspace
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 192 && offsetof(UntypedArgs, rows) == 24 && offsetof(UntypedArgs, b) == 48 &&
                  offsetof(UntypedArgs, c) == 104 && offsetof(UntypedArgs, beta) == 120 &&
                  offsetof(UntypedArgs, addend_at) == 144 && offsetof(UntypedArgs, alpha) == 168 &&
                  offsetof(UntypedArgs, counters) == 176,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::narrow
