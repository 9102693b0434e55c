// vendor.hpp - cuBLASLt, which computes the same with bias, ReLU and GELU (tanh) in one call.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "oracle.hpp"
#include "tilewright/vendor_library.hpp"

namespace tilewright::gemm::vendor {

using namespace tilewright::vendor;

/// The part of cublasLt.h (13.0) that is used; enumerators by value.
struct CuBlasLt {
  using Handle = struct cublasLtContext*;
  using Object = void*;  // descriptors, layouts and preferences
  struct Result {        // of a heuristic
    std::uint64_t algorithm[8];
    std::size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
  };
  static constexpr int kCompute32F = 68;
  static constexpr int kEpilogue = 7, kBiasPointer = 8, kBiasType = 26;                 // of a product
  static constexpr int kWorkspaceBytes = 1, kAlignmentA = 5;                            // of a preference; B, C, D follow
  static constexpr int kEpilogueNone = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueGelu = 32;

  Library library{{"libcublasLt.so.13", "libcublasLt.so.12"}};
  int (*create)(Handle*) = library.find<int(Handle*)>("cublasLtCreate");
  int (*destroy)(Handle) = library.find<int(Handle)>("cublasLtDestroy");
  int (*create_product)(Object*, int, int) = library.find<int(Object*, int, int)>("cublasLtMatmulDescCreate");
  int (*destroy_product)(Object) = library.find<int(Object)>("cublasLtMatmulDescDestroy");
  int (*set_product)(Object, int, const void*, std::size_t) =
      library.find<int(Object, int, const void*, std::size_t)>("cublasLtMatmulDescSetAttribute");
  int (*create_layout)(Object*, cudaDataType_t, std::uint64_t, std::uint64_t, std::int64_t) =
      library.find<int(Object*, cudaDataType_t, std::uint64_t, std::uint64_t, std::int64_t)>("cublasLtMatrixLayoutCreate");
  int (*destroy_layout)(Object) = library.find<int(Object)>("cublasLtMatrixLayoutDestroy");
  int (*create_preference)(Object*) = library.find<int(Object*)>("cublasLtMatmulPreferenceCreate");
  int (*destroy_preference)(Object) = library.find<int(Object)>("cublasLtMatmulPreferenceDestroy");
  int (*set_preference)(Object, int, const void*, std::size_t) =
      library.find<int(Object, int, const void*, std::size_t)>("cublasLtMatmulPreferenceSetAttribute");
  using Heuristic = int(Handle, Object, Object, Object, Object, Object, Object, int, Result*, int*);
  Heuristic* heuristic = library.find<Heuristic>("cublasLtMatmulAlgoGetHeuristic");
  using Multiply = int(Handle, Object, const void*, const void*, Object, const void*, Object, const void*, const void*,
                       Object, void*, Object, const void*, void*, std::size_t, cudaStream_t);
  Multiply* multiply = library.find<Multiply>("cublasLtMatmul");
};

/// The algorithm that cuBLASLt's heuristic puts first, with as much workspace as PyTorch gives it on Hopper. Row-major
/// C = A B is, to cuBLASLt with its column-major matrices, C^T = B^T A^T.
class Product final : public Baseline {
 public:
  std::string name() const override { return "cuBLASLt"; }

  void prepare(const Problem& problem, const Placement& placement, void* stream) override {
    cleanup_.run();
    if (!api_) api_ = std::make_unique<CuBlasLt>();
    const auto* dense = dynamic_cast<const DenseProblem*>(&problem);
    if (!dense) throw Unsupported("not a problem of gemm");
    const Shape& shape = dense->shape();
    if (shape.m == 0 || shape.n == 0 || shape.k == 0) throw Unsupported("asked only where there is something to multiply");
    const int epilogue = epilogue_of(shape);
    call_ = dense->typed_call(placement);
    stream_ = static_cast<cudaStream_t>(stream);
    check(api_->create(&handle_), "cublasLtCreate");
    cleanup_.add([this] { api_->destroy(handle_); });
    make_product(shape, epilogue);
    a_ = make_layout(shape.element, shape.k, shape.m, shape.lda);
    b_ = make_layout(shape.element, shape.n, shape.k, shape.ldb);
    c_ = make_layout(shape.element, shape.n, shape.m, shape.ldc);
    choose();
    workspace_ = cleanup_.allocate(kWorkspaceBytes);
  }

