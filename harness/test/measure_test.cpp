#include "measure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "host_device.hpp"

using namespace tilewright;
using axpby::Args;

namespace {

void good(const Args& args) {
  for (int i = 0; i < args.m; ++i)
    for (int j = 0; j < args.n; ++j) args.c[i * args.ldc + j] = args.alpha * args.a[i * args.lda + j];
}

/// A correct kernel that takes `seconds`.
host::Kernel taking(double seconds) {
  return [seconds](const Args& args) {
    good(args);
    host::now += seconds;
  };
}

std::vector<Json> run(const std::vector<std::string>& symbols, const char* options) {
  host::HostDevice device;
  ProblemCache problems(1 << 20);
  std::vector<Json> out;
  Stopwatch stopwatch(device, problems, [&](const Json& line) { out.push_back(line); });
  Json variants{Json::Array()};
  for (const std::string& symbol : symbols)
    variants.push(Json()
                      .set("id", symbol)
                      .set("symbol", symbol)
                      .set("artifact", "/x")
                      .set("parameters", Json().set("vector", 4)));
  Json workload = Json::parse(R"({"id":"w","problem":{"m":10,"n":20}})");
  Json job = Json().set("job", "time").set("id", "9").set("workload", workload).set("variants", variants);
  try {
    stopwatch.run(TimeJob(job.set("baselines", true).set("options", Json::parse(options))));
  } catch (const DeviceLost&) {
    out.push_back(Json().set("event", "lost"));
  }
  return out;
}

std::vector<Json> only(const std::vector<Json>& lines, const char* event, const char* subject = nullptr) {
  std::vector<Json> found;
  for (const Json& line : lines)
    if (line.at("event").text() == event && (!subject || line.at("subject").text() == subject))
      found.push_back(line);
  return found;
}

/// A baseline of the test family; slower than the kernels.
class Library : public Baseline {
 public:
  std::string name() const override { return "library"; }
  void prepare(const Problem& problem, const Placement& placement, void*) override {
    const auto& tensors = problem.tensors();
    args_ = {static_cast<const float*>(placement.tensors[0]),
             static_cast<float*>(placement.tensors[1]),
             nullptr,
             static_cast<int>(tensors[0].rows),
             static_cast<int>(tensors[0].cols),
             static_cast<int>(tensors[0].stride),
             static_cast<int>(tensors[1].stride),
             1,
             0};
  }
  void run() override {
    good(args_);
    host::now += 5e-3;
  }

 private:
  Args args_{};
};

class Absent : public Baseline {
 public:
  std::string name() const override { return "absent"; }
  void prepare(const Problem&, const Placement&, void*) override {
    throw Unsupported("liblibrary.so is not installed");
  }
  void run() override {}
};

}  // namespace

namespace tilewright {
std::vector<std::unique_ptr<Baseline>> make_baselines() {
  std::vector<std::unique_ptr<Baseline>> list;
  list.push_back(std::make_unique<Library>());
  list.push_back(std::make_unique<Absent>());
  return list;
}
}  // namespace tilewright

