// vendor_calls.hpp - cuBLASLt's product with bias, ReLU and GELU (tanh), which libraries may choose by its time.
#pragma once
#include <memory>
#include <span>

#include "cublaslt.hpp"
#include "tuner/vendor.hpp"

namespace tilewright::library::gemm {

using namespace tilewright::gemm;

class CuBlasLtProduct final : public device::Program {
 public:
  CuBlasLtProduct(const Shape& q, const Call& call, bool load)
      : product_(cublaslt::Api(tuner::VendorLibrary(cublaslt::kLibraries, load)), cublaslt_shape(q), alignments(call)) {}

  void enqueue(const void* of, tw_stream stream) const override {
    const auto& call = *static_cast<const Call*>(of);
    tuner::launched(product_.enqueue(cublaslt_operands(call), call.workspace, stream), "cublasLtMatmul");
  }

 private:
  static cublaslt::Alignments alignments(const Call& call) {
    const std::uint32_t c = tuner::alignment_bytes(call.c);
    return {tuner::alignment_bytes(call.b), tuner::alignment_bytes(call.a), c, c};
  }
  cublaslt::Product product_;
};

/// Throws Unsupported for activations that cuBLASLt has not.
inline VendorCall bind_cublaslt(const void* shape, const void* call, bool load) {
  return {std::make_unique<CuBlasLtProduct>(*static_cast<const Shape*>(shape), *static_cast<const Call*>(call), load),
          cublaslt::kWorkspaceBytes};
}

inline std::span<const Vendor> vendors() {
  static constexpr Vendor kAll[] = {{tuner::vendor_variant("cublaslt"), &bind_cublaslt}};
  return kAll;
}

}  // namespace tilewright::library::gemm
