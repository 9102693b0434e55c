// workspaces.hpp - the device memory that a settled plan's kernel works with.
#pragma once
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "runtime.hpp"
#include "tuner/memory.hpp"

namespace tilewright::library::tuner {

/// Bytes of workspaces that a context keeps: above, calls that are new to it take kernels that need none.
inline constexpr std::size_t kMostKept = std::size_t{1} << 30;

/// Device memory that counts among what a context keeps.
class KeptMemory {
 public:
  KeptMemory() = default;
  /// `kept`: the context's count, which must outlive this. Null memory where there is none.
  KeptMemory(const Allocator& allocator, std::size_t bytes, std::atomic<std::size_t>& kept);
  KeptMemory(KeptMemory&& other) noexcept
      : memory_(std::move(other.memory_)),
        bytes_(std::exchange(other.bytes_, 0)),
        kept_(std::exchange(other.kept_, nullptr)) {}
  KeptMemory& operator=(KeptMemory&& other) noexcept {
    std::swap(memory_, other.memory_), std::swap(bytes_, other.bytes_), std::swap(kept_, other.kept_);
    return *this;
  }
  ~KeptMemory() {
    if (kept_) *kept_ -= bytes_;
  }
  std::byte* data() const noexcept { return memory_.data(); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  Memory memory_;
  std::size_t bytes_ = 0;
  std::atomic<std::size_t>* kept_ = nullptr;
};

/// Device memory that former calls of a pattern had, for the next ones. None of it is in use.
class Spare {
 public:
  /// The smallest piece of at least so many bytes; null memory where there is none. Any number of threads may ask.
  KeptMemory take(std::size_t bytes);
  /// The largest piece, or with `all` each, to be freed by the caller.
  std::vector<KeptMemory> outgrown(bool all);
  /// Room for so many pieces more. Nobody may be asking, here and below.
  void reserve(std::size_t count) { pieces_.reserve(pieces_.size() + count); }
  void give(KeptMemory piece) noexcept;
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::vector<KeptMemory> pieces_;
  std::atomic<std::size_t> bytes_{0};
};

/// A workspace that runs only read is one for all. One that they write is one for each thread and stream: two runs that
/// clear and use it must not overlap.
class Workspaces {
 public:
  /// Takes or allocates, and fills, the workspace where it is one for all. `kept`: bytes that a context's workspaces take, which
  /// must outlive this, as `spare` must, whose memory comes first. Throws Error(TW_STATUS_OUT_OF_MEMORY).
  Workspaces(const Plan& plan, const Allocator& allocator, std::atomic<std::size_t>& kept, Spare& spare);
  ~Workspaces();
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;

  bool per_stream() const noexcept { return per_stream_; }
  /// The calling thread's workspace for runs on the stream: null where none is needed. Allocates that of a new thread or
  /// stream, so such a stream must not be capturing.
  void* of(tw_stream stream) { return per_stream_ ? own(stream) : all_.data(); }
  /// Number of workspaces.
  std::size_t count() const noexcept;
  /// Leaves all memory to `spare`, which has room for it. Nobody may use it any more.
  void give_to(Spare& spare) noexcept;

 private:
  struct Node {
    const void* thread;
    tw_stream stream;
    KeptMemory memory;
    Node* next;
  };
  void* own(tw_stream stream);
  KeptMemory allocate();
  const Plan& plan_;
  Allocator allocator_;
  std::atomic<std::size_t>& kept_;
  Spare& spare_;
  bool per_stream_;
  KeptMemory all_;
  std::atomic<Node*> nodes_{nullptr};
};

/// Whether runs write into the workspace.
bool is_written(const Workspace& workspace);

}  // namespace tilewright::library::tuner
