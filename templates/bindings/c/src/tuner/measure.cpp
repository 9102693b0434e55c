// measure.cpp - a race among the kernels that take a call.
#include "tuner/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tilewright::library::tuner {
namespace {

constexpr std::size_t kMostCandidates = 8;   // bound and timed for one key
constexpr double kWorthwhile = 0.8, kUnlikely = 0.5;  // of the best merit: measured always, never
constexpr std::size_t kNearest = 3;  // of those that were the fastest nearby
constexpr double kNearby = 2.1;      // three octaves in all features together
constexpr double kToBind = 0.4;  // of the budget; the rest is for rounds and the check
constexpr int kRounds = 5;
constexpr double kShortest = 200e-6;  // seconds of a sample
constexpr int kMostRuns = 50;         // of a sample
constexpr double kFarBehind = 1.5;    // times the best: no more samples
constexpr double kGain = 0.03;        // by which the usual kernel must be beaten

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Contender {
  std::unique_ptr<const Plan> plan;
  Memory workspace;
  std::vector<double> samples;
  int runs = 1;  // of a sample
  bool racing = true;
  double seconds() const { return median(samples); }
  /// Median distance from the median.
  double noise() const {
    const double middle = seconds();
    std::vector<double> distances;
    for (const double sample : samples) distances.push_back(std::fabs(sample - middle));
    return median(distances);
  }
};

/// The family's guess for a variant at the nearest workload that it serves; 0 where there is none.
double merit_of(const Variant& variant, const Selection& all, const Asked& asked) {
  double nearest = HUGE_VAL, merit = 0;
  for (std::size_t i = 0; i < all.choice_count; ++i) {
    const Choice& choice = all.choices[i];
    const double own = choice.merits ? choice.merits[&variant - all.variants] : 0;
    const double away = distance(asked.features, choice);
    if (own > 0 && away < nearest) nearest = away, merit = own;
  }
  return merit;
}

class Race {
 public:
  Race(tw_context& context, const Request& request)
      : context_(context),
        request_(request),
        scratch_(context.allocator, request),
        clock_(device::make_clock()),
        begin_(Steady::now()) {}

  bool has_scratch() const { return static_cast<bool>(scratch_); }
  const Scratch& scratch() const { return scratch_; }
  std::vector<Contender>& contenders() { return contenders_; }

  /// Adds a plan and times it once. False where it does not run.
  bool enter(std::unique_ptr<const Plan> plan) {
    Contender one;
    one.plan = std::move(plan);
    if (!make_workspace(one)) return false;
    try {
      run(one);  // loads the kernel
      clock_->start(request_.stream);
      run(one);
      const double seconds = clock_->stop(request_.stream);
      one.samples.push_back(seconds);
      one.runs = std::clamp(static_cast<int>(kShortest / std::max(seconds, 1e-9)), 1, kMostRuns);
    } catch (const Error&) {
      return false;
    }
    contenders_.push_back(std::move(one));
    return true;
  }

  /// Takes samples in turns.
  void run_rounds() {
    for (int round = 0; round < kRounds && !(round > 0 && is_late()); ++round) {
      drop_slow();
      for (Contender& one : contenders_)
        if (one.racing) one.samples.push_back(sample(one));
      if (round == 0)  // what came before was one run with the clock's own cost
        for (Contender& one : contenders_)
          if (one.racing) one.samples.erase(one.samples.begin());
    }
  }

  /// One run on fresh scratch.
  void run_fresh(const Contender& one) {
    scratch_.reset(request_.stream);
    run(one);
  }

  bool is_late() const {
    return !context_.options.exhaustive && milliseconds() > budget();
  }
  /// Whether no other kernel should be bound: rounds and the check need the rest of the budget.
  bool is_half_over() const { return !context_.options.exhaustive && milliseconds() > kToBind * budget(); }

  void run(const Contender& one) const {
    std::vector<std::byte> call = scratch_.call();
    void* const workspace = one.workspace.data();
    std::memcpy(call.data() + request_.workspace_at, &workspace, sizeof workspace);
    one.plan->run(call.data(), workspace, one.plan->workspace_bytes(), request_.stream);
  }

