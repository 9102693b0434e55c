// launch.hpp - how the kernels of gemm are started: which problems a variant takes, and its launch. Plain C++17, shared by
// the runner, the emulated device and the emitted library.
#pragma once
#include <algorithm>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::gemm {
namespace detail {

/// Requirements of loads of A and B: rows and addresses at multiples of `loadBytes`.
inline void require_loads(const Shape& shape, const Parameters& parameters, Bound& bound) {
  bound.require_loads(parameters.number("loadBytes"),
                      "loads {} bytes at a time: A and B must be aligned to that", &Call::a,
                      {"lda", shape.lda}, &Call::b, {"ldb", shape.ldb});
}

/// Requirements of stores of C by TMA. It clips a store at 16 bytes: it would write behind the end of a shorter row.
inline void require_stores(const Shape& shape, Bound& bound) {
  refuse_unless_multiples("stores C by TMA", 8, {"n", shape.n}, {"ldc", shape.ldc});
  bound.require_aligned(&Call::c, 16, "stores C by TMA: it must be {}-byte aligned");
}

/// Sizes, scalars, C and bias: members that both argument structs have.
template <class Args>
void set_common(LaunchBuilder<Args, Call>& kernel, const Shape& shape, const Parameters& parameters) {
  kernel.set_resources(parameters);
  kernel.args.rows = static_cast<int>(shape.m);
  kernel.args.columns = static_cast<int>(shape.n);
  kernel.args.depth = static_cast<int>(shape.k);
  kernel.args.ldc = shape.ldc;
  kernel.set(&Args::c, &Call::c);
  if (shape.bias == Switch::yes) kernel.set(&Args::bias, &Call::bias);
  kernel.set(&Args::alpha, &Call::alpha);
  kernel.set(&Args::beta, &Call::beta);
}

/// A thread block per tile of C.
inline BoundLaunch launch_blocks(const Shape& shape, const Parameters& parameters, std::int64_t tiles) {
  LaunchBuilder<UntypedArgs, Call> kernel;
  set_common(kernel, shape, parameters);
  kernel.launch.grid[0] = static_cast<unsigned>(tiles);
  kernel.args.lda = shape.lda, kernel.args.ldb = shape.ldb;
  kernel.set(&UntypedArgs::a, &Call::a);
  kernel.set(&UntypedArgs::b, &Call::b);
  if (shape.ldc % 8 == 0) kernel.set_if_aligned(&UntypedArgs::aligned_c, &Call::c, 16);
  return kernel.finish();
}

/// A row-major matrix in boxes of `box_rows` rows by 64 columns: 128 bytes, the widest swizzle.
inline TiledMap map_of(const Shape& shape, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                       std::int64_t box_rows) {
  return map_of_lines(shape.element == Type::bf16, {columns, rows, pitch}, 64, box_rows);
}

/// Persistent clusters. TMA refuses a tensor without elements: where k is 0, C is shown for A and B, and never read for them.
inline BoundLaunch launch_persistent(const Shape& shape, const Parameters& parameters, std::int64_t tiles,
                                     const DeviceLimits& limits) {
  const std::int64_t cluster_m = parameters.number("clusterM"),
                     cluster = cluster_m * parameters.number("clusterN");
  LaunchBuilder<UntypedMappedArgs, Call> kernel;
  set_common(kernel, shape, parameters);
  const std::int64_t clusters = std::clamp<std::int64_t>(limits.sm_count / cluster, 1, tiles);
  kernel.launch.grid[0] = static_cast<unsigned>(clusters * cluster);
  kernel.launch.cluster[0] = static_cast<unsigned>(cluster);
  const TiledMap c = map_of(shape, shape.m, shape.n, shape.ldc, 16);
  if (shape.k > 0) {
    kernel.add_map(map_of(shape, shape.m, shape.k, shape.lda, parameters.number("boxRowsA")), &Call::a);
    kernel.add_map(map_of(shape, shape.k, shape.n, shape.ldb, 64), &Call::b);
  } else {
    kernel.add_map(c, &Call::c);
    kernel.add_map(c, &Call::c);
  }
  kernel.add_map(c, &Call::c);
  return kernel.finish();
}

}  // namespace detail

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of addresses
/// are requirements.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1024, kMostTiles = std::int64_t{1} << 30;
  refuse_unless(shape.m < kMost && shape.n < kMost && shape.k < kMost,
                "counts rows and columns in 32 bits: m, n and k must be below 2^31 - 1024");
  const bool mapped = parameters.text("path") == "wgmma";
  Bound bound;
  detail::require_loads(shape, parameters, bound);
  if (mapped) detail::require_stores(shape, bound);
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
