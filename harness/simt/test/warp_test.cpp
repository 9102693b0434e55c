// Warp-wide instructions, and what happens when lanes do not agree.
#include <bit>

#include "device_test.hpp"

using namespace simt;

namespace {

constexpr std::uint32_t kAll = 0xffffffff;

template <class Kernel>
Result warp(Kernel kernel, const Config& config = checked(), unsigned threads = 32) {
  return launch(config, {1}, {threads}, 1024, {1}, kernel);
}

}  // namespace

TEST_CASE("shuffles") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(warp(
        [] {
          const auto lane = ids->lane;
          CHECK_EQ(shuffle(kAll, lane, Shuffle::idx, 5, 32), 5u);
          CHECK_EQ(shuffle(kAll, lane, Shuffle::idx, 3, 8), lane / 8 * 8 + 3);
          CHECK_EQ(shuffle(kAll, lane, Shuffle::up, 1, 32), lane ? lane - 1 : 0);
          CHECK_EQ(shuffle(kAll, lane, Shuffle::down, 2, 16), lane % 16 < 14 ? lane + 2 : lane);
          CHECK_EQ(shuffle(kAll, lane, Shuffle::bfly, 9, 32), lane ^ 9);
        },
        config));
}

TEST_CASE("votes reductions matches") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(warp(
        [] {
          const auto lane = ids->lane;
          CHECK_EQ(ballot(kAll, lane % 3 == 0), 0x49249249u);
          CHECK_EQ(reduce(kAll, lane, Reduce::add, false), 496u);
          CHECK_EQ(reduce(kAll, lane - 5, Reduce::min, true), static_cast<std::uint32_t>(-5));
          CHECK_EQ(reduce(kAll, lane - 5, Reduce::max, false), 0xffffffffu);
          CHECK_EQ(reduce(kAll, 1u << lane, Reduce::or_, false), kAll);
          CHECK_EQ(reduce(kAll, lane, Reduce::xor_, false), 0u);
          CHECK_EQ(match_any(kAll, lane / 8), 0xffu << lane / 8 * 8);
          CHECK_EQ(elect_one(kAll), lane == 0);
          CHECK_EQ(elect_one(kAll), lane == 0);
        },
        config));
}

TEST_CASE("halves of a warp converge apart") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(warp(
        [] {
          const auto lane = ids->lane;
          const std::uint32_t mask = lane < 16 ? 0x0000ffff : 0xffff0000;
          for (int i = 0; i < 5; ++i) {
            CHECK_EQ(ballot(mask, true), mask);
            CHECK_EQ(elect_one(mask), lane % 16 == 0);
          }
        },
        config));
}

TEST_CASE("lanes of a branch call collectives of their own while the others wait behind it") {
  for (const Config& config : all_modes())
    for (const std::uint32_t mask : {0x0000ffffu, 0xffff0000u, 0x00010001u})
      CHECK_CLEAN(warp(
          [mask] {
            const auto lane = ids->lane;
            for (int i = 0; i < 3; ++i) {
              if (mask >> lane & 1u) {
                CHECK_EQ(ballot(mask, true), mask);
                sync_warp(mask);
                if (lane == static_cast<unsigned>(std::countr_zero(mask))) sync_warp(1u << lane);
                CHECK_EQ(match_any(mask, 7), mask);
              }
              sync_warp(kAll);
            }
          },
          config));
}

TEST_CASE("lanes that wait for each other in unlike collectives are reported") {
  for (const Config& config : all_modes()) {
    const Result result = warp(
        [] {
          // Lane 20 is named by the branch's mask, and waits behind the branch.
          if (ids->lane < 16) ballot(0x0010ffff, true);
          sync_warp(kAll);
        },
        config);
    CHECK(result.findings.size() >= 1);
  }
}

TEST_CASE("active lanes are those of the branch") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(warp(
        [] {
          const auto lane = ids->lane;
          CHECK_EQ(active_mask(), kAll);
          if (lane % 3 == 0) {
            const std::uint32_t mask = active_mask();
            CHECK_EQ(mask, 0x49249249u);
            CHECK_EQ(ballot(mask, true), mask);
          }
          for (unsigned i = 0; i < lane / 16; ++i) CHECK_EQ(active_mask(), 0xffff0000u);
          if (lane >= 20) return;
          sync_warp(kAll);
          CHECK_EQ(active_mask(), 0xfffffu);
        },
        config));
}

TEST_CASE("exited lanes are not waited for") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(warp(
        [] {
          if (ids->lane >= 20) return;
          CHECK_EQ(ballot(kAll, true) & 0xfffff, 0xfffffu);
          sync_warp(kAll);
        },
        config));
  CHECK_CLEAN(warp([] { sync_warp(kAll); }, checked(), 20));
}

TEST_CASE("syncwarp orders") {
  CHECK_CLEAN(warp([] {
    const std::uint32_t base = shared_start();
    store_shared<int>(base + ids->lane * 4, 1);
    sync_warp(kAll);
    load_shared<int>(base + (ids->lane ^ 1) * 4);
  }));
  const Result racy = warp([] {
    const std::uint32_t base = shared_start();
    store_shared<int>(base + ids->lane * 4, 1);
    ballot(kAll, true);  // a vote orders nothing
    load_shared<int>(base + (ids->lane ^ 1) * 4);
  });
  CHECK_FINDING(racy, "race", "read after write");
}

TEST_CASE("divergence is reported") {
  const Result different = warp([] {
    if (ids->lane < 10)
      sync_warp(kAll);
    else
      ballot(kAll, true);
  });
  CHECK_FINDING(different, "divergence", "ballot");
  CHECK_FINDING(different, "divergence", "__syncwarp");
  CHECK_FINDING(different, "divergence", "warp_test.cpp");
  CHECK_FINDING(warp([] { sync_warp(ids->lane == 3 ? kAll & ~1u : kAll); }), "divergence", "mask");
  CHECK_FINDING(warp([] {
                  if (ids->lane == 4) shuffle(0xf, 1, Shuffle::idx, 0, 32);
                }),
                "divergence", "does not name the calling lane 4");
  CHECK_FINDING(
      warp([] { shuffle(kAll, 1, Shuffle::idx, static_cast<int>(ids->lane), ids->lane == 7 ? 16 : 32); }),
      "divergence", "different instructions");
  CHECK_FINDING(warp([] {
                  if (ids->lane & 1) shuffle(0xaaaaaaaa, 1, Shuffle::idx, 0, 32);
                }),
                "divergence", "does not take part");
}

TEST_CASE("aligned instructions need the whole warp") {
  const Result missing = warp([] {
    if (ids->lane == 31) return;
    float d[4] = {};
    const std::uint32_t a[4] = {}, b[2] = {};
    mma_m16n8(d, a, b, MmaType::f16);
  });
  CHECK_FINDING(missing, "divergence", "mma.sync");
}
