#include "gate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "printed.hpp"

namespace tilewright {
namespace {

constexpr int kReplays = 3;                        // of a graph, and rounds on two streams
constexpr const char* kRepetition = "repetition";  // the tier whose cases are replayed and alternate
// Throughput that the emulated device reaches at least: large problems take their time without being a hang.
constexpr double kEmulatedFlops = 3e7;

/// A problem on the device with a variant set up on it, and what its first launch gave.
struct PreparedProblem {
  Operands operands;
  Setup setup;
  std::shared_ptr<const References> references;
  std::vector<std::byte> first;

  PreparedProblem(Device& device, const DeviceLimits& limits, const std::shared_ptr<Module>& module,
                  const Variant& variant, const std::shared_ptr<const Problem>& problem,
                  std::shared_ptr<const References> expected)
      : operands(device, problem),
        setup(device, limits, module, variant, operands),
        references(std::move(expected)) {
    operands.reset();
  }

  /// As before the first launch, but for what that has left in the workspace's image.
  void reset() {
    operands.reset_outputs();
    setup.reset_workspace();
  }
};

/// The counts that every verdict carries, whatever its word.
struct Totals {
  std::int64_t cases = 0, launches = 0;
  double worst = 0;
  Json opinions;
  std::map<std::string, double> statistics;
  Json vendor;
  std::function<std::string()> remark;  // of the first launch that has one
  Json skipped{Json::Array()};          // cases that need more memory or addresses than there are
};

constexpr std::size_t kMostLines = 12;  // with bank conflicts, in the evidence

Json conflicts_of(const Module& module) {
  Json lines{Json::Array()};
  std::vector<SharedLine> all = module.conflicting_lines();
  if (all.size() > kMostLines) all.resize(kMostLines);
  for (const SharedLine& one : all)
    lines.push(Json()
                   .set("line", one.line)
                   .set("accesses", one.accesses)
                   .set("wavefronts", one.wavefronts)
                   .set("conflicts", one.conflicts));
  return lines;
}

bool is_sparse(const Problem& problem) {
  const auto& tensors = problem.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return tensor.sparse; });
}

/// One job: the variant's module and what has been seen so far.
class Trial {
 public:
  Trial(Device& device, ProblemCache& problems, VendorPanel& vendors, const Send& send, const GateJob& job)
      : device_(device), problems_(problems), vendors_(vendors), send_(send), job_(job) {}

  Json verdict();
  bool device_lost() const { return device_lost_; }

 private:
  void run_cases();
  bool run_case(const GateCase& item, std::size_t schedule);
  void expect_refusal(const GateCase& item, const std::shared_ptr<const Problem>& problem);
  void launch(PreparedProblem& prepared, std::int64_t later = 0, bool again = false);
  void dump(PreparedProblem& prepared) const;
  void judge(PreparedProblem& prepared, const std::string& circumstance);
  bool right_again(PreparedProblem& prepared);
  void repeat(PreparedProblem& prepared, const GateCase& item);
  void alternate(PreparedProblem& prepared, const Json& other);
  void replay(PreparedProblem& prepared);
  void two_streams(PreparedProblem& prepared, PreparedProblem& other);
  std::unique_ptr<PreparedProblem> prepare(const std::shared_ptr<const Problem>& problem);
  void announce(const char* event, double seconds = 0);
  void add_place(Json& evidence) const;
  std::string left_out() const;
  void add_remark(Rejection& rejection) const;
  Parameters parameters() const { return job_.variant.parameters.view(); }
  DeviceLimits limits() const;

  Device& device_;
  ProblemCache& problems_;
  VendorPanel& vendors_;
  const Send& send_;
  const GateJob& job_;
  std::shared_ptr<Module> module_;
  const GateCase* case_ = nullptr;  // running now
  std::size_t schedule_ = 0;
  Totals totals_;
  bool device_lost_ = false;
};

/// Limits that the running case plans for: the device's, with fewer multiprocessors if the case says so.
DeviceLimits Trial::limits() const {
  DeviceLimits limits = device_.limits();
  if (case_->multiprocessors > 0)
    limits.sm_count = static_cast<int>(std::min<std::int64_t>(limits.sm_count, case_->multiprocessors));
  return limits;
}

