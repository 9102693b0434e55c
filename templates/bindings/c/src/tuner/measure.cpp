// measure.cpp - a race among the kernels that take a call, and the check of who wins it.
#include "tuner/measure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tuner/promise.hpp"
#include "tuner/race.hpp"

namespace tilewright::library::tuner {
namespace {

/// Kernels that are bound before other libraries' functions: those must not find that time is up.
constexpr std::size_t kAheadOfVendors = 3;

/// `room`: bytes that a workspace may take beside the scratch. `load`: see Vendor.
void enter_others(Race& race, const Request& request, const std::vector<const Variant*>& others, const Takes& takes,
                  std::size_t room, bool load) {
  for (const Variant* one : others) {
    if (race.is_late_to_bind()) return;
    const bool in_order = !vendor_of(*one, *request.all);
    if (in_order && race.is_decided()) continue;
    try {
      auto plan = plan_of(*one, request, takes, load);
      if (plan->workspace_bytes() <= room) race.enter(std::move(plan), in_order);
    } catch (const Error&) {  // it does not take the call
    }
  }
}

/// Functions of other libraries, which need not give equal bits.
std::vector<const Variant*> vendors_of(const tw_context& context, const Request& request, const Variant& usual) {
  std::vector<const Variant*> all;
  if (context.options.deterministic) return all;
  for (const Vendor& vendor : request.all->vendors)
    if (&vendor.variant != &usual) all.push_back(&vendor.variant);
  return all;
}

/// Microseconds with three decimals, in JSON whatever the process's locale.
std::string microseconds(double seconds) {
  const long long nanoseconds = std::llround(seconds * 1e9);
  const std::string rest = std::to_string(nanoseconds % 1000);
  return std::to_string(nanoseconds / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

std::string table_of(const std::vector<Contender*>& order) {
  std::string text;
  for (const Contender* one : order)
    text += (text.empty() ? "[\"" : ",[\"") + std::string(one->plan->variant().id) + "\"," +
            microseconds(one->seconds()) + "]";
  return "[" + text + "]";
}

/// Share of the budget that the reference kernel may take.
constexpr double kToRefer = 0.3;

/// The kernel that others are compared with: the slowest fallback by the family's guess, which takes every call; of large
/// products, which take that longer than it may, the next one. `usual` took `seconds`.
std::unique_ptr<const Plan> reference_for(const Request& request, const Takes& takes, const Variant& usual, double seconds,
                                          double most) {
  std::vector<std::pair<double, const Variant*>> order;  // by merit
  const auto merit = [&](const Variant& one) { return merit_of(one, *request.all, request.asked); };
  for (std::size_t i = 0; i < request.all->variant_count; ++i)
    if (request.all->variants[i].fallback) order.emplace_back(merit(request.all->variants[i]), request.all->variants + i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const double least = merit(usual) * seconds / most;  // merit of a kernel that takes all the time that there is
  const auto fits = [&](const auto& one) { return one.first >= least; };
  const auto rest = std::stable_partition(order.begin(), order.end(), fits);
  std::reverse(rest, order.end());
  std::vector<const Variant*> variants;
  for (const auto& [own, variant] : order) variants.push_back(variant);
  try {
    return std::make_unique<const Plan>(variants, request.asked, request.bind, takes);
  } catch (const Error&) {
    return nullptr;
  }
}

/// Runs kernels once on poison and compares them with the reference kernel, which has run when it is made: of the budget, little
/// more than that of two runs is left to the check of a winner.
class Check {
 public:
  Check(Race& race, const Request& request, const Takes& takes, const Variant& usual) : race_(race), request_(request) {
    try {
      run_reference(takes, usual);
    } catch (const Error&) {  // it does not run here: nothing is compared
    }
  }
  /// Nothing where the kernel is right.
  std::optional<Rejection> rejects(const Contender& one) {
    try {
      if (is_right(one)) return {};
      return Rejection{"wrong"};
    } catch (const Error& error) {
      return Rejection{error.status() == TW_STATUS_LAUNCH_FAILED ? "launch failed" : nullptr};
    }
  }
  /// The reference kernel, which is right by definition; null where the call has none.
  std::unique_ptr<const Plan> take_reference() { return std::move(reference_); }

 private:
  bool is_right(const Contender& one) {
    race_.run_fresh(one);
    if (!race_.scratch().is_written(request_.stream)) return false;
    const Variant& variant = one.plan->variant();
    if (!reference_ || &variant == &reference_->variant()) return true;
    const auto first = sample(race_.scratch(), request_);
    if (!agree(first, samples_, request_)) return false;
    if (!variant.deterministic) return true;
    race_.run_fresh(one);
    return sample(race_.scratch(), request_) == first;
  }
  void run_reference(const Takes& takes, const Variant& usual) {
    Contender reference;
    reference.plan = reference_for(request_, takes, usual, race_.shortest(), race_.budget(kToRefer));
    if (!reference.plan || !race_.make_workspace(reference)) return;
    race_.run_fresh(reference);
    samples_ = sample(race_.scratch(), request_);
    reference_ = std::move(reference.plan);
  }
  Race& race_;
  const Request& request_;
  std::unique_ptr<const Plan> reference_;
  std::vector<std::vector<std::byte>> samples_;
};

}  // namespace

double timed_distance(const Variant& variant, const Selection& all, const Asked& asked) {
  double nearest = HUGE_VAL;
  for (std::size_t i = 0; i < all.choice_count; ++i)
    if (all.choices[i].timed && all.variants + all.choices[i].variant == &variant)
      nearest = std::min(nearest, distance(asked, all.choices[i]));
  for (const Timing& timing : all.timings())
    if (all.variants + timing.fastest == &variant)
      nearest = std::min(nearest, distance(asked.features, timing.features()));
  return nearest;
}

const Vendor* vendor_of(const Variant& variant, const Selection& all) {
  for (const Vendor& vendor : all.vendors)
    if (&vendor.variant == &variant) return &vendor;
  return nullptr;
}

std::unique_ptr<const Plan> plan_of(const Variant& variant, const Request& request, const Takes& takes, bool load) {
  const Vendor* const vendor = vendor_of(variant, *request.all);
  if (!vendor) return std::make_unique<const Plan>(std::vector{&variant}, request.asked, request.bind, takes);
  try {
    return std::make_unique<const Plan>(variant, vendor->bind(request.problem.get(), request.call.data(), load));
  } catch (const Unsupported& why) {
    throw Error(TW_STATUS_NOT_SUPPORTED, std::string(variant.id) + ": " + why.what());
  }
}

std::size_t scratch_limit(const tw_context_options& options) {
  return options.scratch_limit ? options.scratch_limit : std::size_t{1} << 30;
}

Outcome measure(tw_context& context, const Request& request, std::unique_ptr<const Plan> usual,
                const std::vector<const Variant*>& others, const Takes& takes) {
  const std::size_t limit = scratch_limit(context.options), taken = Scratch::bytes_of(request);
  if (taken > limit) return {std::move(usual)};
  Race race(context, request);
  if (!race.has_scratch()) return {std::move(usual)};
  race.scratch().reset(request.stream);
  const Variant& usual_variant = usual->variant();
  if (!race.enter(std::move(usual)))
    return {plan_of(usual_variant, request, takes, true)};
  Check check(race, request, takes, usual_variant);
  auto [order_of_entry, sampled] = promising(context, request, others);
  const std::vector<const Variant*> vendors = vendors_of(context, request, usual_variant);
  const auto behind_the_first = order_of_entry.begin() + static_cast<std::ptrdiff_t>(std::min(kAheadOfVendors, order_of_entry.size()));
  order_of_entry.insert(behind_the_first, vendors.begin(), vendors.end());
  enter_others(race, request, order_of_entry, takes, limit - taken, context.options.exhaustive);
  race.run(sampled);

  const std::vector<Contender*> order = race.ranking();
  Outcome outcome{nullptr, table_of(order)};
  context.counts.measured += static_cast<std::int64_t>(order.size());
  for (Contender* one : order) {
    if (const std::optional<Rejection> rejection = check.rejects(*one)) {
      ++context.counts.rejected;
      outcome.rejected.emplace_back(&one->plan->variant(), *rejection);
      continue;
    }
    outcome.winner = std::move(one->plan);
    break;
  }
  if (!outcome.winner) outcome.winner = check.take_reference();
  if (!outcome.winner) throw Error(TW_STATUS_INTERNAL, "every kernel that was measured is wrong or fails");
  return outcome;
}

}  // namespace tilewright::library::tuner
