// The gate on the emulated device, with kernels that are wrong in ways that only a device can see.
#include <doctest/doctest.h>

#include <string>

#include "family/args.hpp"
#include "gate.hpp"

using namespace tilewright;

namespace {

Json verdict(const std::string& symbol, const std::string& cases, double watchdog = 20) {
  const auto device = open_device();
  ProblemCache problems(1 << 20);
  Json verdict;
  Gate gate(*device, problems, [&](const Json& line) { verdict = line; });
  Json variant = Json()
                     .set("id", symbol)
                     .set("symbol", symbol)
                     .set("artifact", AXPBY_KERNELS)
                     .set("deterministic", true);
  variant.set("parameters", Json().set("vector", 4));
  Json job =
      Json().set("job", "gate").set("id", "1").set("variant", variant).set("cases", Json::parse(cases));
  job.set("schedules",
          Json::parse(
              R"([{"seed":1,"async":"random","order":"in-order"},{"seed":2},{"seed":3,"order":"random"}])"));
  job.set("watchdog", watchdog);
  gate.run(GateJob(job));
  return verdict;
}

const char* const kCase =
    R"([{"id":"plain","tier":"structures","problem":{"m":5,"n":36,"alpha":2,"ldExtra":3}}])";

std::string word(const std::string& symbol) { return verdict(symbol, kCase).at("verdict").text(); }

bool says(const Json& verdict, const char* part) {
  return verdict.at("evidence").at("message").text().find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("correct kernels pass under every schedule") {
  for (const char* symbol : {"axpby_good", "axpby_shared"}) {
    const Json result = verdict(symbol, R"([
      {"id":"plain","tier":"structures","problem":{"m":5,"n":36}},
      {"id":"empty","tier":"structures","problem":{"m":0,"n":36}},
      {"id":"nan","tier":"non-finite","problem":{"m":5,"n":36,"nan":true}},
      {"id":"again","tier":"repetition","launches":2,"problem":{"m":5,"n":40,"beta":1.5,"ldExtra":4,"offset":1,"seed":3}},
      {"id":"ragged","tier":"edges","refuses":"multiple of 4","problem":{"m":5,"n":37}}])");
    CHECK_EQ(result.at("verdict").text(), "passed");
    CHECK(result.at("evidence").at("statistics").at("globalBytesRead").number() > 0);
  }
}

TEST_CASE("evidence counts what moves and which banks conflict") {
  const Json evidence =
      verdict("axpby_banks", R"([{"id":"plain","tier":"structures","problem":{"m":5,"n":32}}])")
          .at("evidence");
  const Json& counted = evidence.at("statistics");
  // Three schedules of 5 blocks of a warp: a store and a load of each lane.
  CHECK_EQ(counted.at("sharedAccesses").number(), 3 * 5 * 2);
  CHECK_EQ(counted.at("sharedWavefronts").number(), 3 * 5 * 2 * 2);
  CHECK_EQ(counted.at("sharedBankConflicts").number(), 3 * 5 * 2);
  CHECK_EQ(counted.at("sharedLoadBytes").number(), 3 * 5 * 128);
  CHECK_EQ(counted.at("sharedStoreBytes").number(), 3 * 5 * 128);
  CHECK_EQ(counted.at("globalLoadBytes").number(), 3 * 5 * 128);
  CHECK_EQ(counted.at("globalStoreBytes").number(), 3 * 5 * 128);
  CHECK_EQ(counted.at("sharedBytesUsed").number(), 31 * 8 + 4);  // the largest, not the sum
  const auto& lines = evidence.at("bankConflicts").items();
  CHECK_EQ(lines.size(), 2u);
  CHECK_EQ(lines[0].at("conflicts").number(), 3 * 5);
  CHECK(lines[0].at("line").text().find("kernels.cpp:") != std::string::npos);
}

TEST_CASE("kernels without conflicts name no line") {
  const Json evidence = verdict("axpby_shared", kCase).at("evidence");
  CHECK_EQ(evidence.at("bankConflicts").items().size(), 0u);
}

TEST_CASE("the device names the cause") {
  CHECK_EQ(word("axpby_race"), "race");
  CHECK_EQ(word("axpby_unwritten"), "unwritten");
  CHECK_EQ(word("axpby_null"), "out-of-bounds");
  CHECK_EQ(word("axpby_deadlock"), "hang");
  CHECK_EQ(word("axpby_trap"), "fault");
  CHECK(word("axpby_ragged") != "passed");
}

TEST_CASE("a launch may take as long as the job says") {
  for (const double seconds : {0.25, 0.5}) {
    const Json result = verdict("axpby_spin", kCase, seconds);
    CHECK_EQ(result.at("verdict").text(), "hang");
    CHECK(says(result, seconds == 0.5 ? "more than 0.5 s" : "more than 0.25 s"));
  }
}

TEST_CASE("a finding says where and under which seed") {
  const Json result = verdict("axpby_trap", kCase);
  CHECK(says(result, "axpby gives up"));
  CHECK(says(result, "kernels.cpp"));
  CHECK_EQ(result.at("evidence").at("seed").integer(), 1);
  CHECK_EQ(result.at("evidence").at("case").text(), "plain");
}

TEST_CASE("an output holds nothing before it is written") {
  const Json result = verdict("axpby_reads_output", kCase);
  CHECK_EQ(result.at("verdict").text(), "race");
  CHECK(says(result, "of 'c'"));
  CHECK(says(result, "load by thread 0 of block (0,0,0)"));
  CHECK(says(result, "nothing has written"));
  // With beta it is an input as well; and what a launch has written is there for the next.
  const char* both =
      R"([{"id":"again","tier":"repetition","launches":2,"problem":{"m":5,"n":36,"beta":1.5,"seed":3}}])";
  CHECK_EQ(verdict("axpby_reads_output", both).at("verdict").text(), "passed");
}

TEST_CASE("what cannot be loaded is refused") {
  const Json result = verdict("axpby_missing", kCase);
  CHECK_EQ(result.at("verdict").text(), "launch");
  CHECK(says(result, "exports no kernel axpby_missing"));
}

TEST_CASE("it stands for the architecture that it is told") {
  const auto device = open_device(Json()
                                      .set("name", "sm_86")
                                      .set("capability", 86)
                                      .set("maxSharedBytesPerBlock", 101376)
                                      .set("maxClusterBlocks", 1));
  CHECK_EQ(device->limits().compute_capability, 86);
  CHECK(device->description().name.starts_with("emulated sm_86 on "));
  Plan plan;
  BoundLaunch launch;
  launch.block = {32, 1, 1};
  launch.shared_bytes = 101377;
  plan.launches = {launch};
  const auto prepare = [&] { device->prepare(device->load(AXPBY_KERNELS, "axpby_good"), plan); };
  CHECK_THROWS_WITH(prepare(), doctest::Contains("101377 bytes of shared memory; at most 101376"));
  plan.launches[0].shared_bytes = 101376;
  prepare();
  plan.launches[0].grid = plan.launches[0].cluster = {2, 1, 1};
  CHECK_THROWS_WITH(prepare(), doctest::Contains("2 blocks per cluster; at most 1"));
}

TEST_CASE("schedules are read strictly") {
  const auto device = open_device();
  CHECK(device->streams() == nullptr);
  Plan plan;
  BoundLaunch launch;
  launch.arguments.resize(sizeof(axpby::Args));
  launch.block = {2048, 1, 1};
  plan.launches = {launch};
  CHECK_THROWS_WITH(device->prepare(device->load(AXPBY_KERNELS, "axpby_good"), plan),
                    doctest::Contains("2048 threads per block; at most 1024"));
  launch.block = {32, 1, 1};
  launch.cluster = {2, 1, 1};
  plan.launches = {launch};
  CHECK_THROWS_WITH(device->prepare(device->load(AXPBY_KERNELS, "axpby_good"), plan),
                    doctest::Contains("no multiple of the cluster's 2"));
  plan.launches.clear();
  Schedule schedule;
  schedule.order = "alphabetical";
  launch.cluster = {1, 1, 1};
  plan.launches = {launch};
  CHECK_THROWS_WITH(device->prepare(device->load(AXPBY_KERNELS, "axpby_good"), plan)->run(schedule),
                    doctest::Contains("in-order, random, greedy"));
}
