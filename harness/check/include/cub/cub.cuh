// cub.cuh - CUB's collectives of a block and a warp with CUB's interface, on the emulated device: sequential inside, with
// the barriers that make their temporary storage as unsafe to use again as CUB's is. What the host calls is not there.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tw/intrinsics.hpp"

#define TW_CUB [[gnu::always_inline]] inline

namespace cub {

struct Sum {
  template <class T>
  T operator()(const T& a, const T& b) const { return a + b; }
};
struct Max {
  template <class T>
  T operator()(const T& a, const T& b) const { return b > a ? b : a; }
};
struct Min {
  template <class T>
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class Key_, class Value_>
struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
};
struct ArgMax {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

namespace detail {

inline int linear_thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

/// Raw storage of T in shared memory, whatever its constructors.
template <class T, int Count>
struct Cells {
  alignas(T) unsigned char bytes[Count * sizeof(T)];
  TW_CUB T& operator[](int i) { return *reinterpret_cast<T*>(bytes + static_cast<std::size_t>(i) * sizeof(T)); }
};

/// Combines items[0] to items[count - 1].
template <class T, class Op>
TW_CUB T folded(const T* items, int count, Op op) {
  T value = items[0];
  for (int i = 1; i < count; ++i) value = op(value, items[i]);
  return value;
}

}  // namespace detail

/// Reductions of a block; the result is thread 0's.
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage {
    detail::Cells<T, kThreads> cells;
  };
  TW_CUB explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <class Op>
  TW_CUB T Reduce(T input, Op op, int valid = kThreads) {
    const int me = detail::linear_thread();
    storage_.cells[me] = input;
    simt::sync_threads();
    if (me == 0)
      for (int i = 1; i < valid && i < kThreads; ++i) input = op(input, static_cast<T>(storage_.cells[i]));
    return input;
  }
  template <int Items, class Op>
  TW_CUB T Reduce(T (&input)[Items], Op op) { return Reduce(detail::folded(input, Items, op), op); }
  TW_CUB T Sum(T input, int valid = kThreads) { return Reduce(input, cub::Sum(), valid); }
  template <int Items>
  TW_CUB T Sum(T (&input)[Items]) { return Reduce(input, cub::Sum()); }

 private:
  TempStorage& storage_;
};

/// Prefix sums of a block.
template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage {
    detail::Cells<T, kThreads + 2> cells;  // values, their sum, what a callback gives
  };
  TW_CUB explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <class Op>
  TW_CUB void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    scan(input, op, aggregate);
    output = storage_.cells[detail::linear_thread()];
  }
  template <class Op>
  TW_CUB void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class Op>
  TW_CUB void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    scan(input, op, aggregate);
    output = before(initial, op);
  }
  template <class Op>
  TW_CUB void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  /// The callback is called by the first warp; its first lane's answer comes before all.
  template <class Op, class Callback>
  TW_CUB auto ExclusiveScan(T input, T& output, Op op, Callback& callback) -> decltype(callback(input), void()) {
    T aggregate;
    scan(input, op, aggregate);
    const int me = detail::linear_thread();
    if (me < 32) {
      const T prefix = callback(aggregate);
      if (me == 0) storage_.cells[kThreads + 1] = prefix;
    }
    simt::sync_threads();
    output = before(storage_.cells[kThreads + 1], op);
  }

  TW_CUB void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  TW_CUB void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
  TW_CUB void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(), cub::Sum()); }
  TW_CUB void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate);
  }
  template <class Callback>
  TW_CUB auto ExclusiveSum(T input, T& output, Callback& callback) -> decltype(callback(input), void()) {
    ExclusiveScan(input, output, cub::Sum(), callback);
  }

  template <int Items, class Op>
  TW_CUB void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Op op, T& aggregate) {
    T sum = detail::folded(input, Items, op), prefix;
    ExclusiveScan(sum, prefix, initial, op, aggregate);
    for (int i = 0; i < Items; ++i) {
      const T item = input[i];
      output[i] = prefix;
      prefix = op(prefix, item);
    }
  }
  template <int Items, class Op>
  TW_CUB void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op, T& aggregate) {
    T sum = detail::folded(input, Items, op), inclusive;
    scan(sum, op, aggregate);
    const int me = detail::linear_thread();
    inclusive = input[0];
    if (me > 0) inclusive = op(static_cast<T>(storage_.cells[me - 1]), inclusive);
    for (int i = 0; i < Items; ++i) {
      if (i > 0) inclusive = op(inclusive, input[i]);
      output[i] = inclusive;
    }
  }
  template <int Items>
  TW_CUB void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
    T aggregate;
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate);
  }
  template <int Items>
  TW_CUB void ExclusiveSum(T (&input)[Items], T (&output)[Items], T& aggregate) {
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate);
  }
  template <int Items>
  TW_CUB void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
    T aggregate;
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }

 private:
  /// Leaves the inclusive prefixes in the cells.
  template <class Op>
  TW_CUB void scan(T input, Op op, T& aggregate) {
    const int me = detail::linear_thread();
    storage_.cells[me] = input;
    simt::sync_threads();
    if (me == 0)
      for (int i = 1; i < kThreads; ++i)
        storage_.cells[i] = op(static_cast<T>(storage_.cells[i - 1]), static_cast<T>(storage_.cells[i]));
    simt::sync_threads();
    aggregate = storage_.cells[kThreads - 1];
  }
  template <class Op>
  TW_CUB T before(T initial, Op op) {
    const int me = detail::linear_thread();
    return me == 0 ? initial : op(initial, static_cast<T>(storage_.cells[me - 1]));
  }

  TempStorage& storage_;
};

