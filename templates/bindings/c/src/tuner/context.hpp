// context.hpp - a context: its options, what it has settled, and how it resolves calls that nothing is settled for.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "tilewright/context.h"
#include "tuner/cache.hpp"
#include "tuner/device.hpp"
#include "tuner/request.hpp"

namespace tilewright::library::tuner {

/// Purpose of a call of resolve().
enum class Want { serve, tune, explain };

/// Choice for all calls of a key.
struct Known {
  const Variant* variant;
  Origin origin;
  std::string measured;  // JSON array of what was tried
};

/// Locks of all contexts of the process, also across fork(): a child finds them free. `settling` is held shortly, to write
/// tables; `measuring` as long as one measures.
std::mutex& settling();
std::mutex& measuring();

}  // namespace tilewright::library::tuner

struct tw_context {
  using Entry = tilewright::library::tuner::Entry;
  using Request = tilewright::library::tuner::Request;
  using Table = tilewright::library::tuner::Table;

  tw_context(int device, const tw_context_options& options);

  /// Whether an entry still holds.
  bool holds(const Entry& entry) const noexcept { return holds(entry.until.load(std::memory_order_relaxed)); }
  bool holds(std::int64_t until) const noexcept {
    return until == tilewright::library::tuner::kSettled || until == epoch.load(std::memory_order_relaxed);
  }
  /// Throws where the memory of the context is gone.
  void check_device() const {
    if (tilewright::library::device::generation() != allocator.generation) [[unlikely]]
      throw tilewright::library::Error(
          TW_STATUS_INVALID_ARGUMENT,
          "the device was reset after the context was made, or another CUDA context is current: destroy the context and its "
          "patterns, and make others");
  }
  /// As above, and where the calling thread's current device is another one.
  void check_current() const;
  /// The entry of a call, added to `table`. Throws Error(TW_STATUS_NOT_SUPPORTED), Error(TW_STATUS_OUT_OF_MEMORY).
  const Entry& resolve(Table& table, Request& request, tilewright::library::tuner::Want want);
  /// An entry for a call whose kernel failed to launch: another kernel, of the fallbacks where there are any. Null where none takes
  /// the call. Throws as resolve.
  const Entry* make_safe(Table& table, Request& request, const Entry& failed);
  /// Remembers, after the safe kernel was launched, that the other one was not.
  void remember_failure(const Request& request, const Entry& failed);

  const int device;
  const tw_context_options options;
  const tilewright::library::tuner::Allocator allocator;
  std::atomic<std::int64_t> epoch{0};
  std::atomic<int> scopes{0};
  /// As in tw_context_statistics.
  struct {
    std::atomic<std::int64_t> resolved{0}, from_cache{0}, from_wisdom{0}, tuned{0}, candidates{0}, measured{0},
        rejected{0}, launch_failures{0}, damaged_records{0};
  } counts;
  std::atomic<std::size_t> kept{0};  // bytes of workspaces
  Table table;                       // of operations without a pattern

 private:
  using Variants = std::vector<const tilewright::library::Variant*>;
  using Known = tilewright::library::tuner::Known;
  using Want = tilewright::library::tuner::Want;
  bool may_measure(Want want) const;
  bool is_settled(const Entry& entry, Want want) const;
  std::optional<Known> find_known(const std::string& key, const Request& request, bool forced);
  Variants order_for(const std::string& key, const Request& request);
  bool is_refused(const std::string& key, const tilewright::library::Variant& variant);
  void note_refused(const std::string& key, const tilewright::library::Variant& variant, const char* why);
  bool keep(Entry& entry, const Table& table, const Request& request, Want want, const char* without_workspace);
  void decide(Entry& entry, const Request& request, Want want, const char* without_workspace, bool measures);
  void measure(Entry& entry, const std::string& key, const Request& request, Variants others,
               const tilewright::library::Takes& takes, bool forced);
  const Entry& add(Table& table, const Request& request, std::unique_ptr<Entry> entry);

  tilewright::library::tuner::Cache cache_;
  std::map<std::string, std::optional<Known>> known_;  // empty: the cache was asked and had nothing
  std::map<std::pair<std::string, const tilewright::library::Variant*>, bool> refused_;
};
