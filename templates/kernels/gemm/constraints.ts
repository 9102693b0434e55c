import { parameters } from './parameters.ts';
import { consumers, sizesOf } from './sizes.ts';

const { constraint } = parameters;
const sized = ['path', 'tileM', 'tileN', 'tileK', 'stages', 'warpsM', 'warpsN', 'boxes'] as const;

export const constraints = [
  constraint(
    'warp-tile',
    ['path', 'tileM', 'tileN', 'warpsM', 'warpsN'],
    'Four or eight warps multiply, each at least 32 x 32 elements of C and at most 64 x 64 (mma).',
    ({ path, tileM, tileN, warpsM, warpsN }) => {
      const [rows, columns, warps] = [tileM / warpsM, tileN / warpsN, warpsM * warpsN];
      const fits = Math.min(rows, columns) >= 32 && Math.max(rows, columns) <= 64;
      return path !== 'mma' || (fits && (warps === 4 || warps === 8));
    },
  ),
  constraint(
    'copy-rows',
    ['path', 'tileN', 'tileK', 'warpsM', 'warpsN', 'copyBytes'],
    'The threads copy whole rows of a tile at a time (mma).',
    ({ path, tileN, tileK, warpsM, warpsN, copyBytes }) =>
      path !== 'mma' || (32 * warpsM * warpsN * copyBytes) % (2 * Math.max(tileN, tileK)) === 0,
  ),
  constraint(
    'warpgroup-rows',
    ['path', 'tileM'],
    'Each warpgroup has whole wgmma tiles of 64 rows (wgmma).',
    ({ path, tileM }) => path !== 'wgmma' || tileM % (64 * consumers) === 0,
  ),
  constraint(
    'cluster',
    ['path', 'clusterM', 'clusterN'],
    'At most two thread blocks to a cluster: larger ones leave multiprocessors idle (wgmma).',
    ({ path, clusterM, clusterN }) => path !== 'wgmma' || clusterM * clusterN <= 2,
  ),
  constraint(
    'boxes',
    ['path', 'tileN', 'boxes'],
    'Boxes come round with every tile (wgmma).',
    ({ path, tileN, boxes }) => path !== 'wgmma' || (tileN / 64) % boxes === 0,
  ),
  constraint('accumulators', sized, 'At most 128 accumulators per thread.', (point) => {
    return sizesOf(point).accumulators <= 128;
  }),
];
