// cooperative_groups.h - grids, clusters, thread blocks, tiles and coalesced threads on the emulated device.
#pragma once
#include <type_traits>

namespace cooperative_groups {

/// All threads of a block.
class thread_block {
 public:
  static constexpr unsigned dimensions = 3;
  static void sync() { simt::sync_threads(simt::kGroupSync); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 group_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() { return {}; }

/// All threads of the grid, which is launched cooperatively.
class grid_group {
 public:
  static void sync() { simt::grid_sync(); }
  static bool is_valid() { return true; }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static dim3 group_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static dim3 dim_blocks() { return group_dim(); }
  static dim3 block_index() { return thread_block::group_index(); }
};
inline grid_group this_grid() { return {}; }

/// All threads of a cluster, which are those of one block in a launch without clusters.
class cluster_group {
 public:
  struct arrival_token {};
  [[gnu::always_inline]] static void sync() { barrier_wait(barrier_arrive()); }
  [[gnu::always_inline]] static arrival_token barrier_arrive() {
    simt::cluster_arrive(true, false);
    return {};
  }
  [[gnu::always_inline]] static void barrier_wait(arrival_token = {}) { simt::cluster_wait(); }
  static unsigned block_rank() { return simt::ids->cluster_rank; }
  static unsigned num_blocks() { return simt::ids->cluster_size; }
  static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned size() { return num_threads(); }
  static dim3 dim_blocks() {
    const auto& [x, y, z] = simt::ids->cluster_dim;
    return {x, y, z};
  }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return {blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z};
  }
  static dim3 block_index() {
    const dim3 blocks = dim_blocks();
    return {blockIdx.x % blocks.x, blockIdx.y % blocks.y, blockIdx.z % blocks.z};
  }
  static dim3 thread_index() {
    const dim3 block = block_index();
    return {block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z};
  }
  /// The same place in the shared memory of another block of the cluster.
  template <class T>
  static T* map_shared_rank(T* address, unsigned rank) {
    return static_cast<T*>(simt::map_shared_pointer(const_cast<const std::remove_cv_t<T>*>(address), rank));
  }
  static unsigned query_shared_rank(const void* address) { return simt::shared_rank(address); }
};
inline cluster_group this_cluster() { return {}; }

/// Lanes of one warp that work together; the base of tiles and coalesced groups.
class warp_group {
 public:
  [[gnu::always_inline]] void sync() const { __syncwarp(mask_); }
  unsigned thread_rank() const { return static_cast<unsigned>(__popc(mask_ & ((1u << simt::ids->lane) - 1))); }
  unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned num_threads() const { return size(); }
  template <class T>
  [[gnu::always_inline]] T shfl(T value, int rank) const {
    return each(value, [&](auto part) __attribute__((always_inline)) { return __shfl_sync(mask_, part, lane_at(rank)); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta) const {
    const unsigned to = thread_rank() + delta;
    return shfl(value, static_cast<int>(to < size() ? to : thread_rank()));
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta) const {
    const unsigned own = thread_rank();
    return shfl(value, static_cast<int>(own >= delta ? own - delta : own));
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  unsigned mask() const { return mask_; }

 protected:
  explicit warp_group(unsigned mask) : mask_(mask) {}
  /// The lane with that rank.
  int lane_at(int rank) const {
    unsigned lanes = mask_;
    for (; rank > 0; --rank) lanes &= lanes - 1;
    return __ffs(static_cast<int>(lanes)) - 1;
  }
  /// Bits by lane -> bits by rank.
  unsigned packed(unsigned bits) const {
    unsigned result = 0, rank = 0;
    for (unsigned lanes = mask_; lanes; lanes &= lanes - 1, ++rank)
      if (bits & lanes & (0u - lanes)) result |= 1u << rank;
    return result;
  }
  /// Values wider than a shuffle takes, word by word.
  template <class T, class Move>
  [[gnu::always_inline]] static T each(const T& value, Move move) {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) return move(value);
    else {
      static_assert(sizeof(T) % 4 == 0, "shfl of cooperative groups moves whole words");
      unsigned words[sizeof(T) / 4];
      __builtin_memcpy(words, &value, sizeof(T));
      for (unsigned& word : words) word = move(word);
      T result;
      __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
      return result;
    }
  }

 private:
  unsigned mask_;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public warp_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, ... 32 threads");

 public:
  thread_block_tile() : warp_group(lanes()) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  unsigned meta_group_rank() const { return thread_block::thread_rank() / Size; }
  unsigned meta_group_size() const { return (thread_block::size() + Size - 1) / Size; }
  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned lanes) const {
    return each(value, [&](auto part) __attribute__((always_inline)) { return __shfl_xor_sync(mask(), part, static_cast<int>(lanes), Size); });
  }

 private:
  static unsigned lanes() {
    const unsigned all = Size == 32 ? 0xffffffffu : (1u << Size) - 1;
    return all << (simt::ids->lane & ~(Size - 1));
  }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

class coalesced_group : public warp_group {
 public:
  explicit coalesced_group(unsigned mask) : warp_group(mask) {}
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// Threads of a group of lanes that have the same label, or the same truth.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, static_cast<unsigned>(predicate));
}

/// Parts of a block, or of a group of lanes, whose size is known at run time alone.
template <class Group>
coalesced_group tiled_partition(const Group& group, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) simt::trap("tiled_partition: a tile has 1, 2, 4, ... 32 threads");
  if constexpr (std::is_base_of_v<warp_group, Group>)
    return coalesced_group(__match_any_sync(group.mask(), group.thread_rank() / size));
  else return coalesced_group((size == 32 ? 0xffffffffu : (1u << size) - 1) << (simt::ids->lane & ~(size - 1)));
}

/// The function, called by one thread of a group.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}

template <class Group>
void sync(const Group& group) {
  group.sync();
}
template <class Group>
void synchronize(const Group& group) {
  group.sync();
}

// clang-format off
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
// clang-format on

/// The values of all threads of a group, put together in pairs as on a GPU: the order shows with operations that are not associative.
template <class Group, class T, class Operation>
[[gnu::always_inline]] inline T reduce(const Group& group, T value, Operation operation) {
  const unsigned size = group.size(), own = group.thread_rank();
  if ((size & (size - 1)) == 0) {
    for (unsigned step = size / 2; step > 0; step /= 2)
      value = operation(value, group.shfl(value, static_cast<int>(own ^ step)));
    return value;
  }
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < size; ++rank)
    result = operation(result, group.shfl(value, static_cast<int>(rank)));
  return result;
}

/// The values of the threads up to and with the own one.
template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T inclusive_scan(const Group& group, T value, Operation operation = {}) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    const T next = group.shfl(value, static_cast<int>(rank));
    if (rank <= group.thread_rank()) result = operation(result, next);
  }
  return result;
}

/// The values of the threads before the own one; zero for the first.
template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T exclusive_scan(const Group& group, T value, Operation operation = {}) {
  const T own = inclusive_scan(group, value, operation);
  const T before = group.shfl_up(own, 1);
  return group.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups
