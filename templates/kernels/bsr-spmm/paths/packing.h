// packing.h - the arguments of the kernel that packs B: packing.hpp fills them in, partials/pack-b.hbs reads them.
#pragma once
#include <cstddef>

namespace tilewright::bsr_spmm {

/// `lines` lines of `width` elements, for each product of a batch, and the place in the workspace that they are copied to.
template <class Input>
struct PackArgs {
  const Input* from;
  Input* to;  // 16-byte aligned, as is each line
  long long extent;  // of a product: elements from its first one to behind its last one
  // Elements from a line, from a product and from a tile of packed lines to the next.
  long long ld_from, from_stride, ld_to, to_stride, tile_stride;
  int lines, width;
};

using UntypedPackArgs = PackArgs<void>;
static_assert(sizeof(UntypedPackArgs) == 72 && offsetof(UntypedPackArgs, lines) == 64, "one layout for host and device");

}  // namespace tilewright::bsr_spmm
