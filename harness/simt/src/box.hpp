// box.hpp - moving a box of a tensor between global and shared memory.
#pragma once
#include <cstdint>

#include "simt/kernel.hpp"

namespace simt::core {

/// Global to shared: swizzled; zeros outside the tensor. `arena`: the destination block's shared memory.
void load_box(const TensorMap& map, const int* coordinates, unsigned char* arena, std::uint32_t destination);
/// Shared memory to a dense, unswizzled copy; `map` null: a plain range.
void gather_box(const TensorMap* map, const unsigned char* arena, std::uint32_t source, unsigned char* data,
                std::uint32_t bytes);
/// A dense copy to global memory; what is outside the tensor is dropped.
void store_box(const TensorMap& map, const int* coordinates, const unsigned char* data, BulkReduce reduce);

}  // namespace simt::core
