// workspaces.cpp - workspaces of settled plans.
#include "tuner/workspaces.hpp"

#include "tuner/device.hpp"

namespace tilewright::library::tuner {
namespace {

/// Its address names the calling thread, as long as that lives.
thread_local int this_thread;

}  // namespace

bool is_written(const Workspace& workspace) {
  return workspace.clear_bytes > 0 || workspace.bytes > workspace.contents.size();
}

Workspaces::Workspaces(const Plan& plan, const Allocator& allocator, std::atomic<std::size_t>& kept)
    : plan_(plan), allocator_(allocator), kept_(kept), per_stream_(is_written(plan.workspace())) {
  if (per_stream_) return;
  const Workspace& needed = plan.workspace();
  all_ = allocate();
  if (needed.bytes > 0) device::upload(all_.data(), needed.contents.data(), needed.contents.size());
}

Workspaces::~Workspaces() {
  for (const Node* node = nodes_.load(); node;) delete std::exchange(node, node->next);
  kept_ -= own_;
}

Memory Workspaces::allocate() {
  const std::size_t bytes = plan_.workspace_bytes();
  Memory memory(allocator_, bytes);
  if (bytes > 0 && !memory.data())
    throw Error(TW_STATUS_OUT_OF_MEMORY,
                "no device memory for a workspace of " + std::to_string(bytes) + " bytes");
  own_ += bytes, kept_ += bytes;
  return memory;
}

void* Workspaces::own(tw_stream stream) {
  for (const Node* node = nodes_.load(std::memory_order_acquire); node; node = node->next)
    if (node->thread == &this_thread && node->stream == stream) return node->memory.data();
  auto node = std::make_unique<Node>(Node{&this_thread, stream, allocate(), nullptr});
  plan_.prepare(node->memory.data(), plan_.workspace_bytes(), stream);
  node->next = nodes_.load(std::memory_order_relaxed);
  while (!nodes_.compare_exchange_weak(node->next, node.get(), std::memory_order_release)) {
  }
  return node.release()->memory.data();
}

}  // namespace tilewright::library::tuner
