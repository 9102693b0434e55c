// args.hpp - what the kernels of the tests' family get.
#pragma once
#include <cstdint>

namespace tilewright::axpby {

struct Args {
  const float* a;
  float* c;
  std::uint32_t* counter;  // in the workspace, zeroed before every run
  int m, n, lda, ldc;
  float alpha, beta;
};

}  // namespace tilewright::axpby
