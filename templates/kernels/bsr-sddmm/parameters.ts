import { defineParameters, madeFor, type Point as PointOf } from '../../../src/model/family.ts';
import { operation } from './operation.ts';

/** The search space of bsr-sddmm. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'Method of the products: naive (one thread per element, the reference), mma (tensor cores by mma.sync, operands by cp.async), wgmma (Hopper: TMA and wgmma, warp specialised).',
    values: ['naive', 'mma', 'wgmma'],
  },
  block: { label: 'b', doc: 'Rows and columns of a block of A.', values: [16, 32, 64, 128], usual: {} },
  input: madeFor(operation.choices.input),
  output: madeFor(operation.choices.output),
  layoutX: { label: 'x', doc: 'Order of X (mma, wgmma); naive takes both.', values: ['row', 'column'] },
  layoutY: { label: 'y', doc: 'Order of Y (mma, wgmma); naive takes both.', values: ['row', 'column'] },
  group: {
    label: 'g',
    doc: 'Blocks of a block row that a thread block computes together: they share a tile of X (mma, wgmma).',
    values: [1, 2, 4, 8, 16],
    usual: {},
  },
  tileK: {
    label: 'k',
    doc: 'Columns of X and Y of a stage (mma, wgmma).',
    values: [32, 64],
    usual: { mma: 32, wgmma: 64 },
  },
  stages: {
    label: 's',
    doc: 'Stages of the pipeline in shared memory (mma, wgmma).',
    values: [2, 3, 4, 5, 6],
    usual: { mma: 3 },
  },
  warpsM: { label: 'wm', doc: 'Warps below each other (mma).', values: [1, 2, 4], usual: {} },
  warpsN: { label: 'wn', doc: 'Warps side by side (mma).', values: [1, 2, 4, 8], usual: {} },
  copyBytes: {
    label: 'c',
    doc: 'Bytes of a cp.async: what X, Y and their lines must be aligned to (mma).',
    values: [16, 4],
  },
  consumers: {
    label: 'w',
    doc: 'Warpgroups that multiply: they share the rows of blocks of 128, or the blocks of a tile (wgmma).',
    values: [1, 2],
    usual: {},
  },
  cluster: {
    label: 'cl',
    doc: 'Thread blocks of a cluster, which compute blocks of one block row and share X by multicast (wgmma).',
    values: [1, 2, 4],
    usual: { wgmma: 1 },
  },
  splits: {
    label: 'sp',
    doc: 'Thread blocks of a cluster that compute one tile, each a part of the depth (wgmma).',
    values: [1, 2, 4],
    usual: { wgmma: 1 },
  },
  inFlight: {
    label: 'f',
    doc: 'Stages whose products may be under way while the next stage is awaited (wgmma).',
    values: [0, 1],
    usual: { wgmma: 1 },
  },
});

const { onPaths } = parameters;

export const activations = [
  ...onPaths(['layoutX', 'layoutY', 'group', 'tileK', 'stages'], 'mma', 'wgmma'),
  ...onPaths(['warpsM', 'warpsN', 'copyBytes'], 'mma'),
  ...onPaths(['consumers', 'cluster', 'splits', 'inFlight'], 'wgmma'),
];

export type Point = PointOf<typeof parameters.specs>;
