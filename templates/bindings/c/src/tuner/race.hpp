// race.hpp - kernels that take a call, timed against each other.
#pragma once
#include <chrono>
#include <cmath>
#include <vector>

#include "tuner/measure.hpp"

namespace tilewright::library::tuner {

/// A kernel in a race. Contenders that were in the same rounds have samples of the same moments, pair by pair.
struct Contender {
  std::unique_ptr<const Plan> plan;
  Memory workspace;
  std::unique_ptr<device::Work> work;  // a sample
  int runs = 1;                        // in it
  double first = 0;                    // seconds of a first run, roughly
  std::vector<double> samples;         // seconds of a run
  double seconds() const;              // the median
};

/// First runs of kernels, which come in the order of their promise, and what follows from them.
class FirstRuns {
 public:
  /// Notes those of a kernel, which may be outside of that order; whether they are short enough for samples of it.
  bool note(double seconds, bool in_order = true);
  /// Seconds of the shortest so far, roughly.
  double shortest() const { return shortest_; }
  /// Whether so many in a row took too long that kernels of less promise are not worth a run.
  bool are_hopeless() const;
  /// Whether a first run of that many seconds is too long beyond doubt.
  bool is_far(double seconds) const;

 private:
  double shortest_ = HUGE_VAL;
  int hopeless_ = 0;  // in a row
};

/// Seconds saved by one of two contenders, relative to the other's, over the rounds that both were in.
struct Lead {
  double by;     // the median
  double noise;  // its standard error
};
Lead lead_of(const Contender& one, const Contender& other);

class Race {
 public:
  Race(tw_context& context, const Request& request);
  ~Race();
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  bool has_scratch() const { return static_cast<bool>(scratch_); }
  const Scratch& scratch() const { return scratch_; }
  /// Adds a plan, in the order of promise or outside of it. False where it does not run. One whose first runs take far longer than
  /// another's is not timed further.
  bool enter(std::unique_ptr<const Plan> plan, bool in_order = true);
  std::size_t size() const { return contenders_.size(); }
  /// Takes samples in rounds: of the first that entered and those with the shortest first runs, `most` in all, then of the faster ones.
  void run(std::size_t most);
  /// All of them, best first. The first one that entered is the best unless another one is faster by more than noise.
  std::vector<Contender*> ranking();

  bool make_workspace(Contender& one) const;
  /// One run on fresh scratch.
  void run_fresh(const Contender& one) const;
  /// Seconds of the shortest run so far, roughly.
  double shortest() const { return first_runs_.shortest(); }
  /// Whether kernels of less promise are not worth a run.
  bool is_decided() const { return !context_.options.exhaustive && first_runs_.are_hopeless(); }
  /// Seconds of a share of the budget; without end where it is not looked at.
  double budget(double share) const;
  /// Whether no other kernel should be bound: rounds and the check need the rest of the budget.
  bool is_late_to_bind() const;

 private:
  void settle() const noexcept;
  using Steady = std::chrono::steady_clock;
  bool is_past(double share) const;  // of the budget
  void run_on_scratch(const Plan& plan, void* workspace, tw_stream stream) const;
  std::unique_ptr<device::Work> record(const Contender& one, int runs) const;
  double seconds_of_run(const Contender& one) const;
  void take_samples(bool backwards);
  void keep_within(double ratio);
  void keep_shortest(std::size_t most);

  const Steady::time_point begin_ = Steady::now();  // first: making scratch is in the budget
  tw_context& context_;
  const Request& request_;
  Scratch scratch_;
  std::unique_ptr<device::Clock> clock_;
  std::vector<Contender> contenders_;
  FirstRuns first_runs_;
  std::vector<std::size_t> racing_;  // of contenders_
};

}  // namespace tilewright::library::tuner
