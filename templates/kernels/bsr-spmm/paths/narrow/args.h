// args.h - the arguments of the kernels of the path narrow: launch.hpp fills them in, narrow.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "strides.h"
#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::narrow {

template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const int* col_idx;
  const Input* values;
  const Input* b;
  const Output* bias;    // null: none
  const Output* addend;  // the former C, or the residual
  Output* c;
  unsigned* counters;  // parts of each tile that are done, 0 between launches; in the workspace
  float* partials;     // the parts' sums, tile by tile; in the workspace
  long long values_stride;  // elements from one product's blocks to the next one's
  Strides b_at, addend_at, c_at;
  int rows, columns;  // of C
  int index_words;    // words of 32 bits in an index
  int vectors_b;      // 8 elements of a column of B are neighbours, aligned to 16 bytes
  int c_by_columns;   // neighbours in C are elements of a column
  Activation activation;
  float alpha;
  alignas(8) float beta;  // alone in its 8 bytes, so that it is not loaded along with alpha
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 192 && offsetof(UntypedArgs, c) == 48 && offsetof(UntypedArgs, b_at) == 80 &&
                  offsetof(UntypedArgs, rows) == 152 && offsetof(UntypedArgs, alpha) == 176 &&
                  offsetof(UntypedArgs, beta) == 184,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::narrow
