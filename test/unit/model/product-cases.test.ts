import { expect, test } from 'vitest';
import { defineOperation, type ProductVariant, productCases } from '../../../src/model/family.ts';

const operation = defineOperation({
  ...{ name: 'op', formula: 'C = A B', computes: 'product', doc: 'A product.' },
  sizes: { m: { doc: 'm' }, n: { doc: 'n' }, k: { doc: 'k' } },
  choices: { element: { kind: 'type', doc: 'type', values: ['f16', 'bf16'] } },
  operands: {
    a: { doc: 'A', role: 'input', type: 'element', shape: ['m', 'k'], leading: 'lda' },
    b: { doc: 'B', role: 'input', type: 'element', shape: ['k', 'n'], leading: 'ldb' },
    c: { doc: 'C', role: 'inout', type: 'element', shape: ['m', 'n'], leading: 'ldc' },
  },
  scalars: { alpha: { doc: 'alpha' }, beta: { doc: 'beta' } },
});

const plain: ProductVariant = {
  ...{ tile: { m: 8, n: 32, k: 32, stages: 1 }, cluster: [1, 1], group: 1 },
  loads: { elements: 1, refuses: 'A and B must be' },
  stores: { elements: 1, refuses: 'C must be' },
};

const casesOf = (variant: ProductVariant, element = 'f16') =>
  productCases(operation, { path: 'mma', element, tileM: 8 }, variant, 'full');

test('cases have what the point has of the choices of the operation, and no bias where it has none', () => {
  for (const { problem } of casesOf(plain)) {
    expect(problem).toMatchObject({ element: 'f16' });
    for (const name of ['path', 'tileM', 'bias', 'biasOffset']) expect(problem).not.toHaveProperty(name);
  }
});

test('a variant that takes every operand refuses none', () => {
  expect(casesOf(plain).filter(({ refuses }) => refuses !== undefined)).toEqual([]);
});

test('a variant of vectors has ragged cases that it takes, and odd ones that it refuses', () => {
  const loads = { elements: 8, refuses: 'A and B must be' };
  const cases = casesOf({ ...plain, loads, stores: { elements: 8, refuses: 'C must be' } });
  const odd = cases.filter(({ refuses }) => refuses !== undefined);
  expect(odd.map(({ id, refuses }) => [id, refuses])).toEqual([
    ['odd-lda', 'lda and ldb must be multiples'],
    ['odd-ldb', 'lda and ldb must be multiples'],
    ['odd-a', 'A and B must be'],
    ['odd-b', 'A and B must be'],
    ['odd-n', 'n and ldc must be multiples'],
    ['odd-ldc', 'ldc must be multiples'],
    ['odd-c', 'C must be'],
  ]);
  for (const { problem } of cases.filter((one) => !odd.includes(one))) {
    const [n, k, aExtra, bExtra, cExtra, cOffset] = ['n', 'k', 'aExtra', 'bExtra', 'cExtra', 'cOffset'].map(
      (name) => Number(problem[name] ?? 0),
    ) as [number, number, number, number, number, number];
    expect([n, k + aExtra, n + bExtra, n + cExtra, cOffset].map((size) => size % 8)).toEqual([0, 0, 0, 0, 0]);
  }
});

test('small magnitudes are for f16, large ones for wider exponents', () => {
  const ids = (element: string) => casesOf(plain, element).map(({ id }) => id);
  expect(ids('f16')).toContain('tiny');
  expect(ids('bf16')).toContain('huge');
});
