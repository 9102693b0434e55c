// Fibers, orders, preemption, limits, crashes.
#include <cstdlib>
#include <stdexcept>

#include "device_test.hpp"

using namespace simt;

namespace {

/// Threads write, synchronise, read their neighbour's, and count.
Result ring(const Config& config, unsigned threads, Buffer<int>& out) {
  return launch(config, {2}, {threads}, 1 << 15, {1}, [&, threads] {
    const unsigned me = ids->thread.x;
    const std::uint32_t base = shared_start();
    for (int round = 0; round < 4; ++round) {
      store_shared<int>(base + me * 4, static_cast<int>(me) + round);
      sync_threads();
      const int next = load_shared<int>(base + (me + 1) % threads * 4);
      sync_threads();
      if (round == 3) out[ids->block.x * threads + me] = next;
    }
  });
}

bool same(const Statistics& a, const Statistics& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("every mode gives the same answer") {
  for (unsigned threads : {1u, 32u, 33u, 100u, 1024u})
    for (const Config& config : all_modes()) {
      Buffer<int> out(2 * threads);
      CHECK_CLEAN(ring(config, threads, out));
      for (unsigned i = 0; i < 2 * threads; ++i)
        CHECK_EQ(out[i], static_cast<int>((i % threads + 1) % threads) + 3);
    }
}

TEST_CASE("same seed same run") {
  for (Config config : all_modes(7)) {
    Buffer<int> out(256);
    const Result first = ring(config, 128, out);
    CHECK(same(first.statistics, ring(config, 128, out).statistics));
    config.detect = false;
    CHECK_EQ(ring(config, 128, out).statistics.switches, first.statistics.switches);
  }
}

TEST_CASE("seeds differ") {
  Config config = checked(Order::random);
  config.preempt = 0.1;
  Buffer<int> out(256);
  const auto first = ring(config, 128, out).statistics.switches;
  config.seed = 2;
  CHECK(ring(config, 128, out).statistics.switches != first);
}

TEST_CASE("more blocks at once than there is shared memory for are refused, and what follows runs") {
  Config config = checked();
  Buffer<int> out(65);
  const auto run = [&](unsigned blocks) {
    config.resident_clusters = ~0u;
    return launch(config, {blocks}, {1}, 0, {1}, [&] { out[ids->block.x] = 1; });
  };
  CHECK_THROWS_WITH_AS(
      run(65),
      "more than 64 thread blocks wait for each other: the launch has 65, and the emulated device runs "
      "at most 64 at once; use smaller sizes",
      TooManyBlocks);
  CHECK_CLEAN(run(64));
  CHECK_EQ(out[63], 1);
}

TEST_CASE("many waves and a smaller last one") {
  Config config = checked();
  config.resident_clusters = 3;
  Buffer<int> count(1);
  const Result result = launch(config, {10}, {32}, 0, {1}, [&] {
    const int one = 1;
    int old;
    atomic(
        count.data(), 4,
        [](void* p, const void* v, void* o) {
          std::memcpy(o, p, 4);
          *static_cast<int*>(p) += *static_cast<const int*>(v);
        },
        &one, &old);
  });
  CHECK_CLEAN(result);
  CHECK_EQ(count[0], 320);
}

TEST_CASE("blocks that wait for each other need residency") {
  Buffer<int> flag(1);
  const auto kernel = [&] {
    if (ids->block.x == 0)
      while (true) {
        int old;
        const int zero = 0;
        atomic(flag.data(), 4, [](void* p, const void*, void* o) { std::memcpy(o, p, 4); }, &zero, &old);
        if (old) break;
        nanosleep(10);
      }
    else
      flag[0] = 1;
  };
  Config config;
  config.order = Order::in_order;  // of blocks too
  config.seconds = 0.2;
  CHECK_FINDING(launch(config, {2}, {1}, 0, {1}, kernel), "hang", "more than 0.2 s");
  flag[0] = 0;
  config.resident_clusters = 2;
  config.seconds = 10;
  CHECK_CLEAN(launch(config, {2}, {1}, 0, {1}, kernel));
}

TEST_CASE("a launch can end where blocks wait for blocks that are yet to come") {
  Buffer<int> turn(1, "turn"), sum(1, "sum");
  const auto kernel = [&](unsigned first) {  // the block that begins; each waits for the one before
    return [&, first] {
      if (ids->thread.x == 0) {
        const int mine = static_cast<int>((ids->block.x + 4 - first) % 4);
        int now = -1;
        while (now != mine) atomic_load(turn.data(), 4, &now, Scope::gpu);
        thread_fence(Scope::gpu);
        sum[0] += 1;
        thread_fence(Scope::gpu);
        const int next = mine + 1;
        atomic_store(turn.data(), 4, &next, Scope::gpu);
      }
      sync_threads();
    };
  };
  for (Config config : all_modes()) {
    config.stop_at_waiting = true;
    turn[0] = sum[0] = 0;
    const Result alone = launch(config, {4}, {64}, 64, {1}, kernel(2));
    CHECK(alone.waits);
    CHECK_FALSE(alone.ok());
    CHECK_EQ(alone.finding_count, 0);
    turn[0] = sum[0] = 0;
    config.resident_clusters = 4;
    CHECK_CLEAN(launch(config, {4}, {64}, 64, {1}, kernel(2)));
    CHECK_EQ(sum[0], 4);
  }
}

TEST_CASE("a spinning thread lets others run") {
  for (Order order : {Order::in_order, Order::random, Order::greedy}) {
    Config config;
    config.order = order;
    config.seconds = 10;
    CHECK_CLEAN(launch(config, {1}, {64}, 64, {1}, [] {
      const std::uint32_t base = shared_start();
      if (ids->thread.x == 63) store_shared<int>(base, 1);
      if (ids->thread.x == 0)
        while (load_shared<int>(base) != 1) {
        }
    }));
  }
}

TEST_CASE("coordinates") {
  Buffer<int> seen(2 * 3 * 4 * 2 * 3 * 2);
  CHECK_CLEAN(launch(checked(), {4, 3, 2}, {2, 3, 2}, 0, {2, 1, 1}, [&] {
    const Ids& me = *ids;
    const unsigned block = (me.block.z * 3 + me.block.y) * 4 + me.block.x;
    const unsigned thread = (me.thread.z * 3 + me.thread.y) * 2 + me.thread.x;
    CHECK_EQ(me.cluster_rank, me.block.x % 2);
    CHECK_EQ(me.lane, thread);
    ++seen[block * 12 + thread];
  }));
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK_EQ(seen[i], 1);
}

TEST_CASE("crashes are findings") {
  const Config config = checked();
  const Result null = launch(config, {1}, {64}, 0, {1}, [] {
    if (ids->thread.x == 40) *reinterpret_cast<volatile int*>(16) = 1;
  });
  CHECK_FINDING(null, "global-out-of-bounds", "0x10");
  CHECK_FINDING(null, "global-out-of-bounds", "thread 40 of block (0,0,0)");
  CHECK_FINDING(null, "global-out-of-bounds", "schedule_test.cpp");
  CHECK_FINDING(launch(config, {1}, {1}, 0, {1}, [] { trap("by hand"); }), "trap", "by hand");
  CHECK_FINDING(launch(config, {1}, {1}, 0, {1}, [] { throw std::runtime_error("no"); }), "trap",
                "exception");
  Buffer<int> ok(1);
  CHECK_CLEAN(launch(config, {1}, {1}, 0, {1}, [&] { ok[0] = 1; }));  // and the device still works
}

#if !defined(__SANITIZE_ADDRESS__)
namespace {
[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth > 0 ? recurse(depth - 1) + frame[0] : 0;
}
}  // namespace

TEST_CASE("stack overflow is a finding") {
  const Result result = launch(checked(), {1}, {2}, 0, {1}, [] {
    if (recurse(1 << 20) == 1) trap("");
  });
  CHECK_FINDING(result, "trap", "overflow");
}
#endif

TEST_CASE("bad shapes are refused") {
  const auto nothing = [] {};
  const WithLimits hopper({1024, 227 << 10, 8, 65536});
  CHECK_THROWS_WITH(launch({}, {1}, {2048}, 0, {1}, nothing), doctest::Contains("at most 1024"));
  CHECK_THROWS_WITH(launch({}, {1}, {32}, 300000, {1}, nothing), doctest::Contains("at most 232448"));
  CHECK_THROWS_WITH(launch({}, {16}, {32}, 0, {16}, nothing),
                    doctest::Contains("16 blocks in a cluster; at most 8"));
  CHECK_THROWS_WITH(set_limits({1024, 256 << 10, 8, 65536}),
                    doctest::Contains("more than the emulator can hold"));
  CHECK_THROWS_WITH(launch({}, {3}, {32}, 0, {2}, nothing), doctest::Contains("multiple of the cluster"));
  CHECK_THROWS_WITH(launch({}, {0}, {32}, 0, {1}, nothing), doctest::Contains("is 0"));
}
