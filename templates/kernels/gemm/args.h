// args.h - the arguments of gemm's kernels: launch.hpp fills them in, the templates read them.
#pragma once
#include <cstddef>

namespace tilewright::gemm {

/// Of the paths naive and mma.
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

/// Of the path wgmma, beside the tensor maps of A, B and C.
template <class Element>
struct MappedArgs {
  const Element* bias;  // null: none
  const Element* c;     // read where beta is not 0
  long long ldc;
  int rows, columns, depth;
  float alpha, beta;
};

using UntypedArgs = Args<void>;
using UntypedMappedArgs = MappedArgs<void>;
static_assert(sizeof(UntypedArgs) == 80 && offsetof(UntypedArgs, c) == 24 && offsetof(UntypedArgs, rows) == 56 &&
                  offsetof(UntypedArgs, beta) == 76 && sizeof(UntypedMappedArgs) == 48 &&
                  offsetof(UntypedMappedArgs, rows) == 24 && offsetof(UntypedMappedArgs, beta) == 40,
              "one layout for host and device");

}  // namespace tilewright::gemm
