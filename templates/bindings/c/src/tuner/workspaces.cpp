// workspaces.cpp - workspaces of settled plans.
#include "tuner/workspaces.hpp"

#include <algorithm>

#include "tuner/context.hpp"

namespace tilewright::library::tuner {
namespace {

/// Its address names the calling thread, as long as that lives.
thread_local int this_thread;

}  // namespace

bool is_written(const Workspace& workspace) {
  return workspace.clear_bytes > 0 || workspace.bytes > workspace.contents.size();
}

KeptMemory::KeptMemory(const Allocator& allocator, std::size_t bytes, std::atomic<std::size_t>& kept)
    : memory_(allocator, bytes) {
  if (!memory_.data()) return;
  bytes_ = bytes, kept_ = &kept;
  kept += bytes;
}

KeptMemory Spare::take(std::size_t bytes) {
  const std::lock_guard lock(settling());
  auto least = pieces_.end();
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece)
    if (piece->bytes() >= bytes && (least == pieces_.end() || piece->bytes() < least->bytes())) least = piece;
  if (least == pieces_.end()) return {};
  KeptMemory taken = std::move(*least);
  pieces_.erase(least);
  bytes_ -= taken.bytes();
  return taken;
}

std::vector<KeptMemory> Spare::outgrown(bool all) {
  std::vector<KeptMemory> taken;
  const std::lock_guard lock(settling());
  if (pieces_.empty()) return taken;
  if (all) {
    taken.swap(pieces_);
  } else {
    const auto largest =
        std::max_element(pieces_.begin(), pieces_.end(),
                         [](const KeptMemory& a, const KeptMemory& b) { return a.bytes() < b.bytes(); });
    taken.push_back(std::move(*largest));
    pieces_.erase(largest);
  }
  for (const KeptMemory& piece : taken) bytes_ -= piece.bytes();
  return taken;
}

void Spare::give(KeptMemory piece) noexcept {
  bytes_ += piece.bytes();
  pieces_.push_back(std::move(piece));
}

Workspaces::Workspaces(const Plan& plan, const Allocator& allocator, std::atomic<std::size_t>& kept,
                       Spare& spare)
    : plan_(plan),
      allocator_(allocator),
      kept_(kept),
      spare_(spare),
      per_stream_(is_written(plan.workspace())) {
  if (per_stream_) return;
  const Workspace& needed = plan.workspace();
  all_ = allocate();
  if (needed.bytes > 0) device::upload(all_.data(), needed.contents.data(), needed.contents.size());
}

Workspaces::~Workspaces() {
  for (const Node* node = nodes_.load(); node;) delete std::exchange(node, node->next);
}

std::size_t Workspaces::count() const noexcept {
  std::size_t count = all_.data() ? 1 : 0;
  for (const Node* node = nodes_.load(); node; node = node->next) ++count;
  return count;
}

void Workspaces::give_to(Spare& spare) noexcept {
  if (all_.data()) spare.give(std::move(all_));
  for (Node* node = nodes_.load(); node; node = node->next) spare.give(std::move(node->memory));
}

KeptMemory Workspaces::allocate() {
  const Workspace& needed = plan_.workspace();
  if (needed.bytes == 0) return {};
  if (KeptMemory spare = spare_.take(needed.bytes); spare.data()) return spare;
  // The next pattern seldom needs the same to the byte.
  const std::size_t bytes = needed.bytes + needed.contents.size() / 8;
  spare_.outgrown(kept_ + bytes > kMostKept);  // freed here
  KeptMemory memory(allocator_, bytes, kept_);
  if (!memory.data() && !spare_.outgrown(true).empty()) memory = KeptMemory(allocator_, needed.bytes, kept_);
  if (!memory.data())
    throw Error(TW_STATUS_OUT_OF_MEMORY,
                "no device memory for a workspace of " + std::to_string(bytes) + " bytes");
  return memory;
}

void* Workspaces::own(tw_stream stream) {
  for (const Node* node = nodes_.load(std::memory_order_acquire); node; node = node->next)
    if (node->thread == &this_thread && node->stream == stream) return node->memory.data();
  const device::CaptureGuard guard;  // other threads' captures go on
  auto node = std::make_unique<Node>(Node{&this_thread, stream, allocate(), nullptr});
  plan_.prepare(node->memory.data(), plan_.workspace_bytes(), stream);
  node->next = nodes_.load(std::memory_order_relaxed);
  while (!nodes_.compare_exchange_weak(node->next, node.get(), std::memory_order_release)) {
  }
  return node.release()->memory.data();
}

}  // namespace tilewright::library::tuner
