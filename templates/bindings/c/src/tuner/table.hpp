// table.hpp - what a context has settled, by the exact words of a call: found without a lock, in a few nanoseconds.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/workspaces.hpp"

namespace tilewright::library::tuner {

/// Words that a call may be told apart by.
inline constexpr std::size_t kMostWords = 32;
using CallWords = std::array<std::uint64_t, kMostWords>;

/// Hash of a call's words: four chains, so that their multiplications overlap.
template <std::size_t N>
std::uint64_t hash_of(const std::array<std::uint64_t, N>& words) noexcept {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t chains[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < N; ++i) {
    std::uint64_t& chain = chains[i % 4];
    chain = (chain ^ words[i]) * kFactor;
    chain ^= chain >> 29;
  }
  const std::uint64_t sum = ((chains[0] ^ chains[1]) * kFactor) ^ ((chains[2] + chains[3]) * kFactor);
  return sum ^ (sum >> 32);
}

/// Origin of a key's kernel; best known first.
enum class Origin { tuned, cache, wisdom, neighbour, heuristic, fallback };
const char* name_of(Origin origin);

/// A call's plan, ready to run. Immutable but for the workspaces, and for how long it holds.
struct Entry {
  CallWords words{};
  std::uint64_t hash = 0;
  bool empty = false;      // nothing is to be written
  AddressRules addresses;  // of a call
  std::shared_ptr<const void> problem;  // the operation's Shape, to which the plan may be bound
  std::unique_ptr<const Plan> plan;
  std::unique_ptr<Workspaces> workspaces;  // its own are added as threads and streams come
  Origin origin = Origin::heuristic;
  bool safe = false;        // a launch that fails has nothing to fall back to
  mutable std::atomic<std::int64_t> until = 0;  // epoch of the context in which it was resolved; kSettled: for good
  std::string key;       // as text
  std::string measured;  // JSON: as in Known
  std::string report;    // JSON, for tw_<operation>_explain
};

/// An entry's choice, without its plan: what is left of it where its pattern was replaced.
struct Former {
  const Variant* variant;
  Origin origin;
  std::int64_t until;
  std::string key, measured;
};

/// Epoch of an entry that no later measurement will change.
inline constexpr std::int64_t kSettled = -1;

/// Calls that a table keeps.
inline constexpr std::size_t kMostCalls = 1024;

/// Open addressing. Readers take no lock; whoever writes holds one for all tables.
class Table {
 public:
  template <std::size_t N>
  const Entry* find(const std::array<std::uint64_t, N>& words, std::uint64_t hash) const noexcept {
    static_assert(N <= kMostWords, "words of a call");
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (!slots) return nullptr;
    for (std::size_t at = hash & slots->mask;; at = (at + 1) & slots->mask) {
      const Entry* entry = slots->entries[at].load(std::memory_order_acquire);
      if (!entry) return nullptr;
      if (entry->hash == hash && std::memcmp(entry->words.data(), words.data(), sizeof words) == 0)
        return entry;
    }
  }
  /// Adds an entry, or puts it in the place of that with the same words, which stays alive: it may be in use, now or in a graph.
  const Entry* put(std::unique_ptr<const Entry> entry);
  /// Leaves it empty, for calls with another pattern, and gives all entries that ever were to the caller, without their device memory:
  /// that is spare, and choices are remembered. Nobody may be reading. Throws std::bad_alloc before anything changes.
  std::vector<std::unique_ptr<const Entry>> renew();
  /// Choice for such a call with a former pattern; null where there is none.
  const Former* former(const CallWords& words) const noexcept {
    const auto found = former_.find(words);
    return found == former_.end() ? nullptr : &found->second;
  }
  Spare& spare() noexcept { return spare_; }
  /// Whether nothing more is to be added.
  bool is_full() const noexcept { return kept_.load(std::memory_order_relaxed) >= kMostCalls; }

 private:
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), entries(count) {}
    std::size_t mask;
    std::vector<std::atomic<const Entry*>> entries;
    std::atomic<const Entry*>& place_of(const Entry& entry);
  };
  void grow();
  Spare spare_;  // outlives the entries
  std::map<CallWords, Former> former_;
  std::atomic<Slots*> slots_{nullptr};
  std::vector<std::unique_ptr<Slots>> generations_;  // the last one is in use
  std::vector<std::unique_ptr<const Entry>> entries_;  // all that ever were
  std::atomic<std::size_t> kept_{0};                   // their number
  std::size_t used_ = 0;
};

}  // namespace tilewright::library::tuner
