#include "gate.hpp"

#include <doctest/doctest.h>

#include <string>

#include "host_device.hpp"

using namespace tilewright;
using axpby::Args;

namespace {

void row(const Args& args, int i) {
  for (int j = 0; j < args.n; ++j) {
    float& c = args.c[i * args.ldc + j];
    c = args.alpha * args.a[i * args.lda + j] + (args.beta == 0 ? 0 : args.beta * c);
  }
}

void good(const Args& args) {
  for (int i = 0; i < args.m; ++i) row(args, i);
}

/// Every line that the gate sent for a job on one kernel.
std::vector<Json> lines(const host::Kernel& kernel, const std::string& cases, bool deterministic = true) {
  host::kernels()["k"] = kernel;
  host::HostDevice device;
  ProblemCache problems(1 << 20);
  std::vector<Json> out;
  Gate gate(device, problems, [&](const Json& line) { out.push_back(line); });
  Json job = Json::parse(
      R"({"job":"gate","id":"1","variant":{"id":"v","symbol":"k","artifact":"/k","parameters":{"vector":4}}})");
  Json variant = job.at("variant");
  job.set("variant", variant.set("deterministic", deterministic)).set("cases", Json::parse(cases));
  try {
    gate.run(GateJob(job));
  } catch (const DeviceLost&) {
    out.push_back(Json().set("event", "lost"));
  }
  return out;
}

Json verdict(const host::Kernel& kernel, const std::string& cases, bool deterministic = true) {
  for (const Json& line : lines(kernel, cases, deterministic))
    if (line.at("event").text() == "verdict") return line;
  throw std::runtime_error("no verdict");
}

std::string word(const Json& verdict) { return verdict.at("verdict").text(); }
std::string message(const Json& verdict) { return verdict.at("evidence").at("message").text(); }
bool says(const Json& verdict, const char* part) { return message(verdict).find(part) != std::string::npos; }

const char* const kPlain =
    R"([{"id":"plain","tier":"exact","problem":{"m":5,"n":36,"ldExtra":5,"offset":3,"alpha":2}}])";
const char* const kRepeat =
    R"([{"id":"again","tier":"repetition","launches":4,"problem":{"m":5,"n":36,"alpha":2,"beta":-1.5,"seed":9},
        "alternate":{"m":5,"n":36,"alpha":2,"beta":-1.5,"seed":10}}])";

}  // namespace

TEST_CASE("a good kernel passes every tier") {
  const Json result = verdict(good, R"([
    {"id":"plain","tier":"exact","problem":{"m":5,"n":36}},
    {"id":"empty","tier":"structures","problem":{"m":0,"n":36}},
    {"id":"nan","tier":"non-finite","problem":{"m":5,"n":36,"nan":true}},
    {"id":"stride","tier":"edges","problem":{"m":5,"n":36,"ldExtra":7,"offset":1,"beta":1}},
    {"id":"ragged","tier":"edges","refuses":"multiple of 4","problem":{"m":5,"n":37}},
    {"id":"again","tier":"repetition","launches":3,"problem":{"m":5,"n":36,"seed":9,"beta":1},
     "alternate":{"m":5,"n":36,"seed":10,"beta":1}}])");
  CHECK_EQ(word(result), "passed");
  CHECK_EQ(result.at("evidence").at("cases").integer(), 6);
  // 4 plain cases, 3 repeated launches, 2 alternating, 3 rounds of 2 on two streams, 3 replays
  CHECK_EQ(result.at("evidence").at("launches").integer(), 3 + 3 + 2 + 6 + 3);
}

TEST_CASE("each case is announced before it runs") {
  const auto out = lines(good, kPlain);
  CHECK_EQ(out.size(), 4u);
  CHECK_EQ(out[0].dump(), R"({"event":"preparing","id":"1","case":"plain","schedule":0})");
  CHECK_EQ(out[1].dump(), R"({"event":"case","id":"1","case":"plain","schedule":0})");
}

TEST_CASE("an output left alone is unwritten") {
  const Json result = verdict(
      [](const Args& args) {
        for (int i = 0; i + 1 < args.m; ++i) row(args, i);
      },
      kPlain);
  CHECK_EQ(word(result), "unwritten");
  CHECK(says(result, "all of row 4"));
  CHECK_EQ(result.at("evidence").at("case").text(), "plain");
}

TEST_CASE("a kernel that never ran is unwritten not wrong") {
  CHECK_EQ(word(verdict([](const Args&) {}, kPlain)), "unwritten");
}

TEST_CASE("wrong values are wrong and placed") {
  const Json result = verdict(
      [](const Args& args) {
        good(args);
        args.c[2 * args.ldc + 7] += 1;
      },
      kPlain);
  CHECK_EQ(word(result), "wrong");
  CHECK_EQ(result.at("evidence").at("firstBad").dump(), "[2,7]");
  CHECK_EQ(result.at("evidence").at("wrongElements").integer(), 1);
}

TEST_CASE("nan is nonfinite") {
  CHECK_EQ(word(verdict(
               [](const Args& args) {
                 good(args);
                 args.c[0] = NAN;
               },
               kPlain)),
           "nonfinite");
}

