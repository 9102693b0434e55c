import { defineParameters } from '../../../src/model/family.ts';
import type { Point as PointOf } from '../../../src/model/parameter.ts';

/** The search space of bsr-spmm. A parameter may be read by several paths; `activations` says by which. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'How products are made: naive (one thread per element, the reference), simt (CUDA cores, accumulators in registers), mma (tensor cores by mma.sync, operands by cp.async).',
    values: ['naive', 'simt', 'mma'],
    readBy: 'launch',
  },
  block: { label: 'b', doc: 'Rows and columns of a block of A.', values: [32, 64, 128] },
  input: { label: '', doc: 'Element type of A and B.', values: ['f16', 'bf16'] },
  output: {
    label: '',
    doc: 'Element type of C. Accumulation is in fp32 always.',
    values: ['f16', 'bf16', 'f32'],
  },
  tileN: {
    label: 'tn',
    doc: 'Columns of C per tile. The rows are those of a block.',
    values: [32, 64, 128, 256],
  },
  tileK: {
    label: 'tk',
    doc: 'Columns of A and rows of B that are in shared memory at once (per stage). Divides the block.',
    values: [16, 32, 64, 128],
  },
  prefetch: {
    label: 'pf',
    doc: 'Software pipelining in registers: simt fetches the next step from global memory, mma the next fragments from shared memory, while the current ones are multiplied.',
    values: [false, true],
  },
  simtWarps: { label: 'w', doc: 'Warps of a thread block (simt).', values: [2, 4, 8, 16] },
  columnsPerThread: {
    label: 'c',
    doc: 'Neighbouring columns of C that a thread computes (simt); its rows follow from the tile and the number of threads.',
    values: [1, 2, 4, 8],
  },
  vector: {
    label: 'v',
    doc: 'Elements per load from global memory (simt). 1 takes operands of any alignment.',
    values: [1, 2, 4, 8],
  },
  unroll: { label: 'u', doc: 'Unrolling of the loop over k in shared memory (simt).', values: [1, 2, 4, 8] },
  ilp: {
    label: 'ilp',
    doc: 'Independent partial sums per element of C (simt). More hide the latency of multiply-adds and cost registers.',
    values: [1, 2, 4],
  },
  transposed: {
    label: 'bt',
    doc: 'Whether B is transposed on its way into shared memory, so that a thread reads along k (simt).',
    values: [false, true],
  },
  warpsM: { label: 'wm', doc: 'Warps that share the rows of a tile (mma).', values: [1, 2, 4] },
  warpsN: { label: 'wn', doc: 'Warps that share the columns of a tile (mma).', values: [1, 2, 4, 8] },
  stages: {
    label: 'st',
    doc: 'Stages of the ring in shared memory (mma). 1 copies and multiplies in turn.',
    values: [1, 2, 3, 4, 5],
  },
  producers: {
    label: 'pw',
    doc: 'Warp specialisation: extra warps that only copy and hand stages over by mbarriers (mma). 0: every warp copies its share.',
    values: [0, 1, 2, 4],
  },
  copyBytes: {
    label: 'cp',
    doc: 'Bytes per cp.async (mma). A and B, and the rows of B, must be aligned to it; smaller takes more problems.',
    values: [16, 8, 4],
  },
  epilogue: {
    label: '',
    doc: 'How C is written (mma): staged through shared memory as 16-byte vectors, or direct from the fragments.',
    values: ['staged', 'direct'],
  },
  tilesPerCta: {
    label: 'tc',
    doc: 'Output tiles, side by side, that a thread block computes one after the other (mma).',
    values: [1, 2, 4],
  },
  minBlocks: {
    label: 'mb',
    doc: 'Thread blocks per multiprocessor that the compiler must leave registers for (mma).',
    values: [1, 2, 3, 4],
  },
  panel: {
    label: 'pn',
    doc: 'Rasterisation (mma): thread blocks walk all block rows within a panel of so many tiles along N before the next, which keeps a slice of B in L2. 0: all of N is one panel.',
    values: [1, 2, 4, 8, 0],
    readBy: 'launch',
  },
  order: {
    label: '',
    doc: 'Order of block rows (mma): as they are, or the longest first, so that none starts late. The latter keeps a permutation in the workspace.',
    values: ['natural', 'longest'],
    readBy: 'launch',
  },
});

export type Specs = typeof parameters.specs;
export type Point = PointOf<Specs>;

const { activeWhen } = parameters;
type Path = Point['path'];
const onPaths = (name: keyof Specs, ...paths: readonly Path[]) =>
  activeWhen(name, ['path'], ({ path }) => paths.includes(path));

export const activations = [
  onPaths('tileN', 'simt', 'mma'),
  onPaths('tileK', 'simt', 'mma'),
  onPaths('prefetch', 'simt', 'mma'),
  onPaths('simtWarps', 'simt'),
  onPaths('columnsPerThread', 'simt'),
  onPaths('vector', 'simt'),
  onPaths('unroll', 'simt'),
  onPaths('ilp', 'simt'),
  onPaths('transposed', 'simt'),
  onPaths('warpsM', 'mma'),
  onPaths('warpsN', 'mma'),
  onPaths('stages', 'mma'),
  onPaths('producers', 'mma'),
  onPaths('copyBytes', 'mma'),
  onPaths('epilogue', 'mma'),
  onPaths('tilesPerCta', 'mma'),
  onPaths('minBlocks', 'mma'),
  onPaths('panel', 'mma'),
  onPaths('order', 'mma'),
];
