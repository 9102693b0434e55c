// packing.hpp - B in the workspace, where its lines are whole vectors of 16 bytes: for kernels that read it so, of products whose
// own B lies otherwise. Plain C++17.
#pragma once
#include "paths/packing.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm {

/// A packed B: lines, rows or columns, of whole 16 bytes, product after product.
struct PackedB {
  std::int64_t lines, width, leading;  // of a product; elements
  std::size_t offset;                  // bytes from the start of the workspace
  std::size_t bytes;
  std::int64_t vectors;  // of 16 bytes, which a kernel writes for a product
};

/// Whether a B whose address allows it may be read where it is, by the strides of the packed one: its lines begin at multiples of
/// 16 bytes and are not far apart, and products follow each other.
inline bool may_stay(const Shape& shape) {
  const std::int64_t unit = 16 / input_bytes(shape);
  const bool near =
      shape.ldb <= 2 * detail::quotient_up(static_cast<std::int64_t>(width_b(shape)), unit) * unit;
  const bool dense =
      shape.batch == 1 || shape.b_stride == static_cast<std::int64_t>(lines_b(shape)) * shape.ldb;
  return shape.ldb % unit == 0 && near && dense;
}

/// B behind `behind` bytes of the workspace.
inline PackedB packed_b(const Shape& shape, std::size_t behind) {
  constexpr std::size_t kAlignment = 256;
  const std::int64_t unit = 16 / input_bytes(shape);
  PackedB packed{};
  packed.lines = static_cast<std::int64_t>(lines_b(shape));
  packed.width = static_cast<std::int64_t>(width_b(shape));
  packed.leading = may_stay(shape) ? shape.ldb : detail::quotient_up(packed.width, unit) * unit;
  packed.offset = (behind + kAlignment - 1) / kAlignment * kAlignment;
  packed.bytes = static_cast<std::size_t>(shape.batch * packed.lines * packed.leading * input_bytes(shape));
  packed.vectors = packed.lines * detail::quotient_up(packed.width, unit);
  return packed;
}

/// A column-major B behind `behind` bytes of the workspace, as tiles of `depth` rows: in each all columns, an even number; `leading`
/// elements from tile to tile.
inline PackedB tiled_b(const Shape& shape, std::int64_t depth, std::size_t behind) {
  PackedB packed = packed_b(shape, behind);
  packed.leading = (packed.lines + 1) / 2 * 2 * depth;
  packed.bytes = static_cast<std::size_t>(detail::quotient_up(packed.width, depth) * packed.leading *
                                          input_bytes(shape));
  packed.vectors = static_cast<std::int64_t>(packed.bytes / 16);
  return packed;
}

/// The launch of the kernel that packs B. With `unless_aligned` runs whose B is aligned to 16 bytes do without.
inline BoundLaunch packing(const Shape& shape, const Parameters& parameters, const PackedB& packed,
                           bool unless_aligned) {
  using Args = UntypedPackArgs;
  const std::int64_t threads = parameters.number("packThreads");
  // The kernel rounds a line up to whole vectors, in 32 bits.
  refuse_unless(packed.width < (std::int64_t{1} << 31) - 1024,
                "packs B in lines of less than 2^31 - 1024 elements");
  const std::int64_t thread_blocks = detail::quotient_up(packed.vectors, threads);
  refuse_unless(thread_blocks < (std::int64_t{1} << 31), "packs B by more thread blocks than a grid has");
  LaunchBuilder<Args, Call> kernel;
  kernel.launch.entry = "_pack";
  kernel.launch.grid = {static_cast<unsigned>(thread_blocks), detail::grid_extent(shape.batch, "products"),
                        1};
  kernel.launch.block[0] = static_cast<unsigned>(threads);
  kernel.args.ld_from = shape.ldb;
  kernel.args.from_stride = shape.b_stride;
  kernel.args.ld_to = packed.leading;
  kernel.args.lines = static_cast<int>(packed.lines);
  kernel.args.width = static_cast<int>(packed.width);
  kernel.set(&Args::from, &Call::b);
  kernel.set(&Args::to, &Call::workspace, packed.offset);
  if (unless_aligned) kernel.leave_out_if_aligned(&Call::b, 16);
  return kernel.finish();
}

/// The product as a kernel sees it that reads the packed B.
inline Shape with_packed_b(const Shape& shape, const PackedB& packed) {
  Shape changed = shape;
  changed.ldb = packed.leading;
  changed.b_stride = packed.lines * packed.leading;
  return changed;
}

/// Has B packed so before what follows, in room behind what the workspace has. With `unless_aligned` runs whose B is aligned to 16
/// bytes do without, and must read it where it is.
inline void pack_b_as(const PackedB& packed, const Shape& shape, const Parameters& parameters, Bound& bound,
                      bool unless_aligned = false) {
  if (packed.bytes == 0) return;
  bound.workspace.bytes = packed.offset + packed.bytes;
  bound.launches.push_back(packing(shape, parameters, packed, unless_aligned));
}

/// Has the lines of B packed.
inline PackedB pack_b(const Shape& shape, const Parameters& parameters, Bound& bound,
                      bool unless_aligned = false) {
  const PackedB packed = packed_b(shape, bound.workspace.bytes);
  pack_b_as(packed, shape, parameters, bound, unless_aligned);
  return packed;
}

}  // namespace tilewright::bsr_spmm
