// workspaces.hpp - the device memory that a settled plan's kernel works with.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "runtime.hpp"
#include "tuner/memory.hpp"

namespace tilewright::library::tuner {

/// A workspace that runs only read is one for all. One that they write is one for each thread and stream: two runs that
/// clear and use it must not overlap.
class Workspaces {
 public:
  /// Allocates and fills the workspace where it is one for all. `kept`: bytes that a context's workspaces take, which must outlive
  /// this. Throws Error(TW_STATUS_OUT_OF_MEMORY).
  Workspaces(const Plan& plan, const Allocator& allocator, std::atomic<std::size_t>& kept);
  ~Workspaces();
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;

  bool per_stream() const noexcept { return per_stream_; }
  /// The calling thread's workspace for runs on the stream: null where none is needed. Allocates that of a new thread or
  /// stream, so such a stream must not be capturing.
  void* of(tw_stream stream) { return per_stream_ ? own(stream) : all_.data(); }

 private:
  struct Node {
    const void* thread;
    tw_stream stream;
    Memory memory;
    Node* next;
  };
  void* own(tw_stream stream);
  Memory allocate();
  const Plan& plan_;
  Allocator allocator_;
  std::atomic<std::size_t>& kept_;
  std::atomic<std::size_t> own_{0};  // bytes of kept_
  bool per_stream_;
  Memory all_;
  std::atomic<Node*> nodes_{nullptr};
};

/// Whether runs write into the workspace.
bool is_written(const Workspace& workspace);

}  // namespace tilewright::library::tuner
