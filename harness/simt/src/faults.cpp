// faults.cpp - signal handlers. The handler does not report by itself: it points the interrupted thread of
// control at an ordinary function on a stack of its own, so that reporting may allocate, and from there the
// launch is abandoned.
#include "faults.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt::core {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::size_t kStackBytes = 128 << 10;

struct sigaction previous[65];
struct {
  int signal;
  const void* address;
  const void* pc;
} fault;
alignas(64) unsigned char landing_stack[kStackBytes];

std::string describe_fault() {
  if (fault.signal == SIGFPE) return "integer division by zero";
  if (fault.signal == SIGILL || fault.signal == SIGTRAP) return "the kernel executed a trap";
  if (machine.stacks.is_guard(fault.address))
    return text(
        "the thread's local memory and stack of %zu KB overflowed: the kernel recurses without end, "
        "or its arrays are too large",
        machine.config.stack_bytes >> 10);
  if (is_global(fault.address)) return "invalid access to " + global_place(fault.address);
  if (is_below_shared(fault.address)) {
    const auto distance = address_space.base + kSharedBase - static_cast<const unsigned char*>(fault.address);
    return text("access to an address %lld bytes below dynamic shared memory",
                static_cast<long long>(distance));
  }
  return text("access to the invalid address %p", fault.address);
}

/// Runs in place of the instruction that faulted, on landing_stack.
void report_fault() {
  machine.current->pc = fault.pc;
  machine.overflowed = machine.stacks.is_guard(fault.address);
  const bool memory = (fault.signal == SIGSEGV || fault.signal == SIGBUS) && !machine.overflowed;
  const char* const kind = is_below_shared(fault.address) ? "shared-out-of-bounds" : "global-out-of-bounds";
  report(memory ? kind : "trap", describe_fault());
  abandon_launch();
}

/// False where the machine's registers are not known here: the signal is then fatal as usual.
bool redirect(ucontext_t* context) {
  const std::uintptr_t top =
      reinterpret_cast<std::uintptr_t>(landing_stack + kStackBytes) & ~std::uintptr_t{63};
#if defined(__x86_64__) && defined(__linux__)
  fault.pc = reinterpret_cast<const void*>(context->uc_mcontext.gregs[REG_RIP] +
                                           1);  // as if it were a return address
  context->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&report_fault);
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  return true;
#elif defined(__aarch64__) && defined(__linux__)
  fault.pc = reinterpret_cast<const void*>(context->uc_mcontext.pc + 4);
  context->uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&report_fault);
  context->uc_mcontext.sp = top;
  return true;
#else
  (void)context;
  (void)top;
  return false;
#endif
}

void on_fault(int number, siginfo_t* info, void* context) {
  if (machine.running && machine.current && fault.signal == 0) {
    fault = {number, info->si_addr, nullptr};
    if (redirect(static_cast<ucontext_t*>(context))) return;
  }
  sigaction(number, &previous[number],
            nullptr);  // returning runs the faulting instruction again, now for real
  if (info->si_code <= 0) raise(number);
}

/// A fiber's stack may be the very thing that is exhausted: handlers run on another one, which each OS thread
/// needs.
class SignalStack {
 public:
  SignalStack() : memory_(kStackBytes) {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::vector<unsigned char> memory_;
};

}  // namespace

void install_fault_handlers() {
  fault.signal = 0;
#if defined(SIMT_FIBER_ASAN)
  __asan_unpoison_memory_region(landing_stack, kStackBytes);  // the last fault's frames were abandoned
#endif
  thread_local const SignalStack signal_stack;
  static_cast<void>(signal_stack);
  static bool installed = false;
  if (installed) return;
  installed = true;
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (int number : kSignals) sigaction(number, &action, &previous[number]);
}

}  // namespace simt::core
