// symbol.hpp - a variable in device memory that the runner fills: how a checked kernel's library describes it. The
// runner reads the table, symbol_of.hpp makes it.
#pragma once
#include <cstddef>

namespace tw {

/// `type`: of an element as the runner names it, null where it is not a known one. The table `tw_symbols` of a library
/// ends with an empty entry.
struct Symbol {
  const char* name;
  const char* type;
  std::size_t bytes;
  std::size_t rows;  // of a matrix; an array of more dimensions has its last ones as columns
};

}  // namespace tw
