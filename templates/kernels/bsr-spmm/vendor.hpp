// vendor.hpp - what NVIDIA's libraries offer for the same product: cuSPARSE on BSR and on Blocked-ELL, cuBLAS
// on the dense matrix.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "oracle.hpp"
#include "tilewright/vendor_library.hpp"

namespace tilewright::bsr_spmm::vendor {

using tilewright::vendor::aligned;
using tilewright::vendor::check;
using tilewright::vendor::Cleanup;
using tilewright::vendor::data_type;
using tilewright::vendor::Library;

/// The operands of a problem on the device.
struct Bound {
  const BsrProblem& problem;
  Shape shape;
  void *row_ptr, *col_idx, *values, *b, *c;
  cudaStream_t stream;
  float alpha, beta;
};

/// Whether the operation is a product and no more, which is what the libraries compute in one call.
inline bool is_plain(const Shape& shape) {
  return shape.bias == Switch::no && shape.activation == Activation::none && shape.residual == Switch::no &&
         shape.transpose_a == Switch::no && shape.batch == 1 && shape.index == Index::i32 &&
         shape.m % shape.block == 0 && shape.k % shape.block == 0;
}

/// Throws Unsupported for what the vendor need not take: more than a product, the runner's odd alignments, and a matrix
/// with no blocks.
inline Bound bind(const Problem& problem, const Placement& placement, void* stream) {
  const auto* bsr = dynamic_cast<const BsrProblem*>(&problem);
  if (!bsr) throw Unsupported("not a problem of bsr-spmm");
  if (bsr->is_sparse()) throw Unsupported("is not given operands that exist mostly as addresses");
  if (!is_plain(bsr->shape())) throw Unsupported("asked only for alpha A B + beta C, without bias, activation and the like");
  if (mixes_halves(bsr->shape().input, bsr->shape().output))
    throw Unsupported("takes no inputs and results of different types of 16 bits");
  const Description& description = bsr->description();
  const std::vector<void*>& at = placement.tensors;
  const Bound bound{*bsr,
                    bsr->shape(),
                    at[0],
                    at[1],
                    at[2],
                    at[3],
                    at[4],
                    static_cast<cudaStream_t>(stream),
                    static_cast<float>(description.alpha),
                    static_cast<float>(description.beta)};
  const bool fits = bound.shape.ldb % 8 == 0 && bound.shape.ldc % 8 == 0 &&
                       aligned(bound.b, 16) && aligned(bound.c, 16);
  if (!fits) throw Unsupported("asked only where B, C and their rows are aligned to 16 bytes");
  if (bound.shape.blocks == 0 || bound.shape.n == 0)
    throw Unsupported("asked only where there is something to multiply");
  return bound;
}

/// The part of cusparse.h (12.6) that is used; enumerators by value.
struct CuSparse {
  using Handle = struct cusparseContext*;
  using Matrix = struct cusparseSpMatDescr*;
  using Dense = struct cusparseDnMatDescr*;
  static constexpr int kIndex32 = 2, kBaseZero = 0, kColumnMajor = 1, kRowMajor = 2, kNoTranspose = 0,
                       kDefaultAlgorithm = 0;