Json Trial::verdict() {
  const auto start = std::chrono::steady_clock::now();
  Rejection result = reject("passed", "");
  try {
    run_cases();
    result.evidence.set("message", "passed " + std::to_string(totals_.cases) + " cases in " +
                                       std::to_string(totals_.launches) + " launches" + left_out());
    case_ = nullptr;
  } catch (const Rejection& rejection) {
    result = rejection;
    add_remark(result);
  } catch (const LaunchRefused& refused) {
    result = reject("launch", refused.what());
  } catch (const DeviceLost& lost) {
    result = reject("fault", lost.what());
    device_lost_ = true;
  }
  Json& evidence = result.evidence;
  add_place(evidence);
  if (!evidence.find("maxErrorOverBound")) evidence.set("maxErrorOverBound", totals_.worst);
  if (!totals_.opinions.is_null()) evidence.set("opinions", totals_.opinions);
  evidence.set("cases", totals_.cases).set("launches", totals_.launches);
  Json statistics{Json::Object()};
  for (const auto& [name, value] : totals_.statistics) statistics.set(name, value);
  if (!totals_.statistics.empty())
    evidence.set("statistics", std::move(statistics)).set("bankConflicts", conflicts_of(*module_));
  if (!totals_.vendor.is_null()) evidence.set("vendor", totals_.vendor);
  if (!totals_.skipped.items().empty()) evidence.set("skipped", totals_.skipped);
  evidence.set("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return Json()
      .set("event", "verdict")
      .set("id", job_.id)
      .set("verdict", result.verdict)
      .set("evidence", evidence);
}

/// The cases that did not run, for the message.
std::string Trial::left_out() const {
  std::string text;
  for (const Json& id : totals_.skipped.items())
    text += (text.empty() ? "; left out for want of memory: " : ", ") + id.text();
  return text;
}

/// Says beside a result that is wrong, or not always the same, what may have made it so.
void Trial::add_remark(Rejection& rejection) const {
  if (!totals_.remark) return;
  for (const char* verdict : {"wrong", "nonfinite", "nondeterministic", "stateful"})
    if (rejection.verdict == verdict)
      rejection.evidence.set("message", rejection.evidence.at("message").text() + "; " + totals_.remark());
}

void Trial::add_place(Json& evidence) const {
  if (!case_) return;
  evidence.set("case", case_->id).set("tier", case_->tier);
  if (device_.streams()) return;  // schedules are the emulated device's
  evidence.set("schedule", schedule_).set("seed", static_cast<std::int64_t>(job_.schedules[schedule_].seed));
}

/// `seconds`: what a kernel may take beyond the usual.
void Trial::announce(const char* event, double seconds) {
  Json line = Json().set("event", event).set("id", job_.id).set("case", case_->id).set("schedule", schedule_);
  send_(seconds > 0 ? line.set("seconds", seconds) : line);
}

void Trial::run_cases() {
  module_ = device_.load(job_.variant.artifact, job_.variant.symbol);
  for (const GateCase& item : job_.cases) {
    case_ = &item;
    std::vector<std::size_t> schedules = item.schedules;
    if (schedules.empty())
      for (std::size_t i = 0; i < job_.schedules.size(); ++i) schedules.push_back(i);
    if (!item.refuses.empty()) schedules.resize(1);
    const bool ran = std::all_of(schedules.begin(), schedules.end(),
                                 [&](std::size_t schedule) { return run_case(item, schedule); });
    if (ran)
      ++totals_.cases;
    else
      totals_.skipped.push(item.id);
  }
}

/// False where there is too little memory, or too few addresses, for the case.
bool Trial::run_case(const GateCase& item, std::size_t schedule) {
  schedule_ = schedule;
  announce("preparing");
  const auto problem = problems_.problem(item.problem, parameters());
  if (!item.refuses.empty()) {
    expect_refusal(item, problem);
    return true;
  }
  std::unique_ptr<PreparedProblem> prepared;
  try {
    prepared = prepare(problem);
  } catch (const Unsupported& why) {
    throw reject("launch", std::string("the family declines a case that it should run: ") + why.what());
  } catch (const std::bad_alloc&) {
    if (!is_sparse(*problem)) throw;
    return false;
  }
  if (job_.vendor && device_.streams()) {
    announce("checking");
    summarise(totals_.vendor, vendors_.opinions(prepared->operands, *prepared->references), item.id);
    prepared->operands.reset();
  }
  try {
    launch(*prepared);
  } catch (const Rejection&) {
    dump(*prepared);
    throw;
  }
  dump(*prepared);
  totals_.worst = std::max(totals_.worst, prepared->operands.judge(*prepared->references, true));
  prepared->setup.judge_workspace();
  prepared->first = prepared->operands.results();
  repeat(*prepared, item);
  if (!item.alternate.is_null()) alternate(*prepared, item.alternate);
  if (item.tier == kRepetition && device_.streams() && prepared->setup.launches() > 0) replay(*prepared);
  return true;
}

std::unique_ptr<PreparedProblem> Trial::prepare(const std::shared_ptr<const Problem>& problem) {
  return std::make_unique<PreparedProblem>(device_, limits(), module_, job_.variant, problem,
                                           problems_.references(*problem));
}

void Trial::expect_refusal(const GateCase& item, const std::shared_ptr<const Problem>& problem) {
  const Operands operands(device_, problem);
  try {
    const Setup setup(device_, limits(), module_, job_.variant, operands);
  } catch (const Unsupported& why) {
    const std::string reason = why.what();
    if (reason.find(item.refuses) != std::string::npos) return;
    throw reject("wrong", "the family declines the problem, but its reason does not name '" + item.refuses +
                              "': " + reason);
  }
  throw reject("wrong", "the family accepts a problem that it should decline, with a reason that names '" +
                            item.refuses + "'");
}

/// `later`: how many launches of the case came before. Each has the next schedule, as far as there are any. `again`: what those have
/// left in variables in device memory stays.
void Trial::launch(PreparedProblem& prepared, std::int64_t later, bool again) {
  Schedule schedule = job_.schedules[(schedule_ + static_cast<std::size_t>(later)) % job_.schedules.size()];
  const double work = device_.streams() ? 0 : prepared.operands.problem().flops() / kEmulatedFlops;
  const double extra = work > 1 ? std::ceil(work) : 0;
  schedule.seconds += extra;
  schedule.again = again;
  announce("case", extra);
  RunReport report = prepared.setup.program().run(schedule);
  while (report.unfinished) {  // the device has learnt what the kernel needs
    prepared.reset();
    schedule.again = false;  // what has been left behind is half a launch's
    report = prepared.setup.program().run(schedule);
  }
  announce("checking");
  totals_.launches += static_cast<std::int64_t>(prepared.setup.launches());
  if (!totals_.remark) totals_.remark = report.remark;
  for (const auto& [name, value] : report.statistics) totals_.statistics[name] += value;
  for (const auto& [name, value] : report.peaks)
    totals_.statistics[name] = std::max(totals_.statistics[name], value);
  if (job_.opinions && totals_.opinions.is_null())
    totals_.opinions = prepared.operands.opinions(*prepared.references);
  judge_report(report);
  if (device_.streams()) return;  // what kernels print is not known there
  if (const std::vector<std::string>* lines = prepared.operands.problem().printed())
    judge_printed(report.printed, *lines);
}

/// Writes the running case's operands into a folder named like the case, if the job asks for it.
void Trial::dump(PreparedProblem& prepared) const {
  if (job_.dump.empty()) return;
  std::string name = case_->id;
  std::replace(name.begin(), name.end(), '/', '_');
  prepared.operands.dump(job_.dump + "/" + name, *prepared.references);
}

/// Judges a launch after the first: wrong now is `stateful`, other bits are `nondeterministic` where the
/// variant promises the same.
void Trial::judge(PreparedProblem& prepared, const std::string& circumstance) {
  try {
    totals_.worst = std::max(totals_.worst, prepared.operands.judge(*prepared.references, true));
    prepared.setup.judge_workspace();
  } catch (Rejection& rejection) {
    const std::string found = rejection.verdict + ", " + rejection.evidence.at("message").text();
    if (right_again(prepared)) {
      rejection.evidence.set("message",
                             "right under one order of threads, but wrong under another: " + found);
      rejection.verdict = "nondeterministic";
    } else {
      rejection.evidence.set("message", "right on the first launch, but " + circumstance + ": " + found);
      rejection.verdict = "stateful";
    }
    throw;
  }
  if (!job_.variant.deterministic) return;
  std::vector<std::byte> results = prepared.operands.results();
  if (prepared.first.empty()) prepared.first = results;
  if (results == prepared.first) return;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < results.size(); ++i) changed += results[i] != prepared.first[i];
  throw reject("nondeterministic", circumstance + ": " + std::to_string(changed) + " of " +
                                       std::to_string(results.size()) +
                                       " bytes differ from the first launch, within the error bound");
}

