// promise.cpp - speeds of kernels on workloads near a call, as the library's evidence has them.
#include "tuner/promise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace tilewright::library::tuner {
namespace {

using Variants = std::vector<const Variant*>;

constexpr std::size_t kMost = 8;        // measured for one key
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

std::vector<const Variant*> promising(tw_context& context, const Request& request, Variants others) {
  const Selection& all = *request.all;
  const Asked& asked = request.asked;
  std::erase_if(others, [&](const Variant* one) { return !refusal(*one, asked).empty(); });
  context.counts.candidates += static_cast<std::int64_t>(others.size()) + 1;
  const std::vector<Neighbour> nearest = neighbours(others, all, asked);
  std::map<const Variant*, std::pair<double, double>> promise;  // speed, merit
  for (const Variant* one : others)
    promise[one] = {expected_speed(static_cast<std::size_t>(one - all.variants), nearest), merit_of(*one, all, asked)};
  std::stable_sort(others.begin(), others.end(),
                   [&](const Variant* a, const Variant* b) { return promise[a] > promise[b]; });
  if (context.options.exhaustive) return others;
  const std::size_t half = std::max<std::size_t>(2, (others.size() + 1) / 2);
  others.resize(std::min({others.size(), half - 1, kMost - 1}));
  return others;
}

}  // namespace tilewright::library::tuner
