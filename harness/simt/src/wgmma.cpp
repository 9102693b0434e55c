// wgmma.cpp - asynchronous warpgroup products (PTX ISA 9.7.15). Each warp issues its quarter in its own time;
// the operation runs as one once all four have, at the latest when a warp waits for it.
#include "wgmma.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "async.hpp"
#include "matmul.hpp"
#include "memory.hpp"
#include "numerics.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "sync.hpp"

namespace simt {
namespace core {
namespace {

constexpr std::uint32_t kAllWarps = 15;

const Warpgroup::Argument& argument_of(const Convergence& convergence, int lane) {
  return *static_cast<const Warpgroup::Argument*>(convergence.arguments[lane]);
}

/// Visits the 16-byte chunks of rows (A) or columns (B) [first, last) of an operand: 8 values along k from
/// (mn, k), or, MN-major, 8 along mn. Of tf32, K-major always, 4 from (mn, k / 2).
template <class Visit>
void for_each_chunk(std::uint64_t bits, bool mn_major, std::uint32_t first, std::uint32_t last,
                    Visit&& visit) {
  const MatrixDescriptor descriptor = decode_descriptor(bits);
  if (mn_major) {
    for (std::uint32_t k = 0; k < 16; ++k)
      for (std::uint32_t mn = first; mn < last; mn += 8)
        visit(operand_address(descriptor, true, mn, k), mn, k);
  } else {
    for (std::uint32_t mn = first; mn < last; ++mn)
      for (std::uint32_t k = 0; k < 16; k += 8) visit(operand_address(descriptor, false, mn, k), mn, k);
  }
}

/// Calls put(mn, k, value) for every element of an operand in shared memory.
template <class Put>
void load_operand(Block& block, std::uint64_t bits, bool mn_major, std::uint32_t count, MmaType type,
                  const char* what, Put&& put) {
  for_each_chunk(bits, mn_major, 0, count, [&](std::uint32_t address, std::uint32_t mn, std::uint32_t k) {
    std::uint16_t raw[8] = {};
    float wide[8];
    if (const unsigned char* memory = shared_memory(block, address, 16, what)) std::memcpy(raw, memory, 16);
    if (type == MmaType::tf32) {
      std::uint32_t words[4];
      std::memcpy(words, raw, 16);
      for (std::uint32_t i = 0; i < 4; ++i) put(mn, k / 2 + i, tf32_to_float(words[i]));
      return;
    }
    to_float(raw, wide, 8, type);
    for (std::uint32_t i = 0; i < 8; ++i) mn_major ? put(mn + i, k, wide[i]) : put(mn, k + i, wide[i]);
  });
}

void load_a_registers(const Wgmma& operation, float (*a)[16]) {
  for (int thread = 0; thread < 128; ++thread)
    for (int reg = 0; reg < 4; ++reg) {
      const std::uint32_t pair = operation.a_registers[static_cast<std::size_t>(thread * 4 + reg)];
      if (operation.shape.type == MmaType::tf32) {
        const Element place = mma_a_tf32(thread % 32, reg);
        a[thread / 32 * 16 + place.row][place.column] = tf32_to_float(pair);
        continue;
      }
      for (int half = 0; half < 2; ++half) {
        const Element place = mma_a_f16(thread % 32, reg, half);
        a[thread / 32 * 16 + place.row][place.column] =
            sixteen_bit_to_float(static_cast<std::uint16_t>(pair >> 16 * half), operation.shape.type);
      }
    }
}

void check_descriptor(std::uint64_t bits, bool mn_major, const char* which) {
  const MatrixDescriptor descriptor = decode_descriptor(bits);
  if (descriptor.span && !mn_major && descriptor.base_offset == 0 &&
      descriptor.address % (descriptor.span * 8) >= descriptor.span)
    report("wgmma", text("descriptor of %s starts at 0x%x, not in the first row of a %u-byte swizzle atom, "
                         "with base offset 0",
                         which, descriptor.address, descriptor.span * 8));
}

void check_shape(const WgmmaShape& shape, bool from_registers, int scale_a, int scale_b) {
  if (shape.n < 8 || shape.n > 256 || shape.n % 8)
    fail("wgmma", text("n is %d; allowed are the multiples of 8 from 8 to 256", shape.n));
  if (shape.type == MmaType::tf32 && (shape.a_mn_major || shape.b_mn_major))
    fail("wgmma", "tf32 operands are K-major");
  if (from_registers && shape.a_mn_major) fail("wgmma", "A from registers is always K-major");
  if ((scale_a != 1 && scale_a != -1) || (scale_b != 1 && scale_b != -1))
    fail("wgmma", "scale of A and B must be 1 or -1");
}

}  // namespace

void Warpgroup::reset() { *this = Warpgroup(); }

Accumulator& Warpgroup::accumulator(unsigned warp, float* first, int n) {
  for (auto& known : accumulators_)
    if (known->registers[warp * 32] == first) {
      if (known->n == n) return *known;
      if (known->in_flight[warp])
        report("wgmma", text("an accumulator in flight as m64n%d is used as m64n%d without a wait between",
                             known->n, n));
    }
  accumulators_.push_back(std::make_unique<Accumulator>());
  Accumulator& fresh = *accumulators_.back();
  fresh.n = n;
  fresh.values.resize(static_cast<std::size_t>(64 * n));
  return fresh;
}

void Warpgroup::take_registers(Accumulator& target, const Convergence& convergence, unsigned warp) {
  const bool poison = machine.config.poison && machine.config.async != Async::now;
  const auto n = static_cast<std::size_t>(target.n);
  for (int lane = 0; lane < 32; ++lane) {
    const auto thread = warp * 32 + static_cast<unsigned>(lane);
    float* d = argument_of(convergence, lane).d;
    target.registers[thread] = d;
    float* row = &target.values[static_cast<std::size_t>(wgmma_d(static_cast<int>(thread), 0).row) * n];
    const int column =
        lane % 4 * 2;  // wgmma_d(): registers 4j, 4j+1 in this row, 4j+2, 4j+3 eight rows below
    for (int j = 0; j < target.n / 8; ++j) {
      std::memcpy(row + j * 8 + column, d + j * 4, 8);
      std::memcpy(row + 8 * n + j * 8 + column, d + j * 4 + 2, 8);
    }
    if (poison) std::memset(static_cast<void*>(d), 0xff, n / 2 * sizeof(float));
  }
}

void Warpgroup::give_registers(Accumulator& source, unsigned warp) {
  const auto n = static_cast<std::size_t>(source.n);
  for (unsigned thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    float* d = source.registers[thread];
    const float* row = &source.values[static_cast<std::size_t>(wgmma_d(static_cast<int>(thread), 0).row) * n];
    const unsigned column = thread % 4 * 2;
    for (int j = 0; j < source.n / 8; ++j) {
      std::memcpy(d + j * 4, row + j * 8 + column, 8);
      std::memcpy(d + j * 4 + 2, row + 8 * n + j * 8 + column, 8);
    }
  }
  fenced_[warp] = false;  // the program may touch these registers now
}

Wgmma& Warpgroup::operation(Thread& self, const Argument& argument, WgmmaShape shape, bool scale_d,
                            int scale_a, int scale_b) {
  const unsigned warp = self.ids.warp % 4;
  const std::uint32_t place = issued_[warp]++ - retired_;
  if (place == queue_.size()) {
    auto fresh = std::make_unique<Wgmma>();
    fresh->shape = shape;
    fresh->from_registers = argument.a != nullptr;
    fresh->a_descriptor = argument.a ? 0 : argument.a_descriptor;
    fresh->b_descriptor = argument.b_descriptor;
    fresh->scale_d = scale_d;
    fresh->scale_a = scale_a;
    fresh->scale_b = scale_b;
    fresh->pc = self.pc;
    if (argument.a) fresh->a_registers.resize(512);
    fresh->accumulator = &accumulator(warp, argument.d, shape.n);
    queue_.push_back(std::move(fresh));
  }
  Wgmma& operation = *queue_[place];
  const bool same_shape = operation.shape.n == shape.n && operation.shape.type == shape.type &&
                          operation.shape.a_mn_major == shape.a_mn_major &&
                          operation.shape.b_mn_major == shape.b_mn_major && operation.scale_d == scale_d &&
                          operation.from_registers == (argument.a != nullptr) &&
                          operation.scale_a == scale_a && operation.scale_b == scale_b;
  if (!same_shape)
    fail("wgmma",
         "the warps of a warpgroup issue wgmmas of different shape or scale-d; the other" + at(operation.pc));
  return operation;
}

void Warpgroup::check_issue(Thread& self, const Convergence& convergence, const Wgmma& operation) {
  const unsigned warp = self.ids.warp % 4;
  if (!fenced_[warp])
    report("wgmma", "wgmma.mma_async without wgmma.fence since the start or the last wgmma.wait_group");
  for (int lane = 0; lane < 32; ++lane) {
    const Argument& argument = argument_of(convergence, lane);
    if (argument.b_descriptor == operation.b_descriptor &&
        (operation.from_registers || argument.a_descriptor == operation.a_descriptor))
      continue;
    report("wgmma", "descriptors differ across the warpgroup; all 128 threads must pass the same");
    break;
  }
  if (!operation.from_registers) check_descriptor(operation.a_descriptor, operation.shape.a_mn_major, "A");
  check_descriptor(operation.b_descriptor, operation.shape.b_mn_major, "B");
}

void Warpgroup::note_reads(Thread& self, const Wgmma& operation) {
  const unsigned warp = self.ids.warp % 4;
  Thread* lanes = self.warp->threads;
  if (!agent_) agent_ = new_agent({Unit::wgmma, lanes[0].index - warp * 32});
  Knowledge known = lanes[0].time.known;
  for (int lane = 1; lane < 32; ++lane) known = join(known, lanes[lane].time.known);
  const View view{known.seen.get(), known.proxy.get(), known.visible.get(), lanes[0].index,
                  lanes[0].index + 32};
  const Stamp stamp{machine.wave_epoch + committed_[warp] + 1, agent_,
                    site_number(self.pc, AccessKind::wgmma_read)};
  const Access access{view, stamp, AccessKind::wgmma_read};
  const auto note = [&](std::uint32_t address, std::uint32_t, std::uint32_t) {
    if (address >= kSharedBase && address + 16 <= kSharedBase + machine.shared_bytes)
      note_shared_read(*self.block, address, 16, access);
  };
  if (!operation.from_registers)
    for_each_chunk(operation.a_descriptor, operation.shape.a_mn_major, warp * 16, warp * 16 + 16, note);
  for_each_chunk(operation.b_descriptor, operation.shape.b_mn_major, 0,
                 static_cast<std::uint32_t>(operation.shape.n), note);
}

void Warpgroup::issue(Thread& self, const Convergence& convergence, WgmmaShape shape, bool scale_d,
                      int scale_a, int scale_b) {
  const unsigned warp = self.ids.warp % 4;
  const Argument& first = argument_of(convergence, 0);
  check_shape(shape, first.a != nullptr, scale_a, scale_b);
  Wgmma& issued = operation(self, first, shape, scale_d, scale_a, scale_b);
  check_issue(self, convergence, issued);
  if (machine.detect) note_reads(self, issued);
  if (issued.from_registers)
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(&issued.a_registers[(warp * 32 + lane) * 4],
                  argument_of(convergence, static_cast<int>(lane)).a, 16);
  Accumulator& target = *issued.accumulator;
  if (target.in_flight[warp]++ == 0)
    take_registers(target, convergence, warp);
  else if (target.registers[warp * 32] != first.d)
    fail("wgmma", "the warps of a warpgroup disagree about which wgmmas accumulate into the same registers");
  issued.group[warp] = committed_[warp];
  issued.arrived |= 1u << warp;
  if (issued.arrived != kAllWarps) return;
  for (Thread* thread : waiting_) make_runnable(*thread);
  waiting_.clear();
  note_progress();
  if (happens_now()) execute_ready(*self.block);
}

void Warpgroup::execute_ready(Block& block) {
  for (auto& operation : queue_) {
    if (operation->done) continue;
    if (operation->arrived != kAllWarps) return;
    execute(block, *operation);
  }
}

void Warpgroup::execute(Block& block, Wgmma& operation) {
  ++machine.stats.wgmma;
  alignas(32) static float a[64][16], b[16 * 256];
  const int n = operation.shape.n;
  const auto sign = static_cast<float>(operation.scale_a * operation.scale_b);
  if (operation.from_registers)
    load_a_registers(operation, a);
  else
    load_operand(block, operation.a_descriptor, operation.shape.a_mn_major, 64, operation.shape.type,
                 "wgmma read of A", [](std::uint32_t mn, std::uint32_t k, float value) { a[mn][k] = value; });
  load_operand(block, operation.b_descriptor, operation.shape.b_mn_major, static_cast<std::uint32_t>(n),
               operation.shape.type, "wgmma read of B", [n](std::uint32_t mn, std::uint32_t k, float value) {
                 b[k * static_cast<std::uint32_t>(n) + mn] = value;
               });
  if (operation.shape.type == MmaType::tf32) {  // half as deep: the rest is zero
    for (auto& row : a) std::fill(row + 8, row + 16, 0.0f);
    std::fill(b + 8 * n, b + 16 * n, 0.0f);
  }
  if (sign < 0)
    for (auto& row : a)
      for (float& value : row) value = -value;
  multiply_64xn(a, b, operation.accumulator->values.data(), n, operation.scale_d);
  machine.stats.wgmma_bytes += static_cast<std::uint64_t>(n) * 32 + (operation.from_registers ? 0 : 2048);
  operation.done = true;
}

std::uint32_t Warpgroup::finished_groups(unsigned warp, std::uint32_t pending) const {
  return committed_[warp] > pending ? committed_[warp] - pending : 0;
}

bool Warpgroup::finish(Block& block, unsigned warp, std::uint32_t pending) {
  const std::uint32_t groups = finished_groups(warp, pending), bit = 1u << warp;
  for (auto& operation : queue_) {
    if (!(operation->arrived & bit) || operation->group[warp] >= groups) break;
    if (operation->done) continue;
    if (operation->arrived != kAllWarps) return false;
    execute(block, *operation);
  }
  for (auto& operation : queue_) {
    if (!(operation->arrived & bit) || operation->group[warp] >= groups) break;
    if (operation->waited & bit) continue;
    operation->waited |= bit;
    Accumulator& accumulator = *operation->accumulator;
    if (--accumulator.in_flight[warp] == 0) give_registers(accumulator, warp);
  }
  while (!queue_.empty() && queue_.front()->waited == kAllWarps) {
    queue_.pop_front();
    ++retired_;
  }
  std::erase_if(accumulators_, [&](const auto& accumulator) {
    const bool used = std::any_of(queue_.begin(), queue_.end(), [&](const auto& operation) {
      return operation->accumulator == accumulator.get();
    });
    return !used;
  });
  return true;
}

void Warpgroup::wait_for_others(Thread& self) {
  waiting_.push_back(&self);
  block_current(Wait::wgmma);
}

void Warpgroup::note_waited(Thread& self, std::uint32_t pending) {
  if (!machine.detect || !agent_) return;
  const std::uint32_t done = machine.wave_epoch + finished_groups(self.ids.warp % 4, pending);
  for (int lane = 0; lane < 32; ++lane) {
    Progress& progress = self.warp->threads[lane].time.wgmma;
    progress.agent = agent_;
    progress.done = std::max(progress.done, done);
  }
}

std::uint32_t Warpgroup::newest_epoch() const {
  return machine.wave_epoch + *std::max_element(committed_.begin(), committed_.end()) + 1;
}

void Warpgroup::set_registers(const Block&, unsigned warp, int count, bool increase) {
  const int before = registers_[warp] ? registers_[warp] : machine.config.registers;
  if (before && (increase ? count < before : count > before))
    report("setmaxnreg", text("setmaxnreg.%s to %d while the warp has %d registers", increase ? "inc" : "dec",
                              count, before));
  registers_[warp] = count;
}

void Warpgroup::check_exit(const Block& block) {
  if (!queue_.empty())
    report("exit", text("the block ends with %zu wgmmas that not all warps have waited for", queue_.size()));
  for (unsigned warp = 1; warp < 4; ++warp)
    if (registers_[warp] != registers_[0])
      report("setmaxnreg", text("the warps of a warpgroup have set different register counts (%d and %d); "
                                "all four must execute the same setmaxnreg",
                                registers_[0], registers_[warp]));
  if (block.warpgroups.front().get() == this) check_register_pool(block);
}

/// Warpgroups only exchange registers: a block never has more than it was launched with.
void Warpgroup::check_register_pool(const Block& block) {
  const int launched = (machine.config.registers + 7) / 8 * 8;
  int total = 0, warps_left = static_cast<int>(machine.warps_per_block);
  for (const auto& group : block.warpgroups) {
    const int set = group->registers_[0];
    total += (set ? set : launched) * 32 * std::min(warps_left, 4);
    warps_left -= 4;
  }
  constexpr unsigned kMost = std::numeric_limits<int>::max();
  const int pool = launched ? launched * 32 * static_cast<int>(machine.warps_per_block)
                            : static_cast<int>(std::min(machine.limits.registers_per_sm, kMost));
  if (total > pool)
    report("setmaxnreg", text("the warpgroups' register counts add up to %d, but %s %d: setmaxnreg.inc waits "
                              "for ever",
                              total, launched ? "the block is launched with" : "an SM has", pool));
}

}  // namespace core

using core::Collective;
using core::Convergence;
using core::Thread;

namespace {

core::Warpgroup& warpgroup_of(Thread& self) { return *self.block->warpgroups[self.ids.warp / 4]; }

}  // namespace

void wgmma_fence() {
  Thread& self = SIMT_ENTER();
  core::converge(self, Collective::wgmma_fence, 0, core::kWarpMask, nullptr,
                 [&](Convergence&) { warpgroup_of(self).fence(self.ids.warp % 4); });
}

void wgmma(float* d, WgmmaShape shape, const std::uint32_t* a_registers, std::uint64_t a_descriptor,
           std::uint64_t b_descriptor, bool scale_d, int scale_a, int scale_b) {
  Thread& self = SIMT_ENTER();
  const core::Warpgroup::Argument argument{d, a_registers, a_descriptor, b_descriptor};
  core::converge(self, Collective::wgmma,
                 static_cast<std::uint32_t>(shape.n) << 1 | static_cast<std::uint32_t>(scale_d),
                 core::kWarpMask, &argument, [&](Convergence& convergence) {
                   warpgroup_of(self).issue(self, convergence, shape, scale_d, scale_a, scale_b);
                 });
}

void wgmma_commit() {
  Thread& self = SIMT_ENTER();
  core::converge(self, Collective::wgmma_commit, 0, core::kWarpMask, nullptr,
                 [&](Convergence&) { warpgroup_of(self).commit(self.ids.warp % 4); });
}

void wgmma_wait(int pending) {
  Thread& self = SIMT_ENTER();
  if (pending < 0) core::report("trap", core::text("wgmma.wait_group %d: no number of groups", pending));
  const auto left = static_cast<std::uint32_t>(std::max(pending, 0));
  core::converge(self, Collective::wgmma_wait, left, core::kWarpMask, nullptr, [&](Convergence&) {
    core::Warpgroup& group = warpgroup_of(self);
    while (!group.finish(*self.block, self.ids.warp % 4, left))
      group.wait_for_others(self);  // the other lanes are in this convergence
    group.note_waited(self, left);
  });
}

}  // namespace simt
