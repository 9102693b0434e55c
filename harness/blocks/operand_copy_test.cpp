// operand_copy.cuh: tiles of either order, in copies of every size, with zeros for what is not there.
#include "tw/operand_copy.cuh"

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

constexpr int kExtent = 32, kDepth = 64, kPitch = 136;  // of a tile, and of its matrix of 136 lines

/// Copies the tile from `first` along M or N and `k` along K on, of which `extent` by `depth` elements exist.
template <tw::Major Order, int Bytes>
void copy(const Config& config, int first, int k, int extent, int depth) {
  constexpr bool kByDepth = Order == tw::Major::k;
  using Copy = tw::OperandCopy<__half, Order, kExtent, kDepth, Bytes, 64>;
  const Matrix matrix(kPitch, kPitch);
  CHECK_CLEAN(launch(config, {1}, {64}, Copy::kBytes, {1}, [&] {
    const int thread = static_cast<int>(ids->thread.x);
    const Copy share(thread);
    const __half* const from = Copy::at(&matrix.at(0, 0), kPitch, first, k);
    share.copy(shared_base(), 0, from, kPitch, extent, depth);
    ptx::cp_async_wait_all();
    sync_threads();
    for (int i = thread; i < kExtent * kDepth; i += 64) {
      const int along = i / kDepth, deep = i % kDepth;
      const int row = kByDepth ? along : deep, column = kByDepth ? deep : along;
      const float there = kByDepth ? number_at(first + along, k + deep) : number_at(k + deep, first + along);
      CHECK_EQ(shared_number(shared_start() + swizzled_offset<Copy::kRowBytes>(row, column)),
               along < extent && deep < depth ? there : 0.0f);
    }
  }));
}

template <int Bytes>
void copy_all(const Config& config) {
  copy<tw::Major::k, Bytes>(config, 0, 0, kExtent, kDepth);
  copy<tw::Major::mn, Bytes>(config, 0, 0, kExtent, kDepth);
  copy<tw::Major::k, Bytes>(config, 40, 16, 200, 200);  // more than the tile has
  copy<tw::Major::mn, Bytes>(config, 40, 16, 200, 200);
  copy<tw::Major::k, Bytes>(config, 96, 72, 27, 51);
  copy<tw::Major::mn, Bytes>(config, 96, 72, 27, 51);
  copy<tw::Major::k, Bytes>(config, 0, 0, 5, 0);
  copy<tw::Major::mn, Bytes>(config, 0, 0, -3, 9);
}

}  // namespace

TEST_CASE("tiles of either order, whole and ragged") {
  for (const Config& config : all_modes()) {
    copy_all<16>(config);
    copy_all<4>(config);
    copy_all<2>(config);
  }
}
