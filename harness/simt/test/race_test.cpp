// The race detector on plain accesses (through the compiler's hooks), in shared and in global memory.
#include "device_test.hpp"

using namespace simt;

namespace {

template <class T>
T* shared_array() {
  return reinterpret_cast<T*>(shared_base());
}

template <class Kernel>
Result block(const Config& config, Kernel kernel, unsigned threads = 64) {
  return launch(config, {1}, {threads}, 8192, {1}, kernel);
}

int add(int* counter, int value, Scope scope = Scope::gpu) {
  int old;
  atomic(
      counter, 4,
      [](void* p, const void* v, void* o) {
        std::memcpy(o, p, 4);
        *static_cast<int*>(p) += *static_cast<const int*>(v);
      },
      &value, &old, scope);
  return old;
}

}  // namespace

TEST_CASE("a read before the write that nothing orders is a race, and of unwritten memory only behind that") {
  for (const bool barrier : {false, true}) {
    Config config = checked();
    config.order = Order::in_order;
    const Result result = launch(config, {1}, {64}, 1024, {1}, [barrier] {
      const std::uint32_t base = shared_start();
      if (ids->thread.x == 63) store_shared<int>(base, 1);
      if (barrier) sync_threads();
      load_shared<int>(base);
    });
    if (barrier) {
      CHECK_CLEAN(result);
      continue;
    }
    REQUIRE(result.findings.size() >= 2);
    CHECK_EQ(result.findings[0].kind, "race");
    CHECK(result.findings[0].message.find("write after read") != std::string::npos);
    CHECK_EQ(result.findings[1].kind, "uninitialised");
  }
}

TEST_CASE("read after write") {
  const auto kernel = [](bool barrier) {
    return [barrier] {
      int* data = shared_array<int>();
      data[ids->thread.x] = 1;
      if (barrier) sync_threads();
      if (data[ids->thread.x ^ 32] != 1 && barrier) trap("stale");
    };
  };
  for (const Config& config : few_modes()) {
    CHECK_CLEAN(block(config, kernel(true)));
    const Result racy = block(config, kernel(false));
    CHECK_FINDING(racy, "race", "load by thread ");
    CHECK_FINDING(racy, "race", "store by thread ");
    CHECK_FINDING(racy, "race", " at race_test.cpp:");
    CHECK_FINDING(racy, "race", "not ordered by a barrier or mbarrier");
  }
}

TEST_CASE("a word and its halves are one place of memory, two halves are not") {
  // One warp stores the word, another accesses half of it; or each stores a half.
  const auto run = [](const Config& config, bool barrier, bool store, bool halves) {
    return block(config, [=] {
      auto* words = shared_array<std::uint32_t>();
      auto* parts = reinterpret_cast<std::uint16_t*>(words);
      const unsigned lane = ids->lane;
      if (ids->warp == 0) halves ? void(parts[2 * lane] = 1) : void(words[lane] = 0x10001);
      if (barrier) sync_threads();
      if (ids->warp == 1 && store) parts[2 * lane + 1] = 2;
      if (ids->warp == 1 && !store && parts[2 * lane + 1] != 1 && barrier) trap("stale");
      if (barrier) sync_threads();
      if (barrier && store && ids->warp == 1 && words[lane] != 0x20001) trap("stale");
    });
  };
  for (const Config& config : few_modes())
    for (const bool store : {false, true}) {
      CHECK_CLEAN(run(config, true, store, false));
      CHECK_FINDING(run(config, false, store, false), "race", "not ordered");
      if (store) CHECK_CLEAN(run(config, false, true, true));
    }
}

TEST_CASE("write after read and write after write") {
  for (const Config& config : few_modes()) {
    CHECK_FINDING(block(config,
                        [] {
                          int* data = shared_array<int>();
                          if (ids->warp == 0) data[ids->lane] = 0;
                          sync_threads();
                          if (ids->warp == 0) data[ids->lane] += 1;
                          if (ids->warp == 1 && data[ids->lane] > 9) trap("");
                        }),
                  "race", "after");
    CHECK_FINDING(block(config, [] { shared_array<int>()[ids->lane] = static_cast<int>(ids->warp); }), "race",
                  "write after write");
  }
}

