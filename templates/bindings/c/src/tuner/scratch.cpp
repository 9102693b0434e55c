// scratch.cpp - scratch in place of a call's outputs, and what is seen in it afterwards.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tuner/measure.hpp"

namespace tilewright::library::tuner {
namespace {

/// Bytes on both sides of each output; it stays a multiple of what kernels align by.
constexpr std::size_t kMargin = 4096;
/// A NaN in every element type.
constexpr int kPoison = 0xff;
/// Bytes looked at, of each product: of larger ones every second line, or third and so on. What kernels leave out are tiles.
constexpr std::size_t kMostRead = std::size_t{8} << 20;
/// Lines compared of each product.
constexpr std::size_t kMostLines = 64;

std::size_t element_bytes(const Output& output) { return static_cast<std::size_t>(bytes_of(output.type)); }

/// From the first element to behind the last line.
std::size_t extent(const Output& output) {
  if (output.products <= 0) return 0;
  return static_cast<std::size_t>((output.products - 1) * output.stride + output.lines * output.pitch) *
         element_bytes(output);
}

std::size_t room(const Output& output) { return (extent(output) + 511) / 256 * 256 + 2 * kMargin; }

const std::byte* address_of(const Output& output, const Request& request) {
  return detail::load<const std::byte*>(request.call.data() + output.at);
}

bool all_poison(const std::byte* from, std::size_t bytes) {
  return std::all_of(from, from + bytes, [](std::byte one) { return one == std::byte{kPoison}; });
}

template <class Word>
bool none_poison(const std::byte* from, std::size_t count) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i)
    left += detail::load<Word>(from + i * sizeof(Word)) == static_cast<Word>(~Word{0});
  return left == 0;
}

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                      mantissa = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(mantissa), -24), sign ? -1.0f : 1.0f);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

double number_at(const std::byte* line, std::size_t index, Type type) {
  if (type == Type::f32) return detail::load<float>(line + 4 * index);
  const auto bits = detail::load<std::uint16_t>(line + 2 * index);
  return type == Type::f16 ? from_half(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Half the distance of neighbours, relative; and the smallest distance at all.
struct Rounding {
  double relative, absolute;
};
Rounding rounding_of(Type type) {
  if (type == Type::f16) return {0x1p-11, 0x1p-24};
  if (type == Type::bf16) return {0x1p-8, 0x1p-133};
  return {0x1p-24, 0x1p-149};
}

double greatest(Type type) {
  if (type == Type::f16) return 65504;
  return type == Type::bf16 ? 0x1.fep127 : 0x1.fffffep127;
}

/// Numbers of one line, the reference's from sums in fp64. Two results, each rounded once to the type, differ by at most two
/// roundings; by what an fp32 sum of up to `depth` terms may lose, depth * 2^-24 of the terms' magnitude; and by what is lost
/// where operands are rounded before, which adds up as errors without a sign do. For the magnitude stands the line's root mean
/// square.
bool agree(const std::byte* got, const std::byte* reference, std::size_t width, Type type, double depth,
           double rounding) {
  double squares = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const double value = number_at(reference, i, type);
    if (std::isfinite(value)) squares += value * value;
  }
  const auto [relative, absolute] = rounding_of(type);
  constexpr double kDeviations = 8;  // of a sum of 2 * depth independent errors
  const double lost = 2 * depth * 0x1p-24 + kDeviations * 2 * rounding;
  const double sums = lost * std::sqrt(squares / static_cast<double>(std::max<std::size_t>(width, 1)));
  for (std::size_t i = 0; i < width; ++i) {
    const double a = number_at(got, i, type), b = number_at(reference, i, type);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      const double finite = std::isfinite(a) ? a : b, other = std::isfinite(a) ? b : a;
      if (!std::isfinite(finite)) continue;
      // One of them was rounded to the greatest number, and the other, a little more, to infinity.
      const bool at_the_end = std::isinf(other) && std::signbit(other) == std::signbit(finite) &&
                              std::fabs(finite) * (1 + 4 * relative) + sums >= greatest(type);
      if (!at_the_end) return false;
      continue;
    }
    if (std::fabs(a - b) > 4 * relative * std::fabs(b) + sums + 2 * absolute) return false;
  }
  return true;
}

std::size_t line_bytes(const Output& output) {
  return static_cast<std::size_t>(output.width) * element_bytes(output);
}

bool is_untouched(const std::byte* margin, tw_stream stream) {
  std::byte host[kMargin];
  device::download(host, margin, kMargin, stream);
  return all_poison(host, kMargin);
}

