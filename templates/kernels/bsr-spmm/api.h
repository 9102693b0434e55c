/* bsr_spmm.h - block-sparse times dense:  C[m,n] = alpha * A[m,k] * B[k,n] + beta * C[m,n]
 *
 * A is in BSR: `row_ptr` (m / block + 1 entries) and `col_idx` (one entry a stored block) are int32, counted
 * in blocks; `values` holds the blocks one after the other, each block x block elements, row-major. B and C
 * are dense and row-major. A block row names each block column at most once, in any order. Products are
 * accumulated in fp32 and rounded once, to the type of C. With beta = 0, C is written and never read.
 *
 * All pointers except the descriptor are device pointers (host pointers for the emulated library).
 *
 *   tw_bsr_spmm_problem problem = {sizeof problem, m, n, k, 64, blocks, TW_TYPE_F16, TW_TYPE_F16,
 *                                  n, n, host_row_ptr, host_col_idx, beta != 0};
 *   tw_bsr_spmm_plan* plan;
 *   tw_bsr_spmm_plan_create(&problem, &plan);
 *
 * Then allocate tw_bsr_spmm_workspace_bytes(plan) on the device and, if these are any, fill them once:
 *
 *   tw_bsr_spmm_prepare(plan, workspace, bytes, stream);
 *   tw_bsr_spmm_run(plan, 1.0f, row_ptr, col_idx, values, b, 0.0f, c, workspace, bytes, stream);
 *   tw_bsr_spmm_plan_destroy(plan);
 */
#ifndef TILEWRIGHT_BSR_SPMM_H
#define TILEWRIGHT_BSR_SPMM_H

#include "tilewright/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that decides which kernel runs; nothing of it lies in device memory. */
typedef struct tw_bsr_spmm_problem {
  size_t struct_size; /* sizeof(tw_bsr_spmm_problem) */
  int64_t m, n, k;    /* elements; m and k are multiples of block */
  int32_t block;      /* rows, and columns, of a block of A */
  int64_t blocks;     /* stored blocks of A: the last entry of row_ptr */
  tw_type input;      /* of A and B */
  tw_type output;     /* of C */
  int64_t ldb, ldc;   /* elements from one row of B, C to the next, at least n; 0 means n */
  /* Host copy of row_ptr, or null. Read by tw_bsr_spmm_plan_create only; kernels that arrange their work by
   * the lengths of the block rows, often the fastest, are chosen only where it is given, and the choice among
   * them depends on how uneven these are. */
  const int32_t* host_row_ptr;
  /* Host copy of col_idx, or null; read as host_row_ptr is. Kernels that compute block rows together which
   * share columns are chosen only where both are given. What is given here holds for every run of the plan:
   * the arrays on the device must be equal to it. */
  const int32_t* host_col_idx;
  /* Not 0: runs will have a beta other than 0, and no kernel is chosen that cannot read C. 0: nothing is
   * known of beta, and a run may be refused by the kernel that was chosen. */
  int32_t reads_c;
} tw_bsr_spmm_problem;

/* A problem with the kernel chosen for it on one device. Immutable: any number of threads may run it at once,
 * each with a workspace of its own. */
typedef struct tw_bsr_spmm_plan tw_bsr_spmm_plan;

/* Chooses a kernel for the problem on the calling thread's current device: the first by the library's policy
 * that takes the sizes, the block, the types, ldb and ldc, lacks no host copy, and reads C where `reads_c`
 * asks for that. It knows no pointers: tw_bsr_spmm_run does. Takes milliseconds, tens of them where block
 * rows are grouped: plan once for a structure of A. TW_STATUS_INVALID_ARGUMENT, TW_STATUS_NO_DEVICE;
 * TW_STATUS_NOT_SUPPORTED when no kernel of the library takes the problem (tw_last_error() says what the
 * nearest one asks for). */
TW_API tw_status tw_bsr_spmm_plan_create(const tw_bsr_spmm_problem* problem, tw_bsr_spmm_plan** plan);

/* Frees the plan; null is allowed. No run of it may still be in its call (it may be pending on the device).
 */
TW_API void tw_bsr_spmm_plan_destroy(tw_bsr_spmm_plan* plan);

/* Device memory, in bytes, that a run needs beside its operands; often 0. It must be aligned to 256 bytes, as
 * memory of cudaMalloc is. */
TW_API size_t tw_bsr_spmm_workspace_bytes(const tw_bsr_spmm_plan* plan);

/* Name of the chosen kernel, as in the manifest; a run that it refuses goes to another. Lives as long as the
 * library. */
TW_API const char* tw_bsr_spmm_plan_variant(const tw_bsr_spmm_plan* plan);

/* Fills a fresh workspace; once per workspace, before its first run, ordered before it by the stream. Needed
 * only when tw_bsr_spmm_workspace_bytes is not 0. */
TW_API tw_status tw_bsr_spmm_prepare(const tw_bsr_spmm_plan* plan, void* workspace, size_t workspace_bytes,
                                     tw_stream stream);

/* Enqueues the product on the stream. Neither allocates nor synchronises; may be captured into a CUDA graph.
 * Here the chosen kernel may refuse what its plan did not know: values, b or c that are not aligned to what
 * it loads or stores at once, at most 16 bytes, and, where `reads_c` did not say so before, a beta that is
 * not 0 if it stores C by TMA. Then the first of the library's fallbacks (`fallback` in the manifest) that
 * takes the call runs, without the workspace; in a library without fallbacks, the first of its other kernels
 * that takes the call and needs no workspace. TW_STATUS_NOT_SUPPORTED when there is none: nothing was
 * enqueued, and tw_last_error() says what the chosen kernel asks for. TW_STATUS_INVALID_ARGUMENT, also for an
 * operand that is not aligned to its elements or a workspace that is not aligned to 256 bytes;
 * TW_STATUS_WORKSPACE_TOO_SMALL (whichever kernel would run); TW_STATUS_LAUNCH_FAILED. */
TW_API tw_status tw_bsr_spmm_run(const tw_bsr_spmm_plan* plan, float alpha, const int32_t* row_ptr,
                                 const int32_t* col_idx, const void* values, const void* b, float beta,
                                 void* c, void* workspace, size_t workspace_bytes, tw_stream stream);

#ifdef __cplusplus
}
#endif

#endif
