// race.cpp - rounds of samples, and who is the fastest.
#include "tuner/race.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tilewright::library::tuner {
namespace {

constexpr double kSample = 300e-6;  // seconds of a sample
constexpr int kMostRuns = 64;       // in it
constexpr double kToBind = 0.5, kToRace = 0.75;  // of the budget; the rest is for the last round and the check
constexpr double kGain = 0.01;      // by which the usual kernel must be beaten
constexpr double kHopeless = 1.5;   // times the shortest run that first runs may take: above, no sample is taken
constexpr int kPatience = 2;        // kernels in a row above that, behind which none is tried

/// Rounds, and who is in the next ones: who takes at most so many times the best one's time.
struct Heat {
  int rounds;
  double keep;
};
constexpr Heat kHeats[] = {{3, 1.15}, {5, 1.04}, {8, 1.04}};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

bool FirstRuns::note(double seconds, bool in_order) {
  shortest_ = std::min(shortest_, seconds);
  const bool is_short = seconds <= kHopeless * shortest_;
  if (in_order) hopeless_ = is_short ? 0 : hopeless_ + 1;
  return is_short;
}

bool FirstRuns::are_hopeless() const { return hopeless_ >= kPatience; }

bool FirstRuns::is_far(double seconds) const { return seconds > 2 * kHopeless * shortest_; }

double Contender::seconds() const { return samples.empty() ? HUGE_VAL : median(samples); }

Lead lead_of(const Contender& one, const Contender& other) {
  const std::size_t rounds = std::min(one.samples.size(), other.samples.size());
  if (rounds == 0) return {0, HUGE_VAL};
  std::vector<double> savings, distances;
  for (std::size_t i = 0; i < rounds; ++i) savings.push_back(1 - one.samples[i] / other.samples[i]);
  const double by = median(savings);
  for (const double saving : savings) distances.push_back(std::fabs(saving - by));
  // Of normal errors: deviation 1.4826 times the median distance, and the median's error 1.2533 times that of the mean.
  return {by, 1.4826 * 1.2533 * median(distances) / std::sqrt(static_cast<double>(rounds))};
}

Race::Race(tw_context& context, const Request& request)
    : context_(context), request_(request), scratch_(context.allocator, request), clock_(device::make_clock()) {}

Race::~Race() { settle(); }

/// Waits for the stream, before memory that it may write goes back to whoever gave it.
void Race::settle() const noexcept {
  try {
    device::synchronize(request_.stream);
  } catch (const Error&) {  // the next call tells
  }
}

bool Race::enter(std::unique_ptr<const Plan> plan, bool in_order) {
  Contender one;
  one.plan = std::move(plan);
  if (!make_workspace(one)) return false;
  try {
    one.first = std::max(seconds_of_run(one), 1e-9);
    one.runs = std::clamp(static_cast<int>(kSample / one.first), 1, kMostRuns);
    if (first_runs_.note(one.first, in_order))
      one.work = record(one, one.runs), racing_.push_back(contenders_.size());
    else
      one.samples.push_back(one.first);
  } catch (const Error&) {
    settle();
    return false;
  }
  contenders_.push_back(std::move(one));
  return true;
}

void Race::run(std::size_t most) {
  keep_shortest(most);
  int round = 0;
  for (const Heat& heat : kHeats) {
    for (int i = 0; i < heat.rounds; ++i) {
      if (racing_.size() < 2 && round > 0) return;
      if (round > 0 && is_past(kToRace)) return;
      take_samples(round++ % 2 == 1);
    }
    keep_within(heat.keep);
  }
}

std::vector<Contender*> Race::ranking() {
  std::vector<Contender*> order;
  for (Contender& one : contenders_) order.push_back(&one);
  const auto rounds_and_time = [](const Contender* a, const Contender* b) {
    return std::pair(b->samples.size(), a->seconds()) < std::pair(a->samples.size(), b->seconds());
  };
  std::stable_sort(order.begin(), order.end(), rounds_and_time);
  Contender* const usual = &contenders_.front();
  const Lead lead = lead_of(*order.front(), *usual);
  if (lead.by < std::max(kGain, 2 * lead.noise)) {
    order.erase(std::find(order.begin(), order.end(), usual));
    order.insert(order.begin(), usual);
  }
  return order;
}

bool Race::make_workspace(Contender& one) const {
  const std::size_t bytes = one.plan->workspace_bytes();
  one.workspace = Memory(context_.allocator, bytes);
  if (bytes > 0 && !one.workspace.data()) return false;
  one.plan->prepare(one.workspace.data(), bytes, request_.stream);
  return true;
}

void Race::run_fresh(const Contender& one) const {
  try {
    scratch_.reset(request_.stream);
    run_on_scratch(*one.plan, one.workspace.data(), request_.stream);
  } catch (const Error&) {
    settle();
    throw;
  }
}

bool Race::is_late_to_bind() const { return is_past(kToBind); }

double Race::budget(double share) const {
  if (context_.options.exhaustive) return HUGE_VAL;
  return share * 1e-3 * (context_.options.budget_ms > 0 ? context_.options.budget_ms : 100);
}

bool Race::is_past(double share) const {
  return std::chrono::duration<double>(Steady::now() - begin_).count() > budget(share);
}

void Race::run_on_scratch(const Plan& plan, void* workspace, tw_stream stream) const {
  std::vector<std::byte> call = scratch_.call();
  std::memcpy(call.data() + request_.workspace_at, &workspace, sizeof workspace);
  plan.run(call.data(), workspace, plan.workspace_bytes(), stream);
}

std::unique_ptr<device::Work> Race::record(const Contender& one, int runs) const {
  return device::record(runs, [this, plan = one.plan.get(), workspace = one.workspace.data()](tw_stream stream) {
    run_on_scratch(*plan, workspace, stream);
  });
}

/// Roughly; of a short kernel from several runs, since one is over before the host has said what comes next. A long one's first run
/// finds caches cold, so that another decides where it is not slow beyond doubt.
double Race::seconds_of_run(const Contender& one) const {
  constexpr double kShort = 30e-6;
  constexpr int kSeveral = 16;
  const auto seconds = [&](int runs) {
    const auto work = record(one, runs);
    return clock_->times({work.get()}, request_.stream).front() / runs;
  };
  const double once = seconds(1);
  if (once <= kShort) return seconds(kSeveral);
  return first_runs_.is_far(once) ? once : std::min(once, seconds(1));
}

/// One of each, in turns of opposite order, so that drift of clocks and temperature affects all alike.
void Race::take_samples(bool backwards) {
  std::vector<std::size_t> order = racing_;
  if (backwards) std::reverse(order.begin(), order.end());
  std::vector<device::Work*> works;
  for (const std::size_t index : order) works.push_back(contenders_[index].work.get());
  const std::vector<double> seconds = clock_->times(works, request_.stream);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Contender& one = contenders_[order[i]];
    one.samples.push_back(seconds[i] / one.runs);
  }
}

void Race::keep_within(double ratio) {
  double best = HUGE_VAL;
  for (const std::size_t index : racing_) best = std::min(best, contenders_[index].seconds());
  std::erase_if(racing_, [&](std::size_t index) { return contenders_[index].seconds() > ratio * best; });
}

/// The first that entered, which usually serves, is among them.
void Race::keep_shortest(std::size_t most) {
  if (racing_.size() <= most) return;
  const auto first = [this](std::size_t index) { return index == 0 ? 0 : contenders_[index].first; };
  std::stable_sort(racing_.begin(), racing_.end(), [&](std::size_t a, std::size_t b) { return first(a) < first(b); });
  for (std::size_t i = most; i < racing_.size(); ++i) {
    Contender& one = contenders_[racing_[i]];
    one.samples.push_back(one.first);
  }
  racing_.resize(most);
}

}  // namespace tilewright::library::tuner
