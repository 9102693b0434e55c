import type { Point } from './parameters.ts';

type Sizes = Pick<Point, 'path' | 'tileM' | 'tileN' | 'tileK' | 'stages' | 'warpsM' | 'warpsN' | 'boxes'>;

/** Warpgroups that multiply on the path wgmma; another one copies. */
export const consumers = 2;

/** Threads and shared memory of a thread block, as the templates lay it out, and fp32 accumulators of a thread. */
export function sizesOf(point: Sizes) {
  if (point.path === 'naive') return { threads: 256, sharedBytes: 0, accumulators: 1 };
  return point.path === 'mma' ? mmaSizes(point) : wgmmaSizes(point);
}

function mmaSizes({ tileM, tileN, tileK, stages, warpsM, warpsN }: Sizes) {
  const warps = warpsM * warpsN;
  const stageBytes = stages * 2 * tileK * (tileM + tileN);
  // RowStaging for every warp, over stages that are idle by then.
  const stagingBytes = warps * 16 * (2 * (tileN / warpsN) + 16);
  return {
    threads: 32 * warps,
    sharedBytes: Math.max(stageBytes, stagingBytes),
    accumulators: (tileM * tileN) / (32 * warps),
  };
}

function wgmmaSizes({ tileM, tileN, stages, boxes }: Sizes) {
  const stageBytes = stages * 2 * 64 * (tileM + tileN);
  const stagingBytes = 4 * consumers * boxes * 16 * 128;
  return {
    threads: 128 * (consumers + 1),
    sharedBytes: stageBytes + stagingBytes + 16 * stages,
    accumulators: (tileM * tileN) / (128 * consumers),
  };
}
