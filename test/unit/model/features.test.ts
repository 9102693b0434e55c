import { expect, test } from 'vitest';
import { featuresOf } from '../../../src/model/features.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const workload = { id: 'w', problem: { n: 64, input: 'f16', sorted: true, counts: [1, 2] } };

test('the sizes of the operation that the problem names', () => {
  expect(featuresOf(toyFamily, workload)).toEqual({ n: 64 });
});

test('a family may say it itself', () => {
  const family = { ...toyFamily, features: () => ({ n: 64, density: 0.5 }) };
  expect(featuresOf(family, workload)).toEqual({ n: 64, density: 0.5 });
});
