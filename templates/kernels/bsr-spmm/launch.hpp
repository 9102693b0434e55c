// launch.hpp - how the kernels of bsr-spmm are started: which problems a variant takes, and its launch. Plain
// C++17, shared by the runner, the emitted library and the emulated device.
#pragma once
#include <string>

#include "paths/general/launch.hpp"
#include "paths/mma/launch.hpp"
#include "paths/multirow/launch.hpp"
#include "paths/naive/launch.hpp"
#include "paths/narrow/launch.hpp"
#include "paths/simt/launch.hpp"
#include "paths/wgmma/launch.hpp"
#include "shape.hpp"

namespace tilewright::bsr_spmm {
namespace detail {

/// B is copied to the workspace first.
inline bool packs(const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  return (path == "general" || path == "wgmma") && parameters.number("packB") != 0;
}

/// Bytes to which the variant's loads need B's base and lines aligned.
inline std::int64_t load_bytes(const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  if (packs(parameters)) return 2;
  if (path == "wgmma" || path == "multirow") return 16;  // TMA
  if (path == "mma" || path == "general") return parameters.number("copyBytes");
  return path == "simt" ? 2 * parameters.number("vector") : 2;
}

/// Bytes to which they need the blocks of A aligned.
inline std::int64_t value_bytes(const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  if (path == "narrow" || path == "wgmma") return 16;
  if (path == "multirow") return 4;
  return path == "general" ? parameters.number("copyBytes") : load_bytes(parameters);
}

/// Throws Unsupported where blocks end behind the last row or column of A, unless the variant leaves out what they hold there:
/// paths that read whole blocks and rows of B take whole columns of blocks, those that write whole rows whole rows.
inline void check_part_blocks(const Shape& shape, const Parameters& parameters) {
  const std::string_view path = parameters.text("path");
  if (path == "naive" || path == "general") return;
  const auto refuse = [&](const std::string& why, std::int64_t size, const char* name) {
    refuse_unless(size % shape.block == 0, [&] {
      return why + ": " + name + " must be a multiple of " + std::to_string(shape.block) + ", not " +
             std::to_string(size);
    });
  };
  const char* const multiplies = "multiplies whole blocks";
  shape.transpose_a == Switch::yes ? refuse(multiplies, shape.m, "m") : refuse(multiplies, shape.k, "k");
  if (path == "mma" || path == "simt") refuse("writes whole block rows", shape.m, "m");
}

/// Throws Unsupported unless the variant takes the shape, as far as that is the same on all paths. Types and block
/// are the operation's: the engine offers a variant no others.
inline void check(const Shape& shape, const Parameters& parameters) {
  constexpr std::int64_t kMostStride = std::int64_t{1} << 40;
  refuse_unless(shape.ldb < kMostStride && shape.ldc < kMostStride, "ldb and ldc must be below 2^40");
  const std::int64_t bytes = load_bytes(parameters);
  check_part_blocks(shape, parameters);
  refuse_unless(shape.ldb * input_bytes(shape) % bytes == 0, [&] {
    return "loads B " + std::to_string(bytes) + " bytes at a time: ldb must be a multiple of " +
           std::to_string(bytes / input_bytes(shape)) + ", not " + std::to_string(shape.ldb);
  });
  // The last tile of columns may end up to 1024 behind n.
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  refuse_unless(
      shape.m < kMost && shape.n < kMost - 1024 && shape.k < kMost && shape.blocks < kMost,
      "counts rows, columns and blocks in 32 bits: m, k and blocks must be below 2^31, n below 2^31 - 1024");
}

}  // namespace detail

/// Binds a product to a variant. Throws Unsupported when the variant does not take the shape; what it asks of
/// addresses and beta are requirements. C may be aligned to its elements only, but on the path wgmma.
inline Bound bind(const Shape& shape, const Parameters& parameters, const DeviceLimits& limits) {
  detail::check(shape, parameters);
  Bound bound;
  constexpr const char* kReason = "loads {} bytes at a time: values and B must be aligned to that";
  bound.require_aligned(&Call::values, detail::value_bytes(parameters), kReason);
  bound.require_aligned(&Call::b, detail::load_bytes(parameters), kReason);
  const std::string_view path = parameters.text("path");
  if (path == "wgmma")
    wgmma::bind(shape, parameters, limits, bound);
  else if (path == "mma")
    mma::bind(shape, parameters, bound);
  else if (path == "general")
    general::bind(shape, parameters, bound);
  else if (path == "multirow")
    multirow::bind(shape, parameters, bound);
  else if (path == "narrow")
    narrow::bind(shape, parameters, bound);
  else if (path == "simt")
    simt::bind(shape, parameters, bound);
  else
    naive::bind(shape, parameters, bound);
  const std::int64_t rows = shape.transpose_a == Switch::yes ? shape.k : shape.m;
  if (rows == 0 || shape.n == 0) bound.launches.clear();
  return bound;
}

}  // namespace tilewright::bsr_spmm
