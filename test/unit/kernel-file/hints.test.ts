import { expect, it } from 'vitest';
import { hintsOf } from '../../../src/kernel-file/hints.ts';
import { readItems } from '../../../src/kernel-file/items.ts';
import { kernelsIn, signatureOf } from '../../../src/kernel-file/signature.ts';
import { findSite } from '../../../src/kernel-file/sites.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';

function hints(text: string, sizes: Readonly<Record<string, number>>) {
  const items = readItems(tokenise(`# 1 "a.cu"\n${text}`));
  const [item] = kernelsIn(items);
  if (!item) throw new Error('no kernel');
  const signature = signatureOf(item, items);
  return hintsOf(signature, findSite(items, signature), sizes, items);
}

it('what indexes an array of known length holds indices of it, and what host code clears holds zeros', () => {
  const text = `
constexpr int kBins = 64;
tw_marks_global void f(const int* data, const unsigned char* small, const int* plain, int* bins, int n) {
  tw_marks_shared int own[kBins];
  int b = data[threadIdx.x];
  own[b] += plain[b];
  int wide[1000];
  wide[small[n]] = 0;
}
void host(int* bins) {
  cudaMemset(bins, 0, 256);
  f<<<1, 32>>>(data, small, plain, bins, 5);
}`;
  expect(hints(text, { n: 5 })).toMatchObject({
    counts: { bins: 64 },
    values: { data: { integers: [0, 63] }, small: { integers: [0, 255] }, bins: 'zeros' },
  });
  expect(hints(text, { n: 5 }).values).not.toHaveProperty('plain');
});

it('a row is as long as what its number is multiplied by', () => {
  const text = `
tw_marks_global void f(float* out, const float* in, const float* by, int W, int H) {
  int i = threadIdx.y * H + threadIdx.x;
  float other = by[i];
  const float* row = in + blockIdx.y * W;
  out[threadIdx.x * H + blockIdx.y] = row[threadIdx.x];
}`;
  expect(hints(text, { W: 5, H: 4 }).rows).toEqual({ out: 'H', in: 'W', by: 'H' });
});
