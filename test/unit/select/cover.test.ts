import { describe, expect, test } from 'vitest';
import { cover } from '../../../src/select/cover.ts';

const servers = (costs: Record<string, number>) => new Map(Object.entries(costs));

describe('cover', () => {
  test('nothing to serve needs nobody', () => {
    expect(cover([])).toEqual([]);
    expect(cover([servers({})])).toEqual([]);
  });

  test('one that serves all beats the best of each', () => {
    expect(cover([servers({ a: 1, all: 1.02 }), servers({ b: 1, all: 1.03 })])).toEqual(['all']);
  });

  test('finds the two that greed misses', () => {
    // Greedy takes `wide` (4 of 6) and then needs two more; `left` and `right` serve all six.
    const entries = [
      servers({ left: 1 }),
      servers({ left: 1, wide: 1 }),
      servers({ left: 1, wide: 1 }),
      servers({ right: 1, wide: 1 }),
      servers({ right: 1, wide: 1 }),
      servers({ right: 1 }),
    ];
    expect(cover(entries)).toEqual(['left', 'right']);
  });

  test('finds those of many independent groups, which one search over all of them would not', () => {
    const entries = Array.from({ length: 12 }, (_, i) => [
      servers({ [`first${i}`]: 1, [`left${i}`]: 1 }),
      servers({ [`left${i}`]: 1, [`wide${i}`]: 1 }),
      servers({ [`left${i}`]: 1, [`wide${i}`]: 1 }),
      servers({ [`right${i}`]: 1, [`wide${i}`]: 1 }),
      servers({ [`right${i}`]: 1, [`wide${i}`]: 1 }),
      servers({ [`right${i}`]: 1, [`last${i}`]: 1 }),
    ]).flat();
    expect(cover(entries)).toHaveLength(24);
    expect(cover(entries).every((name) => /left|right/.test(name))).toBe(true);
  });

  test('among equally few, the cheapest; among equally cheap, the first by name', () => {
    expect(cover([servers({ a: 1.02, b: 1.01 })])).toEqual(['b']);
    expect(cover([servers({ b: 1, a: 1 })])).toEqual(['a']);
  });

  test('the order of workloads and of servers does not matter', () => {
    const entries = [servers({ a: 1, b: 1.01 }), servers({ c: 1, b: 1.01 }), servers({ c: 1.02, a: 1 })];
    const reversed = entries.toReversed().map((entry) => new Map([...entry].toReversed()));
    expect(cover(reversed)).toEqual(cover(entries));
  });

  test('a search that grows too large ends with a cover all the same', () => {
    const random = generator(7);
    const entries = Array.from({ length: 60 }, () => {
      const names = Array.from({ length: 40 }, () => `v${Math.floor(random() * 400)}`);
      return servers(Object.fromEntries(names.map((name) => [name, 1 + random() * 0.03])));
    });
    const chosen = cover(entries);
    expect(entries.every((entry) => chosen.some((name) => entry.has(name)))).toBe(true);
    expect(chosen.length).toBeLessThan(30);
  });
});

/** xorshift32, in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
