// numerics.hpp - the pure part of the emulated device: number formats, fragment layouts, swizzles, wgmma
// operand addresses and tensor-map boxes. No state, no I/O. Each layout names the PTX ISA section that
// defines it.
#pragma once
#include <bit>
#include <cstdint>

#include "simt/kernel.hpp"

namespace simt {

// -------------------------------------------------------------------------------------------- number formats

constexpr float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal or zero
  return sign ? -magnitude : magnitude;
}

/// Round to nearest even; overflow to infinity, NaN to 0x7fff as cvt.rn.f16.f32 gives.
constexpr std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 2^16 and more
  if (magnitude < 0x38800000u) {  // below 2^-14: the sum's ulp is the subnormal half's
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

constexpr float bfloat16_to_float(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

/// Round to nearest even; NaN to 0x7fff.
constexpr std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// Value of a 32-bit tf32 operand as the tensor core reads it, without its 13 low bits.
constexpr float tf32_to_float(std::uint32_t bits) { return std::bit_cast<float>(bits & ~0x1fffu); }

/// One 16-bit operand of an mma or wgmma.
constexpr float sixteen_bit_to_float(std::uint16_t bits, MmaType type) {
  return type == MmaType::bf16 ? bfloat16_to_float(bits) : half_to_float(bits);
}

// ------------------------------------------------------------------------------------------ fragment layouts

struct Element {
  int row, column;
};

/// ldmatrix, stmatrix: the row of the 8x8 matrix that a lane holds, and the first of its two columns.
/// PTX ISA: Warp-level matrix load instruction: ldmatrix
constexpr Element matrix_fragment(int lane) { return {lane / 4, lane % 4 * 2}; }

/// mma.m16n8k16, A: element `half` (0 low, 1 high) of register 0..3. wgmma with A in registers: the same, per
/// warp.
/// PTX ISA: Matrix Fragments for mma.m16n8k16 with floating point type
constexpr Element mma_a_f16(int lane, int reg, int half) {
  return {lane / 4 + reg % 2 * 8, lane % 4 * 2 + half + reg / 2 * 8};
}

/// mma.m16n8k16, B (16 x 8): element `half` of register 0..1; row is k.
constexpr Element mma_b_f16(int lane, int reg, int half) { return {lane % 4 * 2 + half + reg * 8, lane / 4}; }

/// mma.m16n8k8 tf32, A: register 0..3.
/// PTX ISA: Matrix Fragments for mma.m16n8k8
constexpr Element mma_a_tf32(int lane, int reg) { return {lane / 4 + reg % 2 * 8, lane % 4 + reg / 2 * 4}; }

/// mma.m16n8k8 tf32, B (8 x 8): register 0..1; row is k.
constexpr Element mma_b_tf32(int lane, int reg) { return {lane % 4 + reg * 4, lane / 4}; }

/// mma.m16n8: the accumulator, register 0..3.
constexpr Element mma_d(int lane, int reg) { return {lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2}; }

/// wgmma.m64nN: the accumulator; `thread` 0..127 in the warpgroup, register 0..N/2-1.
/// PTX ISA: Register Fragments for wgmma.mma_async.m64nNk16
constexpr Element wgmma_d(int thread, int reg) {
  return {thread / 32 * 16 + thread % 32 / 4 + reg / 2 % 2 * 8, reg / 4 * 8 + thread % 4 * 2 + reg % 2};
}

// --------------------------------------------------------------------------------------------------- swizzle

/// The address at which data that a layout puts at `address` lies, with a swizzle over spans of `span` bytes
/// (32, 64, 128; 0: none): 16-byte chunks are permuted by the number of the 128-byte line, address bits 7 and
/// up.
/// PTX ISA: Tensor Swizzling Modes
constexpr std::uint32_t swizzle(std::uint32_t address, std::uint32_t span) {
  if (span == 0) return address;
  const std::uint32_t chunks = span / 16 - 1;  // 1, 3, 7
  return address ^ (address >> 7 & chunks) << 4;
}

/// Span of a CUtensorMapSwizzle (TensorMap::swizzle).
constexpr std::uint32_t map_swizzle_span(std::uint8_t mode) { return mode == 0 ? 0 : 16u << mode; }

/// Bytes after which a swizzle's pattern repeats: what the shared address of a box must be a multiple of.
constexpr std::uint32_t swizzle_alignment(std::uint32_t span) { return span == 0 ? 128 : span * 8; }

// -------------------------------------------------------------------------------------------- wgmma operands

/// A decoded matrix descriptor; byte addresses and distances.
/// PTX ISA: Matrix Descriptor Format
struct MatrixDescriptor {
  std::uint32_t address, leading, stride, base_offset, span;
};

constexpr MatrixDescriptor decode_descriptor(std::uint64_t bits) {
  constexpr std::uint32_t spans[4] = {0, 128, 64, 32};
  const auto field = [bits](int shift) { return static_cast<std::uint32_t>(bits >> shift & 0x3fffu) << 4; };
  return {field(0), field(16), field(32), static_cast<std::uint32_t>(bits >> 49 & 7u), spans[bits >> 62]};
}

/// Shared-memory address of element (mn, k) of a wgmma operand: mn counts rows of A or columns of B, k is
/// 0..15; 2-byte elements. Address bits above the descriptor's 18 are the caller's to add.
/// PTX ISA: Shared Memory Matrix Layout (canonical layouts); the formulas in bytes, c = 16-byte chunk:
///   K-major          chunk k/8:          swizzled: (mn/8)*stride + (mn%8)*span + (k/8)*16
///                                        none:     (mn/8)*stride + (mn%8)*16 + (k/8)*leading
///   MN-major         chunk mn%E/8, E = span/2:  (mn/E)*leading + (k/8)*stride + (k%8)*span + (mn%E/8)*16
///                                        none:     (mn/8)*stride + (k/8)*leading + (k%8)*16
constexpr std::uint32_t operand_address(const MatrixDescriptor& d, bool mn_major, std::uint32_t mn,
                                        std::uint32_t k) {
  std::uint32_t offset = 0;
  if (d.span == 0) {
    const std::uint32_t row = mn_major ? k % 8 : mn % 8, within = mn_major ? mn % 8 : k % 8;
    offset = mn / 8 * d.stride + k / 8 * d.leading + row * 16 + within * 2;
  } else if (mn_major) {
    const std::uint32_t panel = d.span / 2;  // elements along MN in one span
    offset = mn / panel * d.leading + k / 8 * d.stride + k % 8 * d.span + mn % panel * 2;
  } else {
    offset = mn / 8 * d.stride + mn % 8 * d.span + k * 2;
  }
  return swizzle(d.address + offset, d.span);
}

// ----------------------------------------------------------------------------------------------- tensor maps

/// Bytes of one box; every copy of a load adds this much to its mbarrier, zero-filled parts included.
constexpr std::uint32_t box_bytes(const TensorMap& map) {
  std::uint32_t bytes = map.element_bytes;
  for (std::uint32_t i = 0; i < map.rank; ++i) bytes *= map.box[i];
  return bytes;
}

/// Distance in bytes of a box's rows (dimension 0) in shared memory. They are dense, except where a row is
/// narrower than the swizzle's span: then the span is the pitch, and the rest of each span is left alone.
/// Measured on an H200, 2026-11-21, with loads (64 bytes in 128, 32 in 64, 16 in 32); stores are taken to
/// read the same layout.
constexpr std::uint32_t box_pitch(const TensorMap& map) {
  const std::uint32_t row = map.box[0] * map.element_bytes, span = map_swizzle_span(map.swizzle);
  return row < span ? span : row;
}

/// Bytes of shared memory between the first and the last byte of a box, gaps included.
constexpr std::uint32_t box_footprint(const TensorMap& map) {
  return box_bytes(map) / (map.box[0] * map.element_bytes) * box_pitch(map);
}

/// The tensor as a store sees it: its rows end at a multiple of 16 bytes, because hardware clips a store's
/// dimension 0 by 16-byte chunks. Measured on an H200, 2026-11-21: with rows of 125 or 122 fp16 elements, a
/// box that hangs over the end writes up to element 127; 120 elements (240 bytes) are clipped exactly. Loads
/// fill with zeros by the element. Reductions were not measured and are taken to clip like stores.
constexpr TensorMap store_bounds(const TensorMap& tensor) {
  TensorMap map = tensor;
  const std::uint64_t chunk = 16 / map.element_bytes;
  map.size[0] = (map.size[0] + chunk - 1) / chunk * chunk;
  return map;
}

/// A run of elements along dimension 0: `count` elements at `global`, which lie unswizzled at byte `offset`
/// of the box's footprint. `global` is null where the run lies outside the tensor (a load writes zeros, a
/// store drops it).
struct BoxRun {
  std::uint32_t offset, count;
  unsigned char* global;
};

/// Visits a box at `coordinates` (elements, innermost first) row by row along dimension 0; a row that sticks
/// out is cut into runs inside and outside. Rows are box_pitch(map) apart in shared memory. For a store, pass
/// store_bounds(map).
/// PTX ISA: Tensor, Bounding Box, Out of Boundary Access
template <class Visit>
void walk_box(const TensorMap& map, const int* coordinates, Visit&& visit) {
  std::int64_t outside_before = 0, inside = map.box[0];
  const std::int64_t x = coordinates[0], width = static_cast<std::int64_t>(map.size[0]), box = map.box[0];
  outside_before = x < 0 ? (-x < box ? -x : box) : 0;
  inside = width - x < box ? width - x : box;
  inside = inside < outside_before ? 0 : inside - outside_before;
  const std::uint32_t pitch = box_pitch(map);
  const std::uint32_t rows = box_footprint(map) / pitch;
  for (std::uint32_t row = 0; row < rows; ++row) {
    auto* base = const_cast<unsigned char*>(static_cast<const unsigned char*>(map.base));
    bool within = true;
    std::uint32_t rest = row;
    for (std::uint32_t i = 1; i < map.rank; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(coordinates[i]) + rest % map.box[i];
      rest /= map.box[i];
      within = within && at >= 0 && at < static_cast<std::int64_t>(map.size[i]);
      base += at * static_cast<std::int64_t>(map.stride[i]);
    }
    const std::uint32_t start = row * pitch;
    const auto emit = [&](std::int64_t first, std::int64_t count, bool in) {
      if (count > 0)
        visit(BoxRun{start + static_cast<std::uint32_t>(first) * map.element_bytes,
                     static_cast<std::uint32_t>(count),
                     in ? base + (x + first) * map.element_bytes : nullptr});
    };
    if (!within) {
      emit(0, box, false);
      continue;
    }
    emit(0, outside_before, false);
    emit(outside_before, inside, true);
    emit(outside_before + inside, box - outside_before - inside, false);
  }
}

}  // namespace simt
