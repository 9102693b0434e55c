// args.h - the arguments of the kernels of the path simt: launch.hpp fills them in, simt.cu.hbs reads them.
#pragma once
#include <cstddef>

namespace tilewright::bsr_spmm::simt {

template <class Input, class Output>
struct Args {
  const int* row_ptr;
  const int* col_idx;
  const Input* values;
  const Input* b;
  Output* c;
  long long ldb, ldc;  // elements
  int columns;         // of C
  float alpha, beta;
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 72 && offsetof(UntypedArgs, c) == 32 &&
                  offsetof(UntypedArgs, columns) == 56 && offsetof(UntypedArgs, beta) == 64,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::simt
