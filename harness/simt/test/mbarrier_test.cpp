// mbarriers: phases, bytes, remote arrivals, and protocols that go wrong.
#include "device_test.hpp"

using namespace simt;

namespace {

/// One warp initialises, all threads may use it.
std::uint32_t make_barrier(std::uint32_t offset, std::uint32_t count) {
  const std::uint32_t address = shared_start() + offset;
  if (ids->thread.x == 0) {
    mbarrier_init(address, count);
    fence_mbarrier_init();
  }
  sync_threads();
  return address;
}

template <class Kernel>
Result block(Kernel kernel, const Config& config = checked(), unsigned threads = 64) {
  return launch(config, {1}, {threads}, 8192, {1}, kernel);
}

}  // namespace

TEST_CASE("a ring hands data over") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(block(
        [] {
          const std::uint32_t full = make_barrier(0, 32), empty = make_barrier(64, 32),
                              data = shared_start() + 1024;
          const unsigned lane = ids->lane;
          for (unsigned turn = 0; turn < 6; ++turn) {
            if (ids->warp == 0) {
              mbarrier_wait(empty, (turn & 1) ^ 1);
              store_shared<unsigned>(data + lane * 4, turn * 100 + lane);
              mbarrier_arrive(full);
            } else {
              mbarrier_wait(full, turn & 1);
              CHECK_EQ(load_shared<unsigned>(data + (31 - lane) * 4), turn * 100 + 31 - lane);
              mbarrier_arrive(empty);
            }
          }
        },
        config));
}

TEST_CASE("try wait gives up and comes back") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(block(
        [] {
          const std::uint32_t barrier = make_barrier(0, 1);
          if (ids->thread.x == 0) {
            while (!mbarrier_try_wait(barrier, 0)) {
            }
          } else if (ids->thread.x == 40) {
            for (int i = 0; i < 10; ++i) nanosleep(1);
            mbarrier_arrive(barrier);
          }
        },
        config));
  const Result stuck = block([] {
    const std::uint32_t barrier = make_barrier(0, 1);
    if (ids->thread.x == 0)
      while (!mbarrier_try_wait(barrier, 0)) {
      }
  });
  CHECK_FINDING(stuck, "deadlock", "mbarrier 0x400 parity 0: phase 0, 1 of 1 arrivals missing");
}

TEST_CASE("remote arrivals") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {2}, {32}, 1024, {2}, [] {
      const std::uint32_t barrier = shared_start();
      if (ids->thread.x == 0) {
        mbarrier_init(barrier, 2);
        fence_mbarrier_init();
      }
      cluster_arrive(true);
      cluster_wait();
      if (ids->thread.x == 0)
        for (unsigned rank = 0; rank < 2; ++rank) mbarrier_arrive(map_shared_rank(barrier, rank));
      mbarrier_wait(barrier, 0);
      cluster_arrive(true);
      cluster_wait();
    }));
}

TEST_CASE("initialisation must be seen") {
  const Result local = block([] {
    if (ids->thread.x == 0) mbarrier_init(shared_start(), 64);
    mbarrier_arrive(shared_start());
  });
  CHECK_FINDING(local, "race", "mbarrier.init by thread 0");
  const Result remote = launch(checked(), {2}, {32}, 1024, {2}, [] {
    if (ids->thread.x == 0) mbarrier_init(shared_start(), 64);
    sync_threads();
    cluster_arrive(false);  // relaxed: orders nothing
    cluster_wait();
    mbarrier_arrive(map_shared_rank(shared_start(), ids->cluster_rank ^ 1));
    cluster_arrive(true);
    cluster_wait();
  });
  CHECK_FINDING(remote, "race", "mbarrier.init");
}

TEST_CASE("misuse is reported") {
  CHECK_FINDING(block([] { mbarrier_arrive(shared_start()); }), "mbarrier", "is not initialised");
  CHECK_FINDING(block([] { mbarrier_arrive(shared_start() + 4); }), "misaligned", "8-byte");
  CHECK_FINDING(block([] { mbarrier_init(shared_start() + 8192, 1); }), "shared-out-of-bounds",
                "mbarrier.init");
  CHECK_FINDING(block([] {
                  if (ids->thread.x == 0) mbarrier_init(shared_start(), 0);
                }),
                "mbarrier", "count 0");
  CHECK_FINDING(block([] {
                  const std::uint32_t barrier = make_barrier(0, 10);
                  if (ids->thread.x < 2) mbarrier_arrive(barrier, 6);
                }),
                "mbarrier", "more arrivals");
  CHECK_FINDING(block([] {
                  const std::uint32_t barrier = make_barrier(0, 1);
                  if (ids->thread.x == 1) store_shared<int>(barrier, 1);
                  sync_threads();
                  if (ids->thread.x == 0) mbarrier_arrive(barrier);
                }),
                "mbarrier", "other data has overwritten");
  CHECK_FINDING(block([] {
                  const std::uint32_t barrier = make_barrier(0, 2);
                  if (ids->thread.x == 0) mbarrier_expect_tx(barrier, 64);
                }),
                "mbarrier", "64 bytes announced by expect_tx that never came");
}

