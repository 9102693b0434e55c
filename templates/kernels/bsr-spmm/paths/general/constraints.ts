import { parameters } from '../../parameters.ts';
import { fits } from '../occupancy.ts';
import { elementBytes, generalSizes } from './sizes.ts';

const { constraint } = parameters;

const tileNames = ['path', 'block', 'tileN', 'warpsM', 'warpsN'] as const;
const names = [...tileNames, 'input', 'layoutC', 'tileK', 'stages', 'blocksPerStage'] as const;

export const generalConstraints = [
  constraint(
    'general-stages',
    ['path', 'stages'],
    'Two to five stages.',
    ({ path, stages }) => path !== 'general' || (stages >= 2 && stages <= 5),
  ),
  constraint(
    'general-blocks-per-stage',
    ['path', 'block', 'tileK', 'blocksPerStage'],
    'Several blocks in a stage are whole ones.',
    ({ path, block, tileK, blocksPerStage }) => path !== 'general' || blocksPerStage === 1 || tileK === block,
  ),
  constraint(
    'general-warps',
    tileNames,
    'Two to eight warps, each with 16 x 16 (two mma tiles) to 64 x 64 elements of C (128 accumulators per thread).',
    ({ path, block, tileN, warpsM, warpsN }) => {
      const rows = block / warpsM;
      const columns = tileN / warpsN;
      const warps = warpsM * warpsN;
      return (
        path !== 'general' ||
        (rows >= 16 && columns >= 16 && rows * columns <= 64 * 64 && warps >= 2 && warps <= 8)
      );
    },
  ),
  constraint(
    'general-prefetch',
    ['path', 'input', 'tileK', 'prefetch', 'ffma'],
    'There is a next fragment only in a stage of two or more, of 32 bytes along K each, and only of mma.sync.',
    ({ path, input, tileK, prefetch, ffma }) =>
      path !== 'general' || !prefetch || (tileK * elementBytes[input] > 32 && !ffma),
  ),
  constraint(
    'general-copies',
    [...tileNames, 'input', 'layoutB', 'transposeA', 'tileK', 'copyBytes'],
    'The threads copy whole rows of a tile, so that each keeps its column; cp.async has 4 bytes at least.',
    ({ path, input, block, tileN, tileK, warpsM, warpsN, layoutB, transposeA, copyBytes }) => {
      const longest = Math.max(transposeA ? block : tileK, layoutB === 'row' ? tileN : tileK);
      const bytes = elementBytes[input];
      const covered = 32 * warpsM * warpsN * copyBytes >= bytes * longest;
      return path !== 'general' || (covered && copyBytes >= bytes);
    },
  ),
  constraint(
    'general-occupancy',
    [...names, 'minBlocks'],
    'minBlocks thread blocks fit on a multiprocessor: shared memory, threads, and registers for accumulators and 40 more per thread.',
    (point, arch) => point.path !== 'general' || fits(generalSizes(point), point.minBlocks, arch),
  ),
];