namespace detail {

/// The lanes of a logical warp, which exchange values through their storage. Nothing of it is in use between calls.
template <class T, int Lanes>
class Warp {
  static_assert(Lanes >= 1 && Lanes <= 32, "a logical warp has 1 to 32 lanes");

 public:
  struct TempStorage {
    Cells<T, Lanes> cells;
  };
  TW_CUB explicit Warp(TempStorage& storage) : storage_(storage) {}

 protected:
  TW_CUB static int lane() { return static_cast<int>(simt::ids->lane) % Lanes; }
  TW_CUB static unsigned mask() {
    return (Lanes == 32 ? 0xffffffffu : (1u << Lanes % 32) - 1) << (simt::ids->lane / Lanes * Lanes);
  }
  /// `combine` of the storage between two synchronisations of the lanes.
  template <class Combine>
  TW_CUB void exchange(const T& input, Combine combine) {
    simt::sync_warp(mask());
    storage_.cells[lane()] = input;
    simt::sync_warp(mask());
    combine(storage_.cells);
    simt::sync_warp(mask());
  }

 private:
  TempStorage& storage_;
};

}  // namespace detail

/// Reductions of a warp; the result is lane 0's.
template <class T, int Lanes = 32, int = 0>
class WarpReduce : public detail::Warp<T, Lanes> {
  using Base = detail::Warp<T, Lanes>;

 public:
  using Base::Base;
  template <class Op>
  TW_CUB T Reduce(T input, Op op, int valid = Lanes) {
    T result = input;
    Base::exchange(input, [&](auto& cells) __attribute__((always_inline)) {
      if (Base::lane() == 0)
        for (int i = 1; i < valid && i < Lanes; ++i) result = op(result, static_cast<T>(cells[i]));
    });
    return result;
  }
  TW_CUB T Sum(T input, int valid = Lanes) { return Reduce(input, cub::Sum(), valid); }
};

/// Prefix sums of a warp.
template <class T, int Lanes = 32, int = 0>
class WarpScan : public detail::Warp<T, Lanes> {
  using Base = detail::Warp<T, Lanes>;

 public:
  using Base::Base;
  template <class Op>
  TW_CUB void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    T result = input, all = input;
    Base::exchange(input, [&](auto& cells) __attribute__((always_inline)) {
      T sum = cells[0];
      for (int i = 0; i < Lanes; ++i) {
        if (i > 0) sum = op(sum, static_cast<T>(cells[i]));
        if (i == Base::lane()) result = sum;
      }
      all = sum;
    });
    output = result;
    aggregate = all;
  }
  template <class Op>
  TW_CUB void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    T result = initial, all = input;
    Base::exchange(input, [&](auto& cells) __attribute__((always_inline)) {
      T sum = cells[0];
      for (int i = 1; i < Lanes; ++i) {
        if (i == Base::lane()) result = op(initial, sum);
        sum = op(sum, static_cast<T>(cells[i]));
      }
      all = sum;
    });
    output = result;
    aggregate = all;
  }
  template <class Op>
  TW_CUB void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class Op>
  TW_CUB void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  TW_CUB void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  TW_CUB void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
  TW_CUB void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(), cub::Sum()); }
  TW_CUB void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate);
  }
  TW_CUB T Broadcast(T input, unsigned from) {
    T result = input;
    Base::exchange(input, [&](auto& cells) __attribute__((always_inline)) { result = cells[static_cast<int>(from)]; });
    return result;
  }
};

/// Items of a block in blocked order: thread t has items t * Items and on.
template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  TW_CUB BlockLoad() {}
  TW_CUB explicit BlockLoad(TempStorage&) {}
  template <class From>
  TW_CUB void Load(From from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[index(i)];
  }
  template <class From>
  TW_CUB void Load(From from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (index(i) < valid) items[i] = from[index(i)];
  }
  template <class From, class Default>
  TW_CUB void Load(From from, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) items[i] = index(i) < valid ? static_cast<T>(from[index(i)]) : static_cast<T>(otherwise);
  }

 private:
  TW_CUB static int index(int i) {
    const int me = detail::linear_thread();
    return Algorithm == BLOCK_LOAD_STRIPED ? i * X * Y * Z + me : me * Items + i;
  }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage {};
  TW_CUB BlockStore() {}
  TW_CUB explicit BlockStore(TempStorage&) {}
  template <class To>
  TW_CUB void Store(To to, T (&items)[Items], int valid = 0x7fffffff) {
    const int me = detail::linear_thread();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + me : me * Items + i;
      if (at < valid) to[at] = items[i];
    }
  }
};

}  // namespace cub

#include "sorts.cuh"

#undef TW_CUB
