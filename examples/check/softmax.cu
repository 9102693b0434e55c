#include <cuda_runtime.h>

/* tilewright
sizes: { N: 5, C: 700 }
arguments: { out: [N, C], inp: [N, C] }
grid: N
block: 256
reference: softmax.cu:softmax_cpu
*/

void softmax_cpu(float* out, const float* inp, int N, int C) {
  for (int i = 0; i < N; i++) {
    double maxval = -INFINITY, sum = 0;
    for (int j = 0; j < C; j++) maxval = fmax(maxval, inp[i * C + j]);
    for (int j = 0; j < C; j++) sum += exp(inp[i * C + j] - maxval);
    for (int j = 0; j < C; j++) out[i * C + j] = exp(inp[i * C + j] - maxval) / sum;
  }
}

__device__ float block_reduce(float v, bool take_max) {
  __shared__ float shared[256];
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      float other = shared[threadIdx.x + s];
      shared[threadIdx.x] = take_max ? fmaxf(shared[threadIdx.x], other) : shared[threadIdx.x] + other;
    }
    __syncthreads();
  }
  return shared[0];
}

__global__ void softmax(float* out, const float* inp, int N, int C) {
  const float* x = inp + blockIdx.x * C;
  float maxval = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < C; i += blockDim.x) maxval = fmaxf(maxval, x[i]);
  maxval = block_reduce(maxval, true);
  for (int i = threadIdx.x; i < C; i += blockDim.x) sum += expf(x[i] - maxval);
  sum = block_reduce(sum, false);
  for (int i = threadIdx.x; i < C; i += blockDim.x) out[blockIdx.x * C + i] = expf(x[i] - maxval) / sum;
}