TEST_CASE("a phase must not end with bytes in flight") {
  for (Async async : {Async::now, Async::late}) {
    Buffer<unsigned char> source(1024);
    const Result result = block(
        [&] {
          const std::uint32_t barrier = make_barrier(0, 1), data = shared_start() + 1024;
          if (ids->thread.x == 0) {
            mbarrier_arrive_expect_tx(barrier, 512);  // two loads of 512 follow
            bulk_load(data, source.data(), 512, barrier, 0);
            bulk_load(data + 512, source.data() + 512, 512, barrier, 0);
          }
          mbarrier_wait(barrier, 0);
        },
        checked(Order::in_order, async));
    if (async == Async::late)
      CHECK_FINDING(result, "phase", "512 bytes of 1 loads still in flight: expect_tx announces too few");
    else
      CHECK_FINDING(result, "mbarrier", "512 bytes landed that no expect_tx announced");
  }
}

TEST_CASE("a lapped waiter is reported") {
  // Thread 32 waits for phase 0; the others complete phases 0 and 1 before it looks again.
  Config config = checked(Order::in_order);
  const Result result = block(
      [] {
        const std::uint32_t barrier = make_barrier(0, 1);
        if (ids->thread.x == 63) mbarrier_wait(barrier, 0);
        if (ids->thread.x == 0) {
          nanosleep(1);
          mbarrier_arrive(barrier);
          mbarrier_arrive(barrier);
        }
      },
      config);
  CHECK_FINDING(result, "phase", "parity aliasing");
  CHECK_FINDING(result, "phase", "thread 63");
}

namespace {

/// Thread 0 loads three times into one stage. Threads 32 and 40 take turns to read it; unless `in_order`,
/// nothing keeps thread 32 from waiting for its second turn before thread 40 has had its own.
Result take_turns(const Config& config, bool in_order) {
  Buffer<std::uint32_t> source(64);
  return block(
      [&] {
        const std::uint32_t full = make_barrier(0, 1), empty = make_barrier(8, 1),
                            data = shared_start() + 1024;
        const std::uint32_t seen[] = {make_barrier(16, 1), make_barrier(24, 1)};
        const unsigned thread = ids->thread.x;
        for (std::uint32_t turn = 0; turn < 3; ++turn) {
          if (thread == 0) {
            if (turn > 0) mbarrier_wait(empty, (turn - 1) & 1);
            mbarrier_arrive_expect_tx(full, 64);
            bulk_load(data, source.data(), 64, full, 0);
          } else if (thread == (turn == 1 ? 40 : 32)) {
            if (turn == 1 || (turn == 2 && in_order)) mbarrier_wait(seen[turn - 1], 0);
            mbarrier_wait(full, turn & 1);
            if (turn < 2) mbarrier_arrive(seen[turn]);
            static_cast<void>(load_shared<std::uint32_t>(data));
            fence_proxy_async();
            if (turn < 2) mbarrier_arrive(empty);
          }
        }
      },
      config);
}

}  // namespace

TEST_CASE("a wait two phases early is named as the cause") {
  for (const Config& config : all_modes()) CHECK_CLEAN(take_turns(config, true));
  Config config = checked(Order::in_order);
  config.preempt = 0;
  for (Async async : {Async::now, Async::late}) {
    config.async = async;
    const Result result = take_turns(config, false);
    CHECK_FINDING(result, "race", "thread 32");
    CHECK_FINDING(result, "phase", "parity aliasing: a wait on mbarrier 0x400 by thread 32 of block (0,0,0)");
    CHECK_FINDING(result, "phase",
                  "passed at once, on phase 0, which the thread had passed before; phase 2 has");
  }
}

TEST_CASE("a wait on a phase that the thread knows is no fault") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(block(
        [] {
          const std::uint32_t barrier = make_barrier(0, 1);
          mbarrier_wait(barrier, 1);
          sync_threads();
          if (ids->thread.x == 0) mbarrier_arrive_expect_tx(barrier, 0);
          for (int again = 0; again < 3; ++again) mbarrier_wait(barrier, 0);
        },
        config));
}

