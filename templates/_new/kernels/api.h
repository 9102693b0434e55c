/* new_kernel.h - y[i] = alpha * x[i] + y[i] for i < count, in fp32.
 *
 *   tw_new_kernel_plan *plan;
 *   tw_new_kernel_plan_create(count, &plan);
 *   tw_new_kernel_run(plan, 2.0f, x, y, stream);
 *   tw_new_kernel_plan_destroy(plan);
 */
#ifndef TILEWRIGHT_NEW_KERNEL_H
#define TILEWRIGHT_NEW_KERNEL_H

#include "tilewright/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A length with the kernel chosen for it on one device. Immutable: any number of threads may run it at once.
 */
typedef struct tw_new_kernel_plan tw_new_kernel_plan;

/* Chooses a kernel on the calling thread's current device. TW_STATUS_INVALID_ARGUMENT,
 * TW_STATUS_NOT_SUPPORTED, TW_STATUS_NO_DEVICE. */
TW_API tw_status tw_new_kernel_plan_create(int64_t count, tw_new_kernel_plan** plan);

/* Frees the plan; null is allowed. */
TW_API void tw_new_kernel_plan_destroy(tw_new_kernel_plan* plan);

/* Name of the chosen kernel, as in the manifest. Lives as long as the library. */
TW_API const char* tw_new_kernel_plan_variant(const tw_new_kernel_plan* plan);

/* Enqueues the operation on the stream; x and y are device pointers, aligned to 4 bytes. Neither allocates
 * nor synchronises. */
TW_API tw_status tw_new_kernel_run(const tw_new_kernel_plan* plan, float alpha, const float* x, float* y,
                                   tw_stream stream);

#ifdef __cplusplus
}
#endif

#endif
