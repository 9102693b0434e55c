// cublaslt.hpp - cuBLASLt's dense product as a kernel of an operation that computes one.
#pragma once
#include <memory>
#include <span>

#include "tuner/vendor.hpp"
#include "tw/cublaslt_product.hpp"

namespace tilewright::library::tuner {

template <class Shape, class Call>
class CuBlasLtProduct final : public device::Program {
 public:
  CuBlasLtProduct(const Shape& shape, const Call& call, bool load)
      : product_(cublaslt::Api(VendorLibrary(cublaslt::kLibraries, load)), cublaslt::shape_of(shape),
                 alignments(cublaslt::operands_of(call))) {}

  void enqueue(const void* of, tw_stream stream) const override {
    const auto& call = *static_cast<const Call*>(of);
    launch([&] {
      launched(product_.enqueue(cublaslt::operands_of(call), call.workspace, stream), "cublasLtMatmul");
    });
  }

 private:
  static cublaslt::Alignments alignments(const cublaslt::Operands& of) {
    return {alignment_bytes(of.a), alignment_bytes(of.b), alignment_bytes(of.c), alignment_bytes(of.d)};
  }
  cublaslt::Product product_;
};

/// Throws Unsupported for activations that cuBLASLt has not.
template <class Shape, class Call>
VendorCall bind_cublaslt(const void* shape, const void* call, bool load) {
  const auto& of = *static_cast<const Call*>(call);
  return {std::make_unique<CuBlasLtProduct<Shape, Call>>(*static_cast<const Shape*>(shape), of, load),
          cublaslt::kWorkspaceBytes};
}

/// The vendor's functions of an operation that has this one alone.
template <class Shape, class Call>
std::span<const Vendor> cublaslt_vendors() {
  static constexpr Vendor kAll[] = {{vendor_variant("cublaslt"), &bind_cublaslt<Shape, Call>}};
  return kAll;
}

}  // namespace tilewright::library::tuner
