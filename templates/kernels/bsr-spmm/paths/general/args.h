// args.h - the arguments of the kernels of the path general: launch.hpp fills them in, general.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::general {

/// A block row of op(A): its number, its first block and how many there are.
struct alignas(16) Row {
  int index, first, count;
};

/// A block of op(A): its number among the stored blocks, its block column.
struct alignas(8) Block {
  int source, column;
};

template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const int* col_idx;
  const Row* order;     // block rows in the order of work; null: as row_ptr has them
  const Block* blocks;  // of A transposed, row by row
  const Input* values;
  const Input* b;
  const Output* bias;    // null: none
  const Output* addend;  // the former C, or the residual
  Output* c;
  long long ldb, ldc, ld_addend;                               // elements
  long long values_stride, b_stride, c_stride, addend_stride;  // from one product of a batch to the next, elements
  int rows, columns;    // of C
  int inner;            // rows of B
  int index_words;      // words of 32 bits in an index
  int panels;           // of a product
  int aligned_c, aligned_addend;  // every row, or column, begins at a multiple of 16 bytes
  Activation activation;
  float alpha, beta;
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(Row) == 16 && sizeof(Block) == 8 && sizeof(UntypedArgs) == 168 &&
                  offsetof(UntypedArgs, c) == 64 && offsetof(UntypedArgs, c_stride) == 112 &&
                  offsetof(UntypedArgs, rows) == 128 && offsetof(UntypedArgs, beta) == 164,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::general
