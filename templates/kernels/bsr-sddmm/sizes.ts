import type { Point } from './parameters.ts';

type Sizes = Pick<Point, 'path' | 'block' | 'group' | 'tileK' | 'stages' | 'warpsM' | 'warpsN'>;

/** Threads and shared memory of a thread block, as the templates lay it out, and what of the tile a warp has. */
export function sizesOf({ path, block, group, tileK, stages, warpsM, warpsN }: Sizes) {
  if (path === 'naive') return { threads: 256, sharedBytes: 0, warpRows: 1, warpColumns: 1, accumulators: 1 };
  const [warpRows, warpColumns] = [block / warpsM, (block * group) / warpsN];
  return {
    threads: 32 * warpsM * warpsN,
    sharedBytes: stages * 2 * tileK * block * (1 + group),
    warpRows,
    warpColumns,
    /** fp32 accumulators of a thread. */
    accumulators: (warpRows * warpColumns) / 32,
  };
}

/** Elements per load of X and Y: what their lines must be aligned to. */
export function loadElements({ path, copyBytes }: Point): number {
  return path === 'naive' ? 1 : copyBytes / 2;
}