/// Whether two more launches, both under the schedule of the first one, are right: then it was the schedule that made one wrong,
/// and not what launches leave behind.
bool Trial::right_again(PreparedProblem& prepared) {
  if (device_.streams()) return false;
  try {
    for (int i = 0; i < 2; ++i) {
      prepared.reset();
      launch(prepared, 0, i > 0);
      prepared.operands.judge(*prepared.references, true);
    }
  } catch (const Rejection&) {
    return false;
  }
  return true;
}

void Trial::repeat(PreparedProblem& prepared, const GateCase& item) {
  for (std::int64_t i = 2; i <= item.launches; ++i) {
    prepared.reset();
    launch(prepared, i - 1, true);
    judge(prepared,
          "launch " + std::to_string(i) + " of " + std::to_string(item.launches) + " on the same buffers");
  }
}

/// Another problem, on buffers of its own, in turn with the first.
void Trial::alternate(PreparedProblem& prepared, const Json& problem) {
  announce("preparing");
  const auto other = prepare(problems_.problem(problem, parameters()));
  std::int64_t later = 0;
  for (PreparedProblem* turn : {other.get(), &prepared}) {
    turn->reset();
    launch(*turn, later++, true);
    judge(*turn, "alternating with another input");
  }
  if (device_.streams()) two_streams(prepared, *other);
}

