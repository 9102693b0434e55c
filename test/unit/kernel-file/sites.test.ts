import { expect, it } from 'vitest';
import { readItems } from '../../../src/kernel-file/items.ts';
import { findSite } from '../../../src/kernel-file/sites.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';

const text = `# 1 "a.cu"
constexpr int kAll = 4;
template <int BM, int ALL, class T> void k(int M, int N, T* A);
void run(int M, int N, float* A) {
  const unsigned BM = 64, TM = 8;
  dim3 (::simt::ids->grid_dim)((M + BM - 1) / BM, N);
  dim3 (::simt::ids->block_dim)(BM * 2);
  k<BM, kAll, float><<<(::simt::ids->grid_dim), (::simt::ids->block_dim)>>>(M, N, A);
}`;

it("host code may name variables gridDim and blockDim; a launch's template arguments are values of its constants", () => {
  const items = readItems(tokenise(text));
  const item = items.find(({ names }) => names.includes('k'));
  if (!item) throw new Error('no kernel');
  const parameters = ['M', 'N', 'A'].map((name) => ({ name }));
  const site = findSite(items, { item, parameters } as unknown as Parameters<typeof findSite>[1]);
  expect(site).toMatchObject({
    template: ['64', 'kAll', 'float'],
    grid: ['(M + 64 - 1) / 64', 'N'],
    block: ['64 * 2'],
  });
});