TEST_CASE("a waiter left behind is named in a deadlock") {
  const Result result = block([] {
    const std::uint32_t barrier = make_barrier(0, 1), seen = make_barrier(8, 1), go = make_barrier(16, 1);
    if (ids->thread.x == 0) {
      mbarrier_arrive(barrier);
      mbarrier_wait(seen, 0);
      mbarrier_arrive(barrier);
      mbarrier_arrive(barrier);
      mbarrier_arrive(go);
    } else if (ids->thread.x == 32) {
      mbarrier_wait(barrier, 0);
      mbarrier_arrive(seen);
      mbarrier_wait(go, 0);
      mbarrier_wait(barrier, 1);  // phase 1 is complete, and so is phase 2: the parity says "not yet"
    }
  });
  CHECK_FINDING(result, "deadlock", "parity 1: phase 3");
  CHECK_FINDING(result, "phase", "last saw phase 0 complete, and phase 2 has completed since");
}

namespace {

/// Scope of an arrival or of a wait: the thread block's, the same beside a fence of the cluster's, the cluster's.
enum class Handover { block_scope, fenced, cluster_scope };

Scope scope_of(Handover how) { return how == Handover::cluster_scope ? Scope::cluster : Scope::block; }

/// Block 1 writes into the shared memory of block 0, or reads it, and arrives there; then block 0 reads or
/// overwrites.
Result hand_over(const Config& config, Handover arrival, Handover wait, bool block_1_writes,
                 bool block_0_writes) {
  return launch(config, {2}, {32}, 1024, {2}, [=] {
    const std::uint32_t barrier = shared_start(), data = shared_start() + 64 + ids->lane * 4;
    if (ids->thread.x == 0) {
      mbarrier_init(barrier, 32);
      fence_mbarrier_init();
    }
    store_shared<unsigned>(data, 1);
    cluster_arrive(true);
    cluster_wait();
    if (ids->cluster_rank == 1) {
      if (block_1_writes)
        store_shared<unsigned>(map_shared_rank(data, 0), 2);
      else
        static_cast<void>(load_shared<unsigned>(map_shared_rank(data, 0)));
      if (arrival == Handover::fenced) thread_fence(Scope::cluster);
      mbarrier_arrive(map_shared_rank(barrier, 0), 1, scope_of(arrival));
    } else {
      if (wait == Handover::block_scope) thread_fence(Scope::cluster);  // too early to acquire anything
      mbarrier_wait(barrier, 0, scope_of(wait));
      if (wait == Handover::fenced) thread_fence(Scope::cluster);
      if (block_0_writes)
        store_shared<unsigned>(data, 3);
      else
        static_cast<void>(load_shared<unsigned>(data));
    }
    cluster_arrive(true);
    cluster_wait();
    static_cast<void>(load_shared<unsigned>(data));  // the cluster barrier hands all over
  });
}

}  // namespace

TEST_CASE("an mbarrier hands over to another block where arrival and wait both reach the cluster") {
  const Handover all[] = {Handover::block_scope, Handover::fenced, Handover::cluster_scope};
  for (const Handover arrival : all)
    for (const Handover wait : all) {
      if (arrival == Handover::block_scope || wait == Handover::block_scope) {
        for (const Config& config : few_modes())
          CHECK_FINDING(hand_over(config, arrival, wait, true, false), "race",
                        "read after write of another block, ordered only by an mbarrier at block scope");
      } else {
        for (const Config& config : all_modes()) CHECK_CLEAN(hand_over(config, arrival, wait, true, false));
      }
      // Giving a stage back: what was read, or filled before, may be overwritten.
      for (const Config& config : few_modes()) {
        CHECK_CLEAN(hand_over(config, arrival, wait, false, true));
        CHECK_CLEAN(hand_over(config, arrival, wait, true, true));
      }
    }
}

TEST_CASE("a wait at block scope acquires from its own block what others share the mbarrier with") {
  // Thread 32 of block 0 writes and arrives; so does block 1, which only reads. Thread 0 of block 0 waits, and another after a barrier.
  for (const bool foreign : {false, true})
    for (const Config& config : few_modes()) {
      const Result result = launch(config, {2}, {64}, 1024, {2}, [=] {
        const std::uint32_t barrier = shared_start(), data = shared_start() + 64;
        if (ids->thread.x == 0) {
          mbarrier_init(barrier, 2);
          fence_mbarrier_init();
        }
        cluster_arrive(true);
        cluster_wait();
        if (ids->thread.x == 32) {
          if ((ids->cluster_rank == 1) == foreign) store_shared<unsigned>(map_shared_rank(data, 0), 2);
          mbarrier_arrive(map_shared_rank(barrier, 0), 1, Scope::cluster);
        }
        if (ids->cluster_rank == 0 && ids->thread.x == 0) mbarrier_wait(barrier, 0);
        sync_threads();
        if (ids->cluster_rank == 0 && ids->thread.x < 2) static_cast<void>(load_shared<unsigned>(data));
        cluster_arrive(true);
        cluster_wait();
      });
      if (foreign)
        CHECK_FINDING(result, "race", "ordered only by an mbarrier at block scope");
      else
        CHECK_CLEAN(result);
    }
}
