// cublaslt.hpp - dense products by cuBLASLt, for baselines of the runner and for libraries that may choose them. The part of
// cublasLt.h (13.0) that is used is declared here, enumerators by value: the header need not be there. Functions come from
// whoever opens the library. Host code, C++17.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tw/launch.hpp"
#include "tw/operation.hpp"

namespace tilewright::cublaslt {

inline constexpr std::initializer_list<const char*> kLibraries = {"libcublasLt.so.13", "libcublasLt.so.12"};

/// Bytes of workspace: as many as PyTorch gives it on Hopper.
inline constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

/// Throws Unsupported unless the status is 0, success.
inline void accept(int status, const char* function) {
  if (status != 0) throw Unsupported(std::string(function) + " answered status " + std::to_string(status));
}

struct Api {
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
  static constexpr int kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8,
                       kBiasType = 26;                        // of a product
  static constexpr int kWorkspaceLimit = 1, kAlignmentA = 5;  // of a preference; B, C, D follow
  static constexpr int kEpilogueNone = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueGelu = 32;
  using CreateProduct = int(Object*, int, int);
  using CreateLayout = int(Object*, int, std::uint64_t, std::uint64_t, std::int64_t);
  using CreatePreference = int(Object*);
  using Destroy = int(Object);
  using Set = int(Object, int, const void*, std::size_t);
  using Heuristic = int(Handle, Object, Object, Object, Object, Object, Object, int, Result*, int*);
  using Multiply = int(Handle, Object, const void*, const void*, Object, const void*, Object, const void*,
                       const void*, Object, void*, Object, const void*, void*, std::size_t, void*);

  /// `library.find<Function>(name)` is the function's address, or throws Unsupported.
  template <class Library>
  explicit Api(const Library& library)
      : create(library.template find<int(Handle*)>("cublasLtCreate")),
        destroy(library.template find<int(Handle)>("cublasLtDestroy")),
        create_product(library.template find<CreateProduct>("cublasLtMatmulDescCreate")),
        destroy_product(library.template find<Destroy>("cublasLtMatmulDescDestroy")),
        set_product(library.template find<Set>("cublasLtMatmulDescSetAttribute")),
        create_layout(library.template find<CreateLayout>("cublasLtMatrixLayoutCreate")),
        destroy_layout(library.template find<Destroy>("cublasLtMatrixLayoutDestroy")),
        create_preference(library.template find<CreatePreference>("cublasLtMatmulPreferenceCreate")),
        destroy_preference(library.template find<Destroy>("cublasLtMatmulPreferenceDestroy")),
        set_preference(library.template find<Set>("cublasLtMatmulPreferenceSetAttribute")),
        heuristic(library.template find<Heuristic>("cublasLtMatmulAlgoGetHeuristic")),
        multiply(library.template find<Multiply>("cublasLtMatmul")) {}

