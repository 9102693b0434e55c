// promise.cpp - speeds of kernels on workloads near a call, as the library's evidence has them.
#include "tuner/promise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace tilewright::library::tuner {
namespace {

using Variants = std::vector<const Variant*>;

constexpr std::size_t kMost = 8;        // measured for one key
constexpr double kSlow = 0.6;           // of the fastest one's expected speed: a timed kernel below is not measured
constexpr double kUnlikely = 0.4;       // of the best merit: a kernel that was never timed is not measured below
constexpr std::size_t kNeighbours = 2;  // timed workloads that are looked at
/// Workloads that are nearer than this count about alike: half an octave.
constexpr double kAlike = 0.3;

/// A timed workload and how far it is from the call.
struct Neighbour {
  double away;
  const Timing* timing;
};

/// The nearest timings that have any of the variants.
std::vector<Neighbour> neighbours(const Variants& variants, const Selection& all, const Asked& asked) {
  std::vector<Neighbour> order;
  for (const Timing& timing : all.timings()) {
    const auto has = [&](const Variant* one) { return timing.speeds[one - all.variants] > 0; };
    if (std::any_of(variants.begin(), variants.end(), has))
      order.push_back({distance(asked.features, timing.features()), &timing});
  }
  std::stable_sort(order.begin(), order.end(), [](const Neighbour& a, const Neighbour& b) { return a.away < b.away; });
  if (order.size() > kNeighbours) order.resize(kNeighbours);
  return order;
}

/// Mean of a variant's speeds, the nearer ones counting more; 0 where it was not timed.
double expected_speed(std::size_t variant, const std::vector<Neighbour>& nearest) {
  double sum = 0, weights = 0;
  for (const auto& [away, timing] : nearest) {
    const double speed = timing->speeds[variant], weight = speed > 0 ? 1 / (kAlike + away) : 0;
    sum += weight * speed, weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

/// Knowledge of a kernel before it is measured.
struct Promise {
  const Variant* variant;
  double speed;  // expected, 0 where it was not timed
  double merit;
  bool is_timed() const { return speed > 0; }
};

double most(const std::vector<Promise>& all, double Promise::*what) {
  double most = 0;
  for (const Promise& one : all) most = std::max(most, one.*what);
  return most;
}

/// Speeds of merits: that of the fastest timed kernel is its speed.
double speed_of_merit(const std::vector<Promise>& all) {
  const Promise* fastest = nullptr;
  for (const Promise& one : all)
    if (one.is_timed() && one.merit > 0 && (!fastest || one.speed > fastest->speed)) fastest = &one;
  return fastest ? fastest->speed / fastest->merit : 1;
}

/// The most promising first. Guesses are worse than times: of the kernels that were timed on near workloads at most `most_timed` are
/// kept, of the others all that are not unlikely.
Variants by_promise(std::vector<Promise> all, std::size_t most_timed) {
  const double slow = kSlow * most(all, &Promise::speed), unlikely = kUnlikely * most(all, &Promise::merit);
  const double scale = speed_of_merit(all);
  const auto expected = [&](const Promise& one) { return one.is_timed() ? one.speed : scale * one.merit; };
  std::stable_sort(all.begin(), all.end(), [&](const Promise& a, const Promise& b) { return expected(a) > expected(b); });
  Variants kept;
  std::size_t timed = 0;
  for (const Promise& one : all)
    if (one.is_timed() ? one.speed >= slow && timed++ < most_timed : one.merit >= unlikely) kept.push_back(one.variant);
  if (kept.size() > kMost - 1) kept.resize(kMost - 1);
  return kept;
}

}  // namespace

double merit_of(const Variant& variant, const Selection& all, const Asked& asked) {
  const std::less<const Variant*> before;
  if (before(&variant, all.variants) || !before(&variant, all.variants + all.variant_count)) return 0;  // another library's
  double nearest = HUGE_VAL, merit = 0;
  for (std::size_t i = 0; i < all.choice_count; ++i) {
    const Choice& choice = all.choices[i];
    for (const Merit& own : choice.merits())
      if (all.variants + own.variant == &variant)
        if (const double away = distance(asked, choice); away < nearest) nearest = away, merit = own.merit;
  }
  return merit;
}

Promising promising(tw_context& context, const Request& request, Variants others) {
  const Selection& all = *request.all;
  const Asked& asked = request.asked;
  std::erase_if(others, [&](const Variant* one) { return !refusal(*one, asked).empty(); });
  context.counts.candidates += static_cast<std::int64_t>(others.size()) + 1;
  const std::vector<Neighbour> nearest = neighbours(others, all, asked);
  if (context.options.exhaustive) return {std::move(others), std::size_t(-1)};
  std::vector<Promise> promises;
  for (const Variant* one : others)
    promises.push_back({one, expected_speed(static_cast<std::size_t>(one - all.variants), nearest), merit_of(*one, all, asked)});
  const std::size_t half = std::max<std::size_t>(2, (others.size() + 1) / 2);
  return {by_promise(std::move(promises), half - 1), half};
}

}  // namespace tilewright::library::tuner
