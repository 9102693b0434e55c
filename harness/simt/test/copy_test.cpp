// cp.async: when copies land, groups, zero fill, completion on mbarriers, and what is checked.
#include <numeric>

#include "device_test.hpp"

using namespace simt;

namespace {

struct Source : Buffer<int> {
  explicit Source(std::size_t count) : Buffer<int>(count, "source") { std::iota(data(), data() + count, 0); }
};

template <class Kernel>
Result block(Kernel kernel, const Config& config = checked(), unsigned threads = 32) {
  return launch(config, {1}, {threads}, 4096, {1}, kernel);
}

}  // namespace

TEST_CASE("groups complete in order") {
  for (const Config& config : all_modes()) {
    Source source(32 * 3 * 4);
    CHECK_CLEAN(block(
        [&] {
          const std::uint32_t mine = shared_start() + ids->lane * 16;
          for (unsigned group = 0; group < 3; ++group) {
            cp_async(mine + group * 512, source.data() + (group * 32 + ids->lane) * 4, 16, 16);
            cp_async_commit();
          }
          for (unsigned group = 0; group < 3; ++group) {
            cp_async_wait_group(2 - static_cast<int>(group));
            CHECK_EQ(load_shared<int>(mine + group * 512 + 8),
                     static_cast<int>((group * 32 + ids->lane) * 4 + 2));
          }
        },
        config));
  }
}

TEST_CASE("late copies are poison until waited for") {
  Source source(32);
  for (Async async : {Async::now, Async::late}) {
    Config config;
    config.async = async;
    block(
        [&] {
          const std::uint32_t mine = shared_start() + ids->lane * 4;
          cp_async(mine, source.data() + ids->lane, 4, 4);
          cp_async_commit();
          const int early = load_shared<int>(mine);
          CHECK_EQ(early, async == Async::late ? -1 : static_cast<int>(ids->lane));
          cp_async_wait_group(0);
          CHECK_EQ(load_shared<int>(mine), static_cast<int>(ids->lane));
        },
        config);
  }
}

TEST_CASE("short sources are filled with zeros") {
  for (const Config& config : all_modes()) {
    Source source(4);
    CHECK_CLEAN(block(
        [&] {
          const std::uint32_t mine = shared_start() + ids->lane * 16;
          const int bytes = static_cast<int>(ids->lane % 5) * 4;
          cp_async(mine, source.data(), 16, bytes);
          cp_async(mine + 1024, nullptr, 8, 0);
          cp_async_wait_all();
          for (int i = 0; i < 4; ++i)
            CHECK_EQ(load_shared<int>(mine + static_cast<unsigned>(i) * 4), i * 4 < bytes ? i : 0);
          CHECK_EQ(load_shared<int>(mine + 1028), 0);
        },
        config));
  }
}

TEST_CASE("copies arrive on an mbarrier") {
  for (const Config& config : all_modes())
    for (bool noinc : {false, true}) {
      Source source(32);
      CHECK_CLEAN(block(
          [&] {
            const std::uint32_t barrier = shared_start(), data = barrier + 64;
            if (ids->thread.x == 0) mbarrier_init(barrier, noinc ? 32 : 1);
            sync_threads();
            if (ids->warp == 0) {
              cp_async(data + ids->lane * 4, source.data() + ids->lane, 4, 4);
              cp_async_mbarrier_arrive(barrier, noinc);
              if (!noinc) {
                sync_warp(0xffffffff);
                if (ids->lane == 0) mbarrier_arrive(barrier);
              }
              cp_async_wait_all();
            } else {
              mbarrier_wait(barrier, 0);
              CHECK_EQ(load_shared<int>(data + (31 - ids->lane) * 4), static_cast<int>(31 - ids->lane));
            }
          },
          config, 64));
    }
}

/// One warp copies and tells an mbarrier; the other waits there and, where `synchronises`, synchronises with the first one afterwards.
Result handed_over(const Source& source, const Config& config, bool waits, bool synchronises) {
  return block(
      [&] {
        const std::uint32_t barrier = shared_start(), data = barrier + 64;
        if (ids->thread.x == 0) mbarrier_init(barrier, 32);
        sync_threads();
        if (ids->warp == 0) {
          cp_async(data + ids->lane * 4, source.data() + ids->lane, 4, 4);
          cp_async_mbarrier_arrive(barrier, true);
          if (waits) cp_async_wait_all();
        } else {
          mbarrier_wait(barrier, 0);
        }
        if (synchronises) sync_threads();
      },
      config, 64);
}

TEST_CASE("a thread outlives its copies") {
  Source source(32);
  for (const Config& config : few_modes()) {
    CHECK_FINDING(handed_over(source, config, false, false), "exit", "its last cp.async may be under way");
    CHECK_CLEAN(handed_over(source, config, true, false));
    CHECK_CLEAN(handed_over(source, config, false, true));
  }
}

TEST_CASE("a missing wait is a race") {
  Source source(64);
  for (const Config& config : few_modes()) {
    const Result result = block(
        [&] {
          const std::uint32_t mine = shared_start() + ids->lane * 16;
          cp_async(mine, source.data(), 16, 16);
          cp_async_commit();
          cp_async(mine + 512, source.data() + 4, 16, 16);
          cp_async_commit();
          cp_async_wait_group(1);
          load_shared<int>(mine + 512);  // the second group may still fly
          cp_async_wait_group(0);
        },
        config);
    CHECK_FINDING(result, "race", "load by thread");
    CHECK_FINDING(result, "race", "earlier cp.async by thread");
    CHECK_FINDING(result, "race", "read after write");
  }
}

TEST_CASE("misuse is reported") {
  Source source(64);
  const auto one = [&](auto kernel) {
    return block([&] {
      if (ids->lane == 0) kernel();
    });
  };
  CHECK_FINDING(one([&] { cp_async(shared_start() + 8, source.data(), 16, 16), cp_async_wait_all(); }),
                "misaligned", "cp.async destination needs 16-byte");
  CHECK_FINDING(one([&] { cp_async(shared_start(), source.data() + 1, 8, 8), cp_async_wait_all(); }),
                "misaligned", "byte 4 of 'source' (256 bytes)");
  CHECK_FINDING(one([&] { cp_async(shared_start(), source.data() + 2, 16, 0), cp_async_wait_all(); }),
                "misaligned", "cp.async source needs 16-byte alignment");
  CHECK_FINDING(one([&] { cp_async(shared_start(), source.data() + 64, 16, 16), cp_async_wait_all(); }),
                "global-out-of-bounds", "cp.async read of 16 bytes at byte 256 of 'source' (256 bytes)");
  CHECK_FINDING(one([&] { cp_async(shared_start() + 4096, source.data(), 16, 16), cp_async_wait_all(); }),
                "shared-out-of-bounds", "0x1400");
  for (Async async : {Async::now, Async::late})
    CHECK_FINDING(block([&] { cp_async(shared_start() + ids->lane * 16, source.data(), 16, 16); },
                        checked(Order::in_order, async)),
                  "exit", "last cp.async");
}
