// args.h - the arguments of every kernel of gemm: launch.hpp fills them in, the templates read them.
#pragma once
#include <cstddef>

namespace tilewright::gemm {

template <class Element>
struct Args {
  const Element* a;
  const Element* b;
  const Element* bias;  // null: none
  Element* c;
  long long lda, ldb, ldc;   // elements
  int rows, columns, depth;  // m, n, k
  int aligned_c;             // every row of C starts at a multiple of 16 bytes
  float alpha, beta;
};

using UntypedArgs = Args<void>;
static_assert(sizeof(UntypedArgs) == 80 && offsetof(UntypedArgs, c) == 24 && offsetof(UntypedArgs, rows) == 56 &&
                  offsetof(UntypedArgs, beta) == 76,
              "one layout for host and device");

}  // namespace tilewright::gemm
