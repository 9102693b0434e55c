import { parameters } from '../../parameters.ts';
import { narrowSizes } from './sizes.ts';

const { constraint } = parameters;

const tileNames = [
  ...(['path', 'tileN', 'warpsM', 'warpsK', 'tilesM', 'unroll', 'prefetch', 'parts'] as const),
  'bulkStages',
] as const;

/** Rules of the path `narrow`; the other paths pass them all. */
export const narrowConstraints = [
  constraint(
    'narrow-tile',
    ['path', 'tileN'],
    'Tiles are at most 64 columns wide.',
    ({ path, tileN }) => path !== 'narrow' || tileN <= 64,
  ),
  constraint(
    'narrow-block',
    ['path', 'block', 'tilesM'],
    'The rows of a warp are those of one block.',
    ({ path, block, tilesM }) => path !== 'narrow' || 16 * tilesM <= block,
  ),
  constraint(
    'block-16',
    ['path', 'block'],
    'Blocks of 16 are for the paths naive, general, narrow and multirow.',
    ({ path, block }) => block > 16 || ['naive', 'general', 'narrow', 'multirow'].includes(path),
  ),
  constraint(
    'narrow-warps',
    ['path', 'warpsM', 'warpsK'],
    'At most 16 warps.',
    ({ path, warpsM, warpsK }) => path !== 'narrow' || warpsM * warpsK <= 16,
  ),
  constraint(
    'narrow-stages',
    ['path', 'block', 'unroll', 'prefetch', 'bulkStages'],
    'Bulk copies bring whole blocks, and nothing is prefetched beside them.',
    ({ path, block, unroll, prefetch, bulkStages }) =>
      path !== 'narrow' || bulkStages === 0 || ((32 * unroll) % block === 0 && !prefetch),
  ),
  constraint(
    'narrow-registers',
    [...tileNames, 'minBlocks'],
    'minBlocks thread blocks fit on a multiprocessor: shared memory, threads, and registers for sums, vectors of A and B and 48 more per thread.',
    (point, arch) => {
      if (point.path !== 'narrow') return true;
      const { threads, sharedBytes, accumulators, vectorRegisters } = narrowSizes(point);
      const blocks = point.minBlocks;
      return (
        sharedBytes <= arch.maxSharedBytesPerBlock &&
        blocks * (sharedBytes + arch.reservedSharedBytesPerBlock) <= arch.sharedBytesPerSm &&
        blocks * threads <= arch.maxThreadsPerSm &&
        accumulators + vectorRegisters + 48 <=
          Math.min(arch.maxRegistersPerThread, arch.registersPerSm / (blocks * threads))
      );
    },
  ),
];