  Library library{{"libcusparse.so.12"}};
  int (*create)(Handle*) = library.find<int(Handle*)>("cusparseCreate");
  int (*destroy)(Handle) = library.find<int(Handle)>("cusparseDestroy");
  int (*set_stream)(Handle, cudaStream_t) = library.find<int(Handle, cudaStream_t)>("cusparseSetStream");
  int (*create_bsr)(Matrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, void*,
                    void*, void*, int, int, int, cudaDataType_t, int) =
      library.find<int(Matrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, void*,
                       void*, void*, int, int, int, cudaDataType_t, int)>("cusparseCreateBsr");
  int (*create_ell)(Matrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, void*, void*, int, int,
                    cudaDataType_t) =
      library.find<int(Matrix*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, void*, void*, int,
                       int, cudaDataType_t)>("cusparseCreateBlockedEll");
  int (*create_dense)(Dense*, std::int64_t, std::int64_t, std::int64_t, void*, cudaDataType_t, int) =
      library.find<int(Dense*, std::int64_t, std::int64_t, std::int64_t, void*, cudaDataType_t, int)>(
          "cusparseCreateDnMat");
  int (*destroy_matrix)(Matrix) = library.find<int(Matrix)>("cusparseDestroySpMat");
  int (*destroy_dense)(Dense) = library.find<int(Dense)>("cusparseDestroyDnMat");
  int (*buffer_size)(Handle, int, int, const void*, Matrix, Dense, const void*, Dense, cudaDataType_t, int,
                     std::size_t*) =
      library.find<int(Handle, int, int, const void*, Matrix, Dense, const void*, Dense, cudaDataType_t, int,
                       std::size_t*)>("cusparseSpMM_bufferSize");
  int (*spmm)(Handle, int, int, const void*, Matrix, Dense, const void*, Dense, cudaDataType_t, int,
              void*) = library.find<int(Handle, int, int, const void*, Matrix, Dense, const void*, Dense,
                                        cudaDataType_t, int, void*)>("cusparseSpMM");
};

/// cusparseSpMM with fp32 accumulation; derived classes say what A is.
class SparseBaseline : public Baseline {
 public:
  void prepare(const Problem& problem, const Placement& placement, void* stream) override {
    cleanup_.run();
    if (!api_) api_ = std::make_unique<CuSparse>();
    bound_ = std::make_unique<Bound>(bind(problem, placement, stream));
    check(api_->create(&handle_), "cusparseCreate");
    cleanup_.add([this] { api_->destroy(handle_); });
    check(api_->set_stream(handle_, bound_->stream), "cusparseSetStream");
    a_ = make_matrix(*api_, *bound_, cleanup_);
    cleanup_.add([this] { api_->destroy_matrix(a_); });
    const Shape& shape = bound_->shape;
    b_ = make_dense(shape.k, shape.layout_b, shape.ldb, bound_->b, data_type(shape.input));
    c_ = make_dense(shape.m, shape.layout_c, shape.ldc, bound_->c, data_type(shape.output));
    std::size_t bytes = 0;
    check(api_->buffer_size(handle_, CuSparse::kNoTranspose, CuSparse::kNoTranspose, &bound_->alpha, a_, b_,
                            &bound_->beta, c_, CUDA_R_32F, CuSparse::kDefaultAlgorithm, &bytes),
          "cusparseSpMM_bufferSize");
    buffer_ = cleanup_.allocate(bytes);
  }

  void run() override {
    check(api_->spmm(handle_, CuSparse::kNoTranspose, CuSparse::kNoTranspose, &bound_->alpha, a_, b_,
                     &bound_->beta, c_, CUDA_R_32F, CuSparse::kDefaultAlgorithm, buffer_),
          "cusparseSpMM");
  }

 protected:
  virtual CuSparse::Matrix make_matrix(const CuSparse& api, const Bound& bound, Cleanup& cleanup) = 0;

 private:
  CuSparse::Dense make_dense(std::int64_t rows, Layout layout, std::int64_t stride, void* values,
                             cudaDataType_t type) {
    CuSparse::Dense dense = nullptr;
    const int order = layout == Layout::row ? CuSparse::kRowMajor : CuSparse::kColumnMajor;
    check(api_->create_dense(&dense, rows, bound_->shape.n, stride, values, type, order), "cusparseCreateDnMat");
    cleanup_.add([this, dense] { api_->destroy_dense(dense); });
    return dense;
  }

  std::unique_ptr<CuSparse> api_;
  std::unique_ptr<Bound> bound_;
  CuSparse::Handle handle_ = nullptr;
  CuSparse::Matrix a_ = nullptr;
  CuSparse::Dense b_ = nullptr, c_ = nullptr;
  void* buffer_ = nullptr;
  Cleanup cleanup_;  // last: its steps use the members above
};

class BsrBaseline final : public SparseBaseline {
 public:
  std::string name() const override { return "cuSPARSE BSR"; }

