// banks.hpp - bank conflicts of accesses to shared memory, counted as an SM serves them. Threads are fibers
// that run one after another, so a warp's instruction is put together afterwards: each thread notes its
// accesses, and whenever the warp is together again (a collective, a barrier, its end), the n-th access of
// each lane at one code address since then counts as one access of the warp.
#pragma once
#include <cstdint>
#include <vector>

#include "machine.hpp"

namespace simt::core {

/// Accesses that a thread may note before its warp comes together; those beyond are counted as uncounted.
constexpr std::size_t kMostNoted = 4096;

/// Splits the accesses that the lanes of a warp have noted into accesses of the warp and counts them.
void settle_banks(Warp& warp);
/// One pass over up to 32 words, or the eight rows of a matrix: `wavefronts` it takes where `parts` is the
/// least. `site`: as site_number() gives.
void count_access(std::uint16_t site, std::uint64_t wavefronts, std::uint64_t parts);
/// Wavefronts for `count` (up to 32) words of 4 bytes: the most different words that lie in one bank.
unsigned wavefronts_of(const std::uint32_t* words, unsigned count);

/// note_banks() where banks are counted.
void keep_for_banks(Thread& thread, std::uint16_t site, std::uint32_t address, std::size_t bytes);
/// Notes an access of the thread to its block's shared memory.
inline void note_banks(Thread& thread, std::uint16_t site, std::uint32_t address, std::size_t bytes) {
  if (machine.config.count_banks) keep_for_banks(thread, site, address, bytes);
}

/// The lanes of `mask` are at one place: what the warp has noted is complete if those are all that there are.
inline void settle_banks(Warp& warp, std::uint32_t mask) {
  if (warp.noted && (mask | warp.exited | warp.absent) == kWarpMask) settle_banks(warp);
}

/// By code address, since start_banks().
void start_banks();
std::vector<SharedSite> finish_banks();

}  // namespace simt::core
