// runtime.cpp - ranks variants for a problem, finds those that accept it, runs them.
#include "runtime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright::library {
namespace {

constexpr double kFar = 1000;  // between a number that is positive and one that is not
const double kOtherValue = std::log(2);  // of an operation value that differs
constexpr double kOwn = 0.05;  // of a timed workload that is the call's own but for its pattern's numbers
/// Of another one the variant is not taken where the model expects so many times the seconds of its fastest.
constexpr double kSlow = 1.5;

double difference(const Feature& a, const Feature& b) {
  if (a.number > 0 && b.number > 0) return std::fabs(std::log(a.number / b.number));
  return a.number == b.number ? 0 : kFar;
}

/// In which tier, and by which number there, a variant stands in the order; it may stand in several.
enum class Tier : std::uint8_t { same, model, rest };
struct Place {
  Tier tier;
  double key;
  const Variant* variant;
};
using Order = std::vector<Place>;

/// The fastest variants of all workloads, by their distance.
void add_nearest(Order& order, const Selection& all, const Asked& asked) {
  for (std::size_t i = 0; i < all.choice_count; ++i)
    if (const Choice& choice = all.choices[i]; !choice.alone)
      order.push_back({Tier::same, distance(asked, choice), all.variants + choice.variant});
  for (const Timing& timing : all.timings())
    order.push_back({Tier::same, distance(asked.features, timing.features()), all.variants + timing.fastest});
}

bool has_values(const Choice& choice, const std::vector<int>& values) {
  return !choice.values || std::equal(values.begin(), values.end(), choice.values);
}

/// Whether the model expects much more seconds of a variant than of its fastest. Not where it knows nothing of it.
bool is_slow(const Order& by_cost, const Variant* variant) {
  double best = std::numeric_limits<double>::infinity(), own = 0;
  for (const Place& place : by_cost) {
    best = std::min(best, place.key);
    if (place.variant == variant) own = place.key;
  }
  return own > kSlow * best;
}

/// Those of workloads that were timed and are as good as the call's own. `by_cost`: what the model expects of it.
void add_same(Order& order, const Selection& all, const Asked& asked, const Order& by_cost) {
  const auto add = [&](double away, std::size_t index) {
    const Variant* const variant = all.variants + index;
    if (away <= kSame && (away <= kOwn || !is_slow(by_cost, variant)))
      order.push_back({Tier::same, away, variant});
  };
  for (std::size_t i = 0; i < all.choice_count; ++i)
    if (const Choice& choice = all.choices[i]; choice.timed && !choice.alone && has_values(choice, asked.values))
      add(distance(asked.features, choice.features()), choice.variant);
  for (const Timing& timing : all.timings()) add(distance(asked.features, timing.features()), timing.fastest);
}

bool serves(const Variant& variant, const Asked& asked) {
  for (std::size_t i = 0; i < asked.values.size(); ++i)
    if ((variant.served[i] >> asked.values[i] & 1) == 0) return false;
  for (std::size_t i = 0; i < variant.fixed_count; ++i)
    for (const Feature& feature : asked.features)
      if (std::string_view(feature.name) == variant.fixed[i].size &&
          feature.number != static_cast<double>(variant.fixed[i].value))
        return false;
  return true;
}

/// Those that serve the call, by their expected seconds.
void add_by_cost(Order& order, const Selection& all, const Asked& asked) {
  double parts[kMostParts];
  for (std::size_t i = 0; i < all.variant_count; ++i) {
    const Variant& variant = all.variants[i];
    if (!serves(variant, asked)) continue;
    const std::size_t count = asked.cost_parts(variant.parameters(), parts);
    double seconds = 0;
    for (std::size_t part = 0; part < count; ++part)
      seconds += parts[part] * (part < variant.weight_count ? variant.weights[part] : 1);
    order.push_back({Tier::model, seconds, &variant});
  }
}

}  // namespace

double distance(const std::vector<Feature>& problem, std::span<const Feature> workload) {
  double sum = 0;
  for (const Feature& feature : problem) {
    const auto is_same = [&](const Feature& other) { return std::string_view(feature.name) == other.name; };
    const auto other = std::find_if(workload.begin(), workload.end(), is_same);
    if (other != workload.end()) sum += difference(feature, *other);
  }
  return sum;
}

double distance(const Asked& asked, const Choice& choice) {
  double sum = distance(asked.features, choice.features());
  for (std::size_t i = 0; choice.values && i < asked.values.size(); ++i)
    if (choice.values[i] != asked.values[i]) sum += kOtherValue;
  return sum;
}

std::vector<const Variant*> rank(const Selection& all, const Asked& asked) {
  Order order;
  if (all.has_costs && asked.cost_parts) {
    add_by_cost(order, all, asked);
    add_same(order, all, asked, Order(order));
  } else {
    add_nearest(order, all, asked);
  }
  for (const bool fallback : {false, true})
    for (std::size_t i = 0; i < all.variant_count; ++i)
      if (all.variants[i].fallback == fallback) order.push_back({Tier::rest, 0, all.variants + i});
  std::stable_sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
    return a.tier != b.tier ? a.tier < b.tier : a.key < b.key;
  });
  std::vector<const Variant*> ranked;
  std::vector<bool> is_ranked(all.variant_count);
  for (const Place& place : order) {
    const auto index = static_cast<std::size_t>(place.variant - all.variants);
    if (!is_ranked[index]) ranked.push_back(place.variant);
    is_ranked[index] = true;
  }
  return ranked;
}

