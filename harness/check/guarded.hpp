// guarded.hpp - a call of foreign host code in a process of its own, on buffers that touch inaccessible memory. Whatever it
// does wrong ends that process alone, and is named.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright::check {

/// The end of a buffer that touches inaccessible memory: its last byte, or its first. The other end does so up to a page away.
enum class Flush { end, begin };

/// Memory between inaccessible zones, shared with processes that are forked later. Throws std::bad_alloc.
class GuardedBuffer {
 public:
  GuardedBuffer(std::string name, std::size_t bytes, Flush flush) : name_(std::move(name)), bytes_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    mapped_ = inside + 2 * kZoneBytes;
    base_ = map(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE);
    std::byte* const first = base_ + kZoneBytes;
    if (inside > 0) map(first, inside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED);
    data_ = flush == Flush::end ? first + inside - bytes : first;
  }
  ~GuardedBuffer() { munmap(base_, mapped_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() const { return data_; }
  bool holds(const void* address) const { return address >= base_ && address < base_ + mapped_; }
  /// "byte 1200 of 'in' (1200 bytes)".
  std::string place(const void* address) const {
    return "byte " + std::to_string(static_cast<const std::byte*>(address) - data_) + " of '" + name_ +
           "' (" + std::to_string(bytes_) + " bytes)";
  }

 private:
  static constexpr std::size_t kZoneBytes = std::size_t{16}
                                            << 30;  // addresses, no memory: as far as an int reaches

  static std::byte* map(void* where, std::size_t bytes, int access, int kind) {
    void* const memory = mmap(where, bytes, access, kind | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
  }

  std::string name_;
  std::size_t bytes_, mapped_ = 0;
  std::byte* base_ = nullptr;
  std::byte* data_ = nullptr;
};

/// A running process that calls a function once. Its stdout is our stderr; it ends with this one.
class Apart {
 public:
  /// End of a call. `address`, `pc`: of an access to invalid memory, else null.
  struct Ending {
    bool returned = false;
    int status = 0;  // of waitpid
    const void* address = nullptr;
    const void* pc = nullptr;
  };

  static constexpr unsigned kSeconds = 240;  // below the runner's patience with host code

  /// `output`: the file to which the call prints.
  explicit Apart(const std::function<void()>& call, int output = STDERR_FILENO)
      : ending_(new(page()) Ending{}), output_(output) {
    std::fflush(nullptr);
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("cannot start a process for the reference");
    if (child_ == 0) run(call);
  }
  ~Apart() {
    if (child_ > 0) kill(child_, SIGKILL), wait();
    munmap(ending_, sizeof *ending_);
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  Ending wait() {
    waitpid(child_, &ending_->status, 0);
    child_ = 0;
    return *ending_;
  }

 private:
  static void* page() {
    void* const memory =
        mmap(nullptr, sizeof(Ending), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
  }

  [[noreturn]] void run(const std::function<void()>& call) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    dup2(output_, STDOUT_FILENO);
    noted = ending_;
    watch();
    alarm(kSeconds);
    call();
    ending_->returned = true;
    std::fflush(nullptr);
    _exit(0);
  }

  /// Notes invalid accesses, on a stack of their own since the usual one may be what overflowed; other signals are fatal as usual.
  static void watch() {
    static std::byte stack[64 << 10];
    const stack_t own{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
    sigaltstack(&own, nullptr);
    for (const int number : {SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGALRM}) signal(number, SIG_DFL);
    struct sigaction action{};
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
  }

  /// The access runs again when this returns, and ends the process.
  static void note(int, siginfo_t* info, void* context) {
    noted->address = info->si_addr;
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__) && defined(__linux__)
    noted->pc = reinterpret_cast<const void*>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__) && defined(__linux__)
    noted->pc = reinterpret_cast<const void*>(registers.pc);
#else
    static_cast<void>(registers);
#endif
  }

  static inline Ending* noted = nullptr;
  Ending* ending_;
  int output_;
  pid_t child_ = 0;
};

}  // namespace tilewright::check
