import { parameters } from './parameters.ts';
import { generalConstraints } from './paths/general/constraints.ts';
import { multirowConstraints } from './paths/multirow/constraints.ts';
import { narrowConstraints } from './paths/narrow/constraints.ts';
import { mmaSizes, simtSizes } from './sizes.ts';
import { wgmmaConstraints } from './wgmma-constraints.ts';

const { constraint } = parameters;

const common = [
  constraint(
    'output-type',
    ['input', 'output'],
    'C is f32, or 16 bits wide like A and B.',
    ({ input, output }) => output === 'f32' || input !== 'f32',
  ),
  constraint(
    'input-type',
    ['path', 'input'],
    'f32 is multiplied on the paths naive, general and wgmma.',
    ({ path, input }) => input !== 'f32' || path === 'naive' || path === 'general' || path === 'wgmma',
  ),
  constraint(
    'tile-k',
    ['path', 'block', 'tileK'],
    'A step stays within a block.',
    ({ path, block, tileK }) => ['naive', 'narrow', 'multirow'].includes(path) || block % tileK === 0,
  ),
  constraint(
    'tile-n',
    ['path', 'tileN', 'ffma'],
    'Tiles are 32, 64, 128 or 256 columns wide on the paths simt, mma and general, or 16 on CUDA cores.',
    ({ path, tileN, ffma }) =>
      path === 'wgmma' || path === 'narrow' || [32, 64, 128, 256].includes(tileN) || (ffma && tileN === 16),
  ),
];

const simtNames = ['path', 'block', 'tileN', 'tileK', 'simtWarps', 'columnsPerThread'] as const;
const simt = [
  constraint(
    'simt-cover',
    simtNames,
    'The threads cover the tile: whole rows of threads, and 1 to 32 rows of C for each.',
    (point) => {
      if (point.path !== 'simt') return true;
      const { threads, threadsPerRow, rowsPerThread } = simtSizes({ ...point, ilp: 1, transposed: false });
      return threads % threadsPerRow === 0 && Number.isInteger(rowsPerThread) && rowsPerThread <= 32;
    },
  ),
  constraint(
    'simt-unroll',
    ['path', 'tileK', 'unroll', 'ilp'],
    'No more unrolling than the loop over k has rounds.',
    ({ path, tileK, unroll, ilp }) => path !== 'simt' || unroll * ilp <= tileK,
  ),
  constraint(
    'simt-sums',
    [...simtNames, 'ilp'],
    'At most 512 accumulators per thread. Points above about 200 overflow the registers; the budget says so.',
    (point) => point.path !== 'simt' || simtSizes({ ...point, transposed: false }).accumulators <= 512,
  ),
];

const warpNames = ['path', 'block', 'tileN', 'warpsM', 'warpsN'] as const;
const mmaNames = [...warpNames, 'output', 'tileK', 'stages', 'producers', 'epilogue'] as const;
const mma = [
  constraint(
    'mma-stages',
    ['path', 'stages'],
    'Up to five stages.',
    ({ path, stages }) => path !== 'mma' || stages <= 5,
  ),
  constraint(
    'mma-copies',
    ['path', 'copyBytes'],
    'cp.async copies 4 bytes at least.',
    ({ path, copyBytes }) => path !== 'mma' || copyBytes >= 4,
  ),
  constraint(
    'mma-epilogue',
    ['path', 'epilogue'],
    'C is staged or written directly.',
    ({ path, epilogue }) => path !== 'mma' || epilogue === 'staged' || epilogue === 'direct',
  ),
  constraint(
    'warp-tile',
    warpNames,
    'A warp computes at least 16 x 16 elements of C (two mma tiles) and at most 64 x 64 (128 accumulators per thread).',
    ({ path, block, tileN, warpsM, warpsN }) => {
      const rows = block / warpsM;
      const columns = tileN / warpsN;
      return path !== 'mma' || (rows >= 16 && columns >= 16 && rows * columns <= 64 * 64);
    },
  ),
  constraint(
    'warps',
    warpNames,
    'Two to eight warps multiply.',
    ({ path, warpsM, warpsN }) => path !== 'mma' || (warpsM * warpsN >= 2 && warpsM * warpsN <= 8),
  ),
  constraint(
    'fragment-prefetch',
    ['path', 'tileK', 'prefetch'],
    'There is a next fragment only in a stage of two or more.',
    ({ path, tileK, prefetch }) => path !== 'mma' || !prefetch || tileK > 16,
  ),
  constraint(
    'producer-stages',
    ['path', 'stages', 'producers'],
    'Producers need a second stage to run ahead into.',
    ({ path, stages, producers }) => path !== 'mma' || producers === 0 || stages > 1,
  ),
  constraint(
    'copy-rows',
    ['path', 'tileN', 'tileK', 'warpsM', 'warpsN', 'producers', 'copyBytes'],
    'The copying threads fill whole rows of a stage, so that each keeps its column.',
    ({ path, tileN, tileK, warpsM, warpsN, producers, copyBytes }) => {
      const threads = 32 * (producers > 0 ? producers : warpsM * warpsN);
      return path !== 'mma' || threads * copyBytes >= 2 * Math.max(tileN, tileK);
    },
  ),
  constraint(
    'shared-memory',
    mmaNames,
    'The ring, the staging of C and the barriers fit into the largest shared memory of a block.',
    (point, arch) => point.path !== 'mma' || mmaSizes(point).sharedBytes <= arch.maxSharedBytesPerBlock,
  ),
  constraint(
    'occupancy',
    [...mmaNames, 'minBlocks'],
    'minBlocks thread blocks fit on a multiprocessor: shared memory, threads, and registers for accumulators and 32 more per thread.',
    (point, arch) => {
      if (point.path !== 'mma') return true;
      const { threads, sharedBytes, accumulators } = mmaSizes(point);
      const blocks = point.minBlocks;
      return (
        blocks * (sharedBytes + arch.reservedSharedBytesPerBlock) <= arch.sharedBytesPerSm &&
        blocks * threads <= arch.maxThreadsPerSm &&
        blocks * threads * (accumulators + 32) <= arch.registersPerSm
      );
    },
  ),
];

export const constraints = [
  ...common,
  ...simt,
  ...mma,
  ...generalConstraints,
  ...narrowConstraints,
  ...multirowConstraints,
  ...wgmmaConstraints,
];
