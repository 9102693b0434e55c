// cuda_pipeline.h - the pipeline primitives on the emulated device: a thread's own cp.async.
#pragma once
#include <cstddef>

#include "tw/intrinsics.hpp"

/// Copies of 4, 8 or 16 bytes to shared memory; the last `zfill` bytes become zero.
[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* __restrict to, const void* __restrict from,
                                                          std::size_t bytes, std::size_t zfill = 0) {
  if (bytes != 4 && bytes != 8 && bytes != 16) simt::trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes");
  simt::cp_async(simt::shared_address(to), from, static_cast<int>(bytes), static_cast<int>(bytes - zfill));
}
[[gnu::always_inline]] inline void __pipeline_commit() { simt::cp_async_commit(); }
/// Waits until at most `pending` of the thread's batches are under way.
[[gnu::always_inline]] inline void __pipeline_wait_prior(std::size_t pending) {
  simt::cp_async_wait_group(static_cast<int>(pending));
}
