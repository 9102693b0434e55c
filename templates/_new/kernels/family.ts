import { defineFamily, defineOperation, defineParameters, type GateCase } from '../../../src/model/family.ts';

const { specs, constraint } = defineParameters({
  threads: { label: 't', doc: 'Threads of a block.', values: [64, 128, 256, 512] },
  vector: {
    label: 'v',
    doc: 'Floats per load and store. Both arrays must be aligned to a whole vector.',
    values: [1, 2, 4],
  },
  unroll: { label: 'u', doc: 'Vectors per thread, all loaded before the first is used.', values: [1, 2, 4] },
});

/** Sizes around a whole tile, one element, nothing; then NaN, other scalars, misaligned arrays and many launches. */
function cases(tile: number, vector: number): GateCase[] {
  const sizes = [0, 1, tile - 1, tile, tile + 1, 3 * tile + 17];
  return [
    ...sizes.map(
      (count): GateCase => ({
        id: `integers-${count}`,
        tier: 'exact',
        problem: { count, alpha: 3, values: 'integers', seed: 1 },
      }),
    ),
    { id: 'nan', tier: 'non-finite', problem: { count: tile + 5, alpha: 2, values: 'nan', seed: 2 } },
    ...[0, 1, -1.5].map(
      (alpha): GateCase => ({
        id: `alpha=${alpha}`,
        tier: 'edges',
        problem: { count: tile + 3, alpha, values: 'normal', seed: 3 },
      }),
    ),
    ...['x', 'y'].map(
      (array): GateCase => ({
        id: `misaligned-${array}`,
        tier: 'edges',
        problem: { count: tile, alpha: 2, [`${array}Offset`]: 1, values: 'normal', seed: 4 },
        ...(vector > 1 && { refuses: 'x and y must be aligned' }),
      }),
    ),
    {
      id: 'repeated',
      tier: 'repetition',
      launches: 5,
      problem: { count: 1000, alpha: 2, values: 'normal', seed: 5 },
    },
  ];
}

const operation = defineOperation({
  name: 'new_kernel',
  formula: 'y = alpha * x + y',
  doc: 'x and y are arrays of the same length, in fp32. Each element is rounded once or twice.',
  sizes: { count: { doc: 'elements of x and y' } },
  choices: { element: { kind: 'type', doc: 'element type of x and y', values: ['f32'] } },
  operands: {
    x: { doc: 'x', role: 'input', type: 'element', shape: ['count'] },
    y: { doc: 'y', role: 'inout', type: 'element', shape: ['count'] },
  },
  scalars: { alpha: { doc: 'factor of x' } },
});

export default defineFamily({
  name: 'new-kernel',
  summary: 'y[i] = alpha * x[i] + y[i] for i < count, in fp32',
  operation,
  serves: () => ({}),
  parameters: specs,
  constraints: [
    constraint(
      'tile',
      ['threads', 'vector', 'unroll'],
      'A block takes at most 4096 elements: larger tiles leave multiprocessors idle.',
      ({ threads, vector, unroll }) => threads * vector * unroll <= 4096,
    ),
  ],
  presets: {
    quick: {
      doc: 'A dozen variants: is everything in order?',
      where: { threads: [64, 256], unroll: [1, 4] },
      workloads: ['1M'],
    },
    default: { doc: 'Every variant.', workloads: ['1M', '64M'] },
    full: { doc: 'Every variant.', workloads: ['1M', '64M'] },
  },
  derive: ({ threads, vector, unroll }) => ({ tile: threads * vector * unroll }),
  workloads: [
    { id: '1M', problem: { count: 1 << 20, alpha: 2, values: 'normal', seed: 1 } },
    { id: '64M', problem: { count: 1 << 26, alpha: 2, values: 'normal', seed: 1 } },
  ],
  generality: ({ vector }) => (vector === 1 ? 1 : 0),
  cases: ({ threads, vector, unroll }) => cases(threads * vector * unroll, vector),
  priority: ({ threads, vector, unroll }) => vector * 100 + unroll * 10 + threads / 64,
});
