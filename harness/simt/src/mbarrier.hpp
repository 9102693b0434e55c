// mbarrier.hpp - mbarrier objects of a block: phases, pending arrivals, transaction bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace simt::core {

struct Mbarrier {
  std::uint32_t offset = 0;  // shared offset
  std::uint32_t count = 0;   // arrivals that a phase expects
  std::int64_t pending = 0;  // of those, still missing
  std::int64_t bytes = 0;    // expected and not landed; negative while more has landed than was announced
  std::uint32_t phase = 0;   // the phase under way; completed phases are below
  std::uint32_t initialised_by = 0;  // thread
  const void* initialised_at = nullptr;
  bool takes_bytes = false;      // copies complete on it
  bool init_fenced = false;      // by fence.mbarrier_init: the async proxy may complete on it
  std::uint16_t agent = 0;       // TMA completing here
  Gathering gathering;           // from the arrivals so far
  Knowledge released;            // by completed phases
  bool remote = false;           // threads of other blocks have arrived: a wait at block scope acquires less
  Gathering gathering_in_block;  // for such a wait; like the next, kept once `remote`
  Knowledge released_in_block;
  std::vector<Thread*> waiting;
};

class Mbarriers {
 public:
  void reset();
  /// Null when nothing is initialised there.
  Mbarrier* find(std::uint32_t offset);
  Mbarrier& create(std::uint32_t offset);
  void remove(std::uint32_t offset);
  const std::vector<std::unique_ptr<Mbarrier>>& all() const { return barriers_; }
  std::uint32_t newest_epoch() const;
  /// At the end of the block: bytes that were announced but never came, or the reverse.
  void check_exit(const Block& block) const;

 private:
  std::vector<std::unique_ptr<Mbarrier>> barriers_;
  std::vector<std::uint16_t> slots_;  // (offset - kSharedBase) / 8 -> index + 1
};

/// The mbarrier at a shared address, with the checks that every use of it gets; null after a report.
Mbarrier* use_mbarrier(Thread& self, std::uint32_t address, const char* what);
/// `count` arrivals whose clocks have been released into the barrier already.
void count_arrivals(Block& block, Mbarrier& barrier, std::uint32_t count);
/// The progress of an asynchronous unit, which waits at any scope acquire.
void raise_progress(Mbarrier& barrier, std::uint16_t agent, std::uint32_t epoch);
/// Bytes have landed. `phase`: under way when the load was issued.
void complete_bytes(Block& block, Mbarrier& barrier, std::uint32_t bytes);
/// The agent of loads that complete on the barrier; remembers who issued the latest.
std::uint16_t agent_of(const Thread& issuer, Mbarrier& barrier);
/// Something is wrong with what `thread` did: if a wait of it passed on an old phase, says so as a finding of
/// its own. Passing on an old phase is no fault in itself (a wait may be superfluous), so nothing else may
/// ask.
void explain_old_phase(const Thread& thread);
/// The same for a thread that is part of a deadlock, also if the mbarrier that it waits on has lapped it.
void explain_waiting(const Thread& thread);
/// Epoch of what a load issued now writes: known to those who have seen the phase under way complete.
inline std::uint32_t phase_epoch(const Mbarrier& barrier) { return machine.wave_epoch + barrier.phase + 1; }

}  // namespace simt::core
