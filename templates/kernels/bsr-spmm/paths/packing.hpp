// packing.hpp - B in the workspace, where its lines are whole vectors of 16 bytes: for kernels that read it so, of products whose
// own B lies otherwise. Plain C++17.
#pragma once
#include "paths/packing.h"
#include "shape.hpp"

namespace tilewright::bsr_spmm {

/// A packed B: lines, rows or columns, of whole 16 bytes, product after product; or tiles of shorter lines.
struct PackedB {
  std::int64_t lines, width, leading;  // of a product; elements. Of tiles `leading` is from tile to tile
  std::int64_t line_stride;            // elements from line to line
  std::size_t offset;                  // bytes from the start of the workspace
  std::size_t bytes;
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
  packed.line_stride = packed.leading;
  packed.bytes = static_cast<std::size_t>(shape.batch * packed.lines * packed.leading * input_bytes(shape));
  return packed;
}

/// A column-major B behind `behind` bytes of the workspace, as tiles of `depth` rows: in each all columns, an even number; `leading`
/// elements from tile to tile.
inline PackedB tiled_b(const Shape& shape, std::int64_t depth, std::size_t behind) {
  PackedB packed = packed_b(shape, behind);
  packed.leading = (packed.lines + 1) / 2 * 2 * depth;
  packed.line_stride = depth;
  packed.bytes = static_cast<std::size_t>(detail::quotient_up(packed.width, depth) * packed.leading *
                                          input_bytes(shape));
  return packed;
}

/// Threads that share a line of B: as many as it has vectors, of a power of two up to two warps.
inline unsigned threads_of_a_line(const Shape& shape, const PackedB& packed) {
  const std::int64_t vectors = detail::quotient_up(packed.width * input_bytes(shape), 16);
  unsigned threads = 1;
  while (threads < 64 && threads < vectors) threads *= 2;
  return threads;
}

/// The launch of the kernel that packs B. With `unless_aligned` runs whose B is aligned to 16 bytes do without.
inline BoundLaunch packing(const Shape& shape, const Parameters& parameters, const PackedB& packed,
                           bool unless_aligned) {
  using Args = UntypedPackArgs;
  // The kernel counts a line's elements in 32 bits, beyond its end too.
  refuse_unless(packed.width < (std::int64_t{1} << 31) - 1024,
                "packs B in lines of less than 2^31 - 1024 elements");
  LaunchBuilder<Args, Call> kernel;
  auto& block = kernel.launch.block;
  block[0] = threads_of_a_line(shape, packed);
  block[1] = static_cast<unsigned>(parameters.number("packThreads")) / block[0];
  kernel.launch.entry = "_pack";
  // Tiles have an even number of lines; so many has a thread block of several.
  kernel.launch.grid = {static_cast<unsigned>(detail::quotient_up(packed.lines, block[1])),
                        detail::grid_extent(shape.batch, "products"), 1};
  kernel.args.extent = (packed.lines - 1) * shape.ldb + packed.width;
  kernel.args.ld_from = shape.ldb;
  kernel.args.from_stride = shape.b_stride;
  kernel.args.ld_to = packed.line_stride;
  kernel.args.to_stride = packed.lines * packed.leading;
  kernel.args.tile_stride = packed.leading;
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
