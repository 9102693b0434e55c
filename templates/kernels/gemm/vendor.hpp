// vendor.hpp - cuBLASLt, which computes the same with bias, ReLU and GELU (tanh) in one call.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cublaslt.hpp"
#include "oracle.hpp"
#include "tilewright/vendor_library.hpp"

namespace tilewright::gemm::vendor {

using namespace tilewright::vendor;

/// The algorithm that cuBLASLt's heuristic puts first.
class Product final : public Baseline {
 public:
  std::string name() const override { return "cuBLASLt"; }

  void prepare(const Problem& problem, const Placement& placement, void* stream) override {
    product_.reset();
    cleanup_.run();
    if (!api_) api_ = std::make_unique<cublaslt::Api>(Library(cublaslt::kLibraries));
    const auto* dense = dynamic_cast<const DenseProblem*>(&problem);
    if (!dense) throw Unsupported("not a problem of gemm");
    const Shape& shape = dense->shape();
    if (shape.m == 0 || shape.n == 0 || shape.k == 0) throw Unsupported("asked only where there is something to multiply");
    operands_ = cublaslt_operands(dense->typed_call(placement));
    stream_ = stream;
    const std::uint32_t c = alignment(operands_.d);
    product_ = std::make_unique<cublaslt::Product>(*api_, cublaslt_shape(shape),
                                                   cublaslt::Alignments{alignment(operands_.a), alignment(operands_.b), c, c});
    workspace_ = cleanup_.allocate(cublaslt::kWorkspaceBytes);
  }

  void run() override { check(product_->enqueue(operands_, workspace_, stream_), "cublasLtMatmul"); }

 private:
  static std::uint32_t alignment(const void* address) {
    std::uint32_t bytes = 256;
    while (!aligned(address, bytes)) bytes /= 2;
    return bytes;
  }

  std::unique_ptr<cublaslt::Api> api_;
  std::unique_ptr<cublaslt::Product> product_;
  cublaslt::Operands operands_{};
  void* stream_ = nullptr;
  void* workspace_ = nullptr;
  Cleanup cleanup_;
};

}  // namespace tilewright::gemm::vendor

namespace tilewright {

std::vector<std::unique_ptr<Baseline>> make_baselines() {
  std::vector<std::unique_ptr<Baseline>> baselines;
  baselines.push_back(std::make_unique<gemm::vendor::Product>());
  return baselines;
}

}  // namespace tilewright