/// Whether a product has no poison in its lines and nothing else between them.
bool is_whole(const Output& one, const std::byte* product, tw_stream stream) {
  const std::size_t pitch = static_cast<std::size_t>(one.pitch) * element_bytes(one), width = line_bytes(one);
  const auto elements = static_cast<std::size_t>(one.width), lines = static_cast<std::size_t>(one.lines);
  if (width == 0 || lines == 0) return true;
  const std::size_t step = (lines * pitch + kMostRead - 1) / kMostRead, count = (lines + step - 1) / step;
  std::vector<std::byte> host(count * pitch);
  device::download_lines(host.data(), product, step * pitch, pitch, count, stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const line = host.data() + i * pitch;
    const bool whole = one.type == Type::f32 ? none_poison<std::uint32_t>(line, elements)
                                             : none_poison<std::uint16_t>(line, elements);
    if (!whole || !all_poison(line + width, pitch - width)) return false;
  }
  return true;
}

}  // namespace

std::size_t Scratch::bytes_of(const Request& request) {
  std::size_t bytes = 256;
  for (const Output& output : request.outputs) bytes += room(output);
  return bytes;
}

Scratch::Scratch(const Allocator& allocator, const Request& request)
    : request_(request), bytes_(bytes_of(request)), memory_(allocator, bytes_), call_(request.call) {
  if (!memory_.data()) return;
  std::size_t at = 0;
  for (const Output& output : request.outputs) {
    // Kernels may choose how they store by the address's alignment.
    offsets_.push_back(at + kMargin + reinterpret_cast<std::uintptr_t>(address_of(output, request)) % 256);
    at += room(output);
    const void* const place = this->output(offsets_.size() - 1);
    std::memcpy(call_.data() + output.at, &place, sizeof place);
  }
}

void Scratch::reset(tw_stream stream) const {
  device::fill(memory_.data(), kPoison, bytes_, stream);
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    const Output& one = request_.outputs[i];
    if (one.read && extent(one) > 0) {
      const wide last = (one.products - 1) * one.stride + (one.lines - 1) * one.pitch + one.width;
      device::copy_within(output(i), address_of(one, request_), static_cast<std::size_t>(last) * element_bytes(one),
                          stream);
    }
  }
}

bool Scratch::is_written(tw_stream stream) const {
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    const Output& one = request_.outputs[i];
    for (const std::byte* margin : {output(i) - kMargin, output(i) + extent(one)})
      if (!is_untouched(margin, stream)) return false;
    if (one.read) continue;  // poison is gone, whoever wrote
    for (wide product = 0; product < one.products; ++product)
      if (!is_whole(one, output(i) + static_cast<std::size_t>(product * one.stride) * element_bytes(one), stream))
        return false;
  }
  return true;
}

std::vector<std::vector<std::byte>> sample(const Scratch& scratch, const Request& request) {
  std::vector<std::vector<std::byte>> samples;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const Output& one = request.outputs[i];
    const auto lines = static_cast<std::size_t>(one.lines), bytes = element_bytes(one);
    const std::size_t count = std::min(lines, kMostLines);
    const std::size_t pitch = static_cast<std::size_t>(one.pitch) * bytes;
    for (wide product = 0; product < one.products; ++product)
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t line = count == 1 ? 0 : k * (lines - 1) / (count - 1);  // the first and the last among them
        std::vector<std::byte>& host = samples.emplace_back(line_bytes(one));
        device::download(host.data(),
                         scratch.output(i) + static_cast<std::size_t>(product * one.stride) * bytes + line * pitch,
                         host.size(), request.stream);
      }
  }
  return samples;
}

bool agree(const std::vector<std::vector<std::byte>>& got, const std::vector<std::vector<std::byte>>& reference,
           const Request& request) {
  double depth = 1;
  for (std::size_t i = 0; i < request.sizes; ++i) depth = std::max(depth, request.asked.features[i].number);
  std::size_t at = 0;
  for (const Output& one : request.outputs) {
    const auto lines = std::min(static_cast<std::size_t>(one.lines), kMostLines);
    for (std::size_t k = 0; k < lines * static_cast<std::size_t>(one.products); ++k, ++at)
      if (!agree(got[at].data(), reference[at].data(), static_cast<std::size_t>(one.width), one.type, depth, request.rounding))
        return false;
  }
  return true;
}

}  // namespace tilewright::library::tuner
