import { describe, expect, it } from 'vitest';
import { readItems } from '../../../src/kernel-file/items.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';
import { withoutHost } from '../../../src/kernel-file/without-host.ts';

const text = `#include <mpi.h>
static int rank;
__device__ float twice(float x) { return 2 * x; }
__global__ void other(float* x) {
#if 1
  *x = __any(1);
#endif
}
void host(MPI_Comm comm) {
  MPI_Barrier(comm);
} __global__ void kernel(float* x) { *x = twice(*x); }
`;

describe('withoutHost', () => {
  it('leaves out what a kernel does not need, line by line, and no directive', () => {
    const items = readItems(tokenise(`# 1 "a.cu"\n${text.replace('#include <mpi.h>', '')}`));
    const source = { path: 'a.cu', text, items };
    const lines = withoutHost(source, ['kernel']).split('\n');
    expect(lines).toHaveLength(text.split('\n').length);
    expect(lines.filter((line) => line !== '')).toEqual([
      '#include <mpi.h>',
      '__device__ float twice(float x) { return 2 * x; }',
      '#if 1',
      '#endif',
      '} __global__ void kernel(float* x) { *x = twice(*x); }',
    ]);
  });
});
