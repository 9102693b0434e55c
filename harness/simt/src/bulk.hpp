// bulk.hpp - bulk and tensor stores of one thread that have been issued and are not complete.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "machine.hpp"

namespace simt::core {

/// A store goes through two steps: its source is read, later the destination is written. wait_group.read
/// waits for the first only.
struct BulkStore {
  std::optional<TensorMap> map;  // a copy: the issuing thread may be gone; none: a plain bulk copy
  unsigned char* destination = nullptr;
  std::uint32_t bytes = 0;
  int coordinates[5] = {};
  std::uint32_t source = 0;  // shared offset
  BulkReduce reduce = BulkReduce::none;
  std::uint32_t group = 0;
  bool read = false;
  std::vector<unsigned char> data;  // once read: the box's footprint, not swizzled
};

struct BulkQueue {
  std::deque<BulkStore> pending;
  std::uint32_t group = 0;        // the one being filled; its number is the epoch of what it does
  std::uint32_t committed = 0;    // groups up to this number
  std::uint32_t used = 0;         // the last group with a store in it
  std::uint32_t read_waited = 0;  // sources of groups up to this number have been read

  void reset();
  void check_exit(Thread& thread);
};

}  // namespace simt::core