  int (*create)(Handle*);
  int (*destroy)(Handle);
  CreateProduct* create_product;
  Destroy* destroy_product;
  Set* set_product;
  CreateLayout* create_layout;
  Destroy* destroy_layout;
  CreatePreference* create_preference;
  Destroy* destroy_preference;
  Set* set_preference;
  Heuristic* heuristic;
  Multiply* multiply;
};

/// cudaDataType of a type.
constexpr int data_type(Type type) { return type == Type::f32 ? 0 : type == Type::bf16 ? 14 : 2; }

/// The epilogue of an activation, with or without a bias. Throws Unsupported for activations that cuBLASLt has not.
inline int epilogue_of(Activation activation, bool bias) {
  const int with_bias = bias ? Api::kEpilogueBias : 0;
  switch (activation) {
    case Activation::none:
      return bias ? with_bias : Api::kEpilogueNone;
    case Activation::relu:
      return Api::kEpilogueRelu | with_bias;
    case Activation::gelu_tanh:
      return Api::kEpilogueGelu | with_bias;
    default:
      throw Unsupported("cuBLASLt has neither GELU by erf nor SiLU");
  }
}

/// A matrix in memory, column-major as all of cuBLASLt's: its columns are lines.
using Matrix = MatrixLines;

/// D = act(alpha op(A) op(B) + beta C + bias), bias per row of D and of its type.
struct Shape {
  Matrix a, b, c, d;
  bool transpose_a, transpose_b, bias;
  Activation activation;
};

/// Addresses on the device, and scalars. C is read where beta is not 0.
struct Operands {
  const void *a, *b, *c, *bias;
  void* d;
  float alpha, beta;
};

/// Bytes that the addresses of A, B, C and D are multiples of in every run.
struct Alignments {
  std::uint32_t a, b, c, d;
};

/// An object of cuBLASLt.
class Owned {
 public:
  explicit Owned(Api::Destroy* destroy) : destroy_(destroy) {}
  ~Owned() {
    if (object) destroy_(object);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Api::Object object = nullptr;

 private:
  Api::Destroy* destroy_;
};

/// A product with the algorithm that cuBLASLt's heuristic puts first. Any number of threads may enqueue it, each with a
/// workspace of its own.
class Product {
 public:
  /// Throws Unsupported.
  Product(const Api& api, const Shape& shape, const Alignments& alignments) : api_(api), shape_(shape) {
    accept(api_.create(&handle_), "cublasLtCreate");
    try {
      make_layout(a_, shape.a), make_layout(b_, shape.b), make_layout(c_, shape.c), make_layout(d_, shape.d);
      choose(alignments);
    } catch (...) {
      api_.destroy(handle_);
      throw;
    }
  }
  ~Product() { api_.destroy(handle_); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// Status of the launch; 0 is success. `workspace`: kWorkspaceBytes on the device.
  int enqueue(const Operands& of, void* workspace, void* stream) const {
    Owned product(api_.destroy_product);  // of this call alone: it has the bias's address
    make_product(product, of.bias);
    return api_.multiply(handle_, product.object, &of.alpha, of.a, a_.object, of.b, b_.object, &of.beta, of.c,
                         c_.object, of.d, d_.object, chosen_.algorithm, workspace, kWorkspaceBytes, stream);
  }

 private:
  template <class Value>
  static void set(Api::Set* to, Api::Object object, int attribute, const Value& value) {
    accept(to(object, attribute, &value, sizeof value), "an attribute of cuBLASLt");
  }
  void make_product(Owned& product, const void* bias) const {
    accept(api_.create_product(&product.object, Api::kCompute32F, Api::kFloat32), "cublasLtMatmulDescCreate");
    set(api_.set_product, product.object, Api::kTransposeA, static_cast<int>(shape_.transpose_a));
    set(api_.set_product, product.object, Api::kTransposeB, static_cast<int>(shape_.transpose_b));
    set(api_.set_product, product.object, Api::kEpilogue, epilogue_of(shape_.activation, shape_.bias));
    if (!shape_.bias) return;
    set(api_.set_product, product.object, Api::kBiasPointer, bias);
    set(api_.set_product, product.object, Api::kBiasType, data_type(shape_.d.type));
  }
  void make_layout(Owned& layout, const Matrix& matrix) const {
    accept(
        api_.create_layout(&layout.object, data_type(matrix.type), static_cast<std::uint64_t>(matrix.width),
                           static_cast<std::uint64_t>(matrix.count), matrix.pitch),
        "cublasLtMatrixLayoutCreate");
  }
  /// Asks the heuristic, which takes 256 bytes of alignment for granted unless it is told.
  void choose(const Alignments& alignments) {
    Owned product(api_.destroy_product), preference(api_.destroy_preference);
    make_product(product, nullptr);
    accept(api_.create_preference(&preference.object), "cublasLtMatmulPreferenceCreate");
    set(api_.set_preference, preference.object, Api::kWorkspaceLimit, kWorkspaceBytes);
    int attribute = Api::kAlignmentA;
    for (const std::uint32_t bytes : {alignments.a, alignments.b, alignments.c, alignments.d})
      set(api_.set_preference, preference.object, attribute++, bytes);
    int found = 0;
    accept(api_.heuristic(handle_, product.object, a_.object, b_.object, c_.object, d_.object,
                          preference.object, 1, &chosen_, &found),
           "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0) throw Unsupported("cublasLtMatmulAlgoGetHeuristic knows no algorithm for it");
  }

  Api api_;
  Shape shape_;
  Api::Handle handle_ = nullptr;
  Owned a_{api_.destroy_layout}, b_{api_.destroy_layout}, c_{api_.destroy_layout}, d_{api_.destroy_layout};
  Api::Result chosen_{};
};

}  // namespace tilewright::cublaslt
