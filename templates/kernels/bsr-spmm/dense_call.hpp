// dense_call.hpp - the product by cuBLASLt with all of A: where most blocks are stored, a dense product may be faster. Every call
// expands A into the workspace, since its values may have changed: cuSPARSE scatters them, 16 bytes at a time.
#pragma once
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "operation.hpp"
#include "tuner/vendor.hpp"
#include "tw/cublaslt.hpp"

namespace tilewright::library::bsr_spmm {

using namespace tilewright::bsr_spmm;

/// The part of cusparse.h (12.6) that scattering takes; enumerators by value.
struct CuSparseScatter {
  using Handle = struct cusparseContext*;
  using Sparse = struct cusparseSpVecDescr*;
  using Dense = struct cusparseDnVecDescr*;
  static constexpr int kIndex32 = 2, kBaseZero = 0, k16Bytes = 5;  // a complex number of two doubles
  using CreateSparse = int(Sparse*, std::int64_t, std::int64_t, const void*, const void*, int, int, int);
  using CreateDense = int(Dense*, std::int64_t, void*, int);

  explicit CuSparseScatter(bool load) : library({"libcusparse.so.12", "libcusparse.so.13"}, load) {}
  tuner::VendorLibrary library;
  int (*create)(Handle*) = library.find<int(Handle*)>("cusparseCreate");
  int (*destroy)(Handle) = library.find<int(Handle)>("cusparseDestroy");
  int (*set_stream)(Handle, tw_stream) = library.find<int(Handle, tw_stream)>("cusparseSetStream");
  CreateSparse* create_sparse = library.find<CreateSparse>("cusparseCreateConstSpVec");
  CreateDense* create_dense = library.find<CreateDense>("cusparseCreateDnVec");
  int (*destroy_sparse)(Sparse) = library.find<int(Sparse)>("cusparseDestroySpVec");
  int (*destroy_dense)(Dense) = library.find<int(Dense)>("cusparseDestroyDnVec");
  int (*scatter)(Handle, Sparse, Dense) = library.find<int(Handle, Sparse, Dense)>("cusparseScatter");
};

/// Sixteen bytes of A's values at a time, and where each belongs in the row-major matrix.
class Expansion {
 public:
  static constexpr std::int64_t kBytes = 16;

  /// Throws Unsupported where blocks are no multiple of 16 bytes wide, or where the pattern is known on the device alone.
  explicit Expansion(const Shape& q)
      : q_(q), elements_(kBytes / static_cast<std::int64_t>(bytes_of(q.input))) {
    if (q.m % q.block != 0 || q.k % q.block != 0) throw Unsupported("m and k must be multiples of block");
    if (q.block % elements_ != 0) throw Unsupported("lines of blocks must be a multiple of 16 bytes");
    if (!q.host_row_ptr || !q.host_col_idx)
      throw Unsupported("asked only where there are host copies of row_ptr and col_idx");
    if (places() > INT32_MAX) throw Unsupported("asked only for matrices of at most 32 GiB");
  }
  /// Units of 16 bytes in the matrix, and in the stored blocks.
  std::int64_t places() const { return q_.m * q_.k / elements_; }
  std::int64_t count() const { return q_.blocks * q_.block * q_.block / elements_; }

  /// The place of each stored unit.
  std::vector<std::int32_t> positions() const {
    return q_.index == Index::i64 ? positions_by<std::int64_t>() : positions_by<std::int32_t>();
  }

 private:
  template <class Integer>
  std::vector<std::int32_t> positions_by() const {
    const auto* row_ptr = static_cast<const Integer*>(q_.host_row_ptr);
    const auto* col_idx = static_cast<const Integer*>(q_.host_col_idx);
    const std::int64_t width = q_.block / elements_, pitch = q_.k / elements_;
    std::vector<std::int32_t> all;
    all.reserve(static_cast<std::size_t>(count()));
    for (std::int64_t row = 0; row < q_.m / q_.block; ++row)
      for (std::int64_t i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        for (std::int64_t line = row * q_.block; line < (row + 1) * q_.block; ++line)
          for (std::int64_t unit = 0; unit < width; ++unit)
            all.push_back(static_cast<std::int32_t>(line * pitch + col_idx[i] * width + unit));
    return all;
  }
  Shape q_;
  std::int64_t elements_;  // in a unit
};

/// The product with the expanded A. That is, row-major, A^T to cuBLASLt with its column-major matrices; and a row-major C is
/// C^T = B^T op(A)^T. A bias per row of C is one per row of cuBLASLt's result only where C is column-major.
inline cublaslt::Shape dense_shape(const Shape& q) {
  const bool transposed = q.transpose_a == Switch::yes, by_columns = q.layout_b == Layout::column;
  const std::int64_t rows = transposed ? q.k : q.m, depth = transposed ? q.m : q.k;
  const std::int64_t ldr = q.residual == Switch::yes ? q.ldr : q.ldc;
  const cublaslt::Matrix a{q.input, q.k, q.m, q.k};
  const cublaslt::Matrix b{q.input, by_columns ? depth : q.n, by_columns ? q.n : depth, q.ldb};
  const bool bias = q.bias == Switch::yes;
  if (q.layout_c == Layout::column)
    return {
        a,    b,           {q.output, rows, q.n, ldr}, {q.output, rows, q.n, q.ldc}, !transposed, !by_columns,
        bias, q.activation};
  if (bias) throw Unsupported("cuBLASLt adds no bias per row of a row-major C");
  return {
      b,     a,           {q.output, q.n, rows, ldr}, {q.output, q.n, rows, q.ldc}, by_columns, transposed,
      false, q.activation};
}

inline cublaslt::Operands dense_operands(const Shape& q, const Call& call, const void* a) {
  const void* const former = q.residual == Switch::yes ? call.residual : call.c;
  if (q.layout_c == Layout::column) return {a, call.b, former, call.bias, call.c, call.alpha, call.beta};
  return {call.b, a, former, nullptr, call.c, call.alpha, call.beta};
}

/// Scatters the values and multiplies. Its workspace: A, the places of its values, and what cuBLASLt works with.
class DenseProduct final : public device::Program {
 public:
  DenseProduct(const Shape& q, const Call& call, bool load)
      : q_(q),
        expansion_(q),
        product_(cublaslt::Api(tuner::VendorLibrary(cublaslt::kLibraries, load)), dense_shape(q),
                 alignments(q, call)),
        api_(load) {
    tuner::accept(api_.create(&handle_), "cusparseCreate");
  }
  ~DenseProduct() override { api_.destroy(handle_); }