  bool make_workspace(Contender& one) const {
    const std::size_t bytes = one.plan->workspace_bytes();
    one.workspace = Memory(context_.allocator, bytes);
    if (bytes > 0 && !one.workspace.data()) return false;
    one.plan->prepare(one.workspace.data(), bytes, request_.stream);
    return true;
  }

 private:
  using Steady = std::chrono::steady_clock;
  double budget() const { return context_.options.budget_ms > 0 ? context_.options.budget_ms : 100; }
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Steady::now() - begin_).count();
  }
  double sample(const Contender& one) {
    clock_->start(request_.stream);
    for (int i = 0; i < one.runs; ++i) run(one);
    return clock_->stop(request_.stream) / one.runs;
  }
  void drop_slow() {
    double best = HUGE_VAL;
    for (const Contender& one : contenders_) best = std::min(best, one.seconds());
    for (Contender& one : contenders_)
      if (one.seconds() > kFarBehind * best) one.racing = false;
  }

  tw_context& context_;
  const Request& request_;
  Scratch scratch_;
  std::unique_ptr<device::Clock> clock_;
  Steady::time_point begin_;
  std::vector<Contender> contenders_;
};

/// Those worth binding, beside the usual one: who was the fastest near the call, then who should be by the family's guess.
/// Not more than half of all that serve it.
std::vector<const Variant*> worthwhile(tw_context& context, const Request& request, const Variant& usual,
                                       std::vector<const Variant*> others) {
  const Selection& all = *request.all;
  std::erase_if(others, [&](const Variant* one) { return !refusal(*one, request.asked).empty(); });
  context.counts.candidates += static_cast<std::int64_t>(others.size()) + 1;
  const auto merit = [&](const Variant* one) { return merit_of(*one, all, request.asked); };
  const auto away = [&](const Variant* one) { return timed_distance(*one, all, request.asked); };
  double best = merit(&usual);
  for (const Variant* one : others) best = std::max(best, merit(one));
  const auto by_merit = [&](const Variant* a, const Variant* b) { return merit(a) > merit(b); };
  const auto by_distance = [&](const Variant* a, const Variant* b) { return away(a) < away(b); };
  std::stable_sort(others.begin(), others.end(), by_merit);
  if (context.options.exhaustive) return others;
  const std::size_t most = std::max<std::size_t>(2, (others.size() + 1) / 2) - 1;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(std::min(kNearest, others.size()));
  std::partial_sort(others.begin(), middle, others.end(), by_distance);
  std::stable_sort(middle, others.end(), by_merit);
  std::vector<const Variant*> chosen;
  for (const Variant* one : others) {
    const bool near = away(one) <= kNearby && chosen.size() < kNearest;
    const bool promising = merit(one) >= (chosen.size() < 2 ? kUnlikely : kWorthwhile) * best;
    if ((near || promising) && chosen.size() < most) chosen.push_back(one);
  }
  return chosen;
}

void enter_others(Race& race, tw_context& context, const Request& request, const std::vector<const Variant*>& others,
                  const Takes& takes) {
  for (const Variant* one : others) {
    if (race.is_half_over() || (!context.options.exhaustive && race.contenders().size() == kMostCandidates)) return;
    try {
      race.enter(std::make_unique<const Plan>(std::vector{one}, request.asked, request.bind, takes));
    } catch (const Error&) {  // it does not take the call
    }
  }
}

/// Contenders, best first: the usual one, which is the first, before those that are not faster by more than noise.
std::vector<Contender*> ranking(std::vector<Contender>& contenders) {
  std::vector<Contender*> order;
  for (Contender& one : contenders) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [](const Contender* a, const Contender* b) { return a->seconds() < b->seconds(); });
  const Contender& usual = contenders.front();
  const auto at = std::find_if(order.begin(), order.end(), [&](const Contender* one) {
    const double band = std::max(kGain * usual.seconds(), 2 * (one->noise() + usual.noise()));
    return one == &usual || one->seconds() > usual.seconds() - band;
  });
  order.erase(std::find(order.begin(), order.end(), &usual));
  order.insert(at, &contenders.front());
  return order;
}

