// unaligned.cuh: 16 bytes are loaded from any element on, without reading outside of the array; zeros stand for those that are not
// wanted. Elements of shared memory are found at any address.
#include "tw/unaligned.cuh"

#include <cstring>

#include "block_test.hpp"

using namespace simt;
using namespace blocks;

namespace {

/// The vector of `count` elements from each place of an array of `length`, which begins `shift` elements behind a multiple of 16 bytes.
template <class T>
void load_everywhere(const Config& config, int length, int shift) {
  constexpr int kCount = 16 / static_cast<int>(sizeof(T));
  const Buffer<T> buffer(static_cast<std::size_t>(shift + length), "elements");
  const Buffer<uint4> loaded(static_cast<std::size_t>(length), "loaded");
  T* const begin = buffer.data() + shift;
  for (int i = 0; i < length; ++i) begin[i] = T(number_at(0, i));
  CHECK_CLEAN(launch(config, {1}, {static_cast<unsigned>(length)}, 0, {1}, [&] {
    const int from = static_cast<int>(threadIdx.x);
    loaded[threadIdx.x] = tw::load_vector(begin + from, length - from, begin, begin + length);
  }));
  for (int from = 0; from < length; ++from)
    for (int i = 0; i < kCount; ++i) {
      T element;
      std::memcpy(static_cast<void*>(&element),
                  reinterpret_cast<const T*>(&loaded[static_cast<std::size_t>(from)]) + i, sizeof element);
      CHECK_EQ(static_cast<float>(element), from + i < length ? number_at(0, from + i) : 0.0f);
    }
}

}  // namespace

TEST_CASE("vectors from every element of an array at every alignment, short ones filled up with zeros") {
  for (const Config& config : few_modes())
    for (int shift = 0; shift < 8; ++shift)
      for (const int length : {1, 7, 8, 9, 31, 32}) {
        load_everywhere<__half>(config, length, shift);
        load_everywhere<float>(config, length, shift % 4);
      }
}

TEST_CASE("a pointer knows how far the next vector is") {
  alignas(16) __half elements[9];
  alignas(16) float numbers[5];
  for (int i = 0; i < 9; ++i) CHECK_EQ(tw::elements_to_vector(elements + i), (8 - i % 8) % 8);
  for (int i = 0; i < 5; ++i) CHECK_EQ(tw::elements_to_vector(numbers + i), (4 - i % 4) % 4);
}

TEST_CASE("elements of shared memory are found in either half of a word") {
  for (const Config& config : few_modes()) {
    const Buffer<float> found(8, "found");
    CHECK_CLEAN(launch(config, {1}, {4}, 32, {1}, [&] {
      const std::uint32_t base = shared_start();
      const int i = static_cast<int>(threadIdx.x);
      if (i < 2)
        ptx::store_shared(base + 4 * i, ptx::pack<__half>(number_at(0, 2 * i), number_at(0, 2 * i + 1)));
      ptx::store_shared(base + 16 + 4 * i, __float_as_uint(number_at(1, i)));
      __syncthreads();
      found[threadIdx.x] = __half2float(tw::shared_element<__half>(base + 2 * i));
      found[threadIdx.x + 4] = tw::shared_element<float>(base + 16 + 4 * i);
    }));
    for (int i = 0; i < 4; ++i) {
      CHECK_EQ(found[static_cast<std::size_t>(i)], number_at(0, i));
      CHECK_EQ(found[static_cast<std::size_t>(i) + 4], number_at(1, i));
    }
  }
}
