import { describe, expect, it } from 'vitest';
import { finalists } from '../../../src/measure/race.ts';
import type { Measurement } from '../../../src/model/measurement.ts';

describe('finalists', () => {
  const heat = (subject: string, seconds: number, more: Partial<Measurement> = {}): Measurement => ({
    ...{ subject, kind: 'variant', workload: 'w', l2: 'hot', samples: [seconds], median: seconds, mad: 0 },
    ...{ flops: 1, bytes: 1, tflops: 1 },
    ...more,
  });
  const names = (heats: Measurement[], count: number) => [
    ...finalists(heats, { finalists: count, keep: 1.2 }),
  ];

  it('are the fastest, within reach of the best', () => {
    expect(names([heat('c', 1.15), heat('a', 1), heat('d', 1.3), heat('b', 1.1)], 9)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(names([heat('c', 1.15), heat('a', 1), heat('b', 1.1)], 2)).toEqual(['a', 'b']);
  });

  it('are no baselines and nothing implausible', () => {
    const heats = [
      heat('vendor', 0.5, { kind: 'baseline' }),
      heat('magic', 0.1, { rejected: 'too fast' }),
      heat('a', 1),
    ];
    expect(names(heats, 9)).toEqual(['a']);
  });

  it('are in turns the fastest by time and by cycles, since a heat may have had a higher clock', () => {
    const heats = [
      heat('lucky', 410, { meanSmClock: 1765 }), // 724k
      heat('lucky too', 415, { meanSmClock: 1750 }), // 726k
      heat('cool', 420, { meanSmClock: 1700 }), // 714k
      heat('good', 438, { meanSmClock: 1540 }), // 675k
      heat('good too', 440, { meanSmClock: 1540 }), // 678k
    ];
    expect(names(heats, 2)).toEqual(['lucky', 'good']);
    expect(names(heats, 4)).toEqual(['lucky', 'good', 'lucky too', 'good too']);
    expect(names(heats, 9)).toHaveLength(5);
  });
});
