// scopes.h - the scopes and orders of the CUDA C++ library.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "simt/kernel.hpp"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace detail {

constexpr simt::Scope simt_scope(thread_scope scope) {
  return scope == thread_scope_system   ? simt::Scope::system
         : scope == thread_scope_device ? simt::Scope::gpu
                                        : simt::Scope::block;
}

}  // namespace detail

inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed) simt::thread_fence(detail::simt_scope(scope));
}

}  // namespace cuda