  void run() override {
    check(api_->multiply(handle_, product_, &call_.alpha, call_.b, b_, call_.a, a_, &call_.beta, call_.c, c_, call_.c, c_,
                         chosen_.algorithm, workspace_, kWorkspaceBytes, stream_),
          "cublasLtMatmul");
  }

 private:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

  static int epilogue_of(const Shape& shape) {
    const int bias = shape.bias == Switch::yes ? CuBlasLt::kEpilogueBias : 0;
    switch (shape.activation) {
      case Activation::none: return bias != 0 ? bias : CuBlasLt::kEpilogueNone;
      case Activation::relu: return CuBlasLt::kEpilogueRelu | bias;
      case Activation::gelu_tanh: return CuBlasLt::kEpilogueGelu | bias;
      default: throw Unsupported("has neither GELU by erf nor SiLU");
    }
  }

  void make_product(const Shape& shape, int epilogue) {
    check(api_->create_product(&product_, CuBlasLt::kCompute32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    cleanup_.add([this] { api_->destroy_product(product_); });
    set(api_->set_product, product_, CuBlasLt::kEpilogue, epilogue);
    if (shape.bias == Switch::no) return;
    set(api_->set_product, product_, CuBlasLt::kBiasPointer, call_.bias);
    set(api_->set_product, product_, CuBlasLt::kBiasType, static_cast<int>(data_type(shape.element)));
  }

  CuBlasLt::Object make_layout(Type type, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    CuBlasLt::Object layout = nullptr;
    check(api_->create_layout(&layout, data_type(type), static_cast<std::uint64_t>(rows),
                              static_cast<std::uint64_t>(columns), stride),
          "cublasLtMatrixLayoutCreate");
    cleanup_.add([this, layout] { api_->destroy_layout(layout); });
    return layout;
  }

  /// Asks the heuristic, and tells it how far the operands are aligned: it takes 256 bytes for granted.
  void choose() {
    CuBlasLt::Object preference = nullptr;
    check(api_->create_preference(&preference), "cublasLtMatmulPreferenceCreate");
    cleanup_.add([this, preference] { api_->destroy_preference(preference); });
    set(api_->set_preference, preference, CuBlasLt::kWorkspaceBytes, kWorkspaceBytes);
    const void* const operands[] = {call_.b, call_.a, call_.c, call_.c};
    for (int i = 0; i < 4; ++i)
      set(api_->set_preference, preference, CuBlasLt::kAlignmentA + i, alignment(operands[i]));
    int found = 0;
    check(api_->heuristic(handle_, product_, b_, a_, c_, c_, preference, 1, &chosen_, &found), "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0) throw Unsupported("cublasLtMatmulAlgoGetHeuristic knows no algorithm for it");
  }

  static std::uint32_t alignment(const void* address) {
    std::uint32_t bytes = 256;
    while (!aligned(address, bytes)) bytes /= 2;
    return bytes;
  }

  template <class Value>
  static void set(int (*to)(CuBlasLt::Object, int, const void*, std::size_t), CuBlasLt::Object object, int attribute,
                  const Value& value) {
    check(to(object, attribute, &value, sizeof value), "an attribute of cuBLASLt");
  }

  std::unique_ptr<CuBlasLt> api_;
  Call call_{};
  cudaStream_t stream_ = nullptr;
  CuBlasLt::Handle handle_ = nullptr;
  CuBlasLt::Object product_ = nullptr, a_ = nullptr, b_ = nullptr, c_ = nullptr;
  CuBlasLt::Result chosen_{};
  void* workspace_ = nullptr;
  Cleanup cleanup_;  // last: its steps use the members above
};

}  // namespace tilewright::gemm::vendor

namespace tilewright {

std::vector<std::unique_ptr<Baseline>> make_baselines() {
  std::vector<std::unique_ptr<Baseline>> baselines;
  baselines.push_back(std::make_unique<gemm::vendor::Product>());
  return baselines;
}

}  // namespace tilewright
