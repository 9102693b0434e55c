import { describe, expect, test } from 'vitest';
import { costOf } from '../../../src/model/costs.ts';
import { fitCosts, type TimedParts } from '../../../src/select/fit.ts';

/** Times of two variants of one group: what `weights` give, times `factor` for the second. */
function timesOf(weights: readonly number[], count: number, factor = 1): TimedParts[] {
  return Array.from({ length: count }, (_, index) => {
    const variant = index % 2 === 0 ? 'a' : 'b';
    const parts = [1, 1 + (index % 7), 1 + ((3 * index) % 11)];
    const seconds = costOf(weights, parts) * (variant === 'b' ? factor : 1);
    return { variant, groups: ['all', 'own'], parts, seconds };
  });
}

const near = (weights: readonly number[] | undefined, wanted: readonly number[], by: number) => {
  for (const [index, weight] of wanted.entries())
    expect(Math.abs((weights?.[index] ?? 9) - weight)).toBeLessThan(by);
};

describe('weights of a cost model', () => {
  test('many times decide', () => {
    near(fitCosts(timesOf([0.5, 2, 0.1], 2000)).weights.own, [0.5, 2, 0.1], 0.02);
  });

  test('none is negative', () => {
    const times = timesOf([1, 1, 0], 500).map((one) => ({ ...one, parts: [...one.parts, -one.seconds / 3] }));
    for (const weight of fitCosts(times).weights.own ?? []) expect(weight).toBeGreaterThanOrEqual(0);
  });

  test('no time at all leaves nominal rates, and few leave the group before', () => {
    expect(fitCosts([]).weights).toEqual({});
    const many = timesOf([0.5, 2, 0.1], 1000).map((one) => ({ ...one, groups: ['all', 'many'] }));
    const [few] = timesOf([4, 4, 4], 1).map((one) => ({ ...one, groups: ['all', 'few'] }));
    if (!few) throw new Error('unreachable');
    // 2.6 s by the group before, 12 s timed.
    expect(costOf(fitCosts([...many, few]).weights.few ?? [], few.parts)).toBeLessThan(5);
    expect(costOf([], [1, 2])).toBe(3);
  });

  test('a variant that takes longer than its group has a factor', () => {
    const { factors } = fitCosts(timesOf([0.5, 2, 0.1], 1000, 1.5));
    expect((factors.b ?? 0) / (factors.a ?? 1)).toBeCloseTo(1.5, 1);
  });

  test('a time that is far off moves little', () => {
    const times = timesOf([0.5, 2, 0.1], 500);
    const off = times.map((one, index) => (index % 50 === 0 ? { ...one, seconds: 20 * one.seconds } : one));
    const { weights } = fitCosts(off);
    const [first] = times;
    expect(costOf(weights.own ?? [], first?.parts ?? []) / (first?.seconds ?? 1)).toBeCloseTo(1, 1);
  });
});
