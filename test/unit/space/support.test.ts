import { describe, expect, it } from 'vitest';
import { archNamed, defaultArch } from '../../../src/arch/index.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import { obstacle } from '../../../src/space/support.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const point = { path: 'mma', block: 32, tileN: 32, stages: 2, swizzle: false };
const sm80 = archNamed('sm_80');
const old = { ...defaultArch, name: 'sm_75', features: [] };

describe('an architecture', () => {
  it('runs what it has the instructions and the memory for', () => {
    const family = { ...toyFamily, needs: () => ['cp.async', 'wgmma'] } satisfies AnyFamily;
    expect(obstacle(family, point, defaultArch)).toBeUndefined();
    expect(obstacle(family, point, sm80)).toBe('needs wgmma, which sm_80 does not have');
    expect(obstacle(family, point, old)).toBe('needs cp.async, wgmma, which sm_75 does not have');
  });

  it('is asked for the threads and the shared memory of the budget', () => {
    const of = (threads: number, sharedBytes: number) =>
      obstacle({ ...toyFamily, budget: () => ({ threads, sharedBytes }) }, point, sm80);
    expect(of(1024, 163 * 1024)).toBeUndefined();
    expect(of(1024, 163 * 1024 + 1)).toBe(
      'needs 166913 bytes of shared memory, and a block of sm_80 has at most 166912',
    );
    expect(of(1056, 0)).toBe('needs 1056 threads, and a block of sm_80 has at most 1024');
  });

  it('may be refused by the family for a reason of its own', () => {
    expect(obstacle(toyFamily, point, old)).toBe('no mma.sync m16n8k16 before sm_80');
    expect(obstacle({ ...toyFamily, notSupported: () => 'too old' }, point, old)).toBe('too old');
  });
});