TEST_CASE("neighbours do not race") {
  for (const Config& config : all_modes())
    CHECK_CLEAN(block(config, [] {
      const unsigned me = ids->thread.x;
      shared_array<std::uint16_t>()[me] = 1;         // halves of one word
      shared_array<unsigned char>()[1024 + me] = 2;  // single bytes
      shared_array<double>()[512 + me] = 3;
      sync_threads();
      if (shared_array<std::uint16_t>()[me ^ 1] != 1 || shared_array<unsigned char>()[1024 + (me ^ 1)] != 2)
        trap("wrong");
    }));
}

TEST_CASE("a barrier of some orders only those") {
  const Result result = block(
      checked(),
      [] {
        int* data = shared_array<int>();
        if (ids->warp == 0) data[ids->lane] = 1;
        if (ids->warp < 2) bar_sync(1, 64);
        if (ids->warp == 1 && data[ids->lane] != 1) trap("");  // ordered
        if (ids->warp == 2) {
          bar_sync(2, 32);
          if (data[ids->lane] == 7) trap("");  // not
        }
      },
      96);
  CHECK_FINDING(result, "race", "load by thread ");
}

TEST_CASE("uninitialised shared memory") {
  for (const Config& config : few_modes()) {
    const Result result = block(config, [] {
      int* data = shared_array<int>();
      if (ids->thread.x < 63) data[ids->thread.x] = 1;
      sync_threads();
      if (ids->thread.x == 0 && data[63] == 1) trap("");
    });
    CHECK_FINDING(result, "uninitialised", "shared 0x4fc: load by thread 0");
  }
}

TEST_CASE("shared bounds and alignment") {
  CHECK_FINDING(block(checked(), [] { shared_array<int>()[2048] = 1; }), "shared-out-of-bounds",
                "store of 4 bytes at shared address 0x2400");
  CHECK_FINDING(block(checked(), [] { shared_array<int>()[-1] = 1; }), "shared-out-of-bounds", "0x3fc");
  CHECK_FINDING(block(checked(), [] { *reinterpret_cast<volatile int*>(shared_base() + 2) = 1; }),
                "misaligned", "store needs 4-byte");
}

TEST_CASE("blocks race in global memory") {
  Buffer<int> data(256, "data");
  const auto run = [&](const Config& config, auto kernel) {
    return launch(config, {4}, {32}, 0, {1}, kernel);
  };
  for (Config config : few_modes())
    for (unsigned resident : {1u, 4u}) {
      config.resident_clusters = resident;
      CHECK_CLEAN(run(config, [&] { data[ids->block.x * 32 + ids->lane] = 1; }));
      CHECK_CLEAN(run(config, [&] {
        if (data[ids->lane] > 5) trap("");  // all read the same
      }));
      const Result writes = run(config, [&] { data[ids->lane] = static_cast<int>(ids->block.x); });
      CHECK_FINDING(writes, "race", "of 'data' (1024 bytes): store by thread ");
      CHECK_FINDING(writes, "race", "write after write");
      const Result overlap = run(config, [&] {
        if (ids->block.x == 3) data[ids->lane] = 1;
        if (ids->block.x < 3 && data[ids->lane + 8] == 77) trap("");
      });
      CHECK_FINDING(overlap, "race", "of block (3,0,0)");
    }
}

TEST_CASE("threads race in global memory") {
  Buffer<int> data(64, "data");
  const auto kernel = [&](bool barrier) {
    return [&, barrier] {
      data[ids->thread.x] = 1;
      if (barrier) sync_threads();
      if (data[63 - ids->thread.x] == 5) trap("");
    };
  };
  CHECK_CLEAN(block(checked(), kernel(true)));
  CHECK_FINDING(block(checked(), kernel(false)), "race", "of 'data' (256 bytes)");
}

