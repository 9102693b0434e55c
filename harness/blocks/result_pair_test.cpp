// result_pair.cuh: neighbours are scaled, added to what was there and rounded; with beta 0 nothing is read.
#include "tw/result_pair.cuh"

#include <cmath>

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

template <class T>
void store(const Config& config, float before, float alpha, float beta, float left, float right) {
  const Buffer<T> c(4, "c");
  for (std::size_t i = 0; i < 4; ++i) c[i] = T(before);
  CHECK_CLEAN(launch(config, {1}, {1}, 0, {1},
                     [&] { tw::store_neighbours(c.data() + 2, 3.0f, -5.0f, alpha, beta); }));
  CHECK_EQ(static_cast<float>(c[2]), left);
  CHECK_EQ(static_cast<float>(c[3]), right);
  for (std::size_t i = 0; i < 2; ++i)
    if (!std::isnan(before)) CHECK_EQ(static_cast<float>(c[i]), before);
}

template <class T>
void store_all(const Config& config) {
  store<T>(config, 7, 1, 0, 3, -5);
  store<T>(config, NAN, 0.5f, 0, 1.5f, -2.5f);
  store<T>(config, 8, 2, -0.25f, 4, -12);
}

}  // namespace

TEST_CASE("alpha * sums + beta * what was there") {
  for (const Config& config : few_modes()) {
    store_all<__half>(config);
    store_all<float>(config);
  }
}
