import { parameters } from './parameters.ts';
import { consumers, sizesOf } from './sizes.ts';

const { constraint, constraintOn } = parameters;
const sized = ['path', 'tileM', 'tileN', 'tileK', 'stages', 'warpsM', 'warpsN', 'boxes'] as const;

export const constraints = [
  constraintOn(
    'mma',
    'warp-tile',
    ['tileM', 'tileN', 'warpsM', 'warpsN'],
    'Four or eight warps multiply, each at least 32 x 32 elements of C and at most 64 x 64 (mma).',
    ({ tileM, tileN, warpsM, warpsN }) => {
      const [rows, columns, warps] = [tileM / warpsM, tileN / warpsN, warpsM * warpsN];
      return Math.min(rows, columns) >= 32 && Math.max(rows, columns) <= 64 && (warps === 4 || warps === 8);
    },
  ),
  constraintOn(
    'mma',
    'copy-rows',
    ['tileN', 'tileK', 'warpsM', 'warpsN', 'copyBytes'],
    'The threads copy whole rows of a tile at a time (mma).',
    ({ tileN, tileK, warpsM, warpsN, copyBytes }) =>
      (32 * warpsM * warpsN * copyBytes) % (2 * Math.max(tileN, tileK)) === 0,
  ),
  constraintOn(
    'wgmma',
    'warpgroup-rows',
    ['tileM'],
    'Each warpgroup has whole wgmma tiles of 64 rows (wgmma).',
    ({ tileM }) => tileM % (64 * consumers) === 0,
  ),
  constraintOn(
    'wgmma',
    'cluster',
    ['clusterM', 'clusterN'],
    'At most two thread blocks to a cluster: larger ones leave multiprocessors idle (wgmma).',
    ({ clusterM, clusterN }) => clusterM * clusterN <= 2,
  ),
  constraintOn(
    'wgmma',
    'boxes',
    ['tileN', 'boxes'],
    'Boxes come round with every tile (wgmma).',
    ({ tileN, boxes }) => (tileN / 64) % boxes === 0,
  ),
  constraint('accumulators', sized, 'At most 128 accumulators per thread.', (point) => {
    return sizesOf(point).accumulators <= 128;
  }),
];