TEST_CASE("median of samples") {
  CHECK_EQ(median({}), 0.0);
  CHECK_EQ(median({3, 1, 2}), 2.0);
  CHECK_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST_CASE("what passed is timed hot and cold beside the baseline") {
  host::kernels() = {{"slow", taking(2e-3)}, {"fast", taking(1e-3)}};
  const auto out = run({"slow", "fast"}, R"({"samples":4,"warmup":1,"launchesPerSample":5})");
  const Json hot = only(out, "measurement", "fast")[0], cold = only(out, "measurement", "fast")[1];
  CHECK_EQ(hot.at("l2").text(), "hot");
  CHECK_EQ(cold.at("l2").text(), "cold");
  CHECK(std::abs(hot.at("median").number() - 1e-3) < 1e-12);
  CHECK(std::abs(cold.at("median").number() - 2e-3) < 1e-12);
  CHECK_EQ(hot.at("samples").items().size(), 4u);
  CHECK(std::abs(hot.at("tflops").number() - 600 / 1e-3 / 1e12) < 1e-15);
  CHECK_EQ(only(out, "measurement", "library").size(), 2u);
  CHECK_EQ(only(out, "measurement", "library")[0].at("kind").text(), "baseline");
  CHECK(hot.at("graph").boolean());
  CHECK(!cold.find("graph"));
  CHECK(!only(out, "measurement", "library")[0].at("graph").boolean());  // records nothing here
  CHECK_EQ(only(out, "check", "absent")[0].at("verdict").text(), "unsupported");
  CHECK_EQ(out.back().at("event").text(), "done");
}

TEST_CASE("what fails its check is never timed") {
  host::kernels() = {{"fast", taking(1e-3)}, {"wrong", [](const Args& args) {
                                                good(args);
                                                args.c[3] += 1;
                                              }}};
  const auto out = run({"wrong", "fast", "missing"}, R"({"samples":2})");
  CHECK_EQ(only(out, "check", "wrong")[0].at("verdict").text(), "wrong");
  CHECK_EQ(only(out, "check", "missing")[0].at("verdict").text(), "launch");
  CHECK_EQ(only(out, "measurement", "wrong").size(), 0u);
  CHECK_EQ(only(out, "measurement", "fast").size(), 2u);
}

TEST_CASE("clearly slow variants are dropped and baselines are not") {
  host::kernels() = {{"slow", taking(2e-3)}, {"fast", taking(1e-3)}};
  const auto out = run({"slow", "fast"}, R"({"samples":20,"earlyStop":1.5,"cold":false})");
  const Json slow = only(out, "measurement", "slow")[0];
  CHECK(slow.at("stoppedEarly").boolean());
  CHECK_EQ(slow.at("samples").items().size(), 3u);
  CHECK_EQ(only(out, "measurement", "fast")[0].at("samples").items().size(), 20u);
  CHECK_EQ(only(out, "measurement", "library")[0].at("samples").items().size(), 20u);
}

TEST_CASE("turns alternate in direction") {
  std::string order;
  host::kernels() = {{"a",
                      [&](const Args& args) {
                        good(args);
                        order += 'a';
                      }},
                     {"b", [&](const Args& args) {
                        good(args);
                        order += 'b';
                      }}};
  run({"a", "b"}, R"({"samples":4,"warmup":0,"launchesPerSample":1,"cold":false})");
  CHECK_EQ(order, "ababbaabba");  // two checks, then four rounds
}

TEST_CASE("impossible times are rejected") {
  CHECK(implausible(0, 1, 1, 0, 0, true).has_value());
  CHECK(implausible(1, 2e12, 0, 1e12, 0, true)->find("2 TFLOPS is above the peak of 1") != std::string::npos);
  CHECK(!implausible(1, 1.04e12, 0, 1e12, 0, true));
  CHECK(implausible(1, 0, 2e12, 0, 1e12, false).has_value());
  CHECK(!implausible(1, 0, 2e12, 0, 1e12, true));  // hot data may sit in the L2 cache
  host::kernels() = {{"fast", taking(1e-9)}};
  const auto out = run({"fast"}, R"({"samples":2,"cold":false,"peakTflops":0.0001})");
  CHECK(only(out, "measurement", "fast")[0].at("rejected").text().find("above the peak") !=
        std::string::npos);
}

TEST_CASE("a fault while sampling names its subject") {
  int runs = 0;
  host::kernels() = {{"late", [&](const Args& args) {
                        good(args);
                        if (++runs > 3) throw DeviceLost("illegal address");
                      }}};
  const auto out = run({"late"}, R"({"samples":9,"launchesPerSample":1})");
  const auto checks = only(out, "check", "late");
  CHECK_EQ(checks.back().at("verdict").text(), "fault");
  CHECK_EQ(out.back().at("event").text(), "lost");
}

TEST_CASE("damage by one variant is not another ones fault") {
  host::kernels() = {{"vandal",
                      [](const Args& args) {
                        good(args);
                        for (int j = -10; j < args.n; ++j) const_cast<float*>(args.a)[j] = -3;
                      }},
                     {"next", taking(1e-3)}};
  const auto out = run({"vandal", "next"}, R"({"samples":2,"cold":false,"recheck":true})");
  CHECK_EQ(only(out, "check", "vandal").back().at("verdict").text(), "out-of-bounds");
  CHECK_EQ(only(out, "measurement", "vandal").size(), 0u);
  for (const Json& check : only(out, "check", "next")) CHECK_EQ(check.at("verdict").text(), "passed");
  CHECK_EQ(only(out, "measurement", "next").size(), 1u);
}

TEST_CASE("a second check after sampling") {
  int runs = 0;
  host::kernels() = {{"tired", [&](const Args& args) {
                        if (++runs < 5) good(args);
                      }}};
  const auto out = run({"tired"}, R"({"samples":9,"launchesPerSample":1,"recheck":true})");
  CHECK_EQ(only(out, "check", "tired").back().at("verdict").text(), "unwritten");
  CHECK_EQ(only(out, "measurement", "tired").size(), 0u);
}