void Trial::replay(PreparedProblem& prepared) {
  Streams& streams = *device_.streams();
  // Twice where it may, with nothing between: a dependent kernel may begin before the launch before has ended.
  const int runs = prepared.operands.updates_in_place() ? 1 : 2;
  const auto recording = streams.record([&](void* stream) {
    for (int run = 0; run < runs; ++run) prepared.setup.program().enqueue(stream);
  });
  for (int i = 1; i <= kReplays; ++i) {
    prepared.reset();
    announce("case");
    recording->replay(streams.stream(0));
    streams.synchronize();
    announce("checking");
    totals_.launches += runs * static_cast<std::int64_t>(prepared.setup.launches());
    judge(prepared, "replay " + std::to_string(i) + " of a CUDA graph");
  }
}

void Trial::two_streams(PreparedProblem& prepared, PreparedProblem& other) {
  Streams& streams = *device_.streams();
  for (int i = 1; i <= kReplays; ++i) {
    prepared.reset();
    other.reset();
    announce("case");
    prepared.setup.program().enqueue(streams.stream(0));
    other.setup.program().enqueue(streams.stream(1));
    streams.synchronize();
    announce("checking");
    totals_.launches += static_cast<std::int64_t>(prepared.setup.launches() + other.setup.launches());
    judge(prepared, "on two streams at once, round " + std::to_string(i));
    judge(other, "on two streams at once with another input, round " + std::to_string(i));
  }
}

}  // namespace

void judge_report(const RunReport& report) {
  if (report.findings.empty()) return;
  const DeviceFinding& first = report.findings.front();
  Rejection rejection = reject(first.verdict, first.kind + ": " + first.message);
  Json findings{Json::Array()};
  for (const DeviceFinding& finding : report.findings)
    findings.push(Json().set("kind", finding.kind).set("message", finding.message));
  rejection.evidence.set("findings", std::move(findings));
  rejection.evidence.set("findingCount", static_cast<std::int64_t>(report.finding_count));
  throw rejection;
}

void Gate::run(const GateJob& job) {
  Trial trial(device_, problems_, vendors_, send_, job);
  send_(trial.verdict());
  if (trial.device_lost()) throw DeviceLost("the CUDA context is lost");
}

}  // namespace tilewright
