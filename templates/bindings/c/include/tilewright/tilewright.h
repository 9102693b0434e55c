/* tilewright.h - definitions shared by all operations of the library: status codes and their texts, versions, devices.
 *
 * C99 and C++11 or later; needs no CUDA header. Two libraries implement it with one ABI: `tilewright` runs
 * its kernels on an NVIDIA GPU, `tilewright_emulated` runs one of each kind of them on the CPU, on host pointers, for
 * tests without a GPU.
 *
 * Every function may be called from any thread. Work is enqueued on the stream that the caller passes. No function
 * allocates device memory or waits for the device, but those of contexts while they choose a kernel: see context.h. */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "tilewright/export.h"
#include "tilewright/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a call. Codes keep their numbers; new ones may be added at the end. */
typedef enum tw_status {
  TW_STATUS_SUCCESS = 0,
  TW_STATUS_INVALID_ARGUMENT = 1,    /* an argument is null, negative, misaligned or contradicts another */
  TW_STATUS_NOT_SUPPORTED = 2,       /* valid, but no kernel in this library serves it */
  TW_STATUS_NO_DEVICE = 3,           /* no usable GPU or driver */
  TW_STATUS_WORKSPACE_TOO_SMALL = 4, /* the workspace is missing or smaller than the plan asks for */
  TW_STATUS_LAUNCH_FAILED = 5,       /* the device refused a kernel or a copy */
  TW_STATUS_OUT_OF_MEMORY = 6,       /* host memory ran out */
  TW_STATUS_INTERNAL = 7             /* a defect of the library: please report the text of tw_last_error() */
} tw_status;

/* Element types. */
typedef enum tw_type {
  TW_TYPE_F16 = 0,  /* IEEE binary16 */
  TW_TYPE_BF16 = 1, /* bfloat16 */
  TW_TYPE_F32 = 2   /* IEEE binary32 */
} tw_type;

/* Types of index arrays. */
typedef enum tw_index {
  TW_INDEX_I32 = 0,
  TW_INDEX_I64 = 1
} tw_index;

/* Orders of a matrix in memory: rows one after the other, or columns. */
typedef enum tw_layout {
  TW_LAYOUT_ROW = 0,
  TW_LAYOUT_COLUMN = 1
} tw_layout;

/* Functions applied to each element of a result. */
typedef enum tw_activation {
  TW_ACTIVATION_NONE = 0,
  TW_ACTIVATION_RELU = 1,
  TW_ACTIVATION_GELU_TANH = 2, /* GELU in its tanh approximation */
  TW_ACTIVATION_GELU_ERF = 3,  /* GELU by the error function */
  TW_ACTIVATION_SILU = 4
} tw_activation;

/* The caller's CUDA stream: a cudaStream_t or CUstream converts to it implicitly. The emulated library
 * ignores it and has finished when the call returns. */
typedef struct CUstream_st* tw_stream;

/* Properties of a device, from tw_device_query. The caller sets struct_size = sizeof(tw_device_info) before the call. */
typedef struct tw_device_info {
  size_t struct_size;
  char name[256];
  int32_t compute_capability; /* 10 * major + minor */
  int32_t multiprocessors;
} tw_device_info;

/* Name and meaning of a status, never null, e.g. "no device: no usable GPU or driver". Static storage. */
TW_API const char* tw_status_text(tw_status status);

/* Message of the calling thread's last failing call of this library, in one sentence; empty before the first
 * failure. Valid until the thread's next call that fails. */
TW_API const char* tw_last_error(void);

/* Version of the loaded library, major * 1000000 + minor * 1000 + patch; compare with TW_VERSION. */
TW_API uint32_t tw_version(void);

/* Grows when the binary interface breaks; equal to the library's SOVERSION and to TW_ABI_VERSION of its
 * headers. */
TW_API uint32_t tw_abi_version(void);

/* "cuda" or "emulated": which of the two libraries is linked. */
TW_API const char* tw_target(void);

/* The library's manifest as JSON: its kernels, the reason for each choice, and its provenance. Static
 * storage. */
TW_API const char* tw_manifest(void);

/* Number of devices in *count; 1 for the emulated library. TW_STATUS_NO_DEVICE (and *count = 0) without a
 * driver. */
TW_API tw_status tw_device_count(int* count);

/* Describes a device. TW_STATUS_INVALID_ARGUMENT when there is no device of that number. */
TW_API tw_status tw_device_query(int device, tw_device_info* info);

#ifdef __cplusplus
}
#endif

#endif
