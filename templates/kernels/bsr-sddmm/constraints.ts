import { parameters } from './parameters.ts';
import { sizesOf } from './sizes.ts';

const { constraint, constraintOn } = parameters;
const sized = ['path', 'block', 'group', 'tileK', 'stages', 'warpsM', 'warpsN', 'consumers'] as const;

export const constraints = [
  constraint(
    'tile',
    ['path', 'block', 'group'],
    'A thread block computes 32 to 256 columns of A (mma), or 64 to 512 (wgmma).',
    ({ path, block, group }) =>
      path === 'naive' || (block * group >= 32 && block * group <= (path === 'mma' ? 256 : 512)),
  ),
  constraintOn(
    'mma',
    'warp-tile',
    ['block', 'group', 'warpsM', 'warpsN'],
    'Two to eight warps multiply, each 16 to 64 rows and columns in whole mma tiles, within one block or over whole blocks (mma).',
    (point) => {
      const { tileRows, tileColumns, threads } = sizesOf({
        ...point,
        ...{ path: 'mma', tileK: 32, stages: 2, consumers: 1 },
      });
      const whole = point.block % tileColumns === 0 || tileColumns % point.block === 0;
      const fits = Math.min(tileRows, tileColumns) >= 16 && Math.max(tileRows, tileColumns) <= 64;
      return whole && fits && threads >= 64 && threads <= 256;
    },
  ),
  constraintOn(
    'mma',
    'copy-rows',
    ['block', 'tileK', 'warpsM', 'warpsN', 'copyBytes'],
    'The threads copy whole lines of a tile at a time (mma).',
    ({ block, tileK, warpsM, warpsN, copyBytes }) =>
      (32 * warpsM * warpsN * copyBytes) % (2 * Math.max(block, tileK)) === 0,
  ),
  constraintOn(
    'wgmma',
    'warpgroup-rows',
    ['block'],
    'A wgmma has 64 rows: blocks of 64 or 128 (wgmma).',
    ({ block }) => block >= 64,
  ),
  constraintOn(
    'wgmma',
    'warpgroup-columns',
    ['block', 'group', 'consumers'],
    'Each warpgroup has whole blocks, or half of their rows, and at most 256 columns: as wide as a wgmma (wgmma).',
    ({ block, group, consumers }) => {
      const blocks = block === 128 ? group : group / consumers;
      return Number.isInteger(blocks) && blocks * block <= 256;
    },
  ),
  constraint(
    'accumulators',
    sized,
    'At most 128 accumulators to a thread (wgmma).',
    (point) => point.path !== 'wgmma' || sizesOf(point).accumulators <= 128,
  ),
  constraintOn(
    'wgmma',
    'cluster',
    ['cluster', 'splits'],
    'The thread blocks of a cluster share X or the depth (wgmma).',
    ({ cluster, splits }) => cluster === 1 || splits === 1,
  ),
  constraint(
    'parts',
    [...sized, 'splits'],
    'The sums of a part of the depth fit over the stages (wgmma).',
    (point) => {
      if (point.path !== 'wgmma' || point.splits === 1) return true;
      const { accumulators, sharedBytes } = sizesOf(point);
      return 512 * point.consumers * accumulators <= sharedBytes - 16 * point.stages;
    },
  ),
];
