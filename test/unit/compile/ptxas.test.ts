import { describe, expect, test } from 'vitest';
import { sm90a } from '../../../src/arch/sm90a.ts';
import { budgetVerdict, parsePtxas, repaired } from '../../../src/compile/ptxas.ts';
import type { Resources } from '../../../src/model/artifact.ts';
import type { Budget } from '../../../src/model/family.ts';
import { sourceOf } from '../../helpers/source.ts';

/** As printed by ptxas 13.0.88. */
const printed = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'foo' for 'sm_90a'
ptxas info    : Function properties for foo
    1616 bytes stack frame, 1940 bytes spill stores, 2220 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1616 bytes cumulative stack size, 400 bytes smem
ptxas info    : Compile time = 95.346 ms
ptxas info    : Compiling entry function 'foo_reduce' for 'sm_90a'
ptxas info    : Function properties for foo_reduce
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 3 barriers
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'foo'
ptxas warning : Stack size for entry function 'foo' cannot be statically determined
`;

test('takes the largest figure of any kernel, and the advisories', () => {
  expect(parsePtxas(printed)).toEqual({
    registers: 255,
    spillStoreBytes: 1940,
    spillLoadBytes: 2220,
    stackBytes: 1616,
    staticSharedBytes: 400,
    barriers: 3,
    warnings: [
      "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'foo'",
      "Stack size for entry function 'foo' cannot be statically determined",
    ],
  });
});

test('serialised wgmma is unacceptable, other advisories are not', () => {
  const clean = parsePtxas('');
  expect(repaired(parsePtxas(printed))).toMatch(/^ptxas changed the kernel's synchronisation: \(C7510\)/);
  expect(repaired({ ...clean, warnings: ['(C7508) something else'] })).toBeUndefined();
  expect(repaired({ ...clean, warnings: ['(C7520) x'] })).toBeDefined();
  // nvcc 13.0 on a loop that loads the next fragment of A before wgmma.wait_group.
  const early =
    "(C7513) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage in the function 'rs'";
  expect(repaired({ ...clean, warnings: [early] })).toContain('C7513');
});

describe('budgetVerdict', () => {
  const judge = (resources: Partial<Resources>, budget: Partial<Budget> = {}) => {
    const source = sourceOf('', budget);
    const all = { ...parsePtxas(''), registers: 32, ...resources };
    const artifact = {
      source,
      device: 'cuda',
      arch: 'sm_90a',
      path: '',
      key: '',
      cached: false,
      seconds: 0,
      resources: all,
    } as const;
    return budgetVerdict(artifact, sm90a);
  };

  test.each<[string, Partial<Resources>, Partial<Budget>, RegExp]>([
    ['spills', { spillStoreBytes: 8, spillLoadBytes: 8 }, {}, /^16 bytes of registers spilled .* allow 0$/],
    ['a stack frame', { stackBytes: 256 }, {}, /^256 bytes of local memory per thread; .* allow 0$/],
    ['registers', { registers: 65 }, { maxRegisters: 64 }, /^65 registers per thread; .* allow 64$/],
    [
      'registers of a block',
      { registers: 96 },
      { threads: 1024 },
      /^98304 registers in a block of 1024 threads; .* 65536$/,
    ],
    [
      'shared memory',
      { staticSharedBytes: 16 },
      { sharedBytes: 227 * 1024 },
      /^232464 bytes of shared memory/,
    ],
    ['threads', {}, { threads: 1056 }, /^1056 threads in a block; .* allow 1024$/],
  ])('%s beyond the limit give `resources`', (_, resources, budget, message) => {
    const verdict = judge(resources, budget);
    expect(verdict).toMatchObject({ variant: 'scale.hand', device: 'none', verdict: 'resources' });
    expect(verdict?.evidence.message).toMatch(message);
  });

  test('limits themselves are allowed', () => {
    expect(
      judge({ registers: 64 }, { threads: 1024, sharedBytes: 227 * 1024, maxRegisters: 64 }),
    ).toBeUndefined();
    expect(judge({ spillLoadBytes: 8 }, { maxSpillBytes: 8 })).toBeUndefined();
  });
});