TEST_CASE("the last block may read what the others fenced") {
  const auto kernel = [](Buffer<int>& data, Buffer<int>& counter, bool fence) {
    return [&, fence] {
      data[ids->block.x * 32 + ids->lane] = 1;
      if (fence) thread_fence(Scope::gpu);
      sync_threads();
      int last = 0;
      if (ids->lane == 0) {
        last = add(counter.data(), 1) == 3;
        thread_fence(Scope::gpu);
      }
      sync_threads();
      if (shuffle(0xffffffff, static_cast<std::uint32_t>(last), Shuffle::idx, 0, 32))
        for (unsigned block = 0; block < 4; ++block)
          if (data[block * 32 + ids->lane] != 1) trap("stale");
    };
  };
  for (Config config : few_modes())
    for (unsigned resident : {1u, 2u, 4u}) {
      config.resident_clusters = resident;
      for (bool fence : {true, false}) {
        Buffer<int> data(128, "data"), counter(1, "counter");
        const Result result = launch(config, {4}, {32}, 0, {1}, kernel(data, counter, fence));
        if (fence)
          CHECK_CLEAN(result);
        else
          CHECK_FINDING(result, "race", "read after write");
      }
    }
}

TEST_CASE("atomics do not race with each other") {
  Buffer<int> counter(1, "counter");
  CHECK_CLEAN(launch(checked(), {4}, {32}, 64, {1}, [&] {
    add(counter.data(), 1);
    if (ids->lane == 0) shared_array<int>()[0] = 0;
    sync_threads();
    add(shared_array<int>(), 1);
    sync_threads();
    if (shared_array<int>()[0] != 32) trap("lost");
  }));
  CHECK_EQ(counter[0], 128);
  CHECK_FINDING(launch(checked(), {4}, {32}, 64, {1},
                       [&] {
                         if (ids->block.x == 2) counter[0] = 0;
                         add(counter.data(), 1);
                       }),
                "race", "atomic by thread");
}

namespace {

enum class First { store, volatile_store, load, add };

/// One warp touches a word, a second one changes it, by an atomic store or by an addition that has seen what an addition before it did. A
/// barrier orders the second one before a third, which stores to the word or loads it.
Result touch(const Config& config, bool in_shared, First first, bool second_adds, bool third_stores) {
  Buffer<int> words(64, "words");
  return launch(config, {1}, {96}, 256, {1}, [&] {
    int* const word = (in_shared ? shared_array<int>() : words.data()) + 1;
    const int one = 1;
    int seen;
    if (ids->thread.x == 0) *word = 0;
    sync_threads();
    if (ids->lane == 0 && ids->warp == 0) switch (first) {
        case First::store:
          atomic_store(word, 4, &one, Scope::gpu);
          break;
        case First::volatile_store:
          *static_cast<volatile int*>(word) = 1;
          break;
        case First::load:
          atomic_load(word, 4, &seen, Scope::gpu);
          break;
        case First::add:
          add(word, 1);
          break;
      }
    if (ids->warp == 0) return;
    if (ids->lane == 0 && ids->warp == 1) {
      if (second_adds)
        while (add(word, 0) == 0 && first == First::add) {
        }
      else
        atomic_store(word, 4, &one, Scope::gpu);
    }
    bar_sync(1, 64);
    if (ids->lane != 0 || ids->warp != 2) return;
    if (third_stores)
      *word = 5;
    else if (*word > 100)
      trap("neither one nor the sum of ones");
  });
}

}  // namespace

TEST_CASE("of several atomics each counts that nothing orders before an access, not only the last") {
  for (const Config& config : few_modes())
    for (const bool in_shared : {true, false}) {
      for (const bool stores : {true, false}) {
        CHECK_FINDING(touch(config, in_shared, First::store, false, stores), "race",
                      "atomic store by thread");
        CHECK_FINDING(touch(config, in_shared, First::volatile_store, false, stores), "race",
                      "store by thread");
        // An addition that has read what another one wrote comes behind it, and so does what it orders.
        CHECK_CLEAN(touch(config, in_shared, First::add, true, stores));
      }
      CHECK_FINDING(touch(config, in_shared, First::load, true, true), "race", "atomic load by thread");
      CHECK_FINDING(touch(config, in_shared, First::load, false, true), "race", "atomic load by thread");
      CHECK_CLEAN(touch(config, in_shared, First::load, true, false));
    }
}

