// Global memory: allocation, bounds to the byte, alignment, undefined contents.
#include "device_test.hpp"

using namespace simt;

namespace {

template <class Kernel>
Result one(Kernel kernel, const Config& config = checked()) {
  return launch(config, {1}, {1}, 256, {1}, kernel);
}

}  // namespace

TEST_CASE("allocations are aligned and apart") {
  std::vector<void*> all;
  for (std::size_t bytes : {1u, 100u, 256u, 4096u, 5000u, 1u << 20}) {
    auto* p = static_cast<unsigned char*>(allocate(bytes));
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
    p[0] = p[bytes - 1] = 1;
    all.push_back(p);
  }
  for (void* p : all) release(p);
  release(nullptr);
  int local;
  CHECK_THROWS_WITH(release(&local), doctest::Contains("not an address that allocate gave"));
}

TEST_CASE("released memory is reused in the end") {
  for (int i = 0; i < 20000; ++i) release(allocate(1 << 20));  // 20 GB in all
}

TEST_CASE("large ranges of many sizes do not use up the address space") {
  for (std::size_t gigabytes = 2; gigabytes < 30; ++gigabytes) release(allocate(gigabytes << 30));
}

TEST_CASE("below shared memory is nothing") {
  const auto far = [] { reinterpret_cast<volatile int*>(shared_base())[-65536] = 1; };
  CHECK_FINDING(one(far), "shared-out-of-bounds", "262144 bytes below dynamic shared memory");
}

TEST_CASE("bounds hold to the byte") {
  Buffer<unsigned char> data(100, "data");
  unsigned char* p = data.data();
  CHECK_CLEAN(one([=] { p[99] = 1; }));
  CHECK_FINDING(one([=] { p[100] = 1; }), "global-out-of-bounds",
                "store of 1 bytes at byte 100 of 'data' (100 bytes)");
  CHECK_FINDING(one([=] {
                  volatile int* last = reinterpret_cast<int*>(p + 96 + 4);
                  *last;
                }),
                "global-out-of-bounds", "load of 4 bytes at byte 100");
  CHECK_FINDING(one([=] { p[-1] = 1; }), "global-out-of-bounds", "byte -1 of 'data'");
  CHECK_FINDING(one([=] { p[20000] = 1; }), "global-out-of-bounds",
                "store of 1 bytes at byte 20000 of 'data'");
  auto* gone = static_cast<int*>(allocate(64, "gone"));
  release(gone);
  CHECK_FINDING(one([=] { *gone = 1; }), "global-out-of-bounds", "store of 4 bytes");
}

TEST_CASE("alignment") {
  Buffer<int> data(16, "data");
  auto* p = reinterpret_cast<unsigned char*>(data.data());
  CHECK_FINDING(one([=] { *reinterpret_cast<volatile double*>(p + 4) = 1; }), "misaligned",
                "store needs 8-byte alignment, address is byte 4 of 'data' (64 bytes)");
}

namespace {

// Vectors as CUDA declares them, of two and four elements. Optimisation splits an access to one into those of the members where it
// knows their values one by one.
template <class T>
struct alignas(2 * sizeof(T)) Two {
  T x, y;
};
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T x, y, z, w;
};
using Pair = Two<float>;
using Quad = Four<float>;
struct alignas(64) Line {
  Quad quads[4];
};

template <class T>
Two<T> ones(Two<T>*) {
  return {T(1), T(1)};
}
template <class T>
Four<T> ones(Four<T>*) {
  return {T(1), T(1), T(1), T(1)};
}
template <class T>
double sum_of(const Two<T>& value) {
  return static_cast<double>(value.x + value.y);
}
template <class T>
double sum_of(const Four<T>& value) {
  return static_cast<double>(value.x + value.y + value.z + value.w);
}

volatile double taken;

template <class Value>
Value& at(unsigned char* pointer) {
  return *reinterpret_cast<Value*>(pointer);
}
template <class Value>
void store(unsigned char* to) {
  at<Value>(to) = ones(static_cast<Value*>(nullptr));
}
template <class Value>
void load(unsigned char* from) {
  const Value value = at<Value>(from);
  taken = sum_of(value);
}

/// Stores and loads at each multiple of a member's size. `aligned`: global memory.
template <class Value>
void check_vector(unsigned char* aligned) {
  constexpr std::size_t kStep = sizeof(Value::x);
  CAPTURE(sizeof(Value));
  for (std::size_t bytes = kStep; bytes < sizeof(Value); bytes += kStep) {
    CAPTURE(bytes);
    CHECK_FINDING(one([=] { store<Value>(aligned + bytes); }), "misaligned", "-byte alignment");
    CHECK_FINDING(one([=] { load<Value>(aligned + bytes); }), "misaligned", "-byte alignment");
    CHECK_FINDING(one([=] { store<Value>(shared_base() + bytes); }), "misaligned", "-byte alignment");
  }
  CHECK_CLEAN(one([=] {
    store<Value>(aligned), load<Value>(aligned);
    store<Value>(shared_base()), load<Value>(shared_base());
  }));
}

}  // namespace

#ifndef TW_SANITIZE
TEST_CASE("vectors of all types are aligned") {
  Buffer<int> data(16, "data");
  auto* p = reinterpret_cast<unsigned char*>(data.data());
  check_vector<Two<unsigned char>>(p);
  check_vector<Two<short>>(p);
  check_vector<Two<int>>(p);
  check_vector<Two<double>>(p);
  check_vector<Four<unsigned char>>(p);
  check_vector<Four<short>>(p);
  check_vector<Four<float>>(p);
}