std::string table_of(const std::vector<Contender*>& order) {
  std::string text;
  for (const Contender* one : order)
    text += (text.empty() ? "[\"" : ",[\"") + std::string(one->plan->variant().id) + "\"," +
            std::to_string(one->seconds() * 1e6) + "]";
  return "[" + text + "]";
}

/// The kernel that others are compared with: the slowest fallback by the family's guess, which takes every call.
std::unique_ptr<const Plan> reference_for(const Request& request, const Takes& takes) {
  std::vector<const Variant*> order;
  for (std::size_t i = 0; i < request.all->variant_count; ++i)
    if (request.all->variants[i].fallback) order.push_back(request.all->variants + i);
  std::stable_sort(order.begin(), order.end(), [&](const Variant* a, const Variant* b) {
    return merit_of(*a, *request.all, request.asked) < merit_of(*b, *request.all, request.asked);
  });
  try {
    return std::make_unique<const Plan>(order, request.asked, request.bind, takes);
  } catch (const Error&) {
    return nullptr;
  }
}

/// Runs kernels once on poison and compares them with the reference kernel.
class Check {
 public:
  Check(Race& race, const Request& request, const Takes& takes) : race_(race), request_(request) {
    Contender reference;
    reference.plan = reference_for(request, takes);
    if (!reference.plan || !race.make_workspace(reference)) return;
    variant_ = &reference.plan->variant();
    race.run_fresh(reference);
    samples_ = sample(race.scratch(), request);
  }
  bool passes(const Contender& one) {
    race_.run_fresh(one);
    if (!race_.scratch().is_written(request_.stream)) return false;
    if (&one.plan->variant() == variant_ || samples_.empty()) return true;
    const auto first = sample(race_.scratch(), request_);
    if (!agree(first, samples_, request_)) return false;
    if (!one.plan->variant().deterministic) return true;
    race_.run_fresh(one);
    return sample(race_.scratch(), request_) == first;
  }

 private:
  Race& race_;
  const Request& request_;
  const Variant* variant_ = nullptr;
  std::vector<std::vector<std::byte>> samples_;
};

}  // namespace

double timed_distance(const Variant& variant, const Selection& all, const Asked& asked) {
  double nearest = HUGE_VAL;
  for (std::size_t i = 0; i < all.choice_count; ++i)
    if (all.choices[i].timed && all.variants + all.choices[i].variant == &variant)
      nearest = std::min(nearest, distance(asked.features, all.choices[i]));
  return nearest;
}

Outcome measure(tw_context& context, const Request& request, std::unique_ptr<const Plan> usual,
                const std::vector<const Variant*>& others, const Takes& takes) {
  const std::size_t limit = context.options.scratch_limit ? context.options.scratch_limit : std::size_t{1} << 30;
  if (Scratch::bytes_of(request) > limit) return {std::move(usual)};
  Race race(context, request);
  if (!race.has_scratch()) return {std::move(usual)};
  race.scratch().reset(request.stream);
  const Variant& usual_variant = usual->variant();
  if (!race.enter(std::move(usual)))
    return {std::make_unique<const Plan>(std::vector{&usual_variant}, request.asked, request.bind, takes)};
  enter_others(race, context, request, worthwhile(context, request, usual_variant, others), takes);
  race.run_rounds();

  const std::vector<Contender*> order = ranking(race.contenders());
  Outcome outcome{nullptr, table_of(order)};
  context.counts.measured += static_cast<std::int64_t>(order.size());
  Check check(race, request, takes);
  for (Contender* one : order) {
    if (!check.passes(*one)) {
      ++context.counts.rejected;
      outcome.rejected.push_back(&one->plan->variant());
      continue;
    }
    outcome.winner = std::move(one->plan);
    break;
  }
  device::synchronize(request.stream);  // before scratch and workspaces go
  if (!outcome.winner) throw Error(TW_STATUS_INTERNAL, "every kernel that was measured is wrong or fails");
  return outcome;
}

}  // namespace tilewright::library::tuner