std::string refusal(const Variant& variant, const Asked& asked) {
  if (serves(variant, asked)) return {};
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    const auto& [name, values] = asked.names[i];
    if ((variant.served[i] >> asked.values[i] & 1) != 0) continue;
    std::string served;
    for (unsigned value = 0; values[value]; ++value)
      if ((variant.served[i] >> value & 1) != 0) served += (served.empty() ? "" : " or ") + std::string(values[value]);
    return "made for " + std::string(name) + " " + served + ", not " + values[asked.values[i]];
  }
  for (std::size_t i = 0; i < variant.fixed_count; ++i)
    for (const Feature& feature : asked.features)
      if (std::string_view(feature.name) == variant.fixed[i].size &&
          feature.number != static_cast<double>(variant.fixed[i].value))
        return "made for " + std::string(feature.name) + " " + std::to_string(variant.fixed[i].value) + ", not " +
               std::to_string(static_cast<std::int64_t>(feature.number));
  return {};
}

void refuse(const char* text) { throw Error(TW_STATUS_INVALID_ARGUMENT, text); }

void Candidate::refuse(const void* memory, std::size_t bytes) const {
  if (!memory || bytes < workspace.bytes)
    throw Error(TW_STATUS_WORKSPACE_TOO_SMALL, "the plan needs a workspace of " + std::to_string(workspace.bytes) +
                                                   " bytes, got " + std::to_string(memory ? bytes : 0));
  require_aligned(memory, kWorkspaceAlignment, "workspace");
}

void AddressRule::refuse(const void* call) const {
  const auto* const address = tilewright::detail::load<const void*>(static_cast<const std::byte*>(call) + from);
  require(address || !needed, [&] { return std::string(name) + " is null"; });
  require_aligned(address, alignment, name);
}

Plan::Plan(const std::vector<const Variant*>& order, const Asked& asked, const Bind& bind, const Takes& takes) {
  const DeviceLimits limits = device::limits();
  const bool fallbacks =
      std::any_of(order.begin(), order.end(), [](const Variant* variant) { return variant->fallback; });
  std::string first_refusal;
  for (const Variant* variant : order) {
    if (!candidates_.empty() && takes) return;
    if (!candidates_.empty() && fallbacks && !variant->fallback) continue;
    try {
      add(*variant, asked, limits, bind, takes);
    } catch (const Unsupported& refusal) {
      if (first_refusal.empty()) first_refusal = std::string(variant->id) + ": " + refusal.what();
    }
  }
  if (candidates_.empty())
    throw Error(TW_STATUS_NOT_SUPPORTED, "none of the " + std::to_string(order.size()) +
                                             " kernels in this library serves the problem; the nearest, " +
                                             first_refusal);
}

Plan::Plan(const Variant& vendor, VendorCall call) {
  Workspace workspace;
  workspace.bytes = std::max<std::size_t>(call.workspace_bytes, 1);  // one that is written: such calls are not captured
  candidates_.push_back({&vendor, std::move(workspace), {}, std::move(call.program)});
}

std::vector<const Variant*> Plan::variants() const {
  std::vector<const Variant*> variants;
  for (const Candidate& candidate : candidates_) variants.push_back(candidate.variant);
  return variants;
}

void Plan::add(const Variant& variant, const Asked& asked, const DeviceLimits& limits, const Bind& bind,
               const Takes& takes) {
  if (const std::string refusal = library::refusal(variant, asked); !refusal.empty()) throw Unsupported(refusal);
  if (const std::string refusal = device::refusal(variant, limits); !refusal.empty())
    throw Unsupported(refusal);
  Bound bound = bind(variant.parameters(), limits);
  if (!candidates_.empty() && bound.workspace.bytes > 0) return;
  Candidate candidate{&variant, std::move(bound.workspace), std::move(bound.requirements), nullptr};
  if (const char* refusal = takes ? takes(candidate) : nullptr) throw Unsupported(refusal);
  candidate.program = device::load(variant, limits, bound.launches);
  candidates_.push_back(std::move(candidate));
}

void Plan::prepare(void* workspace, std::size_t workspace_bytes, tw_stream stream) const {
  const Workspace& needed = candidates_.front().workspace;
  candidates_.front().check(workspace, workspace_bytes);
  if (!needed.contents.empty())
    device::copy(workspace, needed.contents.data(), needed.contents.size(), stream);
  candidates_.front().program->prepare(workspace, stream);
}

void Plan::refuse(const void* call) const {
  const Candidate& chosen = candidates_.front();
  throw Error(TW_STATUS_NOT_SUPPORTED,
              std::string(chosen.variant->id) + ": " + chosen.requirements.unmet(call)->text());
}

}  // namespace tilewright::library