TEST_CASE("stray writes are out of bounds") {
  const auto behind = verdict(
      [](const Args& args) {
        good(args);
        args.c[args.m * args.ldc] = 0;
      },
      kPlain);
  CHECK_EQ(word(behind), "out-of-bounds");
  CHECK(says(behind, "behind the end of 'c'"));
  const auto before = verdict(
      [](const Args& args) {
        good(args);
        args.c[-100] = 0;
      },
      kPlain);
  CHECK(says(before, "before the start of 'c'"));
  const auto shifted = verdict(
      [](const Args& args) {
        good(args);
        args.c[-1] = 0;
      },
      kPlain);
  CHECK(says(shifted, "before the base pointer of 'c'"));
  const auto padding = verdict(
      [](const Args& args) {
        good(args);
        args.c[args.ldc - 1] = 0;
      },
      kPlain);
  CHECK(says(padding, "padding between rows at c[0][40]"));
  const auto input = verdict(
      [](const Args& args) {
        good(args);
        const_cast<float*>(args.a)[args.lda] = 0.5f;
      },
      kPlain);
  CHECK(says(input, "changed the input a[1][0]"));
  const auto workspace = verdict(
      [](const Args& args) {
        good(args);
        args.counter[4] = 1;
      },
      kPlain);
  CHECK(says(workspace, "behind the end of 'workspace'"));
}

TEST_CASE("a copied guard is out of bounds") {
  const Json result = verdict(
      [](const Args& args) {
        good(args);
        args.c[3] = args.a[args.n];
      },
      kPlain);
  CHECK_EQ(word(result), "out-of-bounds");
  CHECK(says(result, "copied from outside an operand"));
}

TEST_CASE("beta zero must not read c") {
  const Json result = verdict(
      [](const Args& args) {
        for (int j = 0; j < args.m * args.ldc; ++j) args.c[j] = 0 * args.c[j];
      },
      kPlain);
  CHECK(word(result) != "passed");
}

TEST_CASE("changing bits are nondeterministic only where promised") {
  int run = 0;
  const auto kernel = [&](const Args& args) {
    good(args);
    args.c[0] += 1e-6f * static_cast<float>(run++ % 5);
  };
  CHECK_EQ(word(verdict(kernel, kRepeat)), "nondeterministic");
  CHECK_EQ(word(verdict(kernel, kRepeat, false)), "passed");
}

TEST_CASE("a second launch that fails is stateful") {
  int run = 0;
  const Json result = verdict(
      [&](const Args& args) {
        if (run++ == 0) good(args);
      },
      kRepeat);
  CHECK_EQ(word(result), "stateful");
  CHECK(says(result, "right on the first launch, but launch 2 of 4"));
}

TEST_CASE("an input kept from an earlier launch is stateful") {
  std::vector<float> kept;
  const Json result = verdict(
      [&](const Args& args) {
        if (kept.empty()) kept.assign(args.a, args.a + args.m * args.lda);
        Args stale = args;
        stale.a = kept.data();
        good(stale);
      },
      kRepeat);
  CHECK_EQ(word(result), "stateful");
  CHECK(says(result, "alternating with another input"));
}

TEST_CASE("the workspace is cleared before every run") {
  CHECK_EQ(word(verdict(
               [](const Args& args) {
                 if ((*args.counter)++ == 0) good(args);
               },
               kRepeat)),
           "passed");
}

TEST_CASE("refusals") {
  const Json declined = verdict(good, R"([{"id":"r","tier":"edges","problem":{"m":5,"n":37}}])");
  CHECK_EQ(word(declined), "launch");
  CHECK(says(declined, "n must be a multiple of 4"));
  const Json accepted =
      verdict(good, R"([{"id":"r","tier":"edges","refuses":"n must","problem":{"m":5,"n":36}}])");
  CHECK_EQ(word(accepted), "wrong");
  CHECK(says(accepted, "should decline, with a reason that names 'n must'"));
  const Json otherwise =
      verdict(good, R"([{"id":"r","tier":"edges","refuses":"beta","problem":{"m":5,"n":37}}])");
  CHECK_EQ(word(otherwise), "wrong");
  CHECK(says(otherwise, "does not name 'beta': n must be a multiple of 4"));
  CHECK_EQ(word(verdict([](const Args&) { throw LaunchRefused("too many resources"); }, kPlain)), "launch");
}

TEST_CASE("a lost device is a fault and ends the worker") {
  const auto out = lines([](const Args&) { throw DeviceLost("illegal address"); }, kPlain);
  CHECK_EQ(out[out.size() - 2].at("verdict").text(), "fault");
  CHECK_EQ(out.back().at("event").text(), "lost");
}

TEST_CASE("a malformed job is an error not a verdict") {
  CHECK_THROWS_WITH(verdict(good, R"([{"id":"r","tier":"edges","problem":{"n":37}}])"),
                    doctest::Contains("no member \"m\""));
  CHECK_THROWS_WITH(verdict(good, R"([{"id":"r","tier":"edges","schedules":[3],"problem":{"m":1,"n":4}}])"),
                    doctest::Contains("names schedule 3 of 1"));
}

TEST_CASE("the first finding of the device is the verdict") {
  RunReport report;
  judge_report(report);
  report.findings = {{"race", "race", "thread 1 and 2"}, {"hang", "deadlock", "all wait"}};
  report.finding_count = 7;
  try {
    judge_report(report);
    CHECK(false);
  } catch (const Rejection& rejection) {
    CHECK_EQ(rejection.verdict, "race");
    CHECK_EQ(rejection.evidence.at("findings").items().size(), 2u);
    CHECK_EQ(rejection.evidence.at("findingCount").integer(), 7);
  }
}
