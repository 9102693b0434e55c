// launch.hpp - how the kernels of gemm are started: which problems a variant takes, and its launch. Plain C++17, shared by
// the runner, the emulated device and the emitted library.
#pragma once
#include <string>

#include "args.h"
#include "operation.hpp"
#include "tw/launch.hpp"

namespace tilewright::gemm {

using Kernel = LaunchBuilder<UntypedArgs, Call>;

inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of addresses
/// are requirements. C and bias may be aligned to their elements only.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits&) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1024;
  refuse_unless(shape.m < kMost && shape.n < kMost && shape.k < kMost,
                "counts rows and columns in 32 bits: m, n and k must be below 2^31 - 1024");
  Bound bound;
  const std::int64_t bytes = parameters.number("loadBytes");
  refuse_unless(shape.lda * 2 % bytes == 0 && shape.ldb * 2 % bytes == 0, [&] {
    return "loads " + std::to_string(bytes) + " bytes at a time: lda and ldb must be multiples of " +
           std::to_string(bytes / 2) + ", not " + std::to_string(shape.lda) + " and " + std::to_string(shape.ldb);
  });
  constexpr const char* kReason = "loads {} bytes at a time: A and B must be aligned to that";
  bound.require_aligned(&Call::a, bytes, kReason);
  bound.require_aligned(&Call::b, bytes, kReason);
  if (shape.m == 0 || shape.n == 0) return bound;

  Kernel kernel;
  const std::int64_t rows = quotient_up(shape.m, parameters.number("tileM"));
  const std::int64_t columns = quotient_up(shape.n, parameters.number("tileN"));
  refuse_unless(rows * columns < std::int64_t{1} << 31, "takes at most 2^31 - 1 tiles of C");
  kernel.launch.grid[0] = static_cast<unsigned>(rows * columns);
  kernel.launch.block[0] = static_cast<unsigned>(parameters.number("threads"));
  kernel.launch.shared_bytes = static_cast<std::size_t>(parameters.number("sharedBytes"));
  kernel.args.rows = static_cast<int>(shape.m);
  kernel.args.columns = static_cast<int>(shape.n);
  kernel.args.depth = static_cast<int>(shape.k);
  kernel.args.lda = shape.lda, kernel.args.ldb = shape.ldb, kernel.args.ldc = shape.ldc;
  kernel.set(&UntypedArgs::a, &Call::a);
  kernel.set(&UntypedArgs::b, &Call::b);
  kernel.set(&UntypedArgs::c, &Call::c);
  if (shape.bias == Switch::yes) kernel.set(&UntypedArgs::bias, &Call::bias);
  kernel.set(&UntypedArgs::alpha, &Call::alpha);
  kernel.set(&UntypedArgs::beta, &Call::beta);
  bound.launches.push_back(kernel.finish());
  return bound;
}

}  // namespace tilewright::gemm
