// vendor_calls.hpp - cuBLASLt's product with bias, ReLU and GELU (tanh), which libraries may choose by its time.
#pragma once
#include <memory>
#include <span>

#include "operation.hpp"
#include "tuner/vendor.hpp"

namespace tilewright::library::gemm {

using namespace tilewright::gemm;

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
  static constexpr int kCompute32F = 68, kFloat32 = 0;
  static constexpr int kEpilogue = 7, kBiasPointer = 8, kBiasType = 26;  // of a product
  static constexpr int kWorkspaceBytes = 1, kAlignmentA = 5;             // of a preference; B, C, D follow
  static constexpr int kEpilogueNone = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueGelu = 32;
  using Create = int(Object*, int, int);
  using Destroy = int(Object);
  using Set = int(Object, int, const void*, std::size_t);
  using Heuristic = int(Handle, Object, Object, Object, Object, Object, Object, int, Result*, int*);
  using Multiply = int(Handle, Object, const void*, const void*, Object, const void*, Object, const void*, const void*, Object,
                       void*, Object, const void*, void*, std::size_t, tw_stream);

  explicit CuBlasLt(bool load) : library({"libcublasLt.so.13", "libcublasLt.so.12"}, load) {}
  tuner::VendorLibrary library;
  int (*create)(Handle*) = library.find<int(Handle*)>("cublasLtCreate");
  int (*destroy)(Handle) = library.find<int(Handle)>("cublasLtDestroy");
  Create* create_product = library.find<Create>("cublasLtMatmulDescCreate");
  Destroy* destroy_product = library.find<Destroy>("cublasLtMatmulDescDestroy");
  Set* set_product = library.find<Set>("cublasLtMatmulDescSetAttribute");
  int (*create_layout)(Object*, int, std::uint64_t, std::uint64_t, std::int64_t) =
      library.find<int(Object*, int, std::uint64_t, std::uint64_t, std::int64_t)>("cublasLtMatrixLayoutCreate");
  Destroy* destroy_layout = library.find<Destroy>("cublasLtMatrixLayoutDestroy");
  int (*create_preference)(Object*) = library.find<int(Object*)>("cublasLtMatmulPreferenceCreate");
  Destroy* destroy_preference = library.find<Destroy>("cublasLtMatmulPreferenceDestroy");
  Set* set_preference = library.find<Set>("cublasLtMatmulPreferenceSetAttribute");
  Heuristic* heuristic = library.find<Heuristic>("cublasLtMatmulAlgoGetHeuristic");
  Multiply* multiply = library.find<Multiply>("cublasLtMatmul");
};

/// An object of cuBLASLt.
class CuBlasLtObject {
 public:
  explicit CuBlasLtObject(CuBlasLt::Destroy* destroy) : destroy_(destroy) {}
  ~CuBlasLtObject() {
    if (object) destroy_(object);
  }
  CuBlasLtObject(const CuBlasLtObject&) = delete;
  CuBlasLtObject& operator=(const CuBlasLtObject&) = delete;
  CuBlasLt::Object object = nullptr;

 private:
  CuBlasLt::Destroy* destroy_;
};

template <class Value>
void set(CuBlasLt::Set* to, CuBlasLt::Object object, int attribute, const Value& value) {
  tuner::accept(to(object, attribute, &value, sizeof value), "an attribute of cuBLASLt");
}

/// The algorithm that cuBLASLt's heuristic puts first. Row-major C = A B is, to cuBLASLt with its column-major matrices,
/// C^T = B^T A^T.
class CuBlasLtProduct final : public device::Program {
 public:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

  CuBlasLtProduct(const Shape& q, const Call& call, bool load) : api_(load), q_(q) {
    tuner::accept(api_.create(&handle_), "cublasLtCreate");
    make_layout(a_, q.k, q.m, q.lda), make_layout(b_, q.n, q.k, q.ldb), make_layout(c_, q.n, q.m, q.ldc);
    choose(call);
  }
  ~CuBlasLtProduct() override {
    if (handle_) api_.destroy(handle_);
  }