 private:
  CuSparse::Matrix make_matrix(const CuSparse& api, const Bound& bound, Cleanup&) override {
    const Shape& shape = bound.shape;
    CuSparse::Matrix matrix = nullptr;
    check(
        api.create_bsr(&matrix, shape.m / shape.block, shape.k / shape.block, shape.blocks, shape.block,
                       shape.block, bound.row_ptr, bound.col_idx, bound.values, CuSparse::kIndex32,
                       CuSparse::kIndex32, CuSparse::kBaseZero, data_type(shape.input), CuSparse::kRowMajor),
        "cusparseCreateBsr");
    return matrix;
  }
};

/// A converted to Blocked-ELL when the problem is bound: as many blocks in every row as in the longest, -1
/// for a column that is not there. The time of the conversion is not counted; that of the padding is.
class EllBaseline final : public SparseBaseline {
 public:
  std::string name() const override { return "cuSPARSE Blocked-ELL"; }

 private:
  CuSparse::Matrix make_matrix(const CuSparse& api, const Bound& bound, Cleanup& cleanup) override {
    const Bsr& pattern = bound.problem.description().pattern;
    const std::size_t block = static_cast<std::size_t>(bound.shape.block), element = input_bytes(bound.shape);
    std::int64_t width = 0;
    for (std::int64_t row = 0; row < pattern.rows; ++row) width = std::max(width, pattern.length(row));

    std::vector<std::int32_t> columns(static_cast<std::size_t>(pattern.rows * width), -1);
    const std::size_t pitch = static_cast<std::size_t>(width) * block * element, bytes = columns.size() * 4;
    char* const values =
        static_cast<char*>(cleanup.allocate(static_cast<std::size_t>(bound.shape.m) * pitch));
    check(cudaMemset(values, 0, static_cast<std::size_t>(bound.shape.m) * pitch), "cudaMemset");
    for (std::int64_t row = 0; row < pattern.rows; ++row)
      for (std::int64_t i = 0; i < pattern.length(row); ++i) {
        const std::int64_t from = pattern.row_ptr[row] + i;
        columns[row * width + i] = pattern.col_idx[from];
        char* const to =
            values + static_cast<std::size_t>(row) * block * pitch + static_cast<std::size_t>(i) * block * element;
        check(cudaMemcpy2D(to, pitch, static_cast<char*>(bound.values) + from * block * block * element,
                           block * element, block * element, block, cudaMemcpyDeviceToDevice),
              "cudaMemcpy2D");
      }
    void* const indices = cleanup.allocate(bytes);
    check(cudaMemcpy(indices, columns.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");

    CuSparse::Matrix matrix = nullptr;
    check(api.create_ell(&matrix, bound.shape.m, bound.shape.k, bound.shape.block, width * bound.shape.block,
                         indices, values, CuSparse::kIndex32, CuSparse::kBaseZero,
                         data_type(bound.shape.input)),
          "cusparseCreateBlockedEll");
    return matrix;
  }
};

/// The part of cublas_v2.h that is used; enumerators by value.
struct CuBlas {
  using Handle = struct cublasContext*;
  static constexpr int kNoTranspose = 0, kTranspose = 1, kCompute32F = 68, kComputeTf32 = 77, kDefaultAlgorithm = -1;

  Library library{{"libcublas.so.13", "libcublas.so.12"}};
  int (*create)(Handle*) = library.find<int(Handle*)>("cublasCreate_v2");
  int (*destroy)(Handle) = library.find<int(Handle)>("cublasDestroy_v2");
  int (*set_stream)(Handle, cudaStream_t) = library.find<int(Handle, cudaStream_t)>("cublasSetStream_v2");
  using Gemm = int(Handle, int, int, int, int, int, const void*, const void*, cudaDataType_t, int,
                   const void*, cudaDataType_t, int, const void*, void*, cudaDataType_t, int, int, int);
  Gemm* gemm = library.find<Gemm>("cublasGemmEx");
};

/// All of A multiplied, the blocks that are not stored as zeros: what sparsity has to beat. Its effective
/// speed counts stored blocks only, like everyone's. Zeros draw less power than other numbers, so that where
/// power limits the clocks this is faster than a product of full matrices; bench/compare.py times both.
class DenseBaseline final : public Baseline {
 public:
  std::string name() const override { return "cuBLAS dense"; }

  void prepare(const Problem& problem, const Placement& placement, void* stream) override {
    cleanup_.run();
    if (!api_) api_ = std::make_unique<CuBlas>();
    bound_ = std::make_unique<Bound>(bind(problem, placement, stream));
    if (bound_->problem.description().values == "nan")
      throw Unsupported("multiplies the blocks that are not stored too: 0 * Inf is NaN");
    check(api_->create(&handle_), "cublasCreate");
    cleanup_.add([this] { api_->destroy(handle_); });
    check(api_->set_stream(handle_, bound_->stream), "cublasSetStream");
    expand();
  }

  /// A, expanded row-major, is A^T to cuBLAS, whose matrices are column-major. Row-major C = A B is its C^T = B^T A^T.
  void run() override {
    const Shape& shape = bound_->shape;
    const auto rows = static_cast<int>(shape.m), columns = static_cast<int>(shape.n);
    const bool b_by_columns = shape.layout_b == Layout::column;
    if (shape.layout_c == Layout::row)
      multiply(b_by_columns ? CuBlas::kTranspose : CuBlas::kNoTranspose, CuBlas::kNoTranspose, columns, rows, bound_->b,
               shape.ldb, a_, shape.k);
    else
      multiply(CuBlas::kTranspose, b_by_columns ? CuBlas::kNoTranspose : CuBlas::kTranspose, rows, columns, a_, shape.k,
               bound_->b, shape.ldb);
  }

 private:
  void multiply(int left_as, int right_as, int rows, int columns, const void* left, std::int64_t left_stride,
                const void* right, std::int64_t right_stride) {
    const Shape& shape = bound_->shape;
    const cudaDataType_t input = data_type(shape.input);
    const int compute = shape.tf32 == Switch::yes ? CuBlas::kComputeTf32 : CuBlas::kCompute32F;
    check(api_->gemm(handle_, left_as, right_as, rows, columns, static_cast<int>(shape.k), &bound_->alpha, left, input,
                     static_cast<int>(left_stride), right, input, static_cast<int>(right_stride), &bound_->beta,
                     bound_->c, data_type(shape.output), static_cast<int>(shape.ldc), compute,
                     CuBlas::kDefaultAlgorithm),
          "cublasGemmEx");
  }

  void expand() {
    const Bsr& pattern = bound_->problem.description().pattern;
    const std::size_t block = static_cast<std::size_t>(bound_->shape.block), element = input_bytes(bound_->shape);
    const std::size_t pitch = static_cast<std::size_t>(bound_->shape.k) * element;
    a_ = cleanup_.allocate(static_cast<std::size_t>(bound_->shape.m) * pitch);
    check(cudaMemset(a_, 0, static_cast<std::size_t>(bound_->shape.m) * pitch), "cudaMemset");
    for (std::int64_t row = 0; row < pattern.rows; ++row)
      for (std::int64_t i = pattern.row_ptr[row]; i < pattern.row_ptr[row + 1]; ++i) {
        char* const to = static_cast<char*>(a_) + static_cast<std::size_t>(row) * block * pitch +
                         static_cast<std::size_t>(pattern.col_idx[i]) * block * element;
        check(cudaMemcpy2D(to, pitch, static_cast<char*>(bound_->values) + i * block * block * element,
                           block * element, block * element, block, cudaMemcpyDeviceToDevice),
              "cudaMemcpy2D");
      }
  }

  std::unique_ptr<CuBlas> api_;
  std::unique_ptr<Bound> bound_;
  CuBlas::Handle handle_ = nullptr;
  void* a_ = nullptr;
  Cleanup cleanup_;  // last: its steps use the members above
};

}  // namespace tilewright::bsr_spmm::vendor

namespace tilewright {

std::vector<std::unique_ptr<Baseline>> make_baselines() {
  std::vector<std::unique_ptr<Baseline>> baselines;
  baselines.push_back(std::make_unique<bsr_spmm::vendor::BsrBaseline>());
  baselines.push_back(std::make_unique<bsr_spmm::vendor::EllBaseline>());
  baselines.push_back(std::make_unique<bsr_spmm::vendor::DenseBaseline>());
  return baselines;
}

}  // namespace tilewright
