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

/// Global to shared: swizzled; zeros outside the tensor. `arena`: the destination block's shared memory.
void load_box(const TensorMap& map, const int* coordinates, unsigned char* arena, std::uint32_t destination);
/// Shared memory to a dense, unswizzled copy; `map` null: a plain range.
void gather_box(const TensorMap* map, const unsigned char* arena, std::uint32_t source, unsigned char* data,
                std::uint32_t bytes);
/// A dense copy to global memory; what is outside the tensor is dropped.
void store_box(const TensorMap& map, const int* coordinates, const unsigned char* data, BulkReduce reduce);

}  // namespace simt::core
