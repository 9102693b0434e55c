// fiber.hpp - stackful context switch, one per emulated thread. Own assembly on x86-64 and arm64 Linux/macOS;
// -DSIMT_FIBER_BOOST, or any other machine, uses boost.context instead.
#pragma once
#include <cstddef>
#include <cstdint>

#if !defined(SIMT_FIBER_BOOST) && !defined(__x86_64__) && !defined(__aarch64__)
#define SIMT_FIBER_BOOST 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SIMT_FIBER_ASAN 1
#endif

#if defined(SIMT_FIBER_BOOST)
#include <boost/context/detail/fcontext.hpp>
#endif
#if defined(SIMT_FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(SIMT_FIBER_BOOST)
/// Saves what survives a call (registers and floating-point control words) on the current stack, stores its
/// pointer in *from and resumes `to`.
extern "C" void simt_fiber_switch(void** from, void* to);
#endif

namespace simt::core {

using FiberEntry = void (*)();

/// One suspended flow of control. The launcher's own context has no stack of its own.
class Fiber {
 public:
  /// Makes the next switch to this fiber call `entry` (which never returns) on [stack, stack + bytes).
  void prepare(unsigned char* stack, std::size_t bytes, FiberEntry entry);

  /// Suspends `from`, which must be the running fiber, and resumes `to`.
  static inline void switch_to(Fiber& from, Fiber& to);

 private:
  void* resume_ = nullptr;  // stack pointer, or boost's fcontext_t
#if defined(SIMT_FIBER_BOOST)
  FiberEntry entry_ = nullptr;
  static void boost_entry(boost::context::detail::transfer_t transfer);
#endif
#if defined(SIMT_FIBER_ASAN)
  FiberEntry asan_entry_ = nullptr;
  void* fake_stack_ = nullptr;
  const void* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  static Fiber* asan_from;
  static Fiber* asan_to;
  static void asan_first_entry();
  static void asan_arrived();
#endif
};

inline void Fiber::switch_to(Fiber& from, Fiber& to) {
#if defined(SIMT_FIBER_ASAN)
  asan_from = &from;
  asan_to = &to;
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_, to.stack_bytes_);
#endif
#if defined(SIMT_FIBER_BOOST)
  Fiber* pair[2] = {&from, &to};
  const boost::context::detail::transfer_t back = boost::context::detail::jump_fcontext(to.resume_, pair);
  static_cast<Fiber**>(back.data)[0]->resume_ = back.fctx;
#else
  simt_fiber_switch(&from.resume_, to.resume_);
#endif
#if defined(SIMT_FIBER_ASAN)
  asan_arrived();
#endif
}

/// Stacks of equal size, each below an inaccessible page, kept between launches.
class StackPool {
 public:
  ~StackPool();
  /// Makes `count` stacks of at least `bytes` each available.
  void reserve(std::size_t count, std::size_t bytes);
  unsigned char* stack(std::size_t index) const;
  /// Usable bytes of stack `index`. The tops are staggered: stacks an equal distance apart would all compete
  /// for the same sets of the first-level cache.
  std::size_t stack_bytes(std::size_t index) const { return bytes_ - (index % 32) * 320; }
  /// True when `address` lies in the inaccessible page of some stack: that stack has overflowed.
  bool is_guard(const void* address) const;

 private:
  void release();
  unsigned char* base_ = nullptr;
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace simt::core
