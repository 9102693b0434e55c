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

TEST_CASE("a number that an int does not hold is refused by name") {
  refuse_unless_ints({{"m", 0}, {"n", (std::int64_t{1} << 31) - 1025}});
  const char* const message = "counts in 32 bits: n must be below 2^31 - 1024, not 2147482624";
  CHECK_THROWS_WITH_AS(refuse_unless_ints({{"m", 1}, {"n", (std::int64_t{1} << 31) - 1024}}), message,
                       Unsupported);
}

TEST_CASE("arguments without a member of a name stay as they are") {
  struct Args {
    long long lda;
    float* b;
  };
  struct Call {
    float* b;
  };
  LaunchBuilder<Args, Call> kernel;
  kernel.set_constant(&Args::lda, std::int64_t{1} << 40);
  kernel.set_constant(nullptr, 3);
  kernel.set(nullptr, &Call::b);
  CHECK_EQ(kernel.args.lda, 1LL << 40);
  CHECK(kernel.launch.patches.empty());
}

TEST_CASE("a tensor without elements has the map of another one") {
  struct Args {
    int unused;
  };
  struct Call {
    const float* a;
    float* c;
  };
  LaunchBuilder<Args, Call> kernel;
  const TiledMap c = map_of_lines({Type::f16, 64, 2, 64}, 64, 1);
  kernel.add_map_or(map_of_lines({Type::f16, 64, 3, 64}, 64, 1), &Call::a, c, &Call::c);
  kernel.add_map_or(map_of_lines({Type::f16, 0, 3, 64}, 64, 1), &Call::a, c, &Call::c);
  kernel.add_map_or(map_of_lines({Type::f16, 64, 0, 64}, 64, 1), &Call::a, c, &Call::c);
  REQUIRE_EQ(kernel.launch.maps.size(), 3u);
  const auto is = [&](std::size_t i, std::size_t from, std::uint64_t lines) {
    return kernel.launch.maps[i].from == from && kernel.launch.maps[i].map.size[1] == lines;
  };
  CHECK(is(0, offsetof(Call, a), 3));
  CHECK(is(1, offsetof(Call, c), 2));
  CHECK(is(2, offsetof(Call, c), 2));
}