TEST_CASE("atomics at block scope are none for threads of other blocks") {
  const auto kernel = [](Buffer<int>& counter, Scope first, Scope second) {
    return [&counter, first, second] { add(counter.data(), 1, ids->block.x == 0 ? first : second); };
  };
  for (const Config& config : few_modes())
    for (const unsigned blocks : {1u, 2u}) {
      Buffer<int> counter(1, "counter");
      const auto run = [&](Scope first, Scope second) {
        return launch(config, {blocks}, {64}, 0, {1}, kernel(counter, first, second));
      };
      CHECK_CLEAN(run(Scope::gpu, Scope::gpu));
      for (const Scope second : {Scope::block, Scope::gpu})
        if (blocks == 1)
          CHECK_CLEAN(run(Scope::block, second));
        else
          CHECK_FINDING(run(Scope::block, second), "race", "atomic for threads of its own block only");
    }
}

/// One thread hands `data` over to another one, of its own block or of another.
Result hand_over(Config config, bool same_block, Scope released, Scope acquired, Scope flagged) {
  Buffer<int> data(1, "data"), flag(1, "flag");
  data[0] = flag[0] = 0;
  config.resident_clusters = 2;
  const unsigned blocks = same_block ? 1 : 2;
  return launch(config, {blocks}, {same_block ? 64u : 32u}, 0, {1}, [&] {
    if (ids->lane != 0) return;
    const int one = 1;
    if (ids->block.x == 0 && ids->warp == 0) {
      data[0] = 1;
      thread_fence(released);
      atomic_store(flag.data(), 4, &one, flagged);
    } else {
      int seen = 0;
      while (seen == 0) atomic_load(flag.data(), 4, &seen, flagged);
      thread_fence(acquired);
      if (data[0] != 1) trap("stale");
    }
  });
}

TEST_CASE("a fence at block scope orders for threads of the block only") {
  for (const Config& config : few_modes()) {
    for (const Scope scope : {Scope::block, Scope::cluster, Scope::gpu, Scope::system}) {
      CHECK_CLEAN(hand_over(config, true, scope, Scope::block, Scope::block));
      CHECK_CLEAN(hand_over(config, true, Scope::block, scope, Scope::gpu));
    }
    CHECK_CLEAN(hand_over(config, false, Scope::gpu, Scope::gpu, Scope::gpu));
    CHECK_FINDING(hand_over(config, false, Scope::block, Scope::gpu, Scope::gpu), "race", "read after write");
    CHECK_FINDING(hand_over(config, false, Scope::gpu, Scope::block, Scope::gpu), "race", "read after write");
    CHECK_FINDING(hand_over(config, false, Scope::gpu, Scope::gpu, Scope::block), "race",
                  "of its own block only");
  }
}

TEST_CASE("volatile accesses are relaxed: with fences they hand on, among themselves they do not race") {
  // A word that one warp, or block, stores before it raises a flag; `fenced`: by both sides.
  const auto hand_on = [](Config config, bool same_block, bool fenced, bool volatile_data) {
    Buffer<int> data(1, "data"), flag(1, "flag");
    config.resident_clusters = 2;
    return launch(config, {same_block ? 1u : 2u}, {same_block ? 64u : 32u}, 0, {1}, [&] {
      volatile int* const raised = flag.data();
      volatile int* const relaxed = data.data();
      if (ids->lane != 0) return;
      if (ids->block.x == 0 && ids->warp == 0) {
        if (volatile_data)
          *relaxed = 1;
        else
          data[0] = 1;
        if (fenced) thread_fence(Scope::gpu);
        *raised = 1;
      } else {
        while (*raised == 0) {
        }
        if (fenced) thread_fence(Scope::gpu);
        int seen = 0;
        if (volatile_data)
          seen = *relaxed;
        else
          seen = data[0];
        if (seen != 1) trap("stale");
      }
    });
  };
  for (const Config& config : few_modes())
    for (const bool same_block : {true, false}) {
      const Result ordered = hand_on(config, same_block, true, false);
      CHECK_CLEAN(ordered);
      CHECK_CLEAN(hand_on(config, same_block, true, true));
      CHECK_FINDING(hand_on(config, same_block, false, false), "race", "'data' (4 bytes): load by thread ");
      const Result unordered = hand_on(config, same_block, false, true);
      CHECK_CLEAN(unordered);
      CHECK(contains(with_source_lines(unordered.relaxed), "volatile load by thread"));
      CHECK(contains(with_source_lines(unordered.relaxed), " at race_test.cpp:"));
    }
}

