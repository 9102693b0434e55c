// Time of `validate` on 64 blocks of 1,024 threads, each with 100 reads of shared memory: `time npx validate bench/detector/reads.cu`.

/* tilewright { sizes: { n: 65536 }, arguments: { in: [n], out: [n] }, grid: 'ceil_div(n, 1024)', block: 1024 } */
__global__ void reads(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int thread = threadIdx.x, i = blockIdx.x * 1024 + thread;
  tile[thread] = i < n ? in[i] : 0;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 100; ++k) sum += tile[(thread + k) % 1024];
  if (i < n) out[i] = sum;
}
