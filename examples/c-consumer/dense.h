/* dense.h - a product of dense matrices by cuBLAS, where this program is built with it. */
#ifndef DENSE_H
#define DENSE_H
#include "buffer.h"
#include "clock.h"

#ifdef WITH_CUBLAS
#include <cublas_v2.h>

/* Mean time of a product in f16 of m x m matrices, with `matrix` in the place of both. 0 where it cannot be had. */
static double dense_microseconds(int m, const void* matrix, void* result) {
  enum { kWarmUps = 5, kRuns = 100 };
  const float one = 1, zero = 0;
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 0;
  double begin = 0;
  for (int i = -kWarmUps; i < kRuns; ++i) {
    if (i == 0) cudaDeviceSynchronize();
    if (i == 0) begin = microseconds_now();
    if (cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, matrix, CUDA_R_16F, m, matrix,
                     CUDA_R_16F, m, &zero, result, CUDA_R_16F, m, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
      return 0;
  }
  cudaDeviceSynchronize();
  const double each = (microseconds_now() - begin) / kRuns;
  cublasDestroy(handle);
  return each;
}
#else
static double dense_microseconds(int m, const void* matrix, void* result) {
  (void)m, (void)matrix, (void)result;
  return 0;
}
#endif
#endif
