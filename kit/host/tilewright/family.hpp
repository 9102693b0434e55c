// family.hpp - the seam between the runner, which knows no kernel family, and a family's C++ side
// (templates/kernels/<family>/oracle.hpp and launch.hpp). The runner allocates, seeds, poisons, launches and
// compares; the family says what the tensors are, what the right answer is, and how to start a variant.
#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tilewright/json.hpp"
#include "tw/launch.hpp"

namespace tilewright {

enum class ElementType : std::uint8_t { f16, bf16, f32, i32, f64, i8, u8, u32, i64, i16, u16, u64 };
std::size_t element_bytes(ElementType type);

enum class Role : std::uint8_t {
  input,   // read only; a changed byte is a failure
  output,  // written; every addressed element must be written
  inout,   // read and written (C when beta != 0)
};

/// One operand: `rows` x `cols` elements, row-major, rows `stride` elements apart. A vector is one row.
struct Tensor {
  std::string name;
  ElementType type = ElementType::f32;
  Role role = Role::input;
  std::int64_t rows = 1, cols = 0, stride = 0;
  std::int64_t offset = 0;       // elements by which the base pointer is shifted off its natural alignment
  std::vector<std::byte> image;  // initial contents: rows * stride elements (padding between rows included)
  /// Rows so far apart that most of what lies between exists only as addresses: the image has `cols` elements a row.
  bool sparse = false;
  /// Elements before the first one that exist only as addresses: the base pointer lies so far before the memory.
  std::int64_t lead = 0;
  /// Of a tensor of structs, whose elements are bytes and whose rows are structs: the fields, each with a row for every struct and
  /// its place in the first one as `offset`. They are judged instead of the bytes, those that are inputs for being as they were.
  std::vector<Tensor> fields = {};
  /// Memory that a kernel may leave as it likes: an output, or where it is given contents an inout, that nobody looks at afterwards.
  bool scratch = false;

  bool is_result() const { return role != Role::input && !scratch; }
};

/// The right answer for one output tensor, dense rows x cols, with the largest error of a correct kernel.
/// A NaN or infinite value demands the same class (NaN, +Inf, -Inf) of the kernel; for a finite value so large
/// that rounding to the output's type may overflow within the bound, infinity is right too.
struct Reference {
  std::vector<double> value;
  std::vector<double> bound;                   // absolute, per element; 0 demands the exact value
  std::vector<std::uint64_t> exact = {};       // bits of whole numbers of 64 bits; else empty
  std::vector<std::uint8_t> unspecified = {};  // per element, whether it may hold anything; empty: none
};

/// Device addresses of the tensors, in the order of Problem::tensors(), and of the workspace.
struct Placement {
  std::vector<void*> tensors;
  void* workspace = nullptr;
};

/// A family's Call (see tw/launch.hpp), byte by byte.
class CallBytes {
 public:
  CallBytes() = default;
  template <class Call>
  explicit CallBytes(const Call& call) : bytes_(sizeof call) {
    static_assert(std::is_trivially_copyable_v<Call>, "plain data");
    std::memcpy(bytes_.data(), &call, sizeof call);
  }
  const void* data() const { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
};

/// One concrete problem of a family. The runner makes it once and uses it for every variant that is given the same JSON:
/// what depends on the variant belongs in bind().
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const std::vector<Tensor>& tensors() const = 0;
  /// fp64 answer for each tensor whose role is output or inout, in order. Expensive: computed once, cached by the runner.
  virtual std::vector<Reference> reference() const = 0;
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
  /// Throws Unsupported with the reason when the variant does not take this problem, whatever the addresses.
  virtual Bound bind(const Parameters&, const DeviceLimits&) const = 0;
  /// The call on operands that lie there, as the launches of bind() read it.
  virtual CallBytes call(const Placement&) const = 0;
  /// Lines that the kernels should print, in any order; null: nobody says.
  virtual const std::vector<std::string>* printed() const { return nullptr; }
  /// A text that is equal for problems with equal tensors and reference: the key of the runner's cache.
  virtual std::string key() const = 0;
};

/// A vendor's or a rival's implementation of the same problem, run on the GPU (cuSPARSE, cuBLAS).
class Baseline {
 public:
  virtual ~Baseline() = default;
  virtual std::string name() const = 0;
  /// Binds the operands and does all set-up (descriptors, workspaces, format conversion). Throws Unsupported.
  virtual void prepare(const Problem&, const Placement&, void* stream) = 0;
  /// Enqueues one run on the stream given to prepare.
  virtual void run() = 0;
};

/// Implemented once per family, in its `oracle.hpp`:
///   std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters&);
/// and, for the runner of the device `cuda`, in its `vendor.hpp`:
///   std::vector<std::unique_ptr<Baseline>> make_baselines();
/// `problem` is Workload.problem of the family's family.ts. Throws std::invalid_argument on a malformed one. Neither is
/// inline: oracle.hpp is included in exactly one source of the runner.
std::unique_ptr<Problem> make_problem(const Json& problem, const Parameters& parameters);
std::vector<std::unique_ptr<Baseline>> make_baselines();

/// Error bound of a dot product of `terms` products accumulated in fp32 and rounded once to `output`:
/// 6 sqrt(terms) 2^-23 magnitude + 1.01 u_out |value| + 2^-25, u_out = 2^-11 (f16), 2^-8 (bf16), 2^-24 (f32).
double dot_product_bound(std::int64_t terms, double magnitude, double value, ElementType output);

}  // namespace tilewright
