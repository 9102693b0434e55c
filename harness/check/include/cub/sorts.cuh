// sorts.cuh - CUB's sorts and exchanges of a block on the emulated device: through temporary storage, which one thread sorts.
// cub.cuh includes this.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cub {

struct NullType {};

/// Changes which thread has which items: thread t has t * Items onwards (blocked), or every X-th from t (striped).
template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1>
class BlockExchange {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage {
    detail::Cells<T, kThreads * Items> cells;
  };
  TW_CUB explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

  template <class Out>
  TW_CUB void BlockedToStriped(const T (&input)[Items], Out (&output)[Items]) {
    put(input, [](int me, int i) __attribute__((always_inline)) { return me * Items + i; });
    get(output, [](int me, int i) __attribute__((always_inline)) { return i * kThreads + me; });
  }
  template <class Out>
  TW_CUB void StripedToBlocked(const T (&input)[Items], Out (&output)[Items]) {
    put(input, [](int me, int i) __attribute__((always_inline)) { return i * kThreads + me; });
    get(output, [](int me, int i) __attribute__((always_inline)) { return me * Items + i; });
  }
  template <class Out, class Rank>
  TW_CUB void ScatterToBlocked(const T (&input)[Items], Out (&output)[Items], Rank (&ranks)[Items]) {
    put(input, [&](int, int i) __attribute__((always_inline)) { return static_cast<int>(ranks[i]); });
    get(output, [](int me, int i) __attribute__((always_inline)) { return me * Items + i; });
  }
  template <class Out, class Rank>
  TW_CUB void ScatterToStriped(const T (&input)[Items], Out (&output)[Items], Rank (&ranks)[Items]) {
    put(input, [&](int, int i) __attribute__((always_inline)) { return static_cast<int>(ranks[i]); });
    get(output, [](int me, int i) __attribute__((always_inline)) { return i * kThreads + me; });
  }
  TW_CUB void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
  TW_CUB void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }

 private:
  template <class Place>
  TW_CUB void put(const T (&input)[Items], Place place) {
    const int me = detail::linear_thread();
    for (int i = 0; i < Items; ++i) storage_.cells[place(me, i)] = input[i];
    simt::sync_threads();
  }
  template <class Out, class Place>
  TW_CUB void get(Out (&output)[Items], Place place) {
    const int me = detail::linear_thread();
    for (int i = 0; i < Items; ++i) output[i] = storage_.cells[place(me, i)];
  }
  TempStorage& storage_;
};

namespace detail {

/// Unsigned numbers in the order of the keys.
template <class Key>
inline std::uint64_t ordered_bits(const Key& key) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &key, sizeof key);
  const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof key - 1);
  if constexpr (std::is_unsigned_v<Key>)
    return bits;
  else if constexpr (std::is_integral_v<Key>)
    return bits ^ sign;
  else
    return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

/// Keys, and values where there are any, through the storage of a block, which thread 0 sorts.
template <class Key, class Value, int Threads, int Items>
class Sorter {
  static constexpr bool kHasValues = !std::is_same_v<Value, NullType>;

 public:
  struct TempStorage {
    Cells<Key, Threads * Items> keys;
    Cells<Value, kHasValues ? Threads * Items : 1> values;
  };
  TW_CUB explicit Sorter(TempStorage& storage) : storage_(storage) {}

  template <class Before>
  TW_CUB void sort(Key (&keys)[Items], Value* values, int valid, bool striped, Before before) {
    const int me = linear_thread();
    for (int i = 0; i < Items; ++i) {
      storage_.keys[me * Items + i] = keys[i];
      if constexpr (kHasValues)
        if (values) storage_.values[me * Items + i] = values[i];
    }
    simt::sync_threads();
    if (me == 0) order(values != nullptr, valid, before);
    simt::sync_threads();
    for (int i = 0; i < Items; ++i) {
      const int from = striped ? i * Threads + me : me * Items + i;
      keys[i] = storage_.keys[from];
      if constexpr (kHasValues)
        if (values) values[i] = storage_.values[from];
    }
    // CUB reads what others hold: whoever uses the storage again without a barrier has a race.
    [[maybe_unused]] volatile Key other = storage_.keys[(me + 1) % Threads * Items];
  }

