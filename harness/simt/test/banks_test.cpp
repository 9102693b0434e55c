// Bank conflicts: what the accesses of a warp cost, put together from those of its threads.
#include "banks.hpp"

#include <functional>

#include "device_test.hpp"

using namespace simt;

namespace {

Result run(const std::function<void()>& body, unsigned threads = 32, const Config& config = checked()) {
  Config quiet = config;
  quiet.detect = false;
  return launch(quiet, {1}, {threads}, 64 << 10, {1}, body);
}

/// Every lane reads one T, lanes `stride` bytes apart.
template <class T>
Result strided(unsigned stride) {
  return run([=] {
    T value;
    shared_load(shared_start() + ids->lane * stride, &value, sizeof value);
  });
}

struct Sixteen {
  std::uint64_t words[2];
};

void check_counts(const Result& result, std::uint64_t accesses, std::uint64_t wavefronts,
                  std::uint64_t conflicts) {
  CHECK_EQ(result.statistics.shared_accesses, accesses);
  CHECK_EQ(result.statistics.shared_wavefronts, wavefronts);
  CHECK_EQ(result.statistics.shared_bank_conflicts, conflicts);
}

}  // namespace

TEST_CASE("four bytes are served by the warp") {
  check_counts(strided<std::uint32_t>(4), 1, 1, 0);
  check_counts(strided<std::uint32_t>(8), 1, 2, 1);
  check_counts(strided<std::uint32_t>(128), 1, 32, 31);
  check_counts(strided<std::uint32_t>(132), 1, 1, 0);
  check_counts(strided<std::uint32_t>(0), 1, 1, 0);  // one word for all: a broadcast
  check_counts(strided<std::uint16_t>(2), 1, 1, 0);  // two lanes share a word
  check_counts(strided<std::uint8_t>(1), 1, 1, 0);
}

TEST_CASE("eight bytes are served by half warps") {
  check_counts(strided<std::uint64_t>(8), 1, 2, 0);
  check_counts(strided<std::uint64_t>(16), 1, 4, 2);
  check_counts(strided<std::uint64_t>(128), 1, 32, 30);
}

TEST_CASE("sixteen bytes are served by quarter warps") {
  check_counts(strided<Sixteen>(16), 1, 4, 0);
  check_counts(strided<Sixteen>(128), 1, 32, 28);
  check_counts(strided<Sixteen>(144), 1, 4, 0);
}

TEST_CASE("threads are put together to warps in every order") {
  for (const Config& config : all_modes()) {
    const Result result = run(
        [] {
          auto* words = reinterpret_cast<volatile std::uint32_t*>(shared_base());
          for (unsigned turn = 0; turn < 3; ++turn) words[ids->thread.x * (turn + 1)] = turn;
          sync_threads();
          static_cast<void>(words[ids->thread.x * 32]);
        },
        64, config);
    // Strides of 1, 2 and 3 words: 1, 2 and 1 wavefronts; after the barrier one of 32.
    check_counts(result, 2 * 4, 2 * (1 + 2 + 1 + 32), 2 * (1 + 31));
  }
}

TEST_CASE("diverged lanes are told apart by place and turn") {
  for (const Config& config : all_modes()) {
    const Result result = run(
        [] {
          auto* words = reinterpret_cast<volatile std::uint32_t*>(shared_base());
          const unsigned lane = ids->lane;
          if (lane % 2 == 0) words[lane * 32] = lane;                          // 16 lanes in one bank
          for (unsigned turn = 0; turn <= lane / 16; ++turn) words[lane] = 1;  // the second turn: 16 lanes
          sync_warp(0xffffffff);
          if (lane == 0) words[0] = 1;
        },
        32, config);
    check_counts(result, 4, 16 + 1 + 1 + 1, 15);
  }
}

TEST_CASE("copies and addressed accesses count too") {
  Buffer<std::uint32_t> source(32 * 4);
  const Result result = run([&] {
    const std::uint32_t row = shared_start() + ids->lane * 128;
    cp_async(row, source.data() + ids->lane * 4, 16, 16);
    cp_async_wait_all();
    simt::store_shared(row, 1u);
    static_cast<void>(simt::load_shared<std::uint32_t>(shared_start() + ids->lane * 4));
  });
  check_counts(result, 3, 32 + 32 + 1, 28 + 31);
}

TEST_CASE("sites name the worst line first") {
  const Result result = run([] {
    auto* words = reinterpret_cast<volatile std::uint32_t*>(shared_base());
    words[ids->lane] = 1;
    words[ids->lane * 32] = 1;
  });
  CHECK_EQ(result.shared_sites.size(), 2u);
  CHECK_EQ(result.shared_sites[0].conflicts, 31u);
  CHECK_EQ(result.shared_sites[1].conflicts, 0u);
  const auto lines = source_lines({result.shared_sites[0].pc, result.shared_sites[1].pc});
  CHECK(contains(lines[0], "banks_test.cpp:"));
  CHECK(lines[0] != lines[1]);
}

TEST_CASE("banks are not counted where nobody asks") {
  Config config = checked();
  config.count_banks = false;
  const auto body = [] {
    auto* words = reinterpret_cast<volatile std::uint32_t*>(shared_base());
    words[ids->lane * 32] = 1;
  };
  const Result result = run(body, 32, config);
  check_counts(result, 0, 0, 0);
  CHECK_EQ(result.shared_sites.size(), 0u);
}

TEST_CASE("code that the loader does not know keeps its address") {
  CHECK_EQ(source_lines({reinterpret_cast<const void*>(0x1234)})[0], std::string("0x1234"));
}

TEST_CASE("a thread that never joins its warp says what was not counted") {
  const Result result = run([] {
    auto* words = reinterpret_cast<volatile std::uint32_t*>(shared_base());
    for (unsigned i = 0; i < core::kMostNoted + 10; ++i) words[ids->lane] = i;
  });
  CHECK_EQ(result.statistics.shared_accesses_uncounted, 32u * 10);
  check_counts(result, core::kMostNoted, core::kMostNoted, 0);
}
