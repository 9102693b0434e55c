// box.hpp - moving a box of a tensor between global and shared memory.
#pragma once
#include <algorithm>
#include <cstdint>

#include "numerics.hpp"
#include "simt/kernel.hpp"

namespace simt::core {

/// Calls visit(address, bytes, offset) for the pieces of [offset, offset + bytes) of a box at shared offset
/// `base` that stay together when swizzled over `span` bytes.
template <class Visit>
void for_each_piece(std::uint32_t base, std::uint32_t offset, std::uint32_t bytes, std::uint32_t span,
                    Visit&& visit) {
  if (span == 0) {
    visit(base + offset, bytes, offset);
    return;
  }
  for (const std::uint32_t end = offset + bytes; offset < end;) {
    const std::uint32_t size = std::min(end - offset, 16 - (base + offset) % 16);
    visit(swizzle(base + offset, span), size, offset);
    offset += size;
  }
}

/// Calls visit(address, bytes) for the ranges of shared memory that a box at shared offset `base` covers.
template <class Visit>
void for_each_shared_range(const TensorMap& map, std::uint32_t base, Visit&& visit) {
  if (box_footprint(map) == box_bytes(map)) return visit(base, box_bytes(map));
  const std::uint32_t row = map.box[0] * map.element_bytes;
  for (std::uint32_t start = 0; start < box_footprint(map); start += box_pitch(map))
    for_each_piece(base, start, row, map_swizzle_span(map.swizzle),
                   [&](std::uint32_t address, std::uint32_t bytes, std::uint32_t) { visit(address, bytes); });
}

/// Global to shared: swizzled; zeros outside the tensor. `arena`: the destination block's shared memory.
void load_box(const TensorMap& map, const int* coordinates, unsigned char* arena, std::uint32_t destination);
/// Shared memory to an unswizzled copy of the box's footprint, `bytes` long; `map` null: a plain range.
void gather_box(const TensorMap* map, const unsigned char* arena, std::uint32_t source, unsigned char* data,
                std::uint32_t bytes);
/// Such a copy to global memory; what is outside store_bounds(map) is dropped.
void store_box(const TensorMap& map, const int* coordinates, const unsigned char* data, BulkReduce reduce);

}  // namespace simt::core
