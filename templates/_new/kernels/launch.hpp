// launch.hpp - how the kernels of new-kernel are started: which problems a variant takes, and its grid. Plain
// C++17, shared by the runner, the emulated device and the emitted library.
#pragma once
#include <string>

#include "tw/launch.hpp"

namespace new_kernel {

/// Arguments of every variant, member by member as in kernel.cu.hbs.
struct Args {
  const float* x;   // device, `count` elements
  float* y;         // device, `count` elements
  long long count;  // elements
  float alpha;
};

/// The launches that compute y = alpha * x + y: one, or none for an empty array. Throws Unsupported with the
/// reason when the variant does not take the problem.
inline std::vector<tilewright::Launch> launches(const Args& args, const tilewright::Parameters& parameters) {
  const std::int64_t bytes = 4 * parameters.number("vector");
  for (const void* base : {static_cast<const void*>(args.x), static_cast<const void*>(args.y)})
    if (reinterpret_cast<std::uintptr_t>(base) % static_cast<std::uintptr_t>(bytes) != 0)
      throw tilewright::Unsupported("loads " + std::to_string(bytes) +
                                    " bytes at a time: x and y must be aligned to that");
  const long long tile = parameters.number("tile"), blocks = (args.count + tile - 1) / tile;
  if (blocks >= 1LL << 31)
    throw tilewright::Unsupported("takes at most 2^31 - 1 tiles of " + std::to_string(tile));
  if (blocks == 0) return {};
  tilewright::Launch launch;
  launch.grid[0] = static_cast<unsigned>(blocks);
  launch.block[0] = static_cast<unsigned>(parameters.number("threads"));
  launch.arguments.add(args);
  return {launch};
}

}  // namespace new_kernel
