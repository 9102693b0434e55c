// kernel.hpp - the emulated device as a kernel sees it. Only tw/ptx.cuh (emulated branch) and
// tw/intrinsics.hpp call this; every function is the meaning of one PTX instruction or CUDA built-in.
// Shared addresses are 32-bit as in PTX's shared window: offset + 1024 in the own block; bits 24.. hold rank + 1 for
// an address made by mapa.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simt/types.hpp"

namespace simt {

/// The running thread's coordinates; one global pointer that the scheduler moves.
struct Ids {
  Dim3 thread, block, block_dim, grid_dim;
  unsigned lane = 0, warp = 0, cluster_rank = 0, cluster_size = 1;
  Dim3 cluster_dim;
};
extern Ids* ids;

// Shared memory and addresses.
unsigned char* shared_base();
std::uint32_t shared_address(const void* pointer);
std::uint32_t map_shared_rank(std::uint32_t address, std::uint32_t rank);  // mapa
void* map_shared_pointer(const void* pointer, std::uint32_t rank);         // mapa of a generic address
/// Rank of the block in whose shared memory a generic address lies (getctarank).
std::uint32_t shared_rank(const void* pointer);
void shared_store(std::uint32_t address, const void* value, int bytes);  // st.shared by address
void shared_load(std::uint32_t address, void* value, int bytes);         // ld.shared by address

// Variables that ordinary CUDA declares. A module with static shared memory says so when it is loaded.
void use_static_shared_memory();
/// The running block's copy of the variable that `key` stands for.
void* shared_variable(const void* key, const char* name, std::size_t bytes, std::size_t alignment);
/// Start of dynamic shared memory while one block runs at a time.
void* dynamic_shared_memory();
/// Device memory that every launch finds as `initial`, which must outlive it. `constant`: kernels must not store to it.
void* device_variable(const void* initial, std::size_t bytes, const char* name, bool constant = false);
void release_device_variable(void* memory);

// Barriers and warp collectives.
/// `call`: number of the call in its source, not 0; all threads of the block must then come, and to the same one. kGroupSync is
/// that of all calls of a thread block's sync(), kDrawSync of all draws from a generator that a block shares: arrivals at one
/// barrier, wherever they are made.
void sync_threads(unsigned call = 0);
int sync_threads_reduce(int predicate, int mode, unsigned call = 0);  // 0 count, 1 and, 2 or
inline constexpr unsigned kGroupSync = ~0u, kDrawSync = ~0u - 1;
void bar_sync(int id, int threads);
void bar_arrive(int id, int threads);
void sync_warp(std::uint32_t mask);
enum class Shuffle { idx, up, down, bfly };
std::uint32_t shuffle(std::uint32_t mask, std::uint32_t value, Shuffle mode, int lane_arg, int width);
std::uint32_t ballot(std::uint32_t mask, bool predicate);
std::uint32_t match_any(std::uint32_t mask, std::uint64_t value);
enum class Reduce { add, min, max, and_, or_, xor_ };
std::uint32_t reduce(std::uint32_t mask, std::uint32_t value, Reduce op, bool is_signed);
bool elect_one(std::uint32_t mask);
std::uint32_t active_mask();
void cluster_arrive(bool release, bool aligned = true);  // aligned: by all lanes of a warp together
void cluster_wait();
void grid_sync();  // all blocks of the grid must be resident: Config::resident_clusters

// Memory order and atomics (shared or global pointers alike).
enum class Scope { block, cluster, gpu, system };
void thread_fence(Scope scope);
/// Read-modify-write of a 4- or 8-byte (or 2-byte) location as one step; `apply` gets old bytes and writes new ones.
/// `scope`: the threads for which it is one step.
void atomic(void* pointer, int bytes, void (*apply)(void* location, const void* operand, void* old),
            const void* operand, void* old, Scope scope = Scope::gpu);
/// PTX's ld.relaxed and st.relaxed: no races with other atomics, and with a fence beside them they synchronise.
void atomic_load(const void* pointer, int bytes, void* value, Scope scope);
void atomic_store(void* pointer, int bytes, const void* value, Scope scope);
/// Said before an atomic that compares and swaps: plain loads that begin such loops are no races.
void note_swap(const void* pointer, int bytes);

/// Text that the running thread prints, for Result::printed; false outside of kernels.
bool note_printed(const char* text);

// cp.async.
void cp_async(std::uint32_t destination, const void* source, int bytes, int source_bytes);
void cp_async_commit();
void cp_async_wait_group(int pending);
void cp_async_wait_all();
void cp_async_mbarrier_arrive(std::uint32_t barrier, bool noinc);

// Matrix fragments.
void ldmatrix(std::uint32_t* registers, int count, bool transpose, std::uint32_t address);
void stmatrix(const std::uint32_t* registers, int count, bool transpose, std::uint32_t address);
enum class MmaType { f16, bf16, tf32 };
void mma_m16n8(float* d, const std::uint32_t* a, const std::uint32_t* b,
               MmaType type);  // k16 (f16, bf16) or k8 (tf32)

// mbarrier.
void mbarrier_init(std::uint32_t barrier, std::uint32_t count);
void mbarrier_inval(std::uint32_t barrier);
/// Own or remote (mapa) address. What was written is handed over to another block only at the scope of the cluster: of the
/// arrival, or a fence before it, and of the wait, or a fence after it.
void mbarrier_arrive(std::uint32_t barrier, std::uint32_t count = 1, Scope scope = Scope::block);
void mbarrier_expect_tx(std::uint32_t barrier, std::uint32_t bytes);
void mbarrier_arrive_expect_tx(std::uint32_t barrier, std::uint32_t bytes);
/// Yields to others when it answers no.
bool mbarrier_try_wait(std::uint32_t barrier, std::uint32_t parity, Scope scope = Scope::block);
/// Parity of the phase under way, which a state of mbarrier.arrive stands for.
std::uint32_t mbarrier_parity(std::uint32_t barrier);
/// Blocks; what the wrappers' loops become.
void mbarrier_wait(std::uint32_t barrier, std::uint32_t parity, Scope scope = Scope::block);

// Fences of the async proxy.
void fence_mbarrier_init();
void fence_proxy_async();  // .shared::cta and global alike

// Bulk and tensor copies.
void bulk_load(std::uint32_t destination, const void* source, std::uint32_t bytes, std::uint32_t barrier,
               std::uint16_t cluster_mask /* 0: no multicast */);
void bulk_store(void* destination, std::uint32_t source, std::uint32_t bytes);
void bulk_prefetch(const void* source, std::uint32_t bytes);
enum class BulkReduce { none, add };
void tensor_load(std::uint32_t destination, const TensorMap* map, const int* coordinates,
                 std::uint32_t barrier, std::uint16_t cluster_mask);
void tensor_store(const TensorMap* map, std::uint32_t source, const int* coordinates, BulkReduce reduce);
void tensor_prefetch(const TensorMap* map);
void bulk_commit();
void bulk_wait(int pending, bool read_only);

// wgmma: 4 warps together. Accumulator `d` has n/2 floats per thread; a_registers is null when A is in shared memory.
struct WgmmaShape {
  int n;
  MmaType type;
  bool a_mn_major, b_mn_major;
};
void wgmma_fence();
void wgmma(float* d, WgmmaShape shape, const std::uint32_t* a_registers, std::uint64_t a_descriptor,
           std::uint64_t b_descriptor, bool scale_d, int scale_a, int scale_b);
void wgmma_commit();
void wgmma_wait(int pending);

// The rest.
/// A load by __ldg, through the read-only cache: the access itself follows.
void read_only(const void* pointer, std::size_t bytes);
void setmaxnreg(int count, bool increase);
void griddep_wait();
void griddep_launch();
[[noreturn]] void trap(const char* why);
void nanosleep(unsigned ns);
std::uint64_t clock64();

}  // namespace simt
