import { describe, expect, it } from 'vitest';
import { Race } from '../../../src/measure/race.ts';
import type { Measurement } from '../../../src/model/measurement.ts';

describe('finalists', () => {
  const time = (subject: string, seconds: number, more: Partial<Measurement> = {}): Measurement => ({
    ...{ subject, kind: 'variant', workload: 'w', l2: 'hot', samples: [seconds], median: seconds, mad: 0 },
    ...{ flops: 1, bytes: 1, tflops: 1 },
    ...more,
  });
  const names = (heats: Measurement[][], count: number) => {
    const race = new Race();
    for (const heat of heats) race.add(heat);
    return [...race.finalists({ finalists: count, keep: 1.2 })];
  };

  it('are the fastest, within reach of the best', () => {
    const heat = [time('c', 1.15), time('a', 1), time('d', 1.3), time('b', 1.1)];
    expect(names([heat], 9)).toEqual(['a', 'b', 'c']);
    expect(names([heat.slice(0, 2), heat.slice(1)], 2)).toEqual(['a', 'b']);
  });

  it('are no baselines and nothing implausible', () => {
    const heat = [
      time('vendor', 0.5, { kind: 'baseline' }),
      time('magic', 0.1, { rejected: 'too fast' }),
      time('a', 1),
    ];
    expect(names([heat], 9)).toEqual(['a']);
  });

  it('are those that are fast beside the best so far, whatever the clock of their heat', () => {
    const slow = [time('a', 2), time('c', 1.8), time('d', 2.3)]; // at half of the clock: c is better than a
    const slower = [time('c', 2.7), time('e', 3.3), time('f', 2.4)]; // at a third: f is the best
    const heats = [[time('a', 1), time('b', 1.15)], slow, slower];
    expect(names(heats, 9)).toEqual(['f', 'c']);
  });

  it('are compared as they are where the best so far failed later', () => {
    expect(names([[time('a', 1)], [time('b', 1.1)]], 9)).toEqual(['a', 'b']);
  });
});
