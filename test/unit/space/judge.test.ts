import { describe, expect, it } from 'vitest';
import { judgeOf } from '../../../src/space/judge.ts';
import type { Level, Values } from '../../../src/space/plan.ts';

/** Four parameters of 64 values: more combinations than a table has answers. */
const names = ['a', 'b', 'c', 'd'];
const levels = names.map((name): Level => {
  const values = Array.from({ length: 64 }, (_, index) => 3 * index);
  return { name, values, tokens: values.map(String), usual: () => undefined, active: () => true };
});

/** Asks at a few thousand points, and gives those at which the judge is not of the rule's opinion. */
function disagreements(holds: (values: Readonly<Values>) => boolean, on = names): number[][] {
  const judge = judgeOf({ name: 'rule', on, holds }, levels);
  const points = Array.from({ length: 5000 }, (_, index) => names.map((_, i) => (index * (7 + 4 * i)) % 64));
  return points.filter((indices) => {
    const values = Object.fromEntries(names.map((name, i) => [name, 3 * (indices[i] ?? 0)]));
    return judge(values, indices) !== holds(values);
  });
}

describe('a rule of many combinations', () => {
  it('is answered by the values that it reads, whatever it reads next', () => {
    const holds = ({ a, ...rest }: Readonly<Values>) =>
      Number(a) % 2 === 0 ? Number(rest.b) > 60 : Number(rest.d) + Number(a) > 120;
    expect(disagreements(holds)).toEqual([]);
    const reading = (values: Readonly<Values>) =>
      Number(values.a) % 2 === 0 ? Number(values.c) > 60 : Number(values.b) + Number(values.d) > 150;
    expect(disagreements(reading)).toEqual([]);
  });

  it('is asked once for all points that agree in what it reads', () => {
    let asked = 0;
    const judge = judgeOf(
      { name: 'rule', on: names, holds: ({ a, c }) => asked++ >= 0 && Number(a) > Number(c) },
      levels,
    );
    for (let b = 0; b < 64; b++) {
      expect(judge({ a: 6, b: 3 * b, c: 3, d: 9 }, [2, b, 1, 3])).toBe(true);
      expect(judge({ a: 0, b: 3 * b, c: 3, d: 9 }, [0, b, 1, 3])).toBe(false);
    }
    expect(asked).toBe(2);
  });

  it('is right where it reads something else each time', () => {
    let turn = 0;
    const first = (values: Readonly<Values>) =>
      turn++ % 2 === 0
        ? Number(values.a) > 0 && Number(values.b) > 0
        : Number(values.b) > 0 && Number(values.a) > 0;
    expect(disagreements(first)).toEqual([]);
  });

  it('may read only what it says', () => {
    const wide = levels.map((level) => ({ ...level, values: [...level.values, ...level.values] }));
    const judge = judgeOf({ name: 'rule', on: ['a', 'b', 'c'], holds: ({ d }) => d === 1 }, wide);
    expect(() => judge({ a: 0, b: 0, c: 0, d: 1 }, [0, 0, 0, 0])).toThrow(/rule reads 'd'/);
  });
});
