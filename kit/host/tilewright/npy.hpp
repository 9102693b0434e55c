// npy.hpp - NumPy's file format, as far as arrays of numbers in C order go.
#pragma once
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/elements.hpp"
#include "tilewright/family.hpp"

namespace tilewright {

inline constexpr std::pair<const char*, ElementType> kElementNames[] = {
    {"f16", ElementType::f16}, {"bf16", ElementType::bf16}, {"f32", ElementType::f32},
    {"f64", ElementType::f64}, {"i8", ElementType::i8},     {"u8", ElementType::u8},
    {"i16", ElementType::i16}, {"u16", ElementType::u16},   {"i32", ElementType::i32}, {"u32", ElementType::u32},
    {"i64", ElementType::i64}, {"u64", ElementType::u64}};

inline constexpr std::pair<const char*, ElementType> kNpyNames[] = {
    {"<f2", ElementType::f16}, {"<f4", ElementType::f32}, {"<f8", ElementType::f64}, {"|i1", ElementType::i8},
    {"|u1", ElementType::u8},  {"|b1", ElementType::u8},  {"<i2", ElementType::i16}, {"<u2", ElementType::u16},
    {"<i4", ElementType::i32}, {"<u4", ElementType::u32}, {"<i8", ElementType::i64}, {"<u8", ElementType::u64}};

/// Elements of a .npy file as they stand in it.
struct NpyArray {
  ElementType type;
  std::vector<std::byte> bytes;
  std::size_t count() const { return bytes.size() / element_bytes(type); }
  std::vector<double> values() const {
    std::vector<double> all(count());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = decode(type, bytes.data() + i * element_bytes(type));
    return all;
  }
};

/// The elements of a .npy file, whatever its shape. Throws std::invalid_argument.
inline NpyArray read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("cannot read " + path);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const auto refuse = [&](const std::string& why) { return std::invalid_argument(path + ": " + why); };
  if (all.size() < 12 || all.compare(0, 6, "\x93NUMPY") != 0) throw refuse("this is no .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(all[i])); };
  const bool first = all[6] == 1;
  const std::size_t begin = first ? 10 : 12;
  const std::size_t header = first ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16;
  if (all.size() < begin + header) throw refuse("the header is cut off");
  const std::string text = all.substr(begin, header);
  if (text.find("'fortran_order': True") != std::string::npos)
    throw refuse("it is in Fortran order; save np.ascontiguousarray(…)");
  for (const auto& [name, type] : kNpyNames) {
    if (text.find(std::string("'") + name + "'") == std::string::npos) continue;
    const std::size_t count = (all.size() - begin - header) / element_bytes(type);
    const auto* data = reinterpret_cast<const std::byte*>(all.data()) + begin + header;
    return {type, std::vector<std::byte>(data, data + count * element_bytes(type))};
  }
  throw refuse("its element type is not supported: " + text.substr(0, 60));
}

/// Writes rows x cols elements, `pitch` of them from row to row; bf16, which NumPy lacks, as f4.
inline void write_npy(const std::string& path, ElementType stored, std::int64_t rows, std::int64_t cols, std::int64_t pitch,
                      const std::byte* contents) {
  const bool widened = stored == ElementType::bf16;
  const ElementType type = widened ? ElementType::f32 : stored;
  std::string name;
  for (const auto& [npy, known] : kNpyNames)
    if (known == type && name.empty()) name = npy;
  std::string header = "{'descr': '" + name + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  const std::size_t size = element_bytes(stored), written = element_bytes(type);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < cols; ++column) {
      const std::byte* from = contents + static_cast<std::size_t>(row * pitch + column) * size;
      std::byte element[8];
      if (widened) encode(type, decode(stored, from), element);
      file.write(reinterpret_cast<const char*>(widened ? element : from), static_cast<std::streamsize>(written));
    }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace tilewright
