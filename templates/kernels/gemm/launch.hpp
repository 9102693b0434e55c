// launch.hpp - how the kernels of gemm are started: which problems a variant takes, and its launch. Plain C++17, shared by
// the runner, the emulated device and the emitted library.
#pragma once
#include <algorithm>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::gemm {
namespace detail {

/// A thread block per tile of C.
inline BoundLaunch launch_blocks(const Shape& shape, const Parameters& parameters, std::int64_t tiles) {
  auto kernel = kernel_of<UntypedArgs>(shape, parameters);
  kernel.launch.grid[0] = static_cast<unsigned>(tiles);
  if (shape.ldc % 8 == 0) kernel.set_if_aligned(&UntypedArgs::aligned_c, &Call::c, 16);
  return kernel.finish();
}

/// Persistent clusters. Where k is 0, C is shown for A and B, and never read for them.
inline BoundLaunch launch_persistent(const Shape& shape, const Parameters& parameters, std::int64_t tiles,
                                     const DeviceLimits& limits) {
  const std::int64_t cluster = parameters.number("clusterM") * parameters.number("clusterN");
  const std::int64_t clusters = std::clamp<std::int64_t>(limits.sm_count / cluster, 1, tiles);
  auto kernel = kernel_of<UntypedMappedArgs>(shape, parameters);
  kernel.launch.grid[0] = static_cast<unsigned>(clusters * cluster);
  kernel.launch.cluster[0] = static_cast<unsigned>(cluster);
  // Lines of a box have 64 elements: 128 bytes, the widest swizzle.
  const TiledMap c = map_of_lines(matrix_c(shape), 64, 16);
  kernel.add_map_or(map_of_lines(matrix_a(shape), 64, parameters.number("boxRowsA")), &Call::a, c, &Call::c);
  kernel.add_map_or(map_of_lines(matrix_b(shape), 64, 64), &Call::b, c, &Call::c);
  kernel.add_map(c, &Call::c);
  return kernel.finish();
}

}  // namespace detail

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of addresses
/// are requirements.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  constexpr std::int64_t kMostTiles = std::int64_t{1} << 30;
  refuse_unless_ints({{"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
  const bool mapped = parameters.text("path") == "wgmma";
  Bound bound;
  bound.require_loads(parameters.number("loadBytes"),
                      "loads {} bytes at a time: A and B must be aligned to that", &Call::a,
                      {"lda", shape.lda}, &Call::b, {"ldb", shape.ldb});
  if (mapped) {
    // TMA clips a store at 16 bytes: it would write behind the end of a shorter row.
    refuse_unless_multiples("stores C by TMA", 8, {"n", shape.n}, {"ldc", shape.ldc});
    bound.require_aligned(&Call::c, 16, "stores C by TMA: it must be {}-byte aligned");
  }
  if (shape.m == 0 || shape.n == 0) return bound;
  // Tiles of thread blocks, or of clusters.
  const std::int64_t tiles = quotient_up(shape.m, parameters.number("blockRows")) *
                             quotient_up(shape.n, parameters.number("blockColumns"));
  refuse_unless(tiles < kMostTiles, "takes less than 2^30 tiles of C");
  bound.launches.push_back(mapped ? detail::launch_persistent(shape, parameters, tiles, limits)
                                  : detail::launch_blocks(shape, parameters, tiles));
  return bound;
}

}  // namespace tilewright::gemm
