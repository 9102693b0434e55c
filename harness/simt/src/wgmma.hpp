// wgmma.hpp - the tensor-core queue of one warpgroup.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace simt::core {

/// Registers that wgmmas in flight accumulate into, kept here as a 64 x n matrix while they are. A warp's
/// registers come in when that warp issues its first wgmma on them, and go back when that warp has waited for
/// its last.
struct Accumulator {
  std::array<float*, 128> registers{};  // of each thread; its address names the accumulator
  int n = 0;
  std::array<int, 4> in_flight{};  // wgmmas per warp that it has not waited for
  std::vector<float> values;
};

struct Wgmma {
  WgmmaShape shape{};
  bool from_registers = false;
  std::uint64_t a_descriptor = 0, b_descriptor = 0;
  bool scale_d = false;
  int scale_a = 1, scale_b = 1;
  Accumulator* accumulator = nullptr;
  std::uint32_t arrived = 0;             // warps that have issued it
  std::array<std::uint32_t, 4> group{};  // in which group of each warp
  std::uint32_t waited = 0;              // warps that have waited for it
  bool done = false;
  const void* pc = nullptr;
  std::vector<std::uint32_t> a_registers;  // 4 per thread
};

class Warpgroup {
 public:
  void reset();
  /// All lanes of warp `warp` (0..3) have called; `arguments` per lane.
  struct Argument {
    float* d;
    const std::uint32_t* a;
    std::uint64_t a_descriptor, b_descriptor;
  };
  void fence(unsigned warp) { fenced_[warp] = true; }
  void issue(Thread& self, const Convergence& convergence, WgmmaShape shape, bool scale_d, int scale_a,
             int scale_b);
  void commit(unsigned warp) { ++committed_[warp]; }
  /// Runs what warp `warp` has to wait for so that at most `pending` groups remain; false when another warp
  /// has not issued its part yet.
  bool finish(Block& block, unsigned warp, std::uint32_t pending);
  void note_waited(Thread& self, std::uint32_t pending);
  void wait_for_others(Thread& self);
  void set_registers(const Block& block, unsigned warp, int count, bool increase);
  static void check_register_pool(const Block& block);
  void check_exit(const Block& block);
  std::uint32_t newest_epoch() const;

 private:
  Wgmma& operation(Thread& self, const Argument& argument, WgmmaShape shape, bool scale_d, int scale_a,
                   int scale_b);
  Accumulator& accumulator(unsigned warp, float* first, int n);
  void take_registers(Accumulator& accumulator, const Convergence& convergence, unsigned warp);
  void give_registers(Accumulator& accumulator, unsigned warp);
  void check_issue(Thread& self, const Convergence& convergence, const Wgmma& operation);
  void note_reads(Thread& self, const Wgmma& operation);
  void execute(Block& block, Wgmma& operation);
  void execute_ready(Block& block);
  std::uint32_t finished_groups(unsigned warp, std::uint32_t pending) const;

  std::deque<std::unique_ptr<Wgmma>> queue_;  // in the order of issue
  std::array<std::uint32_t, 4> issued_{};     // by warp, counted from the first of the queue ever
  std::uint32_t retired_ = 0;                 // taken off the queue's front
  std::array<std::uint32_t, 4> committed_{};
  std::array<bool, 4> fenced_{};
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::vector<Thread*> waiting_;
  std::array<int, 4> registers_{};
  std::uint16_t agent_ = 0;
};

}  // namespace simt::core
