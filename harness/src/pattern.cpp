#include "pattern.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

using Flags = std::vector<std::uint8_t>;

std::int64_t count(const Flags& flags) {
  return std::accumulate(flags.begin(), flags.end(), std::int64_t{0});
}

/// Whether flags[i] depends on i modulo `period` alone, seen over at least two periods.
bool repeats(const Flags& flags, std::size_t period) {
  if (flags.size() < 2 * period) return false;
  for (std::size_t i = period; i < flags.size(); ++i)
    if (flags[i] != flags[i - period]) return false;
  return true;
}

/// "8-15" when the set flags are neighbours, else "".
std::string as_range(const Flags& flags) {
  const auto first = std::find(flags.begin(), flags.end(), 1);
  const auto end = std::find(first, flags.end(), 0);
  if (first == flags.end() || std::find(end, flags.end(), 1) != flags.end()) return "";
  const auto from = first - flags.begin(), to = end - flags.begin() - 1;
  return from == to ? std::to_string(from) : std::to_string(from) + "-" + std::to_string(to);
}

/// `what` is "rows" or "columns"; the flags say which of them are meant.
std::string describe_set(const Flags& flags, const std::string& what) {
  const std::int64_t hit = count(flags), all = static_cast<std::int64_t>(flags.size());
  if (hit == all) return "all " + what;
  if (hit == 1) return what.substr(0, what.size() - 1) + " " + as_range(flags);
  if (const std::string range = as_range(flags); !range.empty()) {
    return what + " " + range + (flags.back() ? " (the last " + std::to_string(hit) + ")" : "");
  }
  for (std::size_t period = 2; period <= 256; period *= 2) {
    if (!repeats(flags, period)) continue;
    const Flags one(flags.begin(), flags.begin() + static_cast<std::ptrdiff_t>(period));
    const std::string range = as_range(one);
    return what + " with " + what[0] + " mod " + std::to_string(period) + " in " +
           (range.empty() ? std::to_string(count(one)) + " residues" : range);
  }
  const auto first = std::find(flags.begin(), flags.end(), 1) - flags.begin();
  const auto last = flags.rend() - std::find(flags.rbegin(), flags.rend(), 1) - 1;
  return std::to_string(hit) + " " + what + " between " + std::to_string(first) + " and " +
         std::to_string(last);
}

struct Tiles {
  std::int64_t hit = 0, total = 0;
  bool whole = true;  // every tile with a bad element has only bad elements
};

Tiles count_tiles(const BadMap& map, std::int64_t size) {
  Tiles tiles;
  for (std::int64_t r0 = 0; r0 < map.rows; r0 += size) {
    for (std::int64_t c0 = 0; c0 < map.cols; c0 += size) {
      const std::int64_t r1 = std::min(r0 + size, map.rows), c1 = std::min(c0 + size, map.cols);
      std::int64_t bad = 0;
      for (std::int64_t r = r0; r < r1; ++r)
        for (std::int64_t c = c0; c < c1; ++c) bad += map.at(r, c);
      tiles.total += 1;
      tiles.hit += bad > 0;
      tiles.whole = tiles.whole && (bad == 0 || bad == (r1 - r0) * (c1 - c0));
    }
  }
  return tiles;
}

std::string of_tiles(const Tiles& tiles, std::int64_t size) {
  const std::string edge = std::to_string(size);
  return std::to_string(tiles.hit) + " of " + std::to_string(tiles.total) + " tiles of " + edge + "x" + edge;
}

}  // namespace

std::string describe_pattern(const BadMap& map) {
  Flags rows(static_cast<std::size_t>(map.rows)), cols(static_cast<std::size_t>(map.cols));
  std::int64_t bad = 0;
  for (std::int64_t r = 0; r < map.rows; ++r) {
    for (std::int64_t c = 0; c < map.cols; ++c) {
      if (!map.at(r, c)) continue;
      rows[static_cast<std::size_t>(r)] = cols[static_cast<std::size_t>(c)] = 1;
      ++bad;
    }
  }
  if (bad == 0) return "none";
  if (bad == map.rows * map.cols) return "every element";
  if (bad == 1) return "one element";
  if (bad == count(rows) * count(cols)) {  // the product of a set of rows and a set of columns
    if (count(cols) == map.cols) return "all of " + describe_set(rows, "rows");
    if (count(rows) == map.rows) return "all of " + describe_set(cols, "columns");
    return "all of " + describe_set(rows, "rows") + ", " + describe_set(cols, "columns");
  }
  for (const std::int64_t size : {128, 64, 32, 16, 8}) {
    const Tiles tiles = count_tiles(map, size);
    if (tiles.whole) return of_tiles(tiles, size) + ", each wholly";
  }
  return "scattered: " + std::to_string(bad) + " elements in " + of_tiles(count_tiles(map, 16), 16) + "; " +
         describe_set(rows, "rows") + ", " + describe_set(cols, "columns");
}

}  // namespace tilewright
