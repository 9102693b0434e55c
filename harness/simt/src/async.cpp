// async.cpp - the agenda.
#include "async.hpp"

namespace simt::core {
namespace {

std::vector<BulkLoad> loads;
std::vector<CopyArrival> arrivals;

template <class Item>
Item take(std::vector<Item>& items, std::size_t i) {
  Item item = items[i];
  items[i] = items.back();
  items.pop_back();
  return item;
}

}  // namespace

bool async_pending() { return !loads.empty() || !arrivals.empty(); }

bool run_async() {
  const std::size_t count = loads.size() + arrivals.size();
  if (count == 0) return false;
  const std::size_t chosen = machine.random.below(static_cast<std::uint32_t>(count));
  if (chosen < loads.size())
    land(take(loads, chosen));
  else
    land(take(arrivals, chosen - loads.size()));
  return true;
}

void post(const BulkLoad& load) { loads.push_back(load); }
void post(const CopyArrival& arrival) { arrivals.push_back(arrival); }

int loads_in_flight(std::uint32_t block, std::uint32_t barrier, std::uint64_t* bytes) {
  int count = 0;
  for (const BulkLoad& load : loads)
    if (load.block == block && load.barrier == barrier) {
      ++count;
      *bytes += load.bytes;
    }
  return count;
}

void clear_async() {
  loads.clear();
  arrivals.clear();
}

bool happens_now() {
  if (machine.config.async == Async::random) return (machine.random.next() & 3) == 0;
  return machine.config.async == Async::now;
}

}  // namespace simt::core
