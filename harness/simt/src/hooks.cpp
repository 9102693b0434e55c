// hooks.cpp - plain loads and stores of a kernel compiled with -fsanitize=thread, indices of its arrays with
// -fsanitize=bounds, and pointers that are not aligned as their types ask with -fsanitize=alignment. The compiler emits a call per
// access, and one for an index out of bounds or a misaligned pointer, to functions that libtsan and libubsan would define; they are
// defined here instead, and neither library is linked.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "atomics.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace simt::core {
namespace {

void shared_hook(Thread& self, std::size_t offset, std::size_t bytes, bool store, AccessKind kind) {
  const std::size_t which = offset / kArenaStride;
  if (which >= machine.blocks.size())
    return fail("shared-out-of-bounds",
                text("plain %s far outside any block's shared memory", store ? "store" : "load"));
  Block& block = machine.blocks[which];
  const auto address = static_cast<std::uint32_t>(offset % kArenaStride);
  if (!shared_memory(block, address, static_cast<std::uint32_t>(bytes), store ? "store" : "load")) return;
  const bool own = &block == self.block;
  if (!own) check_live(block, store ? "plain store" : "plain load");
  (store ? machine.stats.shared_store_bytes : machine.stats.shared_load_bytes) += bytes;
  const std::uint16_t site = site_number(self.pc, kind);
  if (own) note_banks(self, site, address, bytes);
  if (machine.detect) note_shared(self, block, address, static_cast<std::uint32_t>(bytes), kind, site);
}

void global_hook(Thread& self, const void* pointer, std::size_t bytes, bool store, AccessKind kind) {
  if (!check_global(pointer, bytes, store ? "store" : "load")) return;
  if (store && constants_present) check_not_constant(pointer, bytes, "store");
  (store ? machine.stats.global_store_bytes : machine.stats.global_load_bytes) += bytes;
  if (machine.detect) note_global(self, pointer, bytes, kind, site_number(self.pc, kind));
}

AccessKind byte_kind(const void* pointer, bool store) {
  if (reinterpret_cast<std::uintptr_t>(pointer) & 1) return store ? AccessKind::byte_store_odd : AccessKind::byte_load_odd;
  return store ? AccessKind::byte_store : AccessKind::byte_load;
}

[[gnu::noinline]] void checked_hook(const void* pointer, std::size_t bytes, bool store, bool aligned, const void* pc,
                                    bool is_volatile = false) {
  if (!machine.current) return;
  if (racing_store_open) settle_racing_store_before(store);
  Thread& self = enter(pc);
  ++machine.stats.hooked_accesses;
  if (store) {
    machine.store = pointer;
    machine.store_bytes = bytes;
  }
  // A power of two, where it is aligned.
  if (aligned && (reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)))
    check_alignment(pointer, bytes, store ? "store" : "load");
  const AccessKind plain = bytes == 1 ? byte_kind(pointer, store) : store ? AccessKind::store : AccessKind::load;
  const AccessKind kind = is_volatile ? made_volatile(plain) : plain;
  const auto offset =
      static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - address_space.base);
  if (offset < address_space.shared_bytes)
    shared_hook(self, offset, bytes, store, kind);
  else
    global_hook(self, pointer, bytes, store, kind);
  if (store) machine.store = nullptr;
}

/// Nearly all calls are about a thread's own stack and end at the comparison.
inline void hook(const void* pointer, std::size_t bytes, bool store, bool aligned, const void* pc) {
  if (is_emulated(pointer)) checked_hook(pointer, bytes, store, aligned, pc);
}

/// A volatile access is relaxed: with fences beside it, it synchronises as an atomic does.
void volatile_hook(const void* pointer, std::size_t bytes, bool store, bool aligned, const void* pc) {
  if (!machine.current || !is_emulated(pointer)) return;
  checked_hook(pointer, bytes, store, aligned, pc, true);
  Thread& self = *machine.current;
  synchronise_atomic(self, pointer, {!store, store, Scope::system});
  store ? note_progress() : note_poll(self, pointer, bytes);
}

