// args.h - the arguments of the kernels of the path multirow: launch.hpp fills them in, multirow.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::multirow {

template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const int* col_idx;
  const int* order;     // block rows of all tiles; a number behind the last is none
  const int* tile_ptr;  // the first of each tile's steps, and where the last tile's end: in the workspace
  const int* steps;     // of all tiles, in order: numbers of stages' rows of B; behind tile_ptr
  const Input* values;
  const Output* bias;    // null: none
  const Output* addend;  // the former C, or the residual
  Output* c;
  long long ldc, ld_addend;  // elements
  int rows, columns;         // of C
  int block_rows;            // of A
  int index_words;           // words of 32 bits in an index
  int clipped;  // a row-major B has no multiple of 64 columns: copy single panels, which TMA clips
  int aligned_c, aligned_addend;  // every row, or column, begins at a multiple of 16 bytes
  Activation activation;
  float alpha, beta;
};

using UntypedArgs = Args<void, void>;
static_assert(sizeof(UntypedArgs) == 128 && offsetof(UntypedArgs, c) == 64 &&
                  offsetof(UntypedArgs, rows) == 88 && offsetof(UntypedArgs, beta) == 124,
              "one layout for host and device");

}  // namespace tilewright::bsr_spmm::multirow