  std::size_t workspace_bytes() const {
    return matrix_bytes() + positions_bytes() + cublaslt::kWorkspaceBytes;
  }

  /// Blocks that are not stored are zero, and stay so: calls write the others alone.
  void prepare(void* workspace, tw_stream stream) const override {
    const std::vector<std::int32_t> positions = expansion_.positions();
    device::upload(positions_in(workspace), positions.data(), positions.size() * sizeof positions[0]);
    device::clear(workspace, matrix_bytes(), stream);
  }

  void enqueue(const void* of, tw_stream stream) const override {
    const auto& call = *static_cast<const Call*>(of);
    expand(call, stream);
    void* const own = static_cast<std::byte*>(call.workspace) + matrix_bytes() + positions_bytes();
    tuner::launch([&] {
      tuner::launched(product_.enqueue(dense_operands(q_, call, call.workspace), own, stream),
                      "cublasLtMatmul");
    });
  }

 private:
  static cublaslt::Alignments alignments(const Shape& q, const Call& call) {
    const std::uint32_t a = 256, b = tuner::alignment_bytes(call.b), d = tuner::alignment_bytes(call.c);
    const std::uint32_t c = q.residual == Switch::yes ? tuner::alignment_bytes(call.residual) : d;
    if (q.layout_c == Layout::column) return {a, b, c, d};
    return {b, a, c, d};
  }
  static std::size_t rounded(std::int64_t bytes) {
    return static_cast<std::size_t>((bytes + 255) / 256 * 256);
  }
  std::size_t matrix_bytes() const { return rounded(expansion_.places() * Expansion::kBytes); }
  std::size_t positions_bytes() const { return rounded(expansion_.count() * 4); }
  void* positions_in(void* workspace) const { return static_cast<std::byte*>(workspace) + matrix_bytes(); }

  void expand(const Call& call, tw_stream stream) const {
    Vectors vectors(api_);
    tuner::launched(api_.create_sparse(&vectors.values, expansion_.places(), expansion_.count(),
                                       positions_in(call.workspace), call.values, CuSparseScatter::kIndex32,
                                       CuSparseScatter::kBaseZero, CuSparseScatter::k16Bytes),
                    "cusparseCreateConstSpVec");
    tuner::launched(
        api_.create_dense(&vectors.matrix, expansion_.places(), call.workspace, CuSparseScatter::k16Bytes),
        "cusparseCreateDnVec");
    const std::lock_guard lock(mutex_);  // of the handle, which has one stream
    tuner::launched(api_.set_stream(handle_, stream), "cusparseSetStream");
    tuner::launched(api_.scatter(handle_, vectors.values, vectors.matrix), "cusparseScatter");
  }
  struct Vectors {
    explicit Vectors(const CuSparseScatter& api) : api(api) {}
    ~Vectors() {
      if (matrix) api.destroy_dense(matrix);
      if (values) api.destroy_sparse(values);
    }
    Vectors(const Vectors&) = delete;
    Vectors& operator=(const Vectors&) = delete;
    const CuSparseScatter& api;
    CuSparseScatter::Sparse values = nullptr;
    CuSparseScatter::Dense matrix = nullptr;
  };

  Shape q_;
  Expansion expansion_;
  cublaslt::Product product_;
  CuSparseScatter api_;
  CuSparseScatter::Handle handle_ = nullptr;
  mutable std::mutex mutex_;
};

/// Share of the blocks that must be stored for a dense product to be asked: it multiplies all of them.
constexpr double kDenseFrom = 0.25;

/// Throws Unsupported for sparser patterns, batches, and what cuBLASLt has not.
inline VendorCall bind_dense(const void* shape, const void* of, bool load) {
  const Shape& q = *static_cast<const Shape*>(shape);
  const Call& call = *static_cast<const Call*>(of);
  if (mixes_halves(q.input, q.output))
    throw Unsupported("takes no inputs and results of different types of 16 bits");
  const auto stored =
      static_cast<double>(q.blocks) * static_cast<double>(q.block) * static_cast<double>(q.block);
  if (stored < kDenseFrom * static_cast<double>(q.m) * static_cast<double>(q.k))
    throw Unsupported("asked only where at least a quarter of the blocks is stored");
  if (q.batch != 1) throw Unsupported("asked for one product, not for a batch");
  if (tuner::alignment_bytes(call.values) < Expansion::kBytes)
    throw Unsupported("values must be aligned to 16 bytes");
  auto product = std::make_unique<DenseProduct>(q, call, load);
  const std::size_t bytes = product->workspace_bytes();
  return {std::move(product), bytes};
}

}  // namespace tilewright::library::bsr_spmm
