// args.h - the arguments of the kernels of the path naive: launch.hpp fills them in, naive.cu.hbs reads them.
#pragma once
#include <cstddef>

namespace tilewright::bsr_spmm::naive {

template <class Input, class Output>
struct Args {
  const int* row_ptr;
  const int* col_idx;
  const Input* values;
  const Input* b;
  Output* c;
  long long ldb, ldc;  // elements
  int rows, columns;   // of C
  float alpha;
  alignas(8) float beta;  // alone in its 8 bytes, so that it is not loaded along with alpha
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 80 && offsetof(UntypedArgs, c) == 32 &&
                  offsetof(UntypedArgs, rows) == 56 && offsetof(UntypedArgs, beta) == 72,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::naive
