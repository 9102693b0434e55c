import { parameters } from './parameters.ts';
import { sizesOf } from './sizes.ts';

const { constraint } = parameters;
const sized = ['path', 'block', 'group', 'tileK', 'stages', 'warpsM', 'warpsN'] as const;

export const constraints = [
  constraint(
    'output-type',
    ['input', 'output'],
    'A has the type of X and Y, or f32.',
    ({ input, output }) => output === 'f32' || output === input,
  ),
  constraint(
    'tile',
    ['path', 'block', 'group'],
    'A thread block computes 32 to 256 columns of A (mma).',
    ({ path, block, group }) => path !== 'mma' || (block * group >= 32 && block * group <= 256),
  ),
  constraint(
    'warp-tile',
    ['path', 'block', 'group', 'warpsM', 'warpsN'],
    'Two to eight warps multiply, each 16 to 64 rows and columns in whole mma tiles, within one block or over whole blocks (mma).',
    (point) => {
      if (point.path !== 'mma') return true;
      const { warpRows, warpColumns, threads } = sizesOf({ ...point, tileK: 32, stages: 2 });
      const whole = point.block % warpColumns === 0 || warpColumns % point.block === 0;
      const fits = Math.min(warpRows, warpColumns) >= 16 && Math.max(warpRows, warpColumns) <= 64;
      return whole && fits && threads >= 64 && threads <= 256;
    },
  ),
  constraint(
    'copy-rows',
    ['path', 'block', 'tileK', 'warpsM', 'warpsN', 'copyBytes'],
    'The threads copy whole lines of a tile at a time (mma).',
    ({ path, block, tileK, warpsM, warpsN, copyBytes }) =>
      path !== 'mma' || (32 * warpsM * warpsN * copyBytes) % (2 * Math.max(block, tileK)) === 0,
  ),
  constraint('shared-memory', sized, 'The stages fit into shared memory (mma).', (point, arch) => {
    return sizesOf(point).sharedBytes <= arch.maxSharedBytesPerBlock;
  }),
];
