// fiber.cpp - the switch itself, and the stacks.
#include "fiber.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "page.hpp"

#if !defined(SIMT_FIBER_BOOST) && defined(__x86_64__)
// System V: rbx, rbp, r12-r15, the control bits of mxcsr and the x87 control word survive a call. The status
// bits of mxcsr need not; they travel along.
asm(R"(
.text
.globl simt_fiber_switch
.type simt_fiber_switch,@function
.align 16
simt_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_fiber_switch,.-simt_fiber_switch
)");
#elif !defined(SIMT_FIBER_BOOST) && defined(__aarch64__)
// AAPCS64: x19-x28, x29 (frame), x30 (link), d8-d15 and fpcr survive a call; x18 belongs to the platform.
// Writing fpcr is slow, and mostly it holds the right value already.
#if defined(__APPLE__)
#define SIMT_SYMBOL "_simt_fiber_switch"
#else
#define SIMT_SYMBOL "simt_fiber_switch"
#endif
asm(".text\n.globl " SIMT_SYMBOL
    "\n"
#if !defined(__APPLE__)
    ".type " SIMT_SYMBOL
    ",%function\n"
#endif
    ".align 4\n" SIMT_SYMBOL R"(:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x3, fpcr
  str x3, [sp, #160]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldr x4, [sp, #160]
  cmp x3, x4
  b.eq 1f
  msr fpcr, x4
1:
  add sp, sp, #176
  ret
)");
#endif

namespace simt::core {
namespace {

#if !defined(SIMT_FIBER_BOOST) && defined(__x86_64__)
/// The floating-point control words as simt_fiber_switch keeps them: mxcsr, then that of the x87.
void* control_words() {
  std::uint32_t words[2] = {};
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words[0]), "=m"(words[1]));
  return reinterpret_cast<void*>(words[0] | std::uintptr_t{words[1]} << 32);
}
#elif !defined(SIMT_FIBER_BOOST)
void* control_words() {
  std::uintptr_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return reinterpret_cast<void*>(fpcr);
}
#endif

}  // namespace

#if defined(SIMT_FIBER_ASAN)
Fiber* Fiber::asan_from = nullptr;
Fiber* Fiber::asan_to = nullptr;

void Fiber::asan_arrived() {
  const void* stack = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(asan_to->fake_stack_, &stack, &bytes);
  if (!asan_from->stack_) {  // the launcher: its stack is only known from the first switch away from it
    asan_from->stack_ = stack;
    asan_from->stack_bytes_ = bytes;
  }
}

void Fiber::asan_first_entry() {
  asan_arrived();
  asan_to->asan_entry_();
}
#endif

#if defined(SIMT_FIBER_BOOST)
void Fiber::boost_entry(boost::context::detail::transfer_t transfer) {
  Fiber** pair = static_cast<Fiber**>(transfer.data);
  pair[0]->resume_ = transfer.fctx;
  pair[1]->entry_();
}
#endif

void Fiber::prepare(unsigned char* stack, std::size_t bytes, FiberEntry entry) {
#if defined(SIMT_FIBER_ASAN)
  __asan_unpoison_memory_region(stack, bytes);  // an abandoned fiber leaves its frames poisoned
  asan_entry_ = entry;
  fake_stack_ = nullptr;
  stack_ = stack;
  stack_bytes_ = bytes;
  entry = &Fiber::asan_first_entry;
#endif
#if defined(SIMT_FIBER_BOOST)
  entry_ = entry;
  resume_ = boost::context::detail::make_fcontext(stack + bytes, bytes, &Fiber::boost_entry);
#else
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{63};
  void** frame = reinterpret_cast<void**>(top);
#if defined(__x86_64__)
  *--frame = nullptr;  // the entry's "return address", and the 8 bytes that a call would have pushed
  *--frame = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--frame = nullptr;
  *--frame = control_words();
#else
  frame -= 22;
  std::fill_n(frame, 22, nullptr);
  frame[11] = reinterpret_cast<void*>(entry);  // x30
  frame[20] = control_words();
#endif
  resume_ = frame;
#endif
}

StackPool::~StackPool() { release(); }

void StackPool::release() {
  if (base_) munmap(base_, count_ * (bytes_ + kPage));
  base_ = nullptr;
  count_ = 0;
}

void StackPool::reserve(std::size_t count, std::size_t bytes) {
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (count <= count_ && bytes <= bytes_) return;
  if (bytes < bytes_) bytes = bytes_;
  release();
  void* memory = mmap(nullptr, count * (bytes + kPage), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<unsigned char*>(memory);
  count_ = count;
  bytes_ = bytes;
  for (std::size_t i = 0; i < count; ++i) mprotect(base_ + i * (bytes_ + kPage), kPage, PROT_NONE);
}

unsigned char* StackPool::stack(std::size_t index) const { return base_ + index * (bytes_ + kPage) + kPage; }

bool StackPool::is_guard(const void* address) const {
  const auto* p = static_cast<const unsigned char*>(address);
  if (!base_ || p < base_ || p >= base_ + count_ * (bytes_ + kPage)) return false;
  return static_cast<std::size_t>(p - base_) % (bytes_ + kPage) < kPage;
}

}  // namespace simt::core
