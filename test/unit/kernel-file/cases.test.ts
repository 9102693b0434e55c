import { expect, it } from 'vitest';
import { casesFor } from '../../../src/kernel-file/cases.ts';
import type { Description } from '../../../src/kernel-file/description.ts';
import { readItems } from '../../../src/kernel-file/items.ts';
import { makePlan } from '../../../src/kernel-file/plan.ts';
import { kernelsIn, signatureOf } from '../../../src/kernel-file/signature.ts';
import { findSite } from '../../../src/kernel-file/sites.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';

function planned(text: string, description: Description) {
  const items = readItems(tokenise(`# 1 "a.cu"\n${text}`));
  const [item] = kernelsIn(items);
  if (!item) throw new Error('no kernel');
  const signature = signatureOf(item, items);
  return makePlan(signature, [], findSite(items, signature), description, items);
}

const rows = `
tw_marks_global void f(float* out, const float* in, int N, int C) {
  out[blockIdx.x * C + threadIdx.x] = in[blockIdx.x * C + threadIdx.x];
}`;
const description = { sizes: { N: 6, C: 256 }, grid: ['ceil_div(N, 4)'], block: [32] };
const casesOf = (more: Partial<Description>) =>
  casesFor(planned(rows, { ...description, ...more }), '', { kind: 'itself' }).map(({ id }) => id);

it('sizes are tried ragged together', () => {
  expect(casesOf({})).toEqual(['N=6,C=256', 'N=7,C=257', 'N=5,C=255', 'N=1,C=1', 'N=6,C=31', 'N=6,C=33']);
});

it('a size that has to be a multiple does not hold the others to its steps', () => {
  expect(casesOf({ where: 'C % 128 == 0' })).toEqual(['N=6,C=256', 'N=7,C=256']);
  expect(casesOf({ where: 'C % 8 == 0' })).toContain('N=7,C=256');
});

it('sizes that follow from others follow them into the ragged cases', () => {
  const sizes = { C: '4 * (H + 1)', H: 7, N: 6 };
  expect(casesOf({ sizes })).toEqual([
    'C=32,H=7,N=6',
    'C=36,H=8,N=7',
    'C=28,H=6,N=5',
    'C=8,H=1,N=1',
    'C=32,H=7,N=31',
    'C=32,H=7,N=33',
  ]);
  expect(casesOf({ sizes: { N: 6, C: 'N - 5' } })).not.toContain('N=5,C=0');
  expect(
    casesOf({
      sizes: [
        { N: 6, C: 'D / 2', D: 'N * 4' },
        { N: 2, C: 3, D: 1 },
      ],
      ragged: false,
    }),
  ).toEqual(['N=6,C=12,D=24', 'N=2,C=3,D=1']);
});

it('of launches of many threads a smaller case has the other inputs', () => {
  const repeats = (sizes: Record<string, number>) =>
    casesFor(planned(rows, { ...description, sizes, block: [1024], grid: ['N'] }), '', {
      kind: 'itself',
    }).map(({ launches, slow = false, alternate }) => [launches, slow, alternate !== undefined]);
  const quick = [1, false, false];
  expect(repeats({ N: 4, C: 8 })).toEqual([[2, false, true], ...Array(5).fill(quick)]);
  expect(repeats({ N: 40, C: 8 })).toEqual([
    [2, true, false],
    ...Array(2).fill([1, true, false]),
    [2, false, true],
    ...Array(2).fill([1, true, false]),
  ]);
});

it('a tolerance in units in the last place grows with the depth of sums', () => {
  const given = (tolerance: Description['tolerance'], type: 'f32' | 'f16' | 'i32' = 'f32') => {
    const plan = planned(rows, {
      ...description,
      tolerance,
      arguments: { out: { shape: ['N', 'C'], type } },
    });
    const [{ problem } = { problem: {} }] = casesFor(plan, '', { kind: 'itself' });
    return (problem as { arguments: readonly object[] }).arguments[0];
  };
  expect(given({ ulps: 2 })).toMatchObject({ relative: 2 ** -22, absolute: 2 ** -148 });
  expect(given({ ulps: 1, depth: 'C / 2', absolute: 0.5 }, 'f16')).toMatchObject({
    relative: 2 ** -3,
    absolute: 0.5 + 2 ** -17,
  });
  expect(given({ ulps: 3 }, 'i32')).toMatchObject({ relative: 0, absolute: 3 });
  expect(() => given({ ulps: 1, depth: 'K' })).toThrow("'K'");
});

it('a case that would end without a verdict is refused', () => {
  const given = { ragged: false, arguments: { out: ['N', 'C'], in: ['N', 'C'] } };
  const launched = { ...given, block: [256], grid: ['ceil_div(N * C, 256)'] };
  expect(() => casesOf({ ...launched, sizes: { N: 4096, C: 4096 } })).not.toThrow();
  expect(() => casesOf({ ...launched, sizes: { N: 4096, C: 4100 } })).toThrow(
    'a launch of f would have 16793600 threads with N=4096,C=4100; the emulated device takes at most 16777216: say smaller sizes',
  );
  expect(() => casesOf({ ...given, sizes: { N: 40000, C: 40000 } })).toThrow(
    "the arrays of f would have 3200000000 elements with N=40000,C=40000, 'out' 1600000000 of them; a case has at most 268435456",
  );
});

it('a size that is none is told with its expression', () => {
  const refusal = (sizes: Description['sizes']) => {
    try {
      return casesOf({ sizes });
    } catch (error) {
      return String(error);
    }
  };
  expect(refusal({ N: 6, C: '4 * H' })).toContain(
    "size 'C': '4 * H': there is no size 'H'; the other sizes are: N",
  );
  expect(refusal({ N: 'C', C: 'N + 1' })).toContain(
    "size 'N': 'C' depends on 'N' itself; give one of the sizes a number",
  );
  expect(refusal({ N: 6, C: 'N * 1.25' })).toContain(
    "size 'C': 'N * 1.25' is 7.5 with N=6; a size is a positive whole number",
  );
  expect(refusal({ N: 6, C: 'N +' })).toContain("size 'C': 'N +':");
});

it('what host code clears and the kernel only reads has been filled since, unless it is whole numbers', () => {
  const text = `
tw_marks_global void f(float* out, const float* sums, const int* flags, int n) {
  if (flags[0] == 0) out[threadIdx.x] += sums[threadIdx.x];
}
void host(float* out, float* sums, int* flags, int n) {
  cudaMemset(out, 0, n * sizeof(float));
  cudaMemset(sums, 0, n * sizeof(float));
  cudaMemset(flags, 0, sizeof(int));
  f<<<1, 32>>>(out, sums, flags, n);
}`;
  const { arguments: given } = planned(text, {});
  const values = given.map((one) => ('values' in one ? one.values : undefined));
  expect(values.slice(0, 3)).toEqual(['zeros', 'normal', 'zeros']);
});
