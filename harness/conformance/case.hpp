// case.hpp - a conformance case: one small kernel that uses one wrapper of ptx.cuh (or a few that belong
// together), its input, and what it must write. The same .cu files run on a GPU, which records goldens, and
// on the emulated device, which must reproduce them.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tw/launch.hpp"

namespace conformance {

using Words = std::vector<std::uint32_t>;

/// Arguments of every kernel, beside its tensor map.
struct Args {
  const std::uint32_t* input;
  std::uint32_t* output;
};

/// Contents of the input, with the case's name as the seed. Integers are small, so that every sum of
/// products in fp32 is exact and the order of additions cannot matter.
enum class Fill {
  words,
  half_integers,
  bfloat16_integers,
  float_integers,
  half_reals,
  bfloat16_reals,
  float_reals
};

/// A tensor map over the input or the output buffer.
struct Map {
  tilewright::TiledMap tiled;
  bool over_output = false;
};

struct Case {
  std::string group;  // golden file
  std::string name;
  std::string wrappers;  // what it covers, separated by blanks
  Fill fill = Fill::words;
  std::uint32_t input_words = 1024, output_words = 32;
  unsigned blocks = 1, threads = 32, cluster = 1;
  std::uint32_t shared_bytes = 0;
  float tolerance = 0;  // 0: bit for bit; else |difference| of floats, for tensor cores' rounding
  std::optional<Map> map;
  /// Writes what the PTX ISA says that the output is; `output` comes filled with kUntouched.
  std::function<void(const Words& input, Words& output)> reference;
};

constexpr std::uint32_t kUntouched = 0xcdcdcdcdu;

#if defined(TW_EMULATED)
using Kernel = std::function<void(void** arguments)>;
#else
using Kernel = const void*;  // as cudaLaunchKernel takes it
#endif

struct Entry {
  Case what;
  Kernel kernel;
};
std::vector<Entry>& registry();

// ----------------------------------------------------------------------- for references: elements of buffers

inline float as_float(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}
inline std::uint32_t as_word(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, 4);
  return word;
}
inline std::uint16_t sixteen_bits(const Words& words, std::size_t index) {
  return static_cast<std::uint16_t>(words[index / 2] >> index % 2 * 16);
}
/// Element `index` of a buffer of T (__half, __nv_bfloat16 or float), as a float.
template <class T>
float element(const Words& words, std::size_t index) {
  if constexpr (sizeof(T) == 4) {
    return as_float(words[index]);
  } else {
    const std::uint16_t bits = sixteen_bits(words, index);
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, 2);
    return static_cast<float>(value);
  }
}
inline unsigned char byte_of(const Words& words, std::size_t index) {
  return static_cast<unsigned char>(words[index / 4] >> index % 4 * 8);
}
inline void set_byte(Words& words, std::size_t index, unsigned char byte) {
  words[index / 4] = (words[index / 4] & ~(0xffu << index % 4 * 8)) | static_cast<std::uint32_t>(byte)
                                                                          << index % 4 * 8;
}

}  // namespace conformance
