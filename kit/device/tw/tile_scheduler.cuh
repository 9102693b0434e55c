// tile_scheduler.cuh - the order in which thread blocks take the tiles of a matrix.
//
//   for (tw::TileScheduler<8> tiles(tiles_m, tiles_n, blockIdx.x, gridDim.x); tiles.more(); tiles.advance())
//     compute(tiles.place());
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// Row and column of a tile, in tiles.
struct TilePlace {
  int m, n;
};

/// Threadblock swizzle: tile `index` of tiles_m x tiles_n, which go down `Group` rows of tiles and then to the next column.
/// Thread blocks that run together then share rows of the left operand and columns of the right one in L2. With a Group of 1
/// tiles go along rows. Group * tiles_n must be below 2^31.
template <int Group>
TW_DEVICE TilePlace tile_place(int index, int tiles_m, int tiles_n) {
  const int group = index / (Group * tiles_n), within = index - group * (Group * tiles_n);
  const int height = min(Group, tiles_m - group * Group);  // the last group may have fewer rows
  return {group * Group + within % height, within / height};
}

/// The tiles of one of `workers` persistent thread blocks, or clusters: every workers-th. The number of tiles and of workers
/// together must be below 2^31.
template <int Group>
class TileScheduler {
 public:
  TW_MEMBER TileScheduler(int tiles_m, int tiles_n, int worker, int workers)
      : tiles_m_(tiles_m), tiles_n_(tiles_n), index_(worker), step_(workers) {}

  TW_MEMBER bool more() const { return index_ < tiles_m_ * tiles_n_; }
  TW_MEMBER void advance() { index_ += step_; }
  TW_MEMBER TilePlace place() const { return tile_place<Group>(index_, tiles_m_, tiles_n_); }

 private:
  int tiles_m_, tiles_n_, index_, step_;
};

}  // namespace tw