TEST_CASE("volatile accesses race with plain ones, and with atomics of another block's scope") {
  Buffer<unsigned char> bytes(2, "bytes");
  Buffer<int> word(1, "word");
  for (const Config& config : few_modes()) {
    const auto run = [&](const auto& first, const auto& second) {
      word[0] = bytes[0] = 0;
      return launch(config, {2}, {1}, 0, {1}, [&] { ids->block.x == 0 ? first() : second(); });
    };
    const auto store = [&] { *static_cast<volatile int*>(word.data()) = 1; };
    CHECK_FINDING(run(store, [&] { word[0] = 1; }), "same-value-race", "volatile store by thread 0");
    CHECK_FINDING(run(store,
                      [&] {
                        if (word[0] == 2) trap("never");
                      }),
                  "race", "volatile store by thread 0");
    CHECK_FINDING(run(store, [&] { add(word.data(), 2, Scope::block); }), "race", "at block scope");
    CHECK_CLEAN(run(store, [&] { add(word.data(), 1); }));
    // Two bytes share half a word.
    const auto first = [&] { *static_cast<volatile unsigned char*>(bytes.data()) = 1; };
    CHECK_CLEAN(run(first, [&] { bytes[1] = 1; }));
    CHECK_FINDING(run(first, [&] { bytes[0] = 2; }), "race", "of 'bytes' (2 bytes)");
  }
}

TEST_CASE("two blocks, and two warps, that take a lock in turn are seen in both orders") {
  // The thread that comes second must acquire: `careless` does not.
  const auto found = [](Order order, bool blocks, unsigned careless) {
    Buffer<int> data(1, "data"), lock(1, "lock");
    lock[0] = 0;
    Config config = checked();
    config.order = order;
    return !launch(config, {blocks ? 2u : 1u}, {blocks ? 1u : 64u}, 0, {1}, [&] {
              if (ids->lane != 0) return;
              const unsigned me = blocks ? ids->block.x : ids->warp;
              while (add(lock.data(), 1) != 0) add(lock.data(), -1);
              if (me != careless) thread_fence(Scope::gpu);
              data[0] = static_cast<int>(me);
              thread_fence(Scope::gpu);
              add(lock.data(), -1);
            }).ok();
  };
  for (const bool blocks : {true, false})
    for (const unsigned careless : {0u, 1u})
      CHECK_EQ(found(Order::in_order, blocks, careless) + found(Order::greedy, blocks, careless), 1);
}

