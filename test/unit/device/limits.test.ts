import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../../src/device/limits.ts';
import type { DeviceInfo } from '../../../src/device/protocol.ts';

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
