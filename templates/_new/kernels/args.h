// args.h - the arguments of every kernel of new-kernel: launch.hpp fills them in, kernel.cu.hbs reads them.
#pragma once
#include <cstddef>

namespace tilewright::new_kernel {

struct Args {
  const float* x;
  float* y;
  long long count;  // elements
  float alpha;
};
static_assert(sizeof(Args) == 32 && offsetof(Args, count) == 16 && offsetof(Args, alpha) == 24,
              "one layout for host and device");

}  // namespace tilewright::new_kernel
