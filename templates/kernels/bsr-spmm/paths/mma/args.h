// args.h - the arguments of the kernels of the path mma: launch.hpp fills them in, mma.cu.hbs reads them.
#pragma once
#include <cstddef>

namespace tilewright::bsr_spmm::mma {

/// A block row of A: its number, its first stored block and how many there are.
struct alignas(16) Row {
  int index, first, count;
};

template <class Input, class Output>
struct Args {
  const int* row_ptr;
  const int* col_idx;
  const Row* order;  // block rows in the order of work; null: as they are
  const Input* values;
  const Input* b;
  Output* c;
  long long ldb, ldc;  // elements
  int columns;         // of C; alone in its 8 bytes, so that it is not loaded along with what stores need
  alignas(8) int aligned_c;  // every row of C starts at a multiple of 16 bytes
  float alpha, beta;
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(Row) == 16 && offsetof(Row, count) == 8, "one layout for host and device");
static_assert(sizeof(UntypedArgs) == 88 && offsetof(UntypedArgs, c) == 40 &&
                  offsetof(UntypedArgs, columns) == 64 && offsetof(UntypedArgs, aligned_c) == 72 &&
                  offsetof(UntypedArgs, beta) == 80,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::mma