/// An atomic builtin of the compiler (kernels normally use CUDA's atomic functions, which do not come here).
template <class Value>
Value* atomic_hook(const volatile void* pointer, AtomicUse use, const void* pc) {
  auto* plain = static_cast<Value*>(const_cast<void*>(pointer));
  if (!machine.current || !is_emulated(plain)) return plain;
  Thread& self = enter(pc);
  ++machine.stats.hooked_accesses;
  const Access access = access_by(self, kind_of(use), pc);
  const auto note = use.writes ? note_global_write : note_global_read;
  if (is_global(plain) && check_global(plain, sizeof(Value), "atomic") && machine.detect)
    note(plain, sizeof(Value), access);
  synchronise_atomic(self, plain, use);
  note_progress();
  return plain;
}

}  // namespace
}  // namespace simt::core

#define SIMT_PC __builtin_return_address(0)
using simt::core::hook;
using simt::core::volatile_hook;

extern "C" {

/// An array's type, as GCC lays it out for libubsan.
struct UbsanType {
  std::uint16_t kind, info;
  char name[1];  // quoted, e.g. 'float [8]'; longer than declared
};
struct UbsanPlace {
  const char* file;
  std::uint32_t line, column;
};
struct UbsanOutOfBounds {
  UbsanPlace place;
  const UbsanType* array;
  const UbsanType* index;
};
struct UbsanTypeMismatch {
  UbsanPlace place;
  const UbsanType* type;
  std::uint8_t log_alignment, kind;  // kind: 0 load, 1 store, else a reference, a member and the like
};

/// Whether Config::free_subscripts lists the place.
static bool is_free(const UbsanPlace& place) {
  const char* const listed = simt::core::machine.config.free_subscripts;
  if (!listed) return false;
  return std::strstr(listed, simt::core::text(" %s:%u:%u ", place.file, place.line, place.column).c_str());
}

/// An index outside an array, before the access: arrays in registers have no address that could be checked.
void __ubsan_handle_out_of_bounds(const UbsanOutOfBounds* where, std::intptr_t index) {
  if (!simt::core::machine.current || is_free(where->place)) return;
  simt::core::enter(SIMT_PC);
  simt::core::fail("array-out-of-bounds", simt::core::text("index %lld of an array of type %s",
                                                           static_cast<long long>(index), where->array->name));
}

/// A pointer that is not aligned as its type asks, before it is used. Optimisation splits a vector's access into accesses of its
/// elements, each of them aligned, before -fsanitize=thread sees it; this check is older. What binds a reference is a finding itself,
/// since the compiler checks no access behind it again. No instruction asks for more than 16 bytes.
void __ubsan_handle_type_mismatch_v1(const UbsanTypeMismatch* what, void* pointer) {
  if (!simt::core::machine.current || !simt::core::is_emulated(pointer)) return;
  simt::core::enter(SIMT_PC);
  const char* const use = what->kind == 0 ? "load" : what->kind == 1 ? "store" : "access";
  simt::core::check_alignment(pointer, std::min<std::size_t>(std::size_t{1} << what->log_alignment, 16), use);
}

void __tsan_init() { simt::core::hooks_present = true; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

#define SIMT_PLAIN(n)                                                                    \
  void __tsan_read##n(void* p) { hook(p, n, false, true, SIMT_PC); }                     \
  void __tsan_write##n(void* p) { hook(p, n, true, true, SIMT_PC); }                     \
  void __tsan_read##n##_pc(void* p, void* pc) { hook(p, n, false, true, pc); }           \
  void __tsan_write##n##_pc(void* p, void* pc) { hook(p, n, true, true, pc); }           \
  void __tsan_unaligned_read##n(void* p) { hook(p, n, false, false, SIMT_PC); }          \
  void __tsan_unaligned_write##n(void* p) { hook(p, n, true, false, SIMT_PC); }          \
  void __tsan_volatile_read##n(void* p) { volatile_hook(p, n, false, true, SIMT_PC); }          \
  void __tsan_volatile_write##n(void* p) { volatile_hook(p, n, true, true, SIMT_PC); }   \
  void __tsan_unaligned_volatile_read##n(void* p) { volatile_hook(p, n, false, false, SIMT_PC); } \
  void __tsan_unaligned_volatile_write##n(void* p) { volatile_hook(p, n, true, false, SIMT_PC); } \
  void __tsan_read_write##n(void* p) { hook(p, n, false, true, SIMT_PC), hook(p, n, true, true, SIMT_PC); }
SIMT_PLAIN(1)
SIMT_PLAIN(2)
SIMT_PLAIN(4)
SIMT_PLAIN(8)
SIMT_PLAIN(16)
#undef SIMT_PLAIN

void __tsan_read_range(void* p, long n) { hook(p, static_cast<std::size_t>(n), false, false, SIMT_PC); }
void __tsan_write_range(void* p, long n) { hook(p, static_cast<std::size_t>(n), true, false, SIMT_PC); }

// The signatures are those of GCC's built-in declarations.
#define SIMT_ATOMIC(bits, type)                                                                              \
  type __tsan_atomic##bits##_load(const volatile void* p, int) {                                             \
    return *simt::core::atomic_hook<type>(p, {true, false}, SIMT_PC);                                          \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile void* p, type v, int) {                                          \
    *simt::core::atomic_hook<type>(p, {false, true}, SIMT_PC) = v;                                             \
  }                                                                                                          \
  SIMT_RMW(bits, type, exchange, v)                                                                          \
  SIMT_RMW(bits, type, fetch_add, static_cast<type>(old + v))                                                \
  SIMT_RMW(bits, type, fetch_sub, static_cast<type>(old - v))                                                \
  SIMT_RMW(bits, type, fetch_and, static_cast<type>(old & v))                                                \
  SIMT_RMW(bits, type, fetch_or, static_cast<type>(old | v))                                                 \
  SIMT_RMW(bits, type, fetch_xor, static_cast<type>(old ^ v))                                                \
  SIMT_RMW(bits, type, fetch_nand, static_cast<type>(~(old & v)))                                            \
  bool __tsan_atomic##bits##_compare_exchange_strong(volatile void* p, void* expected, type v, int, int) {   \
    type* place = simt::core::atomic_hook<type>(p, {true, true}, SIMT_PC);                                     \
    type* wanted = static_cast<type*>(expected);                                                             \
    if (*place == *wanted) return *place = v, true;                                                          \
    *wanted = *place;                                                                                        \
    return false;                                                                                            \
  }                                                                                                          \
  bool __tsan_atomic##bits##_compare_exchange_weak(volatile void* p, void* expected, type v, int a, int b) { \
    return __tsan_atomic##bits##_compare_exchange_strong(p, expected, v, a, b);                              \
  }
#define SIMT_RMW(bits, type, name, result)                               \
  type __tsan_atomic##bits##_##name(volatile void* p, type v, int) {     \
    type* place = simt::core::atomic_hook<type>(p, {true, true}, SIMT_PC); \
    const type old = *place;                                             \
    *place = result;                                                     \
    return old;                                                          \
  }
SIMT_ATOMIC(8, std::uint8_t)
SIMT_ATOMIC(16, std::uint16_t)
SIMT_ATOMIC(32, std::uint32_t)
SIMT_ATOMIC(64, std::uint64_t)
#undef SIMT_ATOMIC
#undef SIMT_RMW

void __tsan_atomic_thread_fence(int) {
  if (simt::core::machine.current) simt::core::synchronise_fence(simt::core::enter(SIMT_PC), simt::Scope::system);
}
void __tsan_atomic_signal_fence(int) {}

void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  hook(from, n, false, false, SIMT_PC);
  hook(to, n, true, false, SIMT_PC);
  return std::memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  hook(from, n, false, false, SIMT_PC);
  hook(to, n, true, false, SIMT_PC);
  return std::memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, std::size_t n) {
  hook(to, n, true, false, SIMT_PC);
  return std::memset(to, value, n);
}

}  // extern "C"
