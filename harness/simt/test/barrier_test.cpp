// Block-wide, named and cluster barriers; deadlocks and their words.
#include "device_test.hpp"

using namespace simt;

TEST_CASE("named barriers") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {1}, {128}, 1024, {1}, [] {
      const std::uint32_t base = shared_start();
      const unsigned me = ids->thread.x;
      const bool producer = me < 64;
      for (int round = 0; round < 3; ++round) {
        if (producer) {
          bar_sync(2, 128);  // the slot is free
          store_shared<int>(base + me * 4, round);
          bar_arrive(1, 128);
        } else {
          bar_arrive(2, 128);
          bar_sync(1, 128);
          CHECK_EQ(load_shared<int>(base + (me - 64) * 4), round);
        }
      }
    }));
}

TEST_CASE("barriers with a vote") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {1}, {96}, 0, {1}, [] {
      const int me = static_cast<int>(ids->thread.x);
      CHECK_EQ(sync_threads_reduce(me < 10, 0), 10);
      CHECK_EQ(sync_threads_reduce(me < 96, 1), 1);
      CHECK_EQ(sync_threads_reduce(me < 95, 1), 0);
      CHECK_EQ(sync_threads_reduce(me == 95, 2), 1);
      CHECK_EQ(sync_threads_reduce(0, 2), 0);
    }));
}

TEST_CASE("exited threads do not count") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {1}, {128}, 0, {1}, [] {
      if (ids->thread.x >= 70) return;
      sync_threads();
    }));
}

TEST_CASE("cluster barrier orders remote stores") {
  const auto kernel = [](bool release) {
    return [release] {
      const std::uint32_t base = shared_start();
      const unsigned other = ids->cluster_rank ^ 1;
      store_shared<int>(map_shared_rank(base, other) + ids->thread.x * 4,
                        static_cast<int>(ids->cluster_rank));
      cluster_arrive(release);
      cluster_wait();
      CHECK_EQ(load_shared<int>(base + ids->thread.x * 4), static_cast<int>(other));
      cluster_arrive(true);
      cluster_wait();
    };
  };
  for (const Config& config : few_modes()) {
    CHECK_CLEAN(launch(config, {4}, {64}, 1024, {2}, kernel(true)));
    CHECK_FINDING(launch(config, {4}, {64}, 1024, {2}, kernel(false)), "race", "read after write");
  }
}

/// Bytes between the shared memory of two blocks of a cluster, as generic addresses.
constexpr std::ptrdiff_t kBlockDistance = 256 << 10;

TEST_CASE("an exited block must be left alone") {
  const Result result = launch(checked(), {2}, {32}, 1024, {2}, [] {
    if (ids->cluster_rank == 0) return;
    store_shared<int>(map_shared_rank(shared_start(), 0), 1);
  });
  CHECK_FINDING(result, "exit", "rank 0, which has exited");
  const Result counted = launch(checked(), {2}, {32}, 1024, {2}, [] {
    if (ids->cluster_rank == 0) return;
    int old;
    const auto nothing = [](void*, const void*, void*) {};
    atomic(shared_base() - kBlockDistance, 4, nothing, &old, &old);
  });
  CHECK_FINDING(counted, "exit", "atomic to the shared memory of block rank 0, which has exited");
}

TEST_CASE("a block ends behind what others do to its shared memory, in every schedule") {
  enum class End { at_once, together, awaited };
  const auto kernel = [](End end, bool arrives) {
    return [end, arrives] {
      const std::uint32_t barrier = shared_start(), word = barrier + 8;
      if (ids->thread.x == 0) mbarrier_init(barrier, 1);
      cluster_arrive(true);
      cluster_wait();
      if (ids->thread.x == 0 && ids->cluster_rank == 1) {
        if (!arrives) store_shared<int>(map_shared_rank(word, 0), 1);
        if (arrives || end == End::awaited) mbarrier_arrive(map_shared_rank(barrier, 0), 1, Scope::cluster);
      }
      if (end == End::awaited && ids->thread.x == 5 && ids->cluster_rank == 0) mbarrier_wait(barrier, 0);
      if (end != End::together) return;
      cluster_arrive(true);
      cluster_wait();
    };
  };
  unsigned seen_before = 0;  // that the block was gone: in other schedules it was
  for (const bool arrives : {false, true})
    for (const Config& config : all_modes()) {
      const Result result = launch(config, {2}, {32}, 1024, {2}, kernel(End::at_once, arrives));
      CHECK_FINDING(result, "exit", "barrier_test.cpp");
      seen_before += contains(finding(result, "exit"), "nothing orders its end");
      CHECK_CLEAN(launch(config, {2}, {32}, 1024, {2}, kernel(End::together, arrives)));
      CHECK_CLEAN(launch(config, {2}, {32}, 1024, {2}, kernel(End::awaited, arrives)));
    }
  CHECK_GT(seen_before, 9);
}

