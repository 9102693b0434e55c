#include "tw/launch.hpp"

#include <doctest/doctest.h>

using namespace tilewright;

TEST_CASE("numbers that are no multiples are refused by name") {
  refuse_unless_multiples("loads 16 bytes at a time", 8, {"lda", 16}, {"ldb", 0});
  const char* const message = "loads 16 bytes at a time: lda and ldb must be multiples of 8, not 16 and 9";
  CHECK_THROWS_WITH_AS(refuse_unless_multiples("loads 16 bytes at a time", 8, {"lda", 16}, {"ldb", 9}),
                       message, Unsupported);
  CHECK_THROWS_AS(refuse_unless_multiples("stores pairs", 2, {"n", 1}, {"ldc", 2}), Unsupported);
}

TEST_CASE("quotients are rounded up") {
  CHECK_EQ(quotient_up(0, 8), 0);
  CHECK_EQ(quotient_up(8, 8), 1);
  CHECK_EQ(quotient_up(9, 8), 2);
}

TEST_CASE("a launch has the threads and the shared memory of its variant") {
  struct Args {
    int unused;
  };
  struct Call {
    const void* unused;
  };
  constexpr Parameter kParameters[] = {{"threads", 96, nullptr}, {"sharedBytes", 4096, nullptr}};
  LaunchBuilder<Args, Call> kernel;
  kernel.set_resources(Parameters(kParameters, 2));
  CHECK_EQ(kernel.launch.block[0], 96u);
  CHECK_EQ(kernel.launch.shared_bytes, 4096u);
}
