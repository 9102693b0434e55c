/* context.h - kernels chosen by measuring: a context remembers, for one device, which kernel serves which calls.
 *
 * A call tw_<operation>(context, ...) finds its kernel by key: buckets of the sizes and of the pattern's features, types,
 * layouts, alignment of the addresses, which scalars are zero. It asks, in this order: what this process has settled, the
 * user's cache of tuning records, the wisdom that the library ships. If none of them knows the key, it measures where the
 * policy and the stream allow it. Otherwise it takes the first kernel by the library's policy, and at last a fallback that
 * takes every call.
 *
 * Unlike plans, contexts allocate device memory: workspaces of the kernels that they chose, and scratch while they measure.
 * While they measure they also wait for the caller's stream. Neither happens while the stream is being captured. */
#ifndef TILEWRIGHT_CONTEXT_H
#define TILEWRIGHT_CONTEXT_H

#include "tilewright/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls in which a context measures. */
typedef enum tw_policy {
  TW_POLICY_SCOPED = 0,  /* between tw_tune_begin and tw_tune_end, and in tw_<operation>_tune: the default */
  TW_POLICY_REPLAY = 1,  /* in tw_<operation>_tune alone */
  TW_POLICY_ON_MISS = 2, /* in the first call of a key that neither cache nor wisdom knows */
  TW_POLICY_FORCE = 3    /* in the first call of each key in this context, whatever cache and wisdom say */
} tw_policy;

/* Set it to zero, then fill in fields: zero is the default of each. */
typedef struct tw_context_options {
  size_t struct_size;    /* sizeof(tw_context_options) */
  tw_policy policy;      /* calls in which the context measures */
  int32_t budget_ms;     /* time for the measurements of one key, in milliseconds; 0 means 100 */
  int32_t deterministic; /* 1: only kernels that give the same bits in every run */
  int32_t exhaustive; /* 1: measures every kernel that takes the call, whatever its priority and the budget */
  const char* cache;  /* folder of tuning records; null: `tuned` in the user's cache folder; "": none */
  /* Device memory, in bytes, that measuring may take for a while, and that the workspace of another library's function may
   * take; 0 means 1 GiB. */
  size_t scratch_limit;
  /* Device memory, aligned to 256 bytes, or null where there is none; both null: the library's own. */
  void* (*allocate)(size_t bytes, void* user);
  void (*release)(void* memory, void* user);
  void* user;
} tw_context_options;

/* Counters of a context. The caller sets struct_size = sizeof(tw_context_statistics) before the call. */
typedef struct tw_context_statistics {
  size_t struct_size;
  int64_t resolved;        /* calls whose key was not settled yet */
  int64_t from_cache;      /* keys settled by a record of the user's cache */
  int64_t from_wisdom;     /* keys settled by the library's wisdom */
  int64_t tuned;           /* keys settled by measuring */
  int64_t candidates;      /* kernels of the library that serve what these keys ask for */
  int64_t measured;        /* of them, those that were measured */
  int64_t rejected;        /* winners that the check against the reference kernel refused */
  int64_t launch_failures; /* chosen kernels that failed to launch and were replaced */
  int64_t damaged_records; /* files of the cache that were no valid records */
} tw_context_statistics;

/* Settled choices and their plans, for one device. Any number of threads may use it at once. */
typedef struct tw_context tw_context;

/* Creates a context. `device` must be the calling thread's current device in every call with the context (0 for the
 * emulated library). Null options: all defaults. TW_STATUS_INVALID_ARGUMENT, TW_STATUS_NO_DEVICE. */
TW_API tw_status tw_context_create(int device, const tw_context_options* options, tw_context** context);

/* Frees the context, its plans and their workspaces; null is allowed, and so is a device that was reset meanwhile, behind
 * which calls with the context are refused. Destroy its patterns before it. No
 * call with it may still be pending on the device. */
TW_API void tw_context_destroy(tw_context* context);

/* Begins a scope in which TW_POLICY_SCOPED measures; scopes may be nested and are shared by all threads. */
TW_API tw_status tw_tune_begin(tw_context* context);

/* Ends the scope that was begun last. TW_STATUS_INVALID_ARGUMENT where there is none. */
TW_API tw_status tw_tune_end(tw_context* context);

TW_API tw_status tw_context_query(const tw_context* context, tw_context_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
