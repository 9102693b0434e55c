// args.h - the arguments of the kernels of the path wgmma, and the records of the schedule that they point to:
// launch.hpp and wgmma_schedule.hpp fill them in, wgmma.cu.hbs reads them.
#pragma once
#include <cstddef>

#include "tw/activation.hpp"

namespace tilewright::bsr_spmm::wgmma {

/// `count` steps from `first` on, for the columns of C from `column` on and block row `row`, whose steps are
/// numbered as its blocks are. With block rows in groups `row` is the place of the group's first block row in
/// the schedule, and `first` the place of its first step; a part of a long tile has ~(its Part's place) for a
/// row. A negative count ends a list.
struct alignas(16) Tile {
  int row, column, first, count;
};

/// A block column of a group of block rows: the number of each row's block, -1 where a row has none.
struct alignas(16) Step {
  int column;
  int block[3];
};

/// One of `parts` parts of a long tile.
struct alignas(32) Part {
  int row;                      // as in a whole Tile
  int slot, first_slot, parts;  // places of sums: its own, and the first of all parts
  int counter;                  // of the first warpgroup's finished parts; the others' follow
};

/// An argument that a kernel does without.
struct Absent {};

/// The schedule lies in the workspace. A pointer said to be to the schedule is to its start: places are counted
/// from there, in records of their kind. `StepType`: Step where block rows are in groups, else int, the block
/// column. `Bias` and `Function` are Absent where a kernel is not fused, `Addend` and `Stride` where it adds nothing but
/// the former C.
template <class Output, class StepType, class Bias = const Output*, class Function = Activation,
          class Addend = Absent, class Stride = Absent>
struct Args {
  const Tile* tiles;            // the first 32 of every list; of the schedule atomic, all
  const int* tails;             // schedule static: list i goes on at tiles[tails[i]]
  const StepType* first_steps;  // schedule static: 32 for each list's first tile; negative: not known
  const StepType* steps;        // of all tiles: the schedule, or block columns as the caller has them
  const int* group_rows;        // of groups: the schedule; -1 for a row that is not there
  const Part* parts;            // of long tiles: the schedule
  float* partials;              // sums of parts: the schedule
  unsigned* counters;           // of finished parts, or of the work queue: the schedule; 0 between launches
  Output* c;                    // epilogue direct, as are ldc, columns and beta: TMA has a map of C
  long long ldc;
  int columns;
  int tile_count;  // schedule atomic
  int clipped;     // B has no multiple of 64 columns: copy single panels, which TMA clips
  float alpha, beta;
  Bias bias;  // per row of C; null: none
  Function activation;
  Addend addend;  // the former C, or the residual: as C
  Stride ld_addend;
};

/// The first arguments alone, of a kernel that is not fused.
template <class Output, class StepType>
using PlainArgs = Args<Output, StepType, Absent, Absent>;

/// All of them, of a kernel that is fused and writes C by plain stores.
template <class Output, class StepType>
using AddendArgs = Args<Output, StepType, const Output*, Activation, const Output*, long long>;

using UntypedArgs = Args<void, void>;
using UntypedPlainArgs = PlainArgs<void, void>;
using UntypedAddendArgs = AddendArgs<void, void>;
static_assert(sizeof(Tile) == 16 && sizeof(Step) == 16 && offsetof(Step, block) == 4 && sizeof(Part) == 32 &&
                  offsetof(Part, counter) == 16,
              "one layout for host and device");
static_assert(sizeof(UntypedPlainArgs) == 104 && offsetof(UntypedPlainArgs, beta) == 96, "the first ones");
static_assert(sizeof(UntypedArgs) == 120 && offsetof(UntypedArgs, c) == 64 &&
                  offsetof(UntypedArgs, columns) == 80 && offsetof(UntypedArgs, alpha) == 92 &&
                  offsetof(UntypedArgs, beta) == 96 && offsetof(UntypedArgs, bias) == 104,
              "one layout for host and device");
static_assert(sizeof(UntypedAddendArgs) == 136 && offsetof(UntypedAddendArgs, bias) == 104 &&
                  offsetof(UntypedAddendArgs, addend) == 120,
              "the same, and two more");

}  // namespace tilewright::bsr_spmm::wgmma
