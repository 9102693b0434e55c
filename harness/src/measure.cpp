#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "family_code.hpp"

namespace tilewright {
namespace {

// A lower bound on time may be beaten by the clock's own error, a few per cent of a short launch.
constexpr double kPlausibleSlack = 1.05;
// Rounds before a slow subject may be dropped: one sample alone may include an interruption.
constexpr std::size_t kRoundsBeforeDrop = 3;

/// One entry per sample: seconds of a launch, and MHz meanwhile.
struct Samples {
  std::vector<double> seconds, clocks;
};

/// Something that is timed: a variant or a baseline, checked and recorded.
struct Subject {
  std::string name;
  bool baseline = false;
  std::unique_ptr<Setup> setup;          // variants
  std::unique_ptr<Baseline> library;     // baselines
  std::unique_ptr<Recording> recording;  // a graph of `launches` runs; null where it cannot be captured
  Samples hot, cold;
  bool stopped = false;

  const char* kind() const { return baseline ? "baseline" : "variant"; }
  void enqueue(void* stream) {
    if (setup)
      setup->program().enqueue(stream);
    else
      library->run();
  }
};

std::string format(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

/// One timing job.
class Race {
 public:
  Race(Device& device, ProblemCache& problems, const Send& send, const TimeJob& job)
      : device_(device), streams_(*device.streams()), send_(send), job_(job), options_(job.options) {
    send_(line("checking"));
    problem_ = problems.problem(
        job.problem, job.variants.empty() ? Parameters(nullptr, 0) : job.variants[0].parameters.view());
    references_ = problems.references(*problem_);
    operands_.emplace(device, problem_);
    operands_->reset();
  }

  void run() {
    if (job_.baselines)
      for (auto& baseline : make_baselines()) add_baseline(std::move(baseline));
    for (const Variant& variant : job_.variants) add_variant(variant);
    operands_->reset_outputs();
    if (options_.hot) sample(&Subject::hot, &Race::hot_sample);
    if (options_.cold) sample(&Subject::cold, &Race::cold_sample);
    for (Subject& subject : subjects_) {
      if (options_.recheck && !check(subject, true)) continue;  // its samples are worth nothing
      if (!subject.hot.seconds.empty()) send_(measurement(subject, subject.hot, true));
      if (!subject.cold.seconds.empty()) send_(measurement(subject, subject.cold, false));
    }
  }

 private:
  Json line(const char* event) const { return Json().set("event", event).set("id", job_.id); }

  void check_line(const Subject& subject, const std::string& verdict, Json evidence) {
    Json check =
        line("check").set("subject", subject.name).set("kind", subject.kind()).set("workload", job_.workload);
    send_(check.set("verdict", verdict).set("evidence", std::move(evidence)));
  }

  /// Judges the subject on this problem and says the verdict. True when it may be timed. A failure counts
  /// only on operands that nobody else can have damaged, and leaves none that it may have damaged itself.
  /// `inputs`: see Operands::judge.
  bool check(Subject& subject, bool inputs) {
    Rejection result = run_once(subject, inputs);
    if (result.verdict != "passed") {
      operands_->reset();
      result = run_once(subject, true);
    }
    if (result.verdict != "passed") operands_->reset();
    check_line(subject, result.verdict, result.evidence);
    return result.verdict == "passed";
  }

  /// Runs the subject once on fresh outputs and judges what it left. `inputs`: the inputs too.
  Rejection run_once(Subject& subject, bool inputs) {
    Rejection passed = reject("passed", "agrees with the reference on this very problem");
    try {
      operands_->reset_outputs();
      send_(line("case").set("case", job_.workload).set("schedule", 0).set("subject", subject.name));
      subject.enqueue(streams_.stream(0));
      streams_.synchronize();
      send_(line("checking"));
      passed.evidence.set("maxErrorOverBound", operands_->judge(*references_, inputs));
      if (subject.setup) subject.setup->judge_workspace();
      return passed;
    } catch (const Rejection& rejection) {
      return rejection;
    } catch (const LaunchRefused& refused) {
      return reject("launch", refused.what());
    } catch (const DeviceLost& lost) {
      check_line(subject, "fault", reject("", lost.what()).evidence);
      throw;
    }
  }

  void add_baseline(std::unique_ptr<Baseline> baseline) {
    Subject subject;
    subject.name = baseline->name();
    subject.baseline = true;
    try {
      operands_->reset_outputs();
      baseline->prepare(*problem_, operands_->placement(nullptr), streams_.stream(0));
    } catch (const Unsupported& why) {
      return check_line(subject, "unsupported", reject("", why.what()).evidence);
    } catch (const DeviceLost&) {
      throw;
    } catch (const std::exception& error) {
      return check_line(subject, "launch", reject("", error.what()).evidence);
    }
    subject.library = std::move(baseline);
    if (check(subject, false)) enter(std::move(subject));
  }

  void add_variant(const Variant& variant) {
    Subject subject;
    subject.name = variant.id;
    try {
      const auto module = device_.load(variant.artifact, variant.symbol);
      subject.setup = std::make_unique<Setup>(device_, device_.limits(), module, variant, *operands_);
    } catch (const Unsupported& why) {
      return check_line(subject, "unsupported", reject("", why.what()).evidence);
    } catch (const LaunchRefused& refused) {
      return check_line(subject, "launch", reject("", refused.what()).evidence);
    } catch (FamilyMistake& mistake) {
      mistake.variant = variant.id;
      throw;
    }
    if (check(subject, false)) enter(std::move(subject));
  }

  void enter(Subject subject) {
    try {
      if (options_.hot)
        subject.recording = streams_.record([&](void* stream) {
          for (std::int64_t i = 0; i < options_.launches_per_sample; ++i) subject.enqueue(stream);
        });
    } catch (const DeviceLost&) {
      throw;
    } catch (const std::exception&) {
      // A library call that cannot be captured is timed as a row of plain launches.
    }
    subjects_.push_back(std::move(subject));
  }

  double hot_sample(Subject& subject) {
    const double seconds = streams_.seconds([&](void* stream) {
      if (subject.recording) return subject.recording->replay(stream);
      for (std::int64_t i = 0; i < options_.launches_per_sample; ++i) subject.enqueue(stream);
    });
    return seconds / static_cast<double>(options_.launches_per_sample);
  }

  double cold_sample(Subject& subject) {
    return streams_.cold_seconds([&](void* stream) { subject.enqueue(stream); });
  }

  /// A fault while sampling must name whose kernel it was.
  double guarded(Subject& subject, double (Race::*take)(Subject&)) {
    try {
      return (this->*take)(subject);
    } catch (const DeviceLost& lost) {
      check_line(subject, "fault", reject("", lost.what()).evidence);
      throw;
    }
  }

  /// Every subject once per round, in turns of opposite order, so that drift of clocks and temperature affects
  /// all alike.
  void sample(Samples Subject::* samples, double (Race::*take)(Subject&)) {
    std::vector<Subject*> order;
    for (Subject& subject : subjects_)
      if (!subject.stopped) order.push_back(&subject);
    for (std::int64_t round = -options_.warmup; round < options_.samples; ++round) {
      for (Subject* subject : order) {
        if (subject->stopped) continue;
        send_(line("sampling").set("subject", subject->name).set("round", round));
        const double seconds = guarded(*subject, take);
        if (round < 0) continue;
        (subject->*samples).seconds.push_back(seconds);
        (subject->*samples).clocks.push_back(streams_.sm_clock());
      }
      std::reverse(order.begin(), order.end());
      drop_slow(order, samples);
    }
  }

  void drop_slow(const std::vector<Subject*>& order, Samples Subject::* samples) const {
    if (options_.early_stop <= 0) return;
    double best = HUGE_VAL;
    for (const Subject* subject : order)
      if (!(subject->*samples).seconds.empty()) best = std::min(best, median((subject->*samples).seconds));
    for (Subject* subject : order) {
      const std::vector<double>& own = (subject->*samples).seconds;
      if (subject->baseline || own.size() < kRoundsBeforeDrop)
        continue;  // baselines stay: they are what others are compared with
      if (*std::min_element(own.begin(), own.end()) > options_.early_stop * best) subject->stopped = true;
    }
  }

  Json measurement(const Subject& subject, const Samples& samples, bool hot) const {
    const double middle = median(samples.seconds);
    std::vector<double> deviations;
    Json list{Json::Array()};
    for (const double sample : samples.seconds) {
      deviations.push_back(std::abs(sample - middle));
      list.push(sample);
    }
    Json json = line("measurement");
    json.set("subject", subject.name).set("kind", subject.kind());
    json.set("workload", job_.workload).set("l2", hot ? "hot" : "cold").set("samples", std::move(list));
    json.set("median", middle).set("mad", median(deviations));
    json.set("flops", problem_->flops()).set("bytes", problem_->bytes());
    json.set("tflops", middle > 0 ? problem_->flops() / middle / 1e12 : 0.0)
        .set("meanSmClock", median(samples.clocks));
    if (hot) json.set("graph", subject.recording != nullptr);
    if (subject.stopped) json.set("stoppedEarly", true);
    if (const auto why = implausible(middle, problem_->flops(), problem_->bytes(), options_.peak_flops,
                                     options_.bandwidth, hot))
      json.set("rejected", *why);
    return json;
  }

  Device& device_;
  Streams& streams_;
  const Send& send_;
  const TimeJob& job_;
  const TimeOptions& options_;
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<const References> references_;
  std::optional<Operands> operands_;
  std::deque<Subject> subjects_;
};

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

std::optional<std::string> implausible(double seconds, double flops, double bytes, double peak_flops,
                                       double bandwidth, bool hot) {
  if (!(seconds > 0)) return "the clock gave no time";
  if (peak_flops > 0 && flops / seconds > kPlausibleSlack * peak_flops)
    return format("%.0f TFLOPS", flops / seconds / 1e12) +
           format(" is above the peak of %.0f", peak_flops / 1e12);
  if (!hot && bandwidth > 0 && bytes / seconds > kPlausibleSlack * bandwidth)
    return format("%.2f TB/s from a cold cache", bytes / seconds / 1e12) +
           format(" is above the bandwidth of %.2f", bandwidth / 1e12);
  return std::nullopt;
}

void Stopwatch::run(const TimeJob& job) {
  if (!device_.streams())
    throw std::runtime_error("the device '" + device_.description().device +
                             "' has no clock: nothing can be timed on it");
  Race(device_, problems_, send_, job).run();
  send_(Json().set("event", "done").set("id", job.id));
}

}  // namespace tilewright
