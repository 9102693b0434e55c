// described.hpp - the oracle of gemm for the kernels of others.
#pragma once
#include "tilewright/described.hpp"

namespace tilewright::gemm {

inline Reference described(const Described& call) {
  const Array a = call.matrix("a"), b = call.matrix("b", a.width()),
              c = call.matrix("c", a.lines(), b.width());
  const Epilogue epilogue = call.epilogue("c", "c", a.width());
  if (!call.has("bias")) return finish_product(multiply(a, b), epilogue, c, nullptr);
  const Array bias = call.array("bias", 1);
  if (bias.width() != c.width()) call.refuse("bias", "has an element for every column of C");
  return finish_product(multiply(a, b), epilogue, c, &bias);
}

inline const DescribedEntry entry("gemm", described);

}  // namespace tilewright::gemm
