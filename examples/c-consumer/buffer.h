/* buffer.h - memory that the linked library's device can read: CUDA's, or the host's for the emulated
 * library. */
#ifndef BUFFER_H
#define BUFFER_H
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>

/* A device buffer with a copy of `source`, or with undefined contents when that is null. */
static void* buffer_from(const void* source, size_t bytes) {
  void* memory = NULL;
  if (bytes == 0 || cudaMalloc(&memory, bytes) != cudaSuccess) return NULL;
  if (source) cudaMemcpy(memory, source, bytes, cudaMemcpyHostToDevice);
  return memory;
}

/* Waits for the device, then copies. */
static void buffer_read(void* destination, const void* buffer, size_t bytes) {
  cudaMemcpy(destination, buffer, bytes, cudaMemcpyDeviceToHost);
}

#else

static void* buffer_from(const void* source, size_t bytes) {
  void* memory = bytes ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
  if (memory && source) memcpy(memory, source, bytes);
  return memory;
}

static void buffer_read(void* destination, const void* buffer, size_t bytes) {
  memcpy(destination, buffer, bytes);
}

#endif
#endif