 private:
  template <class Before>
  void order(bool with_values, int valid, Before before) {
    std::vector<Key> keys(static_cast<std::size_t>(valid));
    std::vector<Value> values(kHasValues && with_values ? keys.size() : 0);
    for (int i = 0; i < valid; ++i) keys[static_cast<std::size_t>(i)] = storage_.keys[i];
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = storage_.values[static_cast<int>(i)];
    std::vector<int> places(keys.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
      return before(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
    for (int i = 0; i < valid; ++i) {
      const auto from = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]);
      storage_.keys[i] = keys[from];
      if (!values.empty()) storage_.values[i] = values[from];
    }
  }
  TempStorage& storage_;
};

}  // namespace detail

/// Sorts the keys of a block by some of their bits.
template <class Key, int X, int Items, class Value = NullType, int = 4, bool = true, int = 0, int = 0,
          int Y = 1, int Z = 1>
class BlockRadixSort {
  using Sorter = detail::Sorter<Key, Value, X * Y * Z, Items>;
  static constexpr int kBits = 8 * sizeof(Key);

 public:
  using TempStorage = typename Sorter::TempStorage;
  TW_CUB explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  // clang-format off
  TW_CUB void Sort(Key (&keys)[Items], int begin = 0, int end = kBits) { sort(keys, nullptr, false, false, begin, end); }
  TW_CUB void Sort(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = kBits) { sort(keys, values, false, false, begin, end); }
  TW_CUB void SortDescending(Key (&keys)[Items], int begin = 0, int end = kBits) { sort(keys, nullptr, false, true, begin, end); }
  TW_CUB void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = kBits) { sort(keys, values, false, true, begin, end); }
  TW_CUB void SortBlockedToStriped(Key (&keys)[Items], int begin = 0, int end = kBits) { sort(keys, nullptr, true, false, begin, end); }
  TW_CUB void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = kBits) { sort(keys, values, true, false, begin, end); }
  TW_CUB void SortDescendingBlockedToStriped(Key (&keys)[Items], int begin = 0, int end = kBits) { sort(keys, nullptr, true, true, begin, end); }
  TW_CUB void SortDescendingBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = kBits) { sort(keys, values, true, true, begin, end); }
  // clang-format on

 private:
  TW_CUB void sort(Key (&keys)[Items], Value* values, bool striped, bool descending, int begin, int end) {
    const std::uint64_t mask =
        end - begin >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - begin)) - 1;
    const auto part = [=](const Key& key) { return detail::ordered_bits(key) >> begin & mask; };
    Sorter(storage_).sort(keys, values, X * Y * Z * Items, striped, [=](const Key& a, const Key& b) {
      return descending ? part(b) < part(a) : part(a) < part(b);
    });
  }
  TempStorage& storage_;
};

/// Sorts the keys of a block by a comparison; `valid` of them, the others become `beyond`.
template <class Key, int X, int Items, class Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
  using Sorter = detail::Sorter<Key, Value, X * Y * Z, Items>;
  static constexpr int kAll = X * Y * Z * Items;

 public:
  using TempStorage = typename Sorter::TempStorage;
  TW_CUB explicit BlockMergeSort(TempStorage& storage) : storage_(storage) {}
  // clang-format off
  template <class Compare> TW_CUB void Sort(Key (&keys)[Items], Compare compare) { Sorter(storage_).sort(keys, nullptr, kAll, false, compare); }
  template <class Compare> TW_CUB void Sort(Key (&keys)[Items], Value (&values)[Items], Compare compare) { Sorter(storage_).sort(keys, values, kAll, false, compare); }
  template <class Compare> TW_CUB void Sort(Key (&keys)[Items], Compare compare, int valid, Key beyond) { cut(keys, valid, beyond); Sorter(storage_).sort(keys, nullptr, valid, false, compare); }
  template <class Compare> TW_CUB void Sort(Key (&keys)[Items], Value (&values)[Items], Compare compare, int valid, Key beyond) { cut(keys, valid, beyond); Sorter(storage_).sort(keys, values, valid, false, compare); }
  template <class... Given> TW_CUB void StableSort(Given&&... given) { Sort(std::forward<Given>(given)...); }
  // clang-format on

 private:
  TW_CUB static void cut(Key (&keys)[Items], int valid, const Key& beyond) {
    for (int i = 0; i < Items; ++i)
      if (detail::linear_thread() * Items + i >= valid) keys[i] = beyond;
  }
  TempStorage& storage_;
};

}  // namespace cub
