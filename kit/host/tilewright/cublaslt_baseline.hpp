// cublaslt_baseline.hpp - cuBLASLt as a baseline of operations that compute a dense product, on the device `cuda` alone.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/operation_problem.hpp"
#include "tilewright/vendor_library.hpp"
#include "tw/cublaslt_product.hpp"

namespace tilewright::vendor {

/// The algorithm that cuBLASLt's heuristic puts first.
template <class Shape, class Call>
class CuBlasLtBaseline final : public Baseline {
 public:
  std::string name() const override { return "cuBLASLt"; }

  void prepare(const Problem& problem, const Placement& placement, void* stream) override {
    product_.reset();
    cleanup_.run();
    if (!api_) api_ = std::make_unique<cublaslt::Api>(Library(cublaslt::kLibraries));
    const auto* own = dynamic_cast<const OperationProblem<Shape, Call>*>(&problem);
    if (!own) throw Unsupported("not a problem of this family");
    const cublaslt::Shape shape = cublaslt::shape_of(own->shape());
    if (is_empty(shape.a) || is_empty(shape.b))
      throw Unsupported("asked only where there is something to multiply");
    operands_ = cublaslt::operands_of(own->typed_call(placement));
    stream_ = stream;
    const cublaslt::Alignments alignments{alignment(operands_.a), alignment(operands_.b),
                                          alignment(operands_.c), alignment(operands_.d)};
    product_ = std::make_unique<cublaslt::Product>(*api_, shape, alignments);
    workspace_ = cleanup_.allocate(cublaslt::kWorkspaceBytes);
  }

  void run() override { check(product_->enqueue(operands_, workspace_, stream_), "cublasLtMatmul"); }

 private:
  static bool is_empty(const cublaslt::Matrix& matrix) { return matrix.width == 0 || matrix.count == 0; }

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

/// The baselines of a family that has no other.
template <class Shape, class Call>
std::vector<std::unique_ptr<Baseline>> cublaslt_baselines() {
  std::vector<std::unique_ptr<Baseline>> baselines;
  baselines.push_back(std::make_unique<CuBlasLtBaseline<Shape, Call>>());
  return baselines;
}

}  // namespace tilewright::vendor
