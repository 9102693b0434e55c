// args.h - the arguments of the kernels of the path naive: launch.hpp fills them in, naive.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "strides.h"
#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::naive {

template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const int* col_idx;
  const Input* values;
  const Input* b;
  const Output* bias;    // null: none
  const Output* addend;  // the former C, or the residual
  Output* c;
  long long values_stride;  // elements from one product's blocks to the next one's
  Strides b_at, addend_at, c_at;
  int rows, columns;    // of C
  int inner;            // rows of B
  int index_words;      // words of 32 bits in an index
  int transposed_rows;  // block rows of A where it is transposed, else 0
  Activation activation;
  float alpha;
  alignas(8) float beta;  // alone in its 8 bytes, so that it is not loaded along with alpha
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 176 && offsetof(UntypedArgs, c) == 48 &&
                  offsetof(UntypedArgs, c_at) == 112 && offsetof(UntypedArgs, rows) == 136 &&
                  offsetof(UntypedArgs, alpha) == 160 && offsetof(UntypedArgs, beta) == 168,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::naive
