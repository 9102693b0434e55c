import { parameters } from '../../parameters.ts';
import { fits } from '../occupancy.ts';
import { multirowSizes } from './sizes.ts';

const { constraint } = parameters;

/** Rules of the path `multirow`; the other paths pass them all. */
export const multirowConstraints = [
  constraint(
    'multirow-block',
    ['path', 'block'],
    'The path multirow is for blocks of 16: of one row of mma tiles.',
    ({ path, block }) => path !== 'multirow' || block === 16,
  ),
  constraint(
    'multirow-tile',
    ['path', 'tileN', 'tileK'],
    'Tiles are 64 or 128 columns wide, stages 64 rows of B deep: lines of 128 bytes where B is column-major.',
    ({ path, tileN, tileK }) => path !== 'multirow' || ((tileN === 64 || tileN === 128) && tileK === 64),
  ),
  constraint(
    'multirow-stages',
    ['path', 'stages'],
    'Two to eight stages.',
    ({ path, stages }) => path !== 'multirow' || stages >= 2,
  ),
  constraint(
    'multirow-occupancy',
    ['path', 'block', 'layoutC', 'tileN', 'tileK', 'stages', 'blockRows', 'minBlocks'],
    'minBlocks thread blocks fit on a multiprocessor: shared memory, threads, and registers for accumulators and 40 more per thread.',
    (point, arch) => point.path !== 'multirow' || fits(multirowSizes(point), point.minBlocks, arch),
  ),
];
