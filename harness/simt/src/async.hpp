// async.hpp - the agenda of asynchronous operations that have been issued and have not happened yet.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "machine.hpp"

namespace simt::core {

/// Part of a bulk or tensor load that lands in one block.
struct BulkLoad {
  std::optional<TensorMap> map;  // a copy: the issuing thread may be gone; none: a plain bulk copy
  const unsigned char* source = nullptr;
  std::uint32_t bytes = 0;
  int coordinates[5] = {};
  std::uint32_t destination = 0;  // shared offset in the block
  std::uint32_t block = 0;        // index of the destination in the wave
  std::uint32_t barrier = 0;      // shared offset
  std::uint32_t phase = 0;        // of the mbarrier, when issued
  const void* pc = nullptr;
};

/// cp.async.mbarrier.arrive: arrives once the thread's copies so far have landed.
struct CopyArrival {
  std::uint32_t thread = 0, segment = 0, barrier = 0, block = 0;
};

bool async_pending();
/// Lets one pending operation happen, chosen by the seed; false when there is none.
bool run_async();
void post(const BulkLoad& load);
void post(const CopyArrival& arrival);
/// Loads posted for the mbarrier that have not landed: their number, and their bytes are added to *bytes.
int loads_in_flight(std::uint32_t block, std::uint32_t barrier, std::uint64_t* bytes);
void clear_async();

/// Called by run_async.
void land(const BulkLoad& load);        // bulk.cpp
void land(const CopyArrival& arrival);  // copy.cpp

/// True when an operation just issued should happen at once (mode now, and sometimes random).
bool happens_now();

/// End of a thread: what it left unfinished is a finding (launch.cpp).
void thread_left(Thread& self);

}  // namespace simt::core
