// work_list.cuh: every record once, in order and in all lanes, from lists and from the queue.
#include "tw/work_list.cuh"

#include <map>

#include "block_test.hpp"

using namespace simt;

namespace {

struct alignas(16) Record {
  int value, twice, unused, count;
};

constexpr int kRecords = 70;  // two batches and a part of one
constexpr int kBlocks = 3;    // thread blocks of the queue

/// Records that tell their places.
class Records : public Buffer<Record> {
 public:
  explicit Records(int count) : Buffer(static_cast<std::size_t>(count), "records") {
    for (int i = 0; i < count; ++i) (*this)[static_cast<std::size_t>(i)] = {i, 2 * i, 0, 1};
  }
};

/// Checks the records of a list as a warp walks it; `prepared`: with a change of each as it is read.
Result walk(const Config& config, bool prepared) {
  const Records list(kRecords + 32);
  return launch(config, {1}, {32}, 0, {1}, [&] {
    const auto prepare = [&](Record& record) { record.value += 1000; };
    tw::WorkList<Record> records{&list[32], list[ids->lane]};
    if (prepared) prepare(records.batch);
    for (int i = 0; i < kRecords; ++i) {
      const Record record = prepared ? records.next(prepare) : records.next();
      CHECK_EQ(record.value, prepared ? i + 1000 : i);
      CHECK_EQ(record.twice, 2 * i);
    }
  });
}

/// Thread blocks of two consumer warps and a producer take all records; `received`: how often each was, by a lane.
Result drain(const Config& config, int count, std::map<int, int>& received) {
  using Queue = tw::WorkQueue<Record>;
  const Records list(count);
  const Buffer<unsigned> counter(1, "counter");
  const Result result = launch(config, {kBlocks}, {96}, Queue::kBytes, {1}, [&] {
    Queue queue{shared_start(), {}};
    if (ids->thread.x == 0) {
      queue.init<2>();
      fence_mbarrier_init();
    }
    sync_threads();
    Record record = list[ids->block.x];
    while (record.count > 0) {
      if (ids->warp == 2) {
        record = queue.pop(list.data(), count, counter.data(), {});
        continue;
      }
      if (ids->lane == 5) ++received[record.value];
      CHECK_EQ(record.twice, 2 * record.value);
      record = queue.receive();
    }
  });
  CHECK_EQ(counter[0], 0u);
  return result;
}

}  // namespace

TEST_CASE("all lanes have every record of a list in order") {
  for (const Config& config : all_modes()) CHECK_CLEAN(walk(config, false));
}

TEST_CASE("a record is changed once as it is read") {
  for (const Config& config : all_modes()) CHECK_CLEAN(walk(config, true));
}

TEST_CASE("both consumer warps receive every record of the queue once, and the counter returns to 0") {
  for (const Config& config : all_modes())
    for (const int count : {kBlocks, 10}) {
      std::map<int, int> received;
      CHECK_CLEAN(drain(config, count, received));
      CHECK_EQ(received.size(), static_cast<std::size_t>(count));
      for (const auto& [value, times] : received) CHECK_EQ(times, 2);
    }
}
