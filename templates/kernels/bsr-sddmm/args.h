// args.h - the arguments of the kernels of bsr-sddmm: launch.hpp fills them in, the templates read them.
#pragma once
#include <cstddef>

namespace tilewright::bsr_sddmm {

/// Up to `group` neighbouring stored blocks of a block row of A; none where a cluster has more thread blocks than tiles.
struct alignas(16) Tile {
  int row, first, count;  // block row, first block, blocks
};

template <class Input, class Output>
struct Args {
  const int* row_ptr;  // of indices of 64 bits the lower halves, which come first
  const int* col_idx;
  const Tile* tiles;  // paths mma, wgmma: in the workspace
  const Input* x;
  const Input* y;
  Output* values;
  long long ldx, ldy;                   // elements
  long long x_row, x_column, y_row, y_column;  // path naive: elements between neighbours in a column, and in a row
  long long x_stride, y_stride, values_stride;  // from one product of a batch to the next, elements
  int rows, columns, depth;             // m, n, k
  int block_rows;
  int index_words;  // words of 32 bits in an index
  float alpha, beta;
};

/// Of the path wgmma, beside the tensor maps of X and Y.
template <class Output>
struct MappedArgs {
  const int* col_idx;
  const Tile* tiles;
  Output* values;
  long long values_stride;
  int depth, index_words;
  float alpha, beta;
};

using UntypedArgs = Args<void, void>;
using UntypedMappedArgs = MappedArgs<void>;
static_assert(sizeof(Tile) == 16 && sizeof(UntypedArgs) == 152 && offsetof(UntypedArgs, values) == 40 &&
                  offsetof(UntypedArgs, rows) == 120 && offsetof(UntypedArgs, beta) == 144 &&
                  sizeof(UntypedMappedArgs) == 48 && offsetof(UntypedMappedArgs, depth) == 32 &&
                  offsetof(UntypedMappedArgs, beta) == 44,
              "one layout for host and device");

}  // namespace tilewright::bsr_sddmm
