import { defineParameters, type Point as PointOf } from '../../../src/model/family.ts';

/** The search space of bsr-sddmm. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'How products are made: naive (one thread per element, the reference), mma (tensor cores by mma.sync, operands by cp.async).',
    values: ['naive', 'mma'],
  },
  block: { label: 'b', doc: 'Rows and columns of a block of A.', values: [16, 32, 64, 128], usual: {} },
  input: { label: '', doc: 'Element type of X and Y.', values: ['f16', 'bf16'] },
  output: { label: '', doc: 'Element type of A.', values: ['f16', 'bf16', 'f32'] },
  layoutX: { label: 'x', doc: 'Order of X (mma); naive takes both.', values: ['row', 'column'] },
  layoutY: { label: 'y', doc: 'Order of Y (mma); naive takes both.', values: ['row', 'column'] },
  group: {
    label: 'g',
    doc: 'Blocks of a block row that a thread block computes together: they share a tile of X (mma).',
    values: [1, 2, 4, 8, 16],
    usual: {},
  },
  tileK: { label: 'k', doc: 'Columns of X and Y of a stage (mma).', values: [32, 64], usual: { mma: 32 } },
  stages: {
    label: 's',
    doc: 'Stages of the pipeline in shared memory (mma).',
    values: [2, 3, 4, 5],
    usual: { mma: 3 },
  },
  warpsM: { label: 'wm', doc: 'Warps below each other (mma).', values: [1, 2, 4], usual: {} },
  warpsN: { label: 'wn', doc: 'Warps side by side (mma).', values: [1, 2, 4, 8], usual: {} },
  copyBytes: {
    label: 'c',
    doc: 'Bytes of a cp.async: what X, Y and their lines must be aligned to (mma).',
    values: [16, 4],
  },
});

const { activeWhen } = parameters;
const mma = ['layoutX', 'layoutY', 'group', 'tileK', 'stages', 'warpsM', 'warpsN', 'copyBytes'] as const;

export const activations = mma.map((name) => activeWhen(name, ['path'], ({ path }) => path === 'mma'));

export type Point = PointOf<typeof parameters.specs>;
