// copy.hpp - cp.async: copies of one thread that have been issued and have not landed.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "machine.hpp"

namespace simt::core {

struct Copy {
  std::uint32_t destination, segment;
  const unsigned char* source;
  std::uint8_t bytes, source_bytes;
};

/// Copies land in order. A segment ends at every commit and at every mbarrier arrival; its number is the
/// epoch of what its copies write.
struct CopyQueue {
  std::vector<Copy> pending;
  std::uint32_t segment = 0;
  std::uint32_t
      used = 0,
      finished = 0;  // the last segment with a copy in it; the last one waited for or handed to an mbarrier
  std::deque<std::uint32_t> groups;  // last segment of each committed group that has not been waited for

  void reset();
  /// Lands all copies up to and including `last`.
  void land_through(Block& block, std::uint32_t last);
  /// Reports copies that may be under way when their thread ends.
  void check_exit(const Thread& thread) const;
};

}  // namespace simt::core
