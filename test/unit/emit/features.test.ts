import { expect, test } from 'vitest';
import { featuresOf } from '../../../src/emit/features.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const workload = {
  id: 'w',
  problem: { m: 64, dtype: 'f16', sorted: true, pattern: { kind: 'random', density: 0.125 }, counts: [1, 2] },
};

test('numbers and texts of the problem, nested ones by their own name', () => {
  expect(featuresOf(toyFamily, workload)).toEqual({ m: 64, dtype: 'f16', kind: 'random', density: 0.125 });
});

test('a family may say it itself', () => {
  const family = { ...toyFamily, features: () => ({ rows: 64 }) };
  expect(featuresOf(family, workload)).toEqual({ rows: 64 });
});
