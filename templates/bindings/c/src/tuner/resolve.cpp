// resolve.cpp - the order in which a call's kernel is looked for.
#include <algorithm>
#include <cmath>

#include "tuner/context.hpp"
#include "tuner/measure.hpp"

namespace tilewright::library::tuner {
namespace {

/// Epochs that no context has. An entry serves until somebody may measure; or the one call that it was made for.
constexpr std::int64_t kUntilMeasured = -2, kOnce = -3;

/// Keys that a context knows, and pairs of a key and a kernel: far more than buckets of sizes make where it is used as it is meant.
constexpr std::size_t kMostKeys = 4096;

/// Entries of calls that their table has no room for: each thread has its last ones.
const Entry& keep_shortly(std::unique_ptr<const Entry> entry) {
  thread_local std::array<std::unique_ptr<const Entry>, 4> last;  // a call has two at most: one whose kernel failed, and a safe one
  thread_local std::size_t count = 0;
  return *(last[count++ % last.size()] = std::move(entry));
}

/// Tells captured calls apart, in a hash.
constexpr std::uint64_t kCaptured = 0x5851f42d4c957f2d;

/// Distance of a timed workload that still tells something of the call.
constexpr double kNear = 3 * kSame;

/// By how near a timed workload is that the policy gives to the variant.
Origin origin_of(const Variant& variant, const Selection& all, const Asked& asked) {
  const double away = timed_distance(variant, all, asked);
  if (away <= kNear) return away <= kSame ? Origin::wisdom : Origin::neighbour;
  const bool is_named = std::any_of(all.choices, all.choices + all.choice_count, [&](const Choice& choice) {
    return !choice.alone && all.variants + choice.variant == &variant;
  });
  return variant.fallback && !is_named ? Origin::fallback : Origin::heuristic;
}

/// The very kernel that a record names, or null: libraries differ in what they carry.
const Variant* variant_of(const Record& record, const Selection& all) {
  const Variant* const end = all.variants + all.variant_count;
  const auto is_named = [&](const Variant& one) { return record.variant == one.id && record.hash == one.hash; };
  const Variant* const found = std::find_if(all.variants, end, is_named);
  if (found != end) return found;
  for (const Vendor& vendor : all.vendors)
    if (is_named(vendor.variant)) return &vendor.variant;
  return nullptr;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// Writes the report of an entry that has its plan and its origin.
void describe(Entry& entry, const Request& request, const std::string& key, const std::string& measured) {
  entry.key = key;
  entry.measured = measured;
  entry.report = "{\"operation\":" + quoted(request.operation) + ",\"key\":" + quoted(key) +
                 ",\"variant\":" + quoted(entry.plan->variant().id) + ",\"origin\":" + quoted(name_of(entry.origin)) +
                 ",\"workspaceBytes\":" + std::to_string(entry.plan->workspace_bytes()) +
                 ",\"measured\":" + (measured.empty() ? "[]" : measured) + "}";
}

/// Takes what another process measured first, so that all of them agree. False where it does not take the call, or would need
/// more memory than this context's functions may.
bool adopt(Entry& entry, const Request& request, const Variant& variant, const Takes& takes, std::size_t most) {
  try {
    auto plan = plan_of(variant, request, takes, true);
    if (plan->workspace_bytes() > most) return false;
    entry.plan = std::move(plan);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Whether looking again came to what there was.
bool is_same(const Entry& there, const Entry& entry) {
  return &there.plan->variant() == &entry.plan->variant() && there.origin == entry.origin && there.safe == entry.safe &&
         there.report == entry.report;
}

/// Reason for which a call can have no workspace; null where it can.
const char* without_workspace(const tw_context& context, Table& table, bool capturing) {
  if (capturing) return "needs a workspace, and none can be allocated while the stream is being captured";
  if (table.is_full()) return "needs a workspace, and as many calls as there may be are kept already";
  return context.kept >= kMostKept + table.spare().bytes() ? "needs a workspace, and those of other calls take all the memory that they may" : nullptr;
}

/// Kernels that take the very call: whose requirements hold for its addresses and scalars, and that need no workspace where none
/// can be had: see without_workspace().
Takes takes(const Request& request, const char* without_workspace) {
  return [call = request.call.data(), without_workspace](const Candidate& candidate) -> const char* {
    if (without_workspace && candidate.workspace.bytes > 0) return without_workspace;
    const Requirement* unmet = candidate.requirements.unmet(call);
    return unmet ? unmet->reason : nullptr;
  };
}

}  // namespace
}  // namespace tilewright::library::tuner

using namespace tilewright::library;
using namespace tilewright::library::tuner;

tw_context::tw_context(int device, const tw_context_options& options)
    : device(device),
      options(options),
      allocator{options.allocate, options.release, options.user, device, device::generation()},
      cache_(options.cache, device::environment()) {}

void tw_context::check_current() const {
  require(device == device::current(), "the context is of another device than the calling thread's current one");
  check_device();
}

bool tw_context::may_measure(Want want) const {
  if (want != Want::serve) return want == Want::tune;
  if (options.policy == TW_POLICY_SCOPED) return scopes.load() > 0;
  return options.policy == TW_POLICY_ON_MISS || options.policy == TW_POLICY_FORCE;
}

/// Whether measuring would be waste.
bool tw_context::is_settled(const Entry& entry, Want want) const {
  if (want == Want::tune) return false;
  if (entry.origin == Origin::tuned) return true;
  return options.policy != TW_POLICY_FORCE && entry.origin <= Origin::wisdom;
}

tw_context::Variants tw_context::order_for(const std::string& key, const Request& request) {
  Variants order = rank(*request.all, request.asked);
  std::erase_if(order, [&](const Variant* variant) {
    return (options.deterministic && !variant->deterministic) || is_refused(key, *variant);
  });
  return order;
}

/// Whether the kernel failed a call of the key before, in this process or another one.
bool tw_context::is_refused(const std::string& key, const Variant& variant) {
  const std::lock_guard lock(settling());
  const auto [at, is_new] = refused_.try_emplace({key, &variant}, false);
  if (is_new) at->second = cache_.is_refused(key, variant.id, variant.hash, counts.damaged_records);
  const bool refused = at->second;
  if (refused_.size() > kMostKeys) std::erase_if(refused_, [](const auto& one) { return !one.second; });
  return refused;
}

void tw_context::note_refused(const std::string& key, const Variant& variant, const char* why) {
  cache_.refuse({key, variant.id, variant.hash, why, ""});
  const std::lock_guard lock(settling());
  refused_.insert_or_assign({key, &variant}, true);
  if (const auto known = known_.find(key); known != known_.end() && known->second && known->second->variant == &variant)
    known_.erase(known);
}

/// Knowledge of a key in this process or, asked once, in the user's cache.
std::optional<Known> tw_context::find_known(const std::string& key, const Request& request, bool forced) {
  const std::lock_guard lock(settling());
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (forced) return {};
  if (known_.size() >= kMostKeys) known_.erase(known_.begin());
  std::optional<Known>& known = known_[key];
  const std::optional<Record> record = cache_.find(key, counts.damaged_records);
  if (const Variant* variant = record ? variant_of(*record, *request.all) : nullptr)
    known = Known{variant, Origin::cache, record->measured};
  return known;
}

const tw_context::Entry& tw_context::resolve(Table& table, Request& request, Want want) {
  const device::CaptureGuard guard;
  check_current();
  const bool capturing = device::capturing(request.stream);
  require(!capturing || want != Want::tune, "the stream is being captured: nothing can be measured on it");
  if (capturing) request.words[request.capture_word] |= 1, request.hash ^= kCaptured;
  std::unique_lock lock(measuring(), std::defer_lock);
  if (want == Want::tune)
    lock.lock();
  else if (!capturing && may_measure(want))
    static_cast<void>(lock.try_lock());  // where another thread measures, this one does not wait
  const Entry* there = table.find(request.words, request.hash);
  const std::int64_t now = epoch;
  if (there && there->until == kUntilMeasured && !capturing && !may_measure(Want::serve)) there->until = now;  // nobody will measure it
  if (there && want != Want::tune && (holds(*there) || (there->until == kUntilMeasured && !lock.owns_lock())))
    return *there;
  const char* const without = without_workspace(*this, table, capturing);
  require(want != Want::tune || !without, "nothing more is measured: as many calls or workspaces as there may be are kept");
  ++counts.resolved;
  auto entry = std::make_unique<Entry>();
  if (!keep(*entry, table, request, want, without)) decide(*entry, request, want, without, lock.owns_lock() && !without);
  if (without && !capturing && entry->until == kUntilMeasured) entry->until = epoch.load();  // nobody will measure it
  if (!there || !is_same(*there, *entry)) return add(table, request, std::move(entry));
  there->until = entry->until.load();
  return *there;
}

/// Gives the entry a plan of the kernel that served such calls before the pattern was replaced. False where that is to be chosen anew:
/// the key is another one now, what was chosen does not hold any more, or the kernel does not take the call.
bool tw_context::keep(Entry& entry, const Table& table, const Request& request, Want want, const char* without_workspace) {
  const Former* const former = want == Want::tune || request.empty ? nullptr : table.former(request.words);
  if (!former || !holds(former->until)) return false;
  const std::string key = key_of(request, options.deterministic);
  if (key != former->key || is_refused(key, *former->variant)) return false;
  if (without_workspace && vendor_of(*former->variant, *request.all)) return false;
  if (!adopt(entry, request, *former->variant, takes(request, without_workspace), scratch_limit(options))) return false;
  entry.origin = former->origin;
  entry.until = former->until;
  describe(entry, request, key, former->measured);
  return true;
}

/// Gives the entry its plan.
void tw_context::decide(Entry& entry, const Request& request, Want want, const char* without_workspace, bool measures) {
  const std::int64_t now = epoch;
  const std::string key = key_of(request, options.deterministic);
  const Takes wanted = takes(request, without_workspace);
  const bool forced = want == Want::tune || options.policy == TW_POLICY_FORCE;
  const std::optional<Known> known = find_known(key, request, forced);
  Variants order = order_for(key, request);
  if (known && std::find(order.begin(), order.end(), known->variant) != order.end())
    order.insert(order.begin(), known->variant);
  const bool vendor = known && vendor_of(*known->variant, *request.all) && !without_workspace && !options.deterministic &&
                      !is_refused(key, *known->variant);
  if (!vendor || !adopt(entry, request, *known->variant, wanted, scratch_limit(options)))
    entry.plan = std::make_unique<const Plan>(order, request.asked, request.bind, wanted);
  const Variant* usual = &entry.plan->variant();
  const bool as_known = known && known->variant == usual;
  entry.origin = as_known ? known->origin : origin_of(*usual, *request.all, request.asked);
  entry.until = request.empty || is_settled(entry, want) ? kSettled : now;
  if (entry.until != kSettled && measures) return measure(entry, key, request, order, wanted, forced);
  // Whoever may measure asks again with the next call: now the stream is being captured, or another thread measures.
  if (entry.until != kSettled && may_measure(Want::serve)) entry.until = kUntilMeasured;
  if (entry.origin == Origin::cache) ++counts.from_cache;
  if (entry.origin == Origin::wisdom) ++counts.from_wisdom;
  describe(entry, request, key, as_known ? known->measured : "");
}

void tw_context::measure(Entry& entry, const std::string& key, const Request& request, Variants others,
                         const Takes& takes, bool forced) {
  const Variant* usual = &entry.plan->variant();
  std::erase(others, usual);
  Outcome outcome = tuner::measure(*this, request, std::move(entry.plan), others, takes);
  entry.plan = std::move(outcome.winner);
  entry.until = kSettled;
  if (outcome.measured.empty()) {  // there was no scratch to measure in: what usually serves does
    describe(entry, request, key, "");
    return;
  }
  for (const auto& [variant, rejection] : outcome.rejected)
    if (rejection.why) note_refused(key, *variant, rejection.why);
  const Variant* winner = &entry.plan->variant();
  entry.origin = Origin::tuned;
  std::string measured = outcome.measured;
  const Record own{key, winner->id, winner->hash, "", measured}, held = cache_.publish(own, forced);
  const Variant* const first = variant_of(held, *request.all);
  if (!first || is_refused(key, *first))
    cache_.publish(own, true);  // what is kept there is of another library, or was found wrong
  else if (first != winner && adopt(entry, request, *first, takes, scratch_limit(options)))
    winner = first, measured = held.measured, entry.origin = Origin::cache;
  describe(entry, request, key, measured);
  ++counts.tuned;
  const std::lock_guard lock(settling());
  known_.insert_or_assign(key, Known{winner, entry.origin, measured});
  ++epoch;  // calls of the same key that were served otherwise look again
}

const tw_context::Entry* tw_context::make_safe(Table& table, Request& request, const Entry& failed) {
  const device::CaptureGuard guard;
  const bool capturing = device::capturing(request.stream);
  if (capturing) request.words[request.capture_word] |= 1, request.hash ^= kCaptured;
  const std::string key = key_of(request, options.deterministic);
  Variants order = order_for(key, request);
  std::erase(order, &failed.plan->variant());
  const bool fallbacks = std::any_of(order.begin(), order.end(), [](const Variant* one) { return one->fallback; });
  if (fallbacks) std::erase_if(order, [](const Variant* one) { return !one->fallback; });
  auto entry = std::make_unique<Entry>();
  try {
    entry->plan = std::make_unique<const Plan>(order, request.asked, request.bind, takes(request, without_workspace(*this, table, capturing)));
  } catch (const Error& error) {
    if (error.status() != TW_STATUS_NOT_SUPPORTED) throw;
    return nullptr;
  }
  entry->origin = Origin::fallback;
  entry->safe = true;
  entry->until = kOnce;
  describe(*entry, request, key, "");
  return &add(table, request, std::move(entry));
}

void tw_context::remember_failure(const Request& request, const Entry& failed) {
  ++counts.launch_failures;
  note_refused(key_of(request, options.deterministic), failed.plan->variant(), "launch failed");
}

const tw_context::Entry& tw_context::add(Table& table, const Request& request, std::unique_ptr<Entry> entry) {
  entry->words = request.words;
  entry->hash = request.hash;
  entry->empty = request.empty;
  entry->addresses = request.addresses;
  entry->problem = request.problem;
  entry->workspaces = std::make_unique<Workspaces>(*entry->plan, allocator, kept, table.spare());
  const std::lock_guard lock(settling());
  if (table.is_full() && entry->plan->workspace_bytes() == 0) return keep_shortly(std::move(entry));
  return *table.put(std::move(entry));
}
