// file_matrix.hpp - sizes of a Matrix Market file's matrix that is cut into blocks, for workloads on it.
#pragma once
#include <cstdint>
#include <string>

#include "tilewright/json.hpp"
#include "tw/bsr.hpp"
#include "tw/bsr_features.hpp"

namespace tilewright {

/// {"rows","columns","density","unevenness"}: elements in whole blocks, share of the blocks that are stored, and mean square of the
/// lengths of block rows over the square of their mean, which a matrix without blocks lacks. Throws std::invalid_argument.
inline Json sizes_of_file_matrix(const std::string& path, std::int64_t block) {
  const Json pattern = Json().set("kind", "matrix-market").set("path", path);
  const bsr::Bsr a = bsr::make_pattern(pattern, 0, 0, block, true, 1);
  Json sizes = Json()
                   .set("rows", a.rows * block)
                   .set("columns", a.columns * block)
                   .set("density", bsr::density(a.rows, a.columns, a.blocks()));
  if (a.blocks() > 0) sizes.set("unevenness", bsr::unevenness(a.row_ptr.data(), a.rows));
  return sizes;
}

}  // namespace tilewright
