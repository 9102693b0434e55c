import { defineParameters, madeFor, type Point as PointOf } from '../../../src/model/family.ts';
import { operation } from './operation.ts';

/** The search space of gemm. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'Method of the products: naive (one thread per element, the reference), mma (mma.sync and cp.async), wgmma (Hopper: TMA and wgmma, persistent).',
    values: ['naive', 'mma', 'wgmma'],
  },
  element: madeFor(operation.choices.element),
  activation: madeFor(operation.choices.activation),
  tileM: { label: 'm', doc: 'Rows of C of a thread block.', values: [64, 128, 256], usual: {} },
  tileN: { label: 'n', doc: 'Columns of C of a thread block.', values: [64, 128, 256], usual: {} },
  tileK: {
    label: 'k',
    doc: 'Columns of A and rows of B of a stage. On wgmma 64: a row of A is as long as the widest swizzle.',
    values: [32, 64],
    usual: { mma: 32 },
  },
  stages: {
    label: 's',
    doc: 'Stages of the pipeline in shared memory.',
    values: [2, 3, 4, 5, 6],
    usual: { mma: 4, wgmma: 4 },
  },
  group: {
    label: 'g',
    doc: 'Threadblock swizzle: rows of tiles that thread blocks go down before they take the next column.',
    values: [1, 8, 16],
    usual: { mma: 8, wgmma: 8 },
  },
  warpsM: { label: 'wm', doc: 'Warps below each other (mma).', values: [1, 2, 4], usual: { mma: 2 } },
  warpsN: { label: 'wn', doc: 'Warps side by side (mma).', values: [1, 2, 4], usual: { mma: 2 } },
  copyBytes: {
    label: 'c',
    doc: 'Bytes of a cp.async (mma): what A, B and their rows must be aligned to.',
    values: [16, 4],
  },
  clusterM: {
    label: 'cm',
    doc: 'Thread blocks of a cluster below each other, which share B by multicast (wgmma).',
    values: [1, 2],
  },
  clusterN: {
    label: 'cn',
    doc: 'Thread blocks of a cluster side by side, which share A by multicast (wgmma).',
    values: [1, 2],
  },
  inFlight: {
    label: 'f',
    doc: 'Stages whose products may be under way while the next stage is awaited (wgmma).',
    values: [0, 1],
  },
  boxes: {
    label: 'b',
    doc: 'Boxes of 16 rows by 64 columns in which a warp stages C (wgmma).',
    values: [1, 2, 4],
    usual: { wgmma: 2 },
  },
});

const { onPaths } = parameters;

export const activations = [
  ...onPaths(['tileM', 'tileN', 'stages', 'group'], 'mma', 'wgmma'),
  ...onPaths(['tileK', 'warpsM', 'warpsN', 'copyBytes'], 'mma'),
  ...onPaths(['clusterM', 'clusterN', 'inFlight', 'boxes'], 'wgmma'),
];

export type Point = PointOf<typeof parameters.specs>;

/** Rows, columns and depth of what a thread block computes at once, and how many such depths are in flight. */
export function tileOf({ path, tileM, tileN, tileK, stages }: Point) {
  if (path === 'naive') return { m: 8, n: 32, k: 32, stages: 1 };
  return { m: tileM, n: tileN, k: path === 'mma' ? tileK : 64, stages };
}

/** Elements per load of A and B: what their rows must be aligned to. */
export function loadElements({ path, copyBytes }: Point): number {
  if (path === 'naive') return 1;
  return path === 'mma' ? copyBytes / 2 : 8;
}

/** Elements per store of C: what n, C and its rows must be aligned to. */
export function storeElements({ path }: Point): number {
  return path === 'wgmma' ? 8 : 1;
}
