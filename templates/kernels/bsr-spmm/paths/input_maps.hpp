// input_maps.hpp - tensor maps of the inputs, for the paths whose kernels load them by TMA. Plain C++17.
#pragma once
#include <algorithm>

#include "shape.hpp"

namespace tilewright::bsr_spmm::detail {

/// Columns of A or B that lie side by side in shared memory: 128 bytes, the widest swizzle.
inline std::int64_t panel_columns(const Shape& shape) { return 128 / input_bytes(shape); }

/// A map of elements of an input, as yet without sizes.
inline TiledMap map_of_input(const Shape& shape, std::uint32_t rank) {
  TiledMap map;
  map.element_bytes = static_cast<std::uint32_t>(input_bytes(shape));
  map.bfloat16 = shape.input == Type::bf16;
  map.rank = rank;
  return map;
}

/// A column-major B, in boxes of `tileK` rows. TMA refuses lines without elements and lines at one address, so that a B without rows
/// has one, and 16 bytes from each to the next.
inline TiledMap map_columns_of_b(const Shape& shape, const Parameters& parameters) {
  const std::int64_t tile_k = parameters.number("tileK");
  TiledMap map = map_of_input(shape, 2);
  map.size = {static_cast<std::uint64_t>(std::max<std::int64_t>(shape.k, 1)),
              static_cast<std::uint64_t>(shape.n)};
  map.stride = {0, static_cast<std::uint64_t>(std::max<std::int64_t>(shape.ldb * input_bytes(shape), 16))};
  map.box = {static_cast<std::uint32_t>(tile_k),
             static_cast<std::uint32_t>(parameters.number("boxColumnsB"))};
  map.swizzle = line_swizzle(tile_k * input_bytes(shape));
  return map;
}

/// A row-major B: as panels of columns, several to a box; or, where the last panel would be short, as a
/// matrix with boxes of one panel that TMA clips.
inline TiledMap map_rows_of_b(const Shape& shape, const Parameters& parameters) {
  const std::int64_t columns = panel_columns(shape);
  const bool clipped = shape.n % columns != 0;
  const auto row_bytes = static_cast<std::uint64_t>(shape.ldb * input_bytes(shape));
  const std::int64_t panels = clipped ? 1 : shape.n / columns,
                     box_panels = clipped ? 1 : parameters.number("tileN") / columns;
  TiledMap map = map_of_input(shape, 3);
  map.size = {static_cast<std::uint64_t>(clipped ? shape.n : columns),
              static_cast<std::uint64_t>(std::max<std::int64_t>(shape.k, 1)),
              static_cast<std::uint64_t>(panels)};
  map.stride = {0, row_bytes, clipped ? row_bytes : 128};
  map.box = {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(parameters.number("tileK")),
             static_cast<std::uint32_t>(box_panels)};
  map.swizzle = Swizzle::b128;
  return map;
}

inline TiledMap map_b(const Shape& shape, const Parameters& parameters) {
  return shape.layout_b == Layout::column ? map_columns_of_b(shape, parameters)
                                          : map_rows_of_b(shape, parameters);
}

}  // namespace tilewright::bsr_spmm::detail
