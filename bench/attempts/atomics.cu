// The ladder's first step: a thread block per stored block of A, which adds its products to C by atomics. f16 in, f32 out.
// $ npx validate bench/attempts/atomics.cu
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/* tilewright
sizes: { blocks: 5, blockRows: 3, innerRows: 4, columns: 80 }
arguments:
  c: { shape: [blockRows * 64, columns], role: inout }
  values: [blocks * 64, 64]
  block_row: { shape: [blocks], values: { integers: [0, blockRows - 1] } }
  block_column: { shape: [blocks], values: { integers: [0, innerRows - 1] } }
  b: [innerRows * 64, columns]
grid: ["ceil_div(columns, 64)", blocks]
block: 256
reference: atomics.cu:multiply_add
*/

constexpr int kBlock = 64;  // rows and columns of a block of A; columns of a tile

void multiply_add(double* c, const double* values, const int* block_row, const int* block_column,
                  const double* b, int blocks, int columns) {
  for (int i = 0; i < blocks; i++)
    for (int row = 0; row < kBlock; row++)
      for (int column = 0; column < columns; column++)
        for (int k = 0; k < kBlock; k++)
          c[(block_row[i] * kBlock + row) * columns + column] +=
              values[(i * kBlock + row) * kBlock + k] * b[(block_column[i] * kBlock + k) * columns + column];
}

// The order in which thread blocks add their sums is not fixed: results differ in their last bits from launch to launch.
__global__ void multiply_by_atomics(float* c, const __half* values, const int* block_row,
                                    const int* block_column, const __half* b, int columns) {
  const int column = blockIdx.x * kBlock + threadIdx.x % kBlock;
  if (column >= columns) return;
  const __half* a = values + blockIdx.y * kBlock * kBlock;
  const __half* from = b + block_column[blockIdx.y] * kBlock * columns + column;
  float* to = c + block_row[blockIdx.y] * kBlock * columns + column;
  for (int row = threadIdx.x / kBlock; row < kBlock; row += blockDim.x / kBlock) {
    float sum = 0;
    for (int k = 0; k < kBlock; k++)
      sum += __half2float(a[row * kBlock + k]) * __half2float(from[k * columns]);
    atomicAdd(to + row * columns, sum);
  }
}
