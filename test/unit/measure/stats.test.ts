import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../../src/device/limits.ts';
import type { DeviceInfo } from '../../../src/device/protocol.ts';
import { finalists } from '../../../src/measure/race.ts';
import { mad, median } from '../../../src/measure/stats.ts';
import type { Measurement } from '../../../src/model/measurement.ts';

describe('median and mad', () => {
  it.each([
    [[3], 3, 0],
    [[4, 1, 2], 2, 1],
    [[1, 2, 3, 100], 2.5, 1],
  ])('of %j', (values, middle, deviation) => {
    expect(median(values)).toBe(middle);
    expect(mad(values)).toBe(deviation);
  });

  it('has no median of nothing', () => {
    expect(median([])).toBeNaN();
  });
});

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
});

describe('limitsOf', () => {
  const info: DeviceInfo = {
    device: 'cuda',
    ...{ name: '', driver: '', runtime: '', uuid: '', memoryBytes: 0, l2Bytes: 0 },
    ...{ smCount: 132, computeCapability: 90, maxSmClock: 1980, bandwidth: 4.9e12 },
  };

  it('follows from multiprocessors and clock', () => {
    expect(limitsOf(info).peakTflops).toBeCloseTo(1070.5, 0);
    expect(limitsOf(info).bandwidth).toBe(4.9e12);
  });

  it('is unknown for an unknown chip', () => {
    expect(limitsOf({ ...info, computeCapability: 77 }).peakTflops).toBe(0);
  });
});
