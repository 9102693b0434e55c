import { describe, expect, it } from 'vitest';
import { evenlySpaced, Rows } from '../../../src/space/sample.ts';

describe('evenlySpaced', () => {
  it('takes everything when there is not more', () => {
    expect(evenlySpaced(3, 5)).toEqual([0, 1, 2]);
    expect(evenlySpaced(0, 5)).toEqual([]);
    expect(evenlySpaced(3, Number.POSITIVE_INFINITY)).toEqual([0, 1, 2]);
  });

  it.each([
    [1000, 7],
    [12, 11],
    [1_000_000, 100],
  ])('takes one of each stretch: %i items, %i wanted', (total, wanted) => {
    const stretches = evenlySpaced(total, wanted).map((index) => Math.floor((index * wanted) / total));
    expect(evenlySpaced(total, wanted)).toHaveLength(wanted);
    expect(new Set(stretches).size).toBeGreaterThanOrEqual(wanted - 1);
  });

  it('takes every value of the innermost parameter', () => {
    // 16 out of 1024 with 4 innermost values: a fixed step of 64 would take one of them.
    const inner = new Set(evenlySpaced(1024, 16).map((index) => index % 4));
    expect(inner.size).toBe(4);
  });
});

describe('Rows', () => {
  it('keeps all rows up to its capacity', () => {
    const rows = new Rows(2, 5000);
    for (let i = 0; i < 5000; i++) rows.push([i, 7]);
    expect(rows.length).toBe(5000);
    expect([...rows.at(4321)]).toEqual([4321, 7]);
  });

  it('thins evenly, in order, beyond it', () => {
    const rows = new Rows(1, 1000);
    for (let i = 0; i < 60_000; i++) rows.push([i]);
    expect(rows.pushed).toBe(60_000);
    expect(rows.length).toBeGreaterThan(400);
    const kept = Array.from({ length: rows.length }, (_, index) => rows.at(index)[0] ?? 0);
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
    const parities = kept.filter((value) => value % 2 === 0).length / kept.length;
    expect(parities).toBeGreaterThan(0.4);
    expect(parities).toBeLessThan(0.6);
  });
});
