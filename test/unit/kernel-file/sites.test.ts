import { expect, it } from 'vitest';
import { readItems } from '../../../src/kernel-file/items.ts';
import { signatureOf } from '../../../src/kernel-file/signature.ts';
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

it('bytes of host code follow from the types of its pointers, and what it clears begins with zeros', () => {
  const host = `# 1 "a.cu"
void k(int n, const float* x, double* y, int* z);
void run(int n, const float* x) {
  double *other, *d; int* z;
  cudaMalloc(&d, (n * sizeof *d));
  cudaMalloc(&z, sizeof(*z) * 8);
  cudaMemcpy(x, h, n * sizeof(x[0]), k);
  cudaMemset(z, 0, 32);
  cudaMemset(d, 255, 32);
  k<<<1, n>>>(n, x, d, z);
}`;
  const items = readItems(tokenise(host));
  const item = items.find(({ names }) => names.includes('k'));
  const parameters = ['n', 'x', 'y', 'z'].map((name) => ({ name }));
  const site = findSite(items, { item, parameters } as unknown as Parameters<typeof findSite>[1]);
  expect(site?.bytes).toEqual({ x: 'n * 4', y: 'n * 8', z: '4 * 8' });
  expect(site?.zeroed).toEqual(['z']);
});

it('a grid may be counted by the components of the block', () => {
  const host = `# 1 "a.cu"
void k(float* x, int w, int h);
void run(float* x, int w, int h) {
  dim3 threads(16, 8);
  dim3 blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y, threads.z);
  k<<<blocks, threads>>>(x, w, h);
}`;
  const items = readItems(tokenise(host));
  const item = items.find(({ names }) => names.includes('k'));
  const parameters = ['x', 'w', 'h'].map((name) => ({ name }));
  const site = findSite(items, { item, parameters } as unknown as Parameters<typeof findSite>[1]);
  expect(site?.grid).toEqual(['(w + 16 - 1) / 16', '(h + 8 - 1) / 8', '1']);
});

const siteOf = (host: string, names: readonly string[]) => {
  const items = readItems(tokenise(`# 1 "a.cu"\n${host}`));
  const item = items.find(({ names: own }) => own.includes('k'));
  const parameters = names.map((name) => ({ name }));
  return findSite(items, { item, parameters } as unknown as Parameters<typeof findSite>[1]);
};

it('a declaration may have several dim3, and host code divides floats', () => {
  const host = `void k(float* x, int n);
void run(float* x, int n) {
  dim3 grid(ceil((float)n / 32), floorf(1000 / 16.f) + 1), block(32, 2);
  k<<<grid, block>>>(x, n);
}`;
  const site = siteOf(host, ['x', 'n']);
  expect(site?.grid).toEqual(['ceil_div(n, 32)', '(1000 / 16) + 1']);
  expect(site?.block).toEqual(['32', '2']);
});

it('the last default of a template ends before its bracket', () => {
  const host = `void k(float* x, int n);
template <int A = 2, int B = 64> void run(float* x, int n) { k<<<n / B, A>>>(x, n); }`;
  expect(siteOf(host, ['x', 'n'])).toMatchObject({ grid: ['n / 64'], block: ['2'] });
});

it('a variable of host code that is multiplied later has no value that is known', () => {
  const host = `void k(float* x, int n);
void run(float* x) { int n = 1; for (int i = 0; i < 3; i++) n *= size(i); k<<<4, 64>>>(x, n); }`;
  expect(siteOf(host, ['x', 'n'])?.values).toEqual({});
});

it('types of arguments are those that the launch, or a declaration before it, spells and the source declares', () => {
  const items = readItems(
    tokenise(`# 1 "a.cu"
struct Relu {}; namespace ns { template <class T> struct Scale { T by; }; }
template <class F, class G, class H, class I> void k(F f, G g, H h, I i, int n);
void run(int n, float (*made)(int)) { Relu own; k<<<1, n>>>(own, ns::Scale<float>{2}, Host{}, made(n), (n)); }`),
  );
  const item = items.find(({ names }) => names.includes('k'));
  if (!item) throw new Error('no kernel');
  const site = findSite(items, signatureOf(item, items));
  expect(site?.types).toEqual({ f: 'Relu', g: 'ns::Scale<float>' });
});
