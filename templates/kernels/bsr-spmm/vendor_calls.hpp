// vendor_calls.hpp - other libraries' products, which libraries may choose by their time: cuSPARSE's of a matrix in BSR, which
// takes the operands as they are, and the dense one of dense_call.hpp.
#pragma once
#include <memory>
#include <mutex>
#include <span>

#include "dense_call.hpp"
#include "operation.hpp"
#include "tuner/vendor.hpp"

namespace tilewright::library::bsr_spmm {

using namespace tilewright::bsr_spmm;

/// The part of cusparse.h (12.6) that is used; enumerators by value.
struct CuSparse {
  using Handle = struct cusparseContext*;
  using Matrix = struct cusparseSpMatDescr*;
  using Dense = struct cusparseDnMatDescr*;
  static constexpr int kIndex32 = 2, kBaseZero = 0, kColumnMajor = 1, kRowMajor = 2, kNoTranspose = 0, kDefaultAlgorithm = 0,
                       kFloat32 = 0;
  using CreateBsr = int(Matrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, const void*, const void*,
                        const void*, int, int, int, int, int);
  using CreateDense = int(Dense*, std::int64_t, std::int64_t, std::int64_t, const void*, int, int);
  using BufferSize = int(Handle, int, int, const void*, Matrix, Dense, const void*, Dense, int, int, std::size_t*);
  using Multiply = int(Handle, int, int, const void*, Matrix, Dense, const void*, Dense, int, int, void*);

  explicit CuSparse(bool load) : library({"libcusparse.so.12", "libcusparse.so.13"}, load) {}
  tuner::VendorLibrary library;
  int (*create)(Handle*) = library.find<int(Handle*)>("cusparseCreate");
  int (*destroy)(Handle) = library.find<int(Handle)>("cusparseDestroy");
  int (*set_stream)(Handle, tw_stream) = library.find<int(Handle, tw_stream)>("cusparseSetStream");
  CreateBsr* create_bsr = library.find<CreateBsr>("cusparseCreateBsr");
  CreateDense* create_dense = library.find<CreateDense>("cusparseCreateDnMat");
  int (*destroy_matrix)(Matrix) = library.find<int(Matrix)>("cusparseDestroySpMat");
  int (*destroy_dense)(Dense) = library.find<int(Dense)>("cusparseDestroyDnMat");
  BufferSize* buffer_size = library.find<BufferSize>("cusparseSpMM_bufferSize");
  Multiply* multiply = library.find<Multiply>("cusparseSpMM");
};

/// A, B and C of one call, as cuSPARSE knows them.
class CuSparseOperands {
 public:
  CuSparseOperands(const CuSparse& api, const Shape& q, const Call& call) : CuSparseOperands(api) {
    const int input = tuner::vendor_type(q.input), output = tuner::vendor_type(q.output);
    tuner::accept(api.create_bsr(&a, q.m / q.block, q.k / q.block, q.blocks, q.block, q.block, call.row_ptr, call.col_idx,
                                 call.values, CuSparse::kIndex32, CuSparse::kIndex32, CuSparse::kBaseZero, input,
                                 CuSparse::kRowMajor),
                  "cusparseCreateBsr");
    tuner::accept(api.create_dense(&b, q.k, q.n, q.ldb, call.b, input, order(q.layout_b)), "cusparseCreateDnMat");
    tuner::accept(api.create_dense(&c, q.m, q.n, q.ldc, call.c, output, order(q.layout_c)), "cusparseCreateDnMat");
  }
  ~CuSparseOperands() {
    if (c) api_.destroy_dense(c);
    if (b) api_.destroy_dense(b);
    if (a) api_.destroy_matrix(a);
  }
  CuSparseOperands(const CuSparseOperands&) = delete;
  CuSparseOperands& operator=(const CuSparseOperands&) = delete;
  CuSparse::Matrix a = nullptr;
  CuSparse::Dense b = nullptr, c = nullptr;

 private:
  /// None yet. What the other constructor has made is destroyed where it throws.
  explicit CuSparseOperands(const CuSparse& api) : api_(api) {}
  static int order(Layout layout) { return layout == Layout::row ? CuSparse::kRowMajor : CuSparse::kColumnMajor; }
  const CuSparse& api_;
};

class CuSparseProduct final : public device::Program {
 public:
  CuSparseProduct(const Shape& q, bool load) : api_(load), q_(q) { tuner::accept(api_.create(&handle_), "cusparseCreate"); }
  ~CuSparseProduct() override { api_.destroy(handle_); }

  std::size_t workspace_bytes(const Call& call) const {
    const CuSparseOperands operands(api_, q_, call);
    std::size_t bytes = 0;
    tuner::accept(api_.buffer_size(handle_, CuSparse::kNoTranspose, CuSparse::kNoTranspose, &call.alpha, operands.a,
                                   operands.b, &call.beta, operands.c, CuSparse::kFloat32, CuSparse::kDefaultAlgorithm, &bytes),
                  "cusparseSpMM_bufferSize");
    return bytes;
  }

  void enqueue(const void* of, tw_stream stream) const override {
    const auto& call = *static_cast<const Call*>(of);
    tuner::launch([&] {
      const CuSparseOperands operands(api_, q_, call);
      const std::lock_guard lock(mutex_);  // of the handle, which has one stream
      tuner::launched(api_.set_stream(handle_, stream), "cusparseSetStream");
      tuner::launched(api_.multiply(handle_, CuSparse::kNoTranspose, CuSparse::kNoTranspose, &call.alpha, operands.a, operands.b,
                                    &call.beta, operands.c, CuSparse::kFloat32, CuSparse::kDefaultAlgorithm, call.workspace),
                      "cusparseSpMM");
    });
  }

 private:
  CuSparse api_;
  Shape q_;
  CuSparse::Handle handle_ = nullptr;
  mutable std::mutex mutex_;
};

/// Throws Unsupported for more than a product, and where it asks for more alignment than there is.
inline VendorCall bind_cusparse(const void* shape, const void* of, bool load) {
  const Shape& q = *static_cast<const Shape*>(shape);
  const Call& call = *static_cast<const Call*>(of);
  const bool plain = q.bias == Switch::no && q.activation == Activation::none && q.residual == Switch::no &&
                     q.transpose_a == Switch::no && q.batch == 1 && q.index == Index::i32;
  if (!plain) throw Unsupported("asked only for alpha A B + beta C");
  if (mixes_halves(q.input, q.output)) throw Unsupported("takes no inputs and results of different types of 16 bits");
  if (q.m % q.block != 0 || q.k % q.block != 0) throw Unsupported("m and k must be multiples of block");
  const auto odd = (reinterpret_cast<std::uintptr_t>(call.b) | reinterpret_cast<std::uintptr_t>(call.c)) % 16;
  if (q.ldb % 8 != 0 || q.ldc % 8 != 0 || odd != 0)
    throw Unsupported("asked only where B, C and their rows are aligned to 16 bytes");
  auto product = std::make_unique<CuSparseProduct>(q, load);
  const std::size_t bytes = product->workspace_bytes(call);
  return {std::move(product), bytes};
}

inline std::span<const Vendor> vendors() {
  static constexpr Vendor kAll[] = {{tuner::vendor_variant("cusparse.bsr"), &bind_cusparse},
                                     {tuner::vendor_variant("cublaslt.dense"), &bind_dense}};
  return kAll;
}

}  // namespace tilewright::library::bsr_spmm
