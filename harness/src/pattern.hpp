// pattern.hpp - says in a few words where the bad elements of a matrix lie: the first thing that tells a
// wrong swizzle from a missing tail, a lost row from noise.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// The bad elements of a row-major rows x cols matrix.
struct BadMap {
  std::int64_t rows, cols;
  std::vector<std::uint8_t> bad;  // 0 or 1 per element
  bool at(std::int64_t row, std::int64_t col) const {
    return bad[static_cast<std::size_t>(row * cols + col)] != 0;
  }
};

/// E.g. "every element", "all of columns 120-127 (the last 8)", "all of rows 64-127, columns with c mod 16 in
/// 8-15", "3 of 40 tiles of 32x32, each wholly", "scattered: 37 elements in 20 of 40 tiles of 16x16".
std::string describe_pattern(const BadMap& map);

}  // namespace tilewright
