// Seconds to enumerate a space of a million points. Run: node --import jiti/register bench/enumerate.ts
import { defaultArch } from '../src/arch/index.ts';
import { defineFamily, defineParameters } from '../src/model/family.ts';
import { enumerate } from '../src/space/enumerate.ts';
import { toyOperation } from '../test/helpers/toy-operation.ts';

const powers = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;
const space = defineParameters({
  path: { label: '', doc: 'Activates the stages.', values: ['simt', 'mma'] },
  tileM: { label: 'tm', doc: 'Rows.', values: powers },
  tileN: { label: 'tn', doc: 'Columns.', values: powers },
  tileK: { label: 'tk', doc: 'Depth.', values: powers },
  warps: { label: 'w', doc: 'Warps.', values: [1, 2, 4, 8, 16] },
  vector: { label: 'v', doc: 'Elements per load.', values: [1, 2, 4, 8, 16] },
  unroll: { label: 'u', doc: 'Unrolling.', values: [1, 2, 4, 8, 16] },
  stages: { label: 'st', doc: 'Stages.', values: [1, 2, 3, 4, 5, 6, 7] },
});

const make = (strict: boolean) =>
  defineFamily({
    name: strict ? 'constrained' : 'free',
    summary: 'a space without kernels',
    operation: toyOperation,
    serves: () => ({}),
    parameters: space.specs,
    activations: [space.activeWhen('stages', ['path'], ({ path }) => path === 'mma')],
    constraints: strict
      ? [
          space.constraint(
            'shared-memory',
            ['tileM', 'tileN', 'tileK', 'stages'],
            '',
            (p) => 2 * p.stages * p.tileK * (p.tileM + p.tileN) <= 100_000,
          ),
          space.constraint('registers', ['tileM', 'tileN', 'warps'], '', (p) => {
            const each = (p.tileM * p.tileN) / (32 * p.warps);
            return each >= 4 && each <= 128;
          }),
          space.constraint('vector', ['tileN', 'vector'], '', (p) => p.tileN % p.vector === 0),
          space.constraint('unroll', ['tileK', 'unroll'], '', (p) => p.tileK % p.unroll === 0),
        ]
      : [],
    presets: {},
    templates: ['kernel.cu.hbs'],
    template: () => 'kernel.cu.hbs',
    derive: () => ({}),
    budget: () => ({ threads: 1, sharedBytes: 0 }),
    notSupported: () => undefined,
    workloads: [],
    cases: () => [],
    priority: () => 0,
    deterministic: () => true,
  });

for (const [label, strict, limit] of [
  ['constrained, 1000 points made variants', true, 1000],
  ['constrained, every legal point made a variant', true, undefined],
  ['no constraint, 1000 points made variants', false, 1000],
] as const) {
  const family = make(strict);
  const start = performance.now();
  const { points, legal, variants, rejected } = enumerate(family, {
    arch: defaultArch,
    ...(limit !== undefined && { limit }),
  });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${label}: ${points} points, ${legal} legal, ${variants.length} variants, ${seconds.toFixed(3)} s`,
  );
  console.log(`  rejected ${JSON.stringify(rejected)}`);
}