TEST_CASE("the cluster barrier is for whole warps") {
  // Lane 0 waits for warp 1, as a producer does for an empty stage, before or after the others of its warp arrive.
  const auto kernel = [](bool together, bool polls, bool aligned = true) {
    return [together, polls, aligned] {
      const std::uint32_t barrier = shared_start();
      if (ids->thread.x == 0) mbarrier_init(barrier, 1);
      cluster_arrive(true);
      cluster_wait();
      if (ids->thread.x == 0) {
        if (polls)
          while (!mbarrier_try_wait(barrier, 0)) {
          }
        else
          mbarrier_wait(barrier, 0);
      }
      if (ids->warp == 0 && together) sync_warp(~0u);
      if (ids->thread.x == 63) mbarrier_arrive(barrier, 1, Scope::cluster);
      cluster_arrive(true, aligned);
      cluster_wait();
    };
  };
  for (const bool polls : {false, true}) {
    unsigned found = 0;
    for (const Config& config : all_modes()) {
      CHECK_CLEAN(launch(config, {2}, {64}, 1024, {2}, kernel(true, polls)));
      CHECK_CLEAN(launch(config, {2}, {64}, 1024, {2}, kernel(false, polls, false)));
      const Result apart = launch(config, {2}, {64}, 1024, {2}, kernel(false, polls));
      found += contains(finding(apart, "divergence"), "a __syncwarp() is missing");
    }
    CHECK_GT(found, 9);
  }
  // Between arrival and wait a lane may wait for others.
  for (const Config& config : few_modes())
    CHECK_CLEAN(launch(config, {2}, {64}, 1024, {2}, [] {
      cluster_arrive(true);
      if (ids->warp == 0) bar_sync(1, 32);
      cluster_wait();
    }));
}

TEST_CASE("misuse is reported") {
  const auto run = [](auto kernel) { return launch(checked(), {1}, {64}, 0, {1}, kernel); };
  CHECK_FINDING(run([] { bar_sync(16, 64); }), "barrier", "0 to 15");
  CHECK_FINDING(run([] { bar_sync(1, 33); }), "barrier", "multiple of 32");
  CHECK_FINDING(run([] { bar_sync(1, 128); }), "barrier", "the block has 64");
  CHECK_FINDING(run([] { bar_sync(1, ids->warp ? 32 : 64); }), "barrier", "is used with");
  CHECK_FINDING(run([] { cluster_wait(); }), "barrier", "without barrier.cluster.arrive");
}

TEST_CASE("a barrier that not all threads of a block reach is named, with lines and threads") {
  const auto run = [](const Config& config, auto kernel) {
    return launch(config, {1}, {96}, 1024, {1}, kernel);
  };
  for (const Config& config : all_modes()) {
    const Result apart = run(config, [] { sync_threads(ids->warp == 1 ? 8 : 7); });
    const std::string words = finding(apart, "divergent-barrier");
    CHECK(
        contains(words, "threads 0-31, 64-95 of block (0,0,0) wait in __syncthreads() at barrier_test.cpp:"));
    CHECK(contains(words, ", threads 32-63 in __syncthreads() at barrier_test.cpp:"));
    CHECK_FINDING(run(config,
                      [] {
                        if (ids->thread.x != 5) sync_threads(7);
                      }),
                  "early-exit", "which thread 5 ended without reaching");
    // Arrivals at the barrier of the hardware, by PTX or by a group, count wherever they are made.
    CHECK_CLEAN(run(config, [] { ids->warp == 1 ? sync_threads() : sync_threads(7); }));
    CHECK_CLEAN(run(config, [] { ids->warp == 1 ? sync_threads(kGroupSync) : sync_threads(kGroupSync); }));
  }
}

TEST_CASE("a divergent barrier comes before the races that follow from it") {
  const Result result = launch(checked(), {1}, {64}, 1024, {1}, [] {
    const std::uint32_t base = shared_start();
    store_shared<int>(base + ids->thread.x * 4, 1);
    if (ids->warp == 0) sync_threads(7);
    load_shared<int>(base + (63 - ids->thread.x) * 4);
  });
  REQUIRE_GE(result.findings.size(), 2);
  CHECK_EQ(result.findings.front().kind, "early-exit");
  CHECK_FINDING(result, "race", "read after write");
}

TEST_CASE("deadlock names who waits where") {
  for (const Config& config : all_modes()) {
    const Result result = launch(config, {1}, {96}, 1024, {1}, [] {
      if (ids->warp == 0) bar_sync(3, 96);
      if (ids->warp == 1) sync_threads();
      if (ids->thread.x == 64) {
        const std::uint32_t barrier = shared_start();
        mbarrier_init(barrier, 2);
        mbarrier_arrive_expect_tx(barrier, 512);
        mbarrier_wait(barrier, 0);
      }
    });
    const std::string words = finding(result, "deadlock");
    CHECK(contains(words, "65 of 96 threads are waiting"));
    CHECK(contains(
        words, "warp 0 of block (0,0,0) at barrier 3 (32 of 96 threads have arrived) at barrier_test.cpp:"));
    CHECK(contains(words, "warp 1 of block (0,0,0) at barrier 0 (32 of 65 threads have arrived)"));
    CHECK(contains(
        words,
        "warp 2 lane 0 of block (0,0,0) on mbarrier 0x400 parity 0: phase 0, 1 of 2 arrivals missing, "
        "512 bytes missing at barrier_test.cpp:"));
  }
}