TEST_CASE("vectors and other structs are aligned however they are accessed") {
  Buffer<int> data(64, "data");
  auto* p = reinterpret_cast<unsigned char*>(data.data());
  CHECK_FINDING(one([=] { store<Pair>(p + 4); }), "misaligned",
                "needs 8-byte alignment, address is byte 4 of 'data' (256 bytes)");
  CHECK_FINDING(one([] { store<Pair>(shared_base() + 4); }), "misaligned",
                "needs 8-byte alignment, shared address is 0x404");
  CHECK_FINDING(one([=] { at<Quad>(p) = at<Quad>(p + 24); }), "misaligned", "needs 16-byte alignment");
  CHECK_FINDING(one([=] {
                  const Quad& quad = at<Quad>(p + 8);
                  taken = sum_of(quad);
                }),
                "misaligned", "needs 16-byte alignment, address is byte 8");
  CHECK_FINDING(one([=] { at<Quad>(p + 8).w = 1; }), "misaligned", "access needs 16-byte alignment");
  struct Three {
    double x, y, z;
  };
  CHECK_FINDING(one([=] { at<Three>(p) = at<Three>(p + 28); }), "misaligned", "needs 8-byte alignment");
}

#endif

TEST_CASE("no access asks for more than 16 bytes, and a thread's own memory for nothing") {
  Buffer<int> data(64, "data");
  auto* p = reinterpret_cast<unsigned char*>(data.data());
  CHECK_CLEAN(one([=] { at<Line>(p + 16).quads[1] = {1, 2, 3, 4}; }));
  CHECK_CLEAN(one([=] {
    float values[3] = {};
    asm volatile("" : : "r"(values) : "memory");
    // One of them is misaligned here, and none in registers.
    load<Pair>(reinterpret_cast<unsigned char*>(values));
    load<Pair>(reinterpret_cast<unsigned char*>(values + 1));
  }));
}

TEST_CASE("undefined contents are not to be read") {
  Buffer<int> data(64, "data");
  mark_undefined(data.data(), 256);
  const auto copy_half = [&](int from) {
    return launch(checked(), {1}, {32}, 0, {1}, [&, from] {
      const int value = data[static_cast<std::size_t>(from) + ids->lane];
      data[ids->lane] = value;
    });
  };
  CHECK_FINDING(copy_half(32), "uninitialised", "of 'data' (256 bytes): load by thread 0");
  CHECK_CLEAN(copy_half(0));  // the launch before has written these
  CHECK_FINDING(copy_half(31), "uninitialised", "byte 128 of 'data'");
}

TEST_CASE("adding to what nothing has written is reported") {
  Buffer<int> data(64, "data");
  const auto add = [&] {
    return launch(checked(), {1}, {32}, 0, {1}, [&] {
      const int one = 1;
      int old = 0;
      atomic(
          data.data(), 4,
          [](void* location, const void* operand, void* before) {
            std::memcpy(before, location, 4);
            std::memcpy(location, operand, 4);
          },
          &one, &old);
    });
  };
  CHECK_CLEAN(add());
  mark_undefined(data.data(), 256);
  CHECK_FINDING(add(), "uninitialised", "atomic by thread 0 of block (0,0,0)");
}

TEST_CASE("statistics count bytes") {
  Buffer<int> data(32, "data");
  const Result result = launch(checked(), {1}, {32}, 1024, {1}, [&] {
    store_shared(shared_start() + ids->lane * 16, 1);
    data[ids->lane] = static_cast<int>(ids->lane);
  });
  CHECK_CLEAN(result);
  CHECK_EQ(result.statistics.shared_bytes_written, 128u);
  CHECK_EQ(result.statistics.global_bytes_written, 128u);
  CHECK_EQ(result.statistics.shared_bytes_used, 31u * 16 + 4);
}

TEST_CASE("statistics tell levels apart") {
  Buffer<int> data(64, "data");
  const Result result = launch(checked(), {1}, {32}, 4096, {1}, [&] {
    const std::uint32_t row = shared_start() + ids->lane * 16, barrier = shared_start() + 2048;
    cp_async(row, data.data(), 16, 4);  // zero fill: reads 4 bytes, writes 16
    cp_async_wait_all();
    if (ids->lane == 0) {
      mbarrier_init(barrier, 1);
      fence_mbarrier_init();
      mbarrier_arrive_expect_tx(barrier, 64);
      bulk_load(shared_start() + 1024, data.data(), 64, barrier, 0);
      mbarrier_wait(barrier, 0);
      fence_proxy_async();
      bulk_store(data.data() + 32, shared_start() + 1024, 32);
      bulk_commit();
      bulk_wait(0, false);
    }
    sync_threads();
    std::uint32_t fragment[1];
    ldmatrix(fragment, 1, false, row);
    stmatrix(fragment, 1, false, row + 512);
  });
  CHECK_CLEAN(result);
  const Statistics& counted = result.statistics;
  CHECK_EQ(counted.cp_async_bytes, 32u * 16);
  CHECK_EQ(counted.bulk_load_bytes, 64u);
  CHECK_EQ(counted.bulk_store_bytes, 32u);
  CHECK_EQ(counted.ldmatrix_bytes, 128u);
  CHECK_EQ(counted.stmatrix_bytes, 128u);
  CHECK_EQ(counted.global_bytes_read, 32u * 4 + 64);
  CHECK_EQ(counted.global_bytes_written, 32u);
  CHECK_EQ(counted.shared_bytes_written, 32u * 16 + 64 + 128);
  CHECK_EQ(counted.shared_bytes_read, 128u + 32);
}
