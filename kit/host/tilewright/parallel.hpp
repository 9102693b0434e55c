// parallel.hpp - a loop over all cores, for references and comparisons of large problems.
#pragma once
#include <cstdint>
#include <functional>

namespace tilewright {

/// Calls `body(begin, end)` for disjoint ranges that cover [0, count), of at most `grain` each, on all cores;
/// a loop of one range stays on the calling thread. Rethrows the first exception after all threads have
/// ended.
void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace tilewright
