// The switch alone: what the ABI says a call keeps, a switch must keep.
#include "fiber.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <cstdint>
#include <stdexcept>
#include <string>

using simt::core::Fiber;
using simt::core::FiberEntry;
using simt::core::StackPool;

namespace {

constexpr std::size_t kStackBytes = 256 << 10;

Fiber launcher, first, second;
int done;

[[noreturn]] void finish(Fiber& self) {
  ++done;
  Fiber::switch_to(self, &self == &first ? second : launcher);
  __builtin_unreachable();
}

/// Runs two fibers that switch to each other; the first to finish, first, hands over to second, which ends
/// the test.
void run(FiberEntry in_first, FiberEntry in_second) {
  static StackPool stacks;
  stacks.reserve(2, kStackBytes);
  done = 0;
  first.prepare(stacks.stack(0), stacks.stack_bytes(0), in_first);
  second.prepare(stacks.stack(1), stacks.stack_bytes(1), in_second);
  Fiber::switch_to(launcher, first);
  CHECK_EQ(done, 2);
}

/// More values than a machine has registers that survive a call (x86-64: 6 integers; arm64: 10, and 8
/// doubles).
struct Values {
  std::uint64_t a, b, c, d, e, f, g, h, i, j, k;
  double p, q, r, s, t, u, v, w, x;

  explicit Values(std::uint64_t n)
      : a(n),
        b(n + 1),
        c(n + 2),
        d(n + 3),
        e(n + 4),
        f(n + 5),
        g(n + 6),
        h(n + 7),
        i(n + 8),
        j(n + 9),
        k(n + 10),
        p(n + 0.5),
        q(n + 1.5),
        r(n + 2.5),
        s(n + 3.5),
        t(n + 4.5),
        u(n + 5.5),
        v(n + 6.5),
        w(n + 7.5),
        x(n + 8.5) {}

  /// Nothing that the compiler could take from the number of steps instead.
  void step() {
    a *= 3, b *= 5, c *= 7, d *= 9, e *= 11, f *= 13, g *= 15, h *= 17, i *= 19, j *= 21, k *= 23;
    p *= 1.01, q *= 1.02, r *= 1.03, s *= 1.04, t *= 1.05, u *= 1.06, v *= 1.07, w *= 1.08, x *= 1.09;
  }
  bool operator==(const Values&) const = default;
};

constexpr int kSteps = 1000;

/// Steps through values that only registers and the own stack hold, with a switch behind each step.
bool keeps_values(Fiber& self, Fiber& other, std::uint64_t start) {
  const volatile std::uint64_t unknown = start;  // or the compiler would know all values in advance
  Values held(unknown);
  for (int i = 0; i < kSteps; ++i) {
    held.step();
    Fiber::switch_to(self, other);
  }
  Values expected(unknown);
  for (int i = 0; i < kSteps; ++i) expected.step();
  return held == expected;
}

/// 1/3 as the machine's rounding has it, by the unit that does doubles.
double third() {
  const volatile double one = 1, three = 3;
  return one / three;
}

/// An address that the compiler believes to be a multiple of 16.
[[gnu::noinline]] std::uintptr_t address_of(const void* object) {
  asm volatile("" : "+r"(object));
  return reinterpret_cast<std::uintptr_t>(object);
}

void check_alignment() {
  alignas(16) char local[16] = {};
  CHECK_EQ(address_of(local) % 16, 0u);
}

}  // namespace

TEST_CASE("a switch keeps registers") {
  run(
      [] {
        CHECK(keeps_values(first, second, 1000));
        finish(first);
      },
      [] {
        CHECK(keeps_values(second, first, 2000000));
        finish(second);
      });
}

TEST_CASE("the launcher keeps registers too") {
  static StackPool stacks;
  stacks.reserve(1, kStackBytes);
  first.prepare(stacks.stack(0), stacks.stack_bytes(0), [] {
    keeps_values(first, launcher, 5);
    for (;;) Fiber::switch_to(first, launcher);
  });
  CHECK(keeps_values(launcher, first, 77));
}

// boost.context 1.74 keeps them on x86-64 alone. Nothing in a kernel can change them, so that the fallback
// may do without.
#if !defined(SIMT_FIBER_BOOST) || defined(__x86_64__)
/// Begins with rounding to nearest, changes to `mode`, and expects to find that again after another fiber had
/// its turn. `result`: a third in that mode.
void round_in_turn(Fiber& self, Fiber& other, int mode, double nearest, double& result) {
  CHECK_EQ(std::fegetround(), FE_TONEAREST);
  CHECK(third() == nearest);
  std::fesetround(mode);
  result = third();
  Fiber::switch_to(self, other);
  CHECK_EQ(std::fegetround(), mode);
  CHECK(third() == result);
}

TEST_CASE("a switch keeps the rounding of each fiber") {
  static double nearest, up, down;
  nearest = third();
  run(
      [] {
        round_in_turn(first, second, FE_UPWARD, nearest, up);
        finish(first);
      },
      [] {
        round_in_turn(second, first, FE_DOWNWARD, nearest, down);
        finish(second);
      });
  CHECK_EQ(std::fegetround(), FE_TONEAREST);
  CHECK(third() == nearest);
  CHECK(down < up);
}

TEST_CASE("a fiber starts with the rounding of who prepares it") {
  static int in_first, in_second;
  std::fesetround(FE_TOWARDZERO);
  run(
      [] {
        in_first = std::fegetround();
        finish(first);
      },
      [] {
        in_second = std::fegetround();
        finish(second);
      });
  std::fesetround(FE_TONEAREST);
  CHECK_EQ(in_first, FE_TOWARDZERO);
  CHECK_EQ(in_second, FE_TOWARDZERO);
}
#endif

TEST_CASE("stacks are aligned") {
  run(
      [] {
        check_alignment();
        Fiber::switch_to(first, second);
        check_alignment();
        finish(first);
      },
      [] {
        check_alignment();
        Fiber::switch_to(second, first);
        finish(second);
      });
}

TEST_CASE("exceptions unwind within a fiber") {
  static std::string caught;
  caught.clear();
  run(
      [] {
        try {
          Fiber::switch_to(first, second);
          throw std::runtime_error("of the first");
        } catch (const std::exception& error) {
          caught += error.what();
        }
        finish(first);
      },
      [] {
        try {
          throw std::runtime_error("of the second, ");
        } catch (const std::exception& error) {
          caught += error.what();
        }
        Fiber::switch_to(second, first);
        finish(second);
      });
  CHECK_EQ(caught, std::string("of the second, of the first"));
}

TEST_CASE("each stack lies above a guard") {
  StackPool stacks;
  stacks.reserve(3, kStackBytes);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(stacks.is_guard(stacks.stack(i) - 1));
    CHECK(!stacks.is_guard(stacks.stack(i)));
    CHECK(!stacks.is_guard(stacks.stack(i) + stacks.stack_bytes(i) - 1));
    CHECK(stacks.stack_bytes(i) > kStackBytes - (kStackBytes >> 3));
    stacks.stack(i)[0] = stacks.stack(i)[stacks.stack_bytes(i) - 1] = 1;
  }
}