TEST_CASE("global memory written by threads needs a fence before tma") {
  Buffer<int> data(32, "data");
  const auto kernel = [&](bool fence) {
    return [&, fence] {
      const std::uint32_t barrier = shared_address(shared_base());
      data[ids->lane] = 1;
      if (fence) fence_proxy_async();
      sync_threads();
      if (ids->lane != 0) return;
      mbarrier_init(barrier, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(barrier, 128);
      bulk_load(barrier + 128, data.data(), 128, barrier, 0);
      mbarrier_wait(barrier, 0);
    };
  };
  for (const Config& config : few_modes()) {
    CHECK_CLEAN(block(config, kernel(true), 32));
    CHECK_FINDING(block(config, kernel(false), 32), "race", "fence.proxy.async is missing");
  }
}

TEST_CASE("global memory read and then overwritten by tma") {
  Buffer<int> data(32, "data");
  const auto kernel = [&](bool fence) {
    return [&, fence] {
      const std::uint32_t staging = shared_address(shared_base());
      store_shared(staging + ids->lane * 4, data[ids->lane] + 1);
      if (fence) fence_proxy_async();
      sync_threads();
      if (ids->lane != 0) return;
      if (!fence)
        fence_proxy_async();  // too late for the other threads' reads? No: it covers what the thread has seen
      bulk_store(data.data(), staging, 128);
      bulk_commit();
      bulk_wait(0, true);
    };
  };
  for (const Config& config : few_modes()) {
    CHECK_CLEAN(block(config, kernel(true), 32));
    CHECK_CLEAN(block(config, kernel(false), 32));
    const Result missing = block(
        config,
        [&] {
          const std::uint32_t staging = shared_address(shared_base());
          store_shared(staging + ids->lane * 4, 1);
          fence_proxy_async();
          if (data[ids->lane] == 5) trap("");
          sync_threads();
          if (ids->lane != 0) return;
          bulk_store(data.data(), staging, 128);
          bulk_commit();
          bulk_wait(0, true);
        },
        32);
    CHECK_FINDING(missing, "race", "generic read, then overwritten by the async proxy");
  }
}

TEST_CASE("a dependent launch waits for kernels that nobody has seen") {
  Buffer<int> input(64, "input"), output(64, "output"), plan(64, "plan");
  mark_in_use(input.data(), 64 * sizeof(int));
  mark_in_use(output.data(), 64 * sizeof(int));
  const auto kernel = [&](unsigned reads, unsigned writes) {  // how many threads wait before they do
    return [&, reads, writes] {
      const unsigned me = ids->thread.x;
      const int own = plan[me];
      if (me < reads) griddep_wait();
      const int value = input[me] + own;
      if (me >= reads && me < writes) griddep_wait();
      output[me] = value + static_cast<int>(reads + 2 * writes);  // another in each launch
    };
  };
  for (Config config : few_modes()) {
    CHECK_CLEAN(launch(config, {1}, {64}, 0, {1}, kernel(0, 0)));
    config.dependent = true;
    mark_undefined(output.data(), 64 * sizeof(int));
    CHECK_CLEAN(launch(config, {1}, {64}, 0, {1}, kernel(64, 64)));
    CHECK_FINDING(launch(config, {1}, {64}, 0, {1}, kernel(32, 64)), "race", "of 'input'");
    mark_undefined(output.data(), 64 * sizeof(int));
    const Result early = launch(config, {1}, {64}, 0, {1}, kernel(0, 32));
    CHECK_FINDING(early, "race", "of 'output' (256 bytes): store by thread ");
    CHECK_FINDING(early, "race", "the launch before, which griddepcontrol.wait would wait for");
  }
}

TEST_CASE("the read-only cache need not have what the launch has written") {
  Buffer<int> data(64, "data"), output(64, "output");
  const auto through_cache = [&](unsigned i) {
    read_only(&data[i], sizeof(int));
    return data[i];
  };
  for (const Config& config : few_modes()) {
    const Result stale = launch(config, {1}, {64}, 0, {1}, [&] {
      data[ids->thread.x] = 1;
      sync_threads();
      output[ids->thread.x] = through_cache(63 - ids->thread.x);
    });
    CHECK_FINDING(stale, "race", "the read-only cache, which __ldg reads through");
    // A kernel before has written it; or the launch does, behind the load.
    CHECK_CLEAN(launch(config, {1}, {64}, 0, {1}, [&] {
      const int value = through_cache(ids->thread.x);
      output[ids->thread.x] = value;
      data[ids->thread.x] = value + 1;
    }));
  }
}

TEST_CASE("a dependent launch waits before it touches") {
  Buffer<int> data(64, "data");
  const auto primary = [&] { data[ids->block.x * 32 + ids->lane] = 1; };
  const auto secondary = [&](bool wait) {
    return [&, wait] {
      if (ids->warp == 0 && wait) griddep_wait();
      sync_threads();
      data[ids->thread.x] += 1;
    };
  };
  for (Config config : few_modes()) {
    CHECK_CLEAN(launch(config, {2}, {32}, 0, {1}, primary));
    config.dependent = true;
    CHECK_CLEAN(launch(config, {1}, {64}, 0, {1}, secondary(true)));
    const Result early = launch(config, {1}, {64}, 0, {1}, secondary(false));
    CHECK_FINDING(early, "race", "load by thread ");
    CHECK_FINDING(early, "race",
                  "store by the launch before, which griddepcontrol.wait would wait for at race_test.cpp:");
    config.dependent = false;
    CHECK_CLEAN(launch(config, {1}, {64}, 0, {1}, secondary(false)));
  }
}
