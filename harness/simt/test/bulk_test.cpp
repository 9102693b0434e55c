// Bulk and tensor copies: swizzles, ranks, edges, multicast, stores, reductions, proxies, and refused tensor
// maps.
#include <numeric>

#include "device_test.hpp"
#include "numerics.hpp"

using namespace simt;

namespace {

template <class T>
TensorMap map_of(const Buffer<T>& buffer, std::vector<std::uint64_t> size, std::vector<std::uint32_t> box,
                 unsigned swizzle = 0) {
  TensorMap map{};
  map.base = buffer.data();
  map.rank = static_cast<std::uint32_t>(size.size());
  map.element_bytes = sizeof(T);
  map.swizzle = static_cast<std::uint8_t>(swizzle);
  std::uint64_t stride = sizeof(T);
  for (std::size_t i = 0; i < size.size(); ++i) {
    map.size[i] = size[i];
    map.stride[i] = i ? stride : 0;
    map.box[i] = box[i];
    stride = (stride * size[i] + 15) / 16 * 16;
  }
  return map;
}

/// The element at the given coordinates, 0 outside.
template <class T>
T element(const TensorMap& map, const std::int64_t* at) {
  const auto* p = static_cast<const unsigned char*>(map.base) + at[0] * static_cast<std::int64_t>(sizeof(T));
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    if (at[i] < 0 || at[i] >= static_cast<std::int64_t>(map.size[i])) return 0;
    if (i) p += at[i] * static_cast<std::int64_t>(map.stride[i]);
  }
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// Loads one box and compares every element with its definition.
template <class T>
void check_load(const TensorMap& map, std::vector<int> corner, const Config& config) {
  const std::uint32_t bytes = box_bytes(map);
  const Result result = launch(config, {1}, {64}, 32768, {1}, [&] {
    const std::uint32_t barrier = shared_start(), data = barrier + 1024;
    if (ids->thread.x == 0) {
      mbarrier_init(barrier, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(barrier, bytes);
      tensor_load(data, &map, corner.data(), barrier, 0);
    }
    sync_threads();
    mbarrier_wait(barrier, 0);
    if (ids->thread.x != 1) return;
    for (std::uint32_t i = 0; i < bytes / sizeof(T); ++i) {
      std::int64_t at[5];
      std::uint32_t rest = i;
      for (std::uint32_t d = 0; d < map.rank; ++d) {
        at[d] = corner[d] + static_cast<int>(rest % map.box[d]);
        rest /= map.box[d];
      }
      const std::uint32_t row = i / map.box[0], column = i % map.box[0];
      const auto offset = static_cast<std::uint32_t>(row * box_pitch(map) + column * sizeof(T));
      CHECK_EQ(load_shared<T>(swizzle(data + offset, map_swizzle_span(map.swizzle))), element<T>(map, at));
    }
  });
  CHECK_CLEAN(result);
}

struct Numbers : Buffer<std::uint16_t> {
  explicit Numbers(std::size_t count) : Buffer<std::uint16_t>(count, "numbers") {
    std::iota(data(), data() + count, std::uint16_t{1});
  }
};

}  // namespace

TEST_CASE("every swizzle and rank loads") {
  Numbers numbers(1 << 15);
  const struct {
    unsigned swizzle;
    std::uint32_t inner;
  } kinds[] = {{0, 64}, {0, 8}, {1, 16}, {2, 32}, {3, 64}, {3, 32}};
  for (const auto& kind : kinds) {
    check_load<std::uint16_t>(map_of(numbers, {4096}, {kind.inner}, kind.swizzle), {16}, checked());
    check_load<std::uint16_t>(map_of(numbers, {128, 64}, {kind.inner, 24}, kind.swizzle), {8, 3}, checked());
    check_load<std::uint16_t>(map_of(numbers, {128, 16, 8}, {kind.inner, 3, 4}, kind.swizzle), {16, 2, 1},
                              checked());
    check_load<std::uint16_t>(map_of(numbers, {64, 8, 4, 4}, {kind.inner, 2, 3, 2}, kind.swizzle),
                              {0, 1, 0, 2}, checked());
    check_load<std::uint16_t>(map_of(numbers, {64, 4, 4, 4, 4}, {kind.inner, 2, 2, 2, 3}, kind.swizzle),
                              {0, 1, 0, 2, 1}, checked());
  }
}

TEST_CASE("what is outside becomes zero") {
  Numbers numbers(4096);
  const TensorMap map = map_of(numbers, {50, 40}, {64, 16}, 3);  // rows of 50 elements, 112 bytes apart
  for (const Config& config : all_modes())
    for (std::vector<int> corner :
         {std::vector<int>{0, 0}, {-7, -3}, {13, 30}, {100, 0}, {-64, 5}, {3, 41}, {0, -16}})
      check_load<std::uint16_t>(map, corner, config);
  Buffer<float> floats(64);
  for (std::size_t i = 0; i < 64; ++i) floats[i] = static_cast<float>(i);
  check_load<float>(map_of(floats, {5, 7}, {8, 8}, 1), {-2, 3}, checked());
}

TEST_CASE("multicast reaches every block") {
  Numbers numbers(64 * 8);
  const TensorMap map = map_of(numbers, {64, 8}, {64, 8}, 3);
  for (const Config& config : all_modes()) {
    const Result result = launch(config, {4}, {32}, 4096, {4}, [&] {
      const std::uint32_t barrier = shared_start(), data = barrier + 1024;
      if (ids->thread.x == 0) {
        mbarrier_init(barrier, 1);
        fence_mbarrier_init();
        mbarrier_arrive_expect_tx(barrier, 1024);
      }
      cluster_arrive(true);
      cluster_wait();
      const int corner[2] = {0, 0};
      if (ids->cluster_rank == 2 && ids->thread.x == 0) tensor_load(data, &map, corner, barrier, 0b1011);
      if (ids->cluster_rank == 2 && ids->thread.x == 0)
        bulk_load(data, numbers.data(), 1024, map_shared_rank(barrier, 2), 0b0100);
      mbarrier_wait(barrier, 0);
      if (ids->cluster_rank != 2) CHECK_EQ(load_shared<std::uint16_t>(swizzle(data + 130, 128)), 66);
      cluster_arrive(true);
      cluster_wait();
    });
    CHECK_CLEAN(result);
    CHECK_EQ(result.statistics.bulk_copies, 2u);
  }
}

TEST_CASE("stores drop what is outside") {
  for (const Config& config : all_modes())
    for (unsigned swizzle_mode : {0u, 3u}) {
      Buffer<std::uint16_t> out(48 * 8, "out");
      const TensorMap map = map_of(out, {48, 8}, {64, 16}, swizzle_mode);
      const Result result = launch(config, {1}, {32}, 4096, {1}, [&] {
        const std::uint32_t data = shared_start();
        for (unsigned i = ids->lane; i < 1024; i += 32)
          store_shared(swizzle(data + i * 2, map_swizzle_span(map.swizzle)), static_cast<std::uint16_t>(i));
        fence_proxy_async();
        sync_threads();
        if (ids->thread.x == 0) {
          const int corner[2] = {8, 2};
          tensor_store(&map, data, corner, BulkReduce::none);
          bulk_commit();
          bulk_wait(0, true);
        }
      });
      CHECK_CLEAN(result);
      for (unsigned row = 0; row < 8; ++row)
        for (unsigned column = 0; column < 48; ++column)
          CHECK_EQ(out[row * 48 + column], row < 2 || column < 8 ? 0u : (row - 2) * 64 + column - 8);
    }
}

namespace {

/// One warp fills a box with 1, 2, 3, …, as the map lays it out, and stores it.
Result store_box_at(const Config& config, const TensorMap& map, std::vector<int> corner,
                    BulkReduce reduce = BulkReduce::none) {
  return launch(config, {1}, {32}, 4096, {1}, [&] {
    const std::uint32_t data = shared_start(), elements = box_bytes(map) / 2;
    for (unsigned i = ids->lane; i < elements; i += 32) {
      const std::uint32_t offset = i / map.box[0] * box_pitch(map) + i % map.box[0] * 2;
      store_shared(swizzle(data + offset, map_swizzle_span(map.swizzle)), static_cast<std::uint16_t>(i + 1));
    }
    fence_proxy_async();
    sync_threads();
    if (ids->thread.x != 0) return;
    tensor_store(&map, data, corner.data(), reduce);
    bulk_commit();
    bulk_wait(0, false);
  });
}

}  // namespace

TEST_CASE("stores clip rows by 16 bytes") {
  for (const Config& config : all_modes())
    for (const std::uint64_t width : {125u, 122u, 120u}) {
      Buffer<std::uint16_t> out(136 * 3, "out");
      TensorMap map = map_of(out, {width, 2}, {64, 4});
      map.stride[1] = 136 * 2;
      CHECK_CLEAN(store_box_at(config, map, {64, 1}));
      const unsigned end = width == 120 ? 120 : 128;
      for (unsigned i = 0; i < 136 * 3; ++i) {
        const unsigned row = i / 136, column = i % 136;
        CHECK_EQ(out[i], row == 1 && column >= 64 && column < end ? column - 63 : 0u);
      }
    }
}

TEST_CASE("a store beyond the row needs room behind it") {
  Buffer<std::uint16_t> out(125, "out");
  CHECK_FINDING(store_box_at(checked(), map_of(out, {125}, {64}), {64}), "global-out-of-bounds",
                "tensor store of 128 bytes at byte 128 of 'out' (250 bytes)");
  CHECK_CLEAN(store_box_at(checked(), map_of(out, {120}, {64}), {64}));
}

TEST_CASE("stores may not start before the tensor") {
  Buffer<std::uint16_t> out(64 * 8, "out");
  const TensorMap map = map_of(out, {64, 8}, {64, 8}, 3);
  for (const BulkReduce reduce : {BulkReduce::none, BulkReduce::add})
    for (const std::vector<int>& corner : {std::vector<int>{-8, 0}, {0, -1}})
      CHECK_FINDING(store_box_at(checked(), map, corner, reduce), "trap", "illegal instruction");
}

TEST_CASE("a box narrower than the swizzle keeps the span as pitch") {
  const struct {
    unsigned swizzle;
    std::uint32_t inner, span;
  } kinds[] = {{3, 32, 128}, {2, 16, 64}, {1, 8, 32}};
  for (const auto& kind : kinds) {
    Numbers numbers(128 * 16);
    const TensorMap map = map_of(numbers, {128, 16}, {kind.inner, 16}, kind.swizzle);
    CHECK_EQ(box_pitch(map), kind.span);
    CHECK_EQ(box_footprint(map), 16 * kind.span);
    for (const Config& config : all_modes()) {
      check_load<std::uint16_t>(map, {8, 0}, config);  // expects the bytes of the box only
      Buffer<std::uint16_t> out(128 * 16, "out");
      CHECK_CLEAN(store_box_at(config, map_of(out, {128, 16}, {kind.inner, 16}, kind.swizzle), {8, 0}));
      for (unsigned i = 0; i < 128 * 16; ++i) {
        const unsigned row = i / 128, column = i % 128;
        const bool in_box = column >= 8 && column < 8 + kind.inner;
        CHECK_EQ(out[i], in_box ? row * kind.inner + column - 8 + 1 : 0u);
      }
    }
  }
}

TEST_CASE("a narrow box leaves the rest of its spans alone") {
  Numbers numbers(32 * 16);
  const TensorMap map = map_of(numbers, {32, 16}, {32, 16}, 3);
  for (const Config& config : all_modes())
    CHECK_CLEAN(launch(config, {1}, {32}, 4096, {1}, [&] {
      const std::uint32_t data = shared_start(), barrier = data + 2048;
      const std::uint32_t row = ids->lane / 2, chunk = 4 + ids->lane % 2;  // of the box: 0 to 3
      const std::uint32_t gap = swizzle(row * 128 + chunk * 16, 128);
      store_shared(data + gap, std::uint16_t{7});
      if (ids->thread.x == 0) {
        mbarrier_init(barrier, 1);
        fence_mbarrier_init();
      }
      sync_warp(~0u);
      if (ids->thread.x == 0) {
        mbarrier_arrive_expect_tx(barrier, 1024);
        const int corner[2] = {0, 0};
        tensor_load(data, &map, corner, barrier, 0);
      }
      CHECK_EQ(load_shared<std::uint16_t>(data + gap), 7u);
      mbarrier_wait(barrier, 0);
      CHECK_EQ(load_shared<std::uint16_t>(data + gap), 7u);
    }));
  const Result result = launch(checked(), {1}, {1}, 2048, {1}, [&] {  // room for the bytes, not for the gaps
    const std::uint32_t barrier = shared_start();
    const int corner[2] = {0, 0};
    mbarrier_init(barrier, 1);
    tensor_load(barrier + 1024, &map, corner, barrier, 0);
  });
  CHECK_FINDING(result, "shared-out-of-bounds", "tensor load of 2048 bytes");
}

TEST_CASE("what a store drops need not be written") {
  Buffer<std::uint16_t> out(48 * 8, "out");
  const TensorMap map = map_of(out, {48, 8}, {64, 8}, 3);
  CHECK_CLEAN(launch(checked(), {1}, {32}, 4096, {1}, [&] {
    const std::uint32_t data = shared_start();
    for (unsigned i = ids->lane; i < 512; i += 32)
      if (i % 64 < 48) store_shared(swizzle(data + i * 2, 128), std::uint16_t{1});
    fence_proxy_async();
    sync_threads();
    if (ids->thread.x != 0) return;
    const int corner[2] = {0, 0};
    tensor_store(&map, data, corner, BulkReduce::none);
    bulk_commit();
    bulk_wait(0, true);
  }));
}

TEST_CASE("reductions add") {
  for (const Config& config : all_modes()) {
    Buffer<float> out(64, "out");
    Buffer<std::uint16_t> halves(64, "halves");
    TensorMap floats = map_of(out, {64}, {32}), small = map_of(halves, {64}, {32});
    floats.element_kind = 3;
    small.element_kind = 1;
    const Result result = launch(config, {3}, {32}, 1024, {1}, [&] {
      const std::uint32_t data = shared_start();
      store_shared(data + ids->lane * 4, 0.5f * static_cast<float>(ids->lane));
      store_shared(data + 256 + ids->lane * 2, float_to_half(1.0f));
      fence_proxy_async();
      sync_threads();
      if (ids->thread.x == 0) {
        const int corner[1] = {16};
        tensor_store(&floats, data, corner, BulkReduce::add);
        tensor_store(&small, data + 256, corner, BulkReduce::add);
        bulk_commit();
        bulk_wait(0, false);
      }
    });
    CHECK_CLEAN(result);
    for (unsigned i = 0; i < 64; ++i)
      CHECK_EQ(out[i], i >= 16 && i < 48 ? 1.5f * static_cast<float>(i - 16) : 0.0f);
    CHECK_EQ(halves[20], float_to_half(3.0f));
  }
}

TEST_CASE("bulk store and reuse of its source") {
  const auto kernel = [](Buffer<int>& out, bool wait) {
    return [&out, wait] {
      const std::uint32_t data = shared_start();
      for (int round = 0; round < 2; ++round) {
        store_shared(data + ids->lane * 4, round + 1);
        fence_proxy_async();
        sync_threads();
        if (ids->thread.x == 0) {
          bulk_store(out.data() + round * 32, data, 128);
          bulk_commit();
          if (wait) bulk_wait(0, true);
        }
        sync_threads();
      }
      if (ids->thread.x == 0) bulk_wait(0, false);
    };
  };
  for (const Config& config : few_modes()) {
    Buffer<int> out(64, "out");
    CHECK_CLEAN(launch(config, {1}, {32}, 1024, {1}, kernel(out, true)));
    CHECK_EQ(out[5], 1);
    CHECK_EQ(out[40], 2);
    CHECK_FINDING(launch(config, {1}, {32}, 1024, {1}, kernel(out, false)), "race",
                  "earlier bulk store by thread 0");
  }
}

TEST_CASE("work listed twice is told from a race of threads") {
  const auto stores = [](Buffer<int>& out, unsigned writers, unsigned each) {
    return launch(checked(), {1}, {64}, 1024, {1}, [&out, writers, each] {
      const std::uint32_t data = shared_start();
      store_shared(data + ids->thread.x * 4, 1);
      fence_proxy_async();
      sync_threads();
      if (ids->lane != 0 || ids->warp >= writers) return;
      for (unsigned i = 0; i < each; ++i) {
        bulk_store(out.data(), data, 128);
        bulk_commit();
      }
      bulk_wait(0, false);
    });
  };
  Buffer<int> out(32, "out");
  CHECK_CLEAN(stores(out, 1, 1));
  CHECK_FINDING(stores(out, 1, 2), "race", "is the same work listed twice?");
  CHECK_FINDING(stores(out, 2, 1), "race", "write after write, not ordered by a barrier");
}

namespace {

/// Generic write, then a tensor store reads; with the fences and waits that `drop` leaves.
enum class Drop { nothing, fence, wait };
Result store_once(const Config& config, Drop drop) {
  Buffer<int> out(32, "out");
  return launch(config, {1}, {32}, 1024, {1}, [&, drop] {
    const std::uint32_t data = shared_start();
    store_shared(data + ids->lane * 4, 1);
    if (drop != Drop::fence) fence_proxy_async();
    sync_threads();
    if (ids->thread.x != 0) return;
    bulk_store(out.data(), data, 128);
    bulk_commit();
    if (drop != Drop::wait) bulk_wait(0, true);
  });
}

/// A stage is loaded, read by ordinary loads, and loaded again.
Result reload(const Config& config, bool fence) {
  Buffer<int> source(32, "source");
  return launch(config, {1}, {32}, 1024, {1}, [&, fence] {
    const std::uint32_t barrier = shared_start(), data = barrier + 128;
    if (ids->thread.x == 0) {
      mbarrier_init(barrier, 1);
      fence_mbarrier_init();
    }
    sync_threads();
    for (unsigned round = 0; round < 2; ++round) {
      if (ids->thread.x == 0) {
        mbarrier_arrive_expect_tx(barrier, 128);
        bulk_load(data, source.data(), 128, barrier, 0);
      }
      mbarrier_wait(barrier, round);
      load_shared<int>(data + ids->lane * 4);
      if (fence) fence_proxy_async();
      sync_threads();
    }
  });
}

}  // namespace

TEST_CASE("proxies need fences") {
  for (const Config& config : few_modes()) {
    CHECK_CLEAN(store_once(config, Drop::nothing));
    CHECK_FINDING(store_once(config, Drop::fence), "race",
                  "generic write, then async-proxy access: fence.proxy.async is missing");
    CHECK_FINDING(store_once(config, Drop::wait), "exit", "wait_group is missing");
    CHECK_CLEAN(reload(config, true));
    CHECK_FINDING(reload(config, false), "race", "generic read, then overwritten by the async proxy");
  }
}

TEST_CASE("an mbarrier needs its fence before tma") {
  Buffer<int> source(32, "source");
  const Result result = launch(checked(), {1}, {32}, 1024, {1}, [&] {
    const std::uint32_t barrier = shared_start();
    if (ids->thread.x == 0) {
      mbarrier_init(barrier, 1);
      mbarrier_arrive_expect_tx(barrier, 128);
      bulk_load(barrier + 128, source.data(), 128, barrier, 0);
    }
    sync_threads();
    mbarrier_wait(barrier, 0);
  });
  CHECK_FINDING(result, "race", "mbarrier.init is not made visible to the async proxy");
}

TEST_CASE("misuse is reported") {
  Numbers numbers(4096);
  const TensorMap map = map_of(numbers, {64, 64}, {64, 8}, 3);
  const auto one = [&](auto kernel) {
    return launch(checked(), {1}, {1}, 8192, {1}, [&] {
      const std::uint32_t barrier = shared_start();
      mbarrier_init(barrier, 1);
      fence_mbarrier_init();
      kernel(barrier);
    });
  };
  const int corner[2] = {0, 0};
  CHECK_FINDING(one([&](auto barrier) { tensor_load(barrier + 64, &map, corner, barrier, 0); }), "misaligned",
                "128-byte");
  CHECK_FINDING(one([&](auto barrier) { tensor_load(barrier + 7680, &map, corner, barrier, 0); }),
                "shared-out-of-bounds", "tensor load of 1024 bytes");
  CHECK_FINDING(one([&](auto barrier) { tensor_load(barrier + 1024, &map, corner, barrier + 8, 0); }),
                "mbarrier", "not initialised");
  CHECK_FINDING(one([&](auto barrier) { bulk_load(barrier + 128, numbers.data(), 24, barrier, 0); }),
                "misaligned", "multiple of 16");
  CHECK_FINDING(one([&](auto barrier) { bulk_load(barrier + 128, numbers.data() + 4088, 32, barrier, 0); }),
                "global-out-of-bounds", "byte 8176 of 'numbers'");
}

TEST_CASE("a map may not reach beyond its buffer") {
  Numbers numbers(64 * 8);
  const TensorMap tall = map_of(numbers, {64, 16}, {64, 8}, 0);  // the buffer has 8 rows
  const Result result = launch(checked(), {1}, {1}, 8192, {1}, [&] {
    const std::uint32_t barrier = shared_start();
    mbarrier_init(barrier, 1);
    const int corner[2] = {0, 4};
    tensor_load(barrier + 1024, &tall, corner, barrier, 0);
  });
  CHECK_FINDING(result, "global-out-of-bounds",
                "tensor load of 128 bytes at byte 1024 of 'numbers' (1024 bytes)");
}

TEST_CASE("maps that the driver refuses") {
  Numbers numbers(4096);
  const TensorMap good = map_of(numbers, {64, 64}, {64, 8}, 3);
  const auto refusal = [&](auto change) {
    TensorMap map = good;
    change(map);
    return check_tensor_map(map);
  };
  CHECK_EQ(check_tensor_map(good), std::string());
  CHECK(contains(refusal([](TensorMap& m) { m.swizzle = 2; }), "wider than the swizzle's 64"));
  CHECK(contains(refusal([](TensorMap& m) { m.stride[1] = 120; }), "stride[1] is 120 bytes"));
  CHECK(contains(refusal([](TensorMap& m) { m.box[1] = 257; }), "allowed is 1 to 256"));
  CHECK(contains(refusal([](TensorMap& m) { m.box[0] = 4; }), "multiple of 16"));
  CHECK(contains(refusal([](TensorMap& m) { m.rank = 6; }), "rank is 6"));
  CHECK(contains(refusal([](TensorMap& m) { m.size[0] = 0; }), "size[0] is 0"));
  CHECK(contains(refusal([](TensorMap& m) { m.base = static_cast<const char*>(m.base) + 8; }),
                 "multiple of 16"));
  const Result result = launch(checked(), {1}, {1}, 8192, {1}, [&] {
    TensorMap bad = good;
    bad.swizzle = 1;
    const int corner[2] = {0, 0};
    mbarrier_init(shared_start(), 1);
    tensor_load(shared_start() + 1024, &bad, corner, shared_start(), 0);
  });
  CHECK_FINDING(result, "tensor-map", "wider than the swizzle's 32");
}
