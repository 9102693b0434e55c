import { defaultArch } from '../../src/arch/index.ts';
import type { Arch } from '../../src/model/arch.ts';
import { type AnyFamily, defineFamily, defineParameters } from '../../src/model/family.ts';
import { toyOperation } from './toy-operation.ts';

const space = defineParameters({
  path: { label: '', doc: 'How the product is computed.', values: ['naive', 'simt', 'mma'] },
  block: { label: 'b', doc: 'Block size.', values: [32, 64, 128] },
  tileN: { label: 'tn', doc: 'Columns per CTA.', values: [32, 64, 128] },
  stages: { label: 'st', doc: 'Stages of the pipeline.', values: [1, 2, 3, 4] },
  swizzle: { label: 'sw', doc: 'Swizzled shared memory.', values: [false, true] },
});

/** A small family with two activations and three constraints; no files behind it. */
export const toyFamily: AnyFamily = defineFamily({
  name: 'toy-op',
  summary: 'C = A * B',
  operation: toyOperation,
  serves: () => ({}),
  parameters: space.specs,
  activations: [
    space.activeWhen('stages', ['path'], ({ path }) => path === 'mma'),
    space.activeWhen('swizzle', ['stages'], ({ stages }) => stages > 1),
  ],
  constraints: [
    space.constraint(
      'tile-fits',
      ['tileN', 'block'],
      'A tile is not wider than two blocks.',
      (p) => p.tileN <= 2 * p.block,
    ),
    space.constraint(
      'shared-memory',
      ['block', 'tileN', 'stages'],
      'All stages fit shared memory.',
      (p) => p.stages * p.block * p.tileN <= 32768,
    ),
    space.constraint(
      'swizzle-needs-64',
      ['swizzle', 'block'],
      'Swizzling needs 64 columns.',
      (p) => !p.swizzle || p.block >= 64,
    ),
  ],
  presets: {
    quick: { doc: 'A few.', where: { block: [64] }, sample: 5, workloads: ['small'] },
    full: { doc: 'All.', workloads: ['small'] },
    odd: {
      doc: 'Those whose stages are odd.',
      holds: ({ stages }) => stages % 2 === 1,
      workloads: ['small'],
    },
    deep: {
      doc: 'Three or four stages, where there are stages.',
      where: { stages: [3, 4] },
      workloads: ['small'],
    },
  },
  templates: ['kernel.cu.hbs'],
  template: () => 'kernel.cu.hbs',
  derive: ({ block, tileN }) => ({ area: block * tileN }),
  budget: () => ({ threads: 128, sharedBytes: 0 }),
  notSupported: ({ path }, arch) =>
    path === 'mma' && !arch.features.includes('mma.bf16') ? 'no mma.sync m16n8k16 before sm_80' : undefined,
  workloads: [{ id: 'small', problem: { n: 64 } }],
  cases: () => [{ id: 'one', tier: 'exact', problem: { n: 1 } }],
  priority: ({ tileN }) => tileN,
  deterministic: () => true,
});

/** An architecture before tensor cores took bf16, on which the toy family's path `mma` does not run. */
export const oldArch: Arch = { ...defaultArch, name: 'sm_70', capability: 70, features: [] };
