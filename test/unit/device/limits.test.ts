import { describe, expect, it } from 'vitest';
import { limitsOf, peaksOf } from '../../../src/device/limits.ts';
import type { DeviceInfo } from '../../../src/device/protocol.ts';

describe('limitsOf', () => {
  const info: DeviceInfo = {
    device: 'cuda',
    ...{ name: '', driver: '', runtime: '', uuid: '', memoryBytes: 0, l2Bytes: 0 },
    ...{ smCount: 132, computeCapability: 90, maxSmClock: 1980, bandwidth: 4.9e12 },
  };

  it('follows from multiprocessors and clock', () => {
    expect(limitsOf(info, 'f16')).toEqual({ peakTflops: expect.closeTo(1070.5, 0), bandwidth: 4.9e12 });
  });

  it('are those of TF32 and of CUDA cores where these multiply', () => {
    expect(peaksOf(info).tf32).toBeCloseTo(535.3, 0);
    expect(limitsOf(info, 'f32').peakTflops).toBeCloseTo(66.9, 0);
  });

  it('is unknown for an unknown chip', () => {
    expect(limitsOf({ ...info, computeCapability: 77 }, 'f16').peakTflops).toBe(0);
  });
});
