// launch.hpp - how the kernels of new-kernel are started: which problems a variant takes, and its grid. Plain
// C++17, shared by the runner, the emulated device and the emitted library.
#pragma once
#include <string>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::new_kernel {

/// Binds y = alpha * x + y to a variant. Throws Unsupported with the reason when the variant does not take so
/// many elements; what it asks of addresses is a requirement.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits&) {
  const std::int64_t tile = parameters.number("tile"), blocks = (shape.count + tile - 1) / tile;
  refuse_unless(blocks < std::int64_t{1} << 31,
                [&] { return "takes at most 2^31 - 1 tiles of " + std::to_string(tile); });
  Bound bound;
  constexpr const char* kReason = "loads {} bytes at a time: x and y must be aligned to that";
  bound.require_aligned(&Call::x, 4 * parameters.number("vector"), kReason);
  bound.require_aligned(&Call::y, 4 * parameters.number("vector"), kReason);
  if (blocks == 0) return bound;

  LaunchBuilder<Args, Call> kernel;
  kernel.launch.grid[0] = static_cast<unsigned>(blocks);
  kernel.launch.block[0] = static_cast<unsigned>(parameters.number("threads"));
  kernel.args.count = shape.count;
  kernel.set(&Args::x, &Call::x);
  kernel.set(&Args::y, &Call::y);
  kernel.set(&Args::alpha, &Call::alpha);
  bound.launches.push_back(kernel.finish());
  return bound;
}

}  // namespace tilewright::new_kernel