  void enqueue(const void* of, tw_stream stream) const override {
    const auto& call = *static_cast<const Call*>(of);
    CuBlasLtObject product(api_.destroy_product);  // of this call alone: it has the bias's address
    make_product(product, call);
    tuner::launched(api_.multiply(handle_, product.object, &call.alpha, call.b, b_.object, call.a, a_.object, &call.beta,
                                  call.c, c_.object, call.c, c_.object, chosen_.algorithm, call.workspace, kWorkspaceBytes,
                                  stream),
                    "cublasLtMatmul");
  }

 private:
  int epilogue() const {
    const int bias = q_.bias == Switch::yes ? CuBlasLt::kEpilogueBias : 0;
    if (q_.activation == Activation::relu) return CuBlasLt::kEpilogueRelu | bias;
    if (q_.activation == Activation::gelu_tanh) return CuBlasLt::kEpilogueGelu | bias;
    return bias != 0 ? bias : CuBlasLt::kEpilogueNone;
  }
  void make_product(CuBlasLtObject& product, const Call& call) const {
    tuner::accept(api_.create_product(&product.object, CuBlasLt::kCompute32F, CuBlasLt::kFloat32), "cublasLtMatmulDescCreate");
    set(api_.set_product, product.object, CuBlasLt::kEpilogue, epilogue());
    if (q_.bias == Switch::no) return;
    set(api_.set_product, product.object, CuBlasLt::kBiasPointer, call.bias);
    set(api_.set_product, product.object, CuBlasLt::kBiasType, tuner::vendor_type(q_.element));
  }
  void make_layout(CuBlasLtObject& layout, std::int64_t rows, std::int64_t columns, std::int64_t stride) const {
    tuner::accept(api_.create_layout(&layout.object, tuner::vendor_type(q_.element), static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), stride),
                  "cublasLtMatrixLayoutCreate");
  }
  /// Asks the heuristic, and tells it how far the operands are aligned: it takes 256 bytes for granted. What calls of the same
  /// words may rely on is 16 bytes at most.
  void choose(const Call& call) {
    CuBlasLtObject product(api_.destroy_product), preference(api_.destroy_preference);
    make_product(product, call);
    tuner::accept(api_.create_preference(&preference.object), "cublasLtMatmulPreferenceCreate");
    set(api_.set_preference, preference.object, CuBlasLt::kWorkspaceBytes, kWorkspaceBytes);
    const void* const operands[] = {call.b, call.a, call.c, call.c};
    for (int i = 0; i < 4; ++i)
      set(api_.set_preference, preference.object, CuBlasLt::kAlignmentA + i,
          std::uint32_t{1} << tuner::alignment_of(operands[i]));
    int found = 0;
    tuner::accept(api_.heuristic(handle_, product.object, b_.object, a_.object, c_.object, c_.object, preference.object, 1,
                                 &chosen_, &found),
                  "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0) throw Unsupported("cublasLtMatmulAlgoGetHeuristic knows no algorithm for it");
  }

  CuBlasLt api_;
  Shape q_;
  CuBlasLt::Handle handle_ = nullptr;
  CuBlasLtObject a_{api_.destroy_layout}, b_{api_.destroy_layout}, c_{api_.destroy_layout};
  CuBlasLt::Result chosen_{};
};

/// Throws Unsupported for activations that cuBLASLt has not.
inline VendorCall bind_cublaslt(const void* shape, const void* of, bool load) {
  const Shape& q = *static_cast<const Shape*>(shape);
  const bool known = q.activation == Activation::none || q.activation == Activation::relu || q.activation == Activation::gelu_tanh;
  if (!known) throw Unsupported("has neither GELU by erf nor SiLU");
  return {std::make_unique<CuBlasLtProduct>(q, *static_cast<const Call*>(of), load), CuBlasLtProduct::kWorkspaceBytes};
}

inline std::span<const Vendor> vendors() {
  static constexpr Vendor kAll[] = {{tuner::vendor_variant("cublaslt"), &bind_cublaslt}};
  return kAll;
}

}  // namespace tilewright::library::gemm
