import type { Point } from '../../parameters.ts';

type Sized = Pick<
  Point,
  'input' | 'block' | 'layoutC' | 'tileN' | 'tileK' | 'warpsM' | 'warpsN' | 'stages' | 'blocksPerStage'
>;

export const elementBytes = { f16: 2, bf16: 2, f32: 4 } as const;

/** The path's layout: who multiplies what, and what lies in shared memory. Bytes, unless said otherwise. */
export function generalSizes(point: Sized) {
  const { block, tileN, tileK, stages, blocksPerStage } = point;
  const warps = point.warpsM * point.warpsN;
  const warpRows = block / point.warpsM;
  const warpColumns = tileN / point.warpsN;
  const ringBytes = stages * blocksPerStage * elementBytes[point.input] * tileK * (block + tileN);
  // 16 rows of sums per warp, padded; see Staging in tw/staged_result.cuh. Its rows are contiguous in C.
  const stagedColumns = point.layoutC === 'column' ? warpRows : warpColumns;
  const stagingBytes = warps * 16 * 4 * (stagedColumns + 8);
  return {
    warpRows,
    warpColumns,
    /** Threads of a thread block. */
    threads: 32 * warps,
    sharedBytes: Math.max(ringBytes, stagingBytes),
    /** fp32 accumulators of a thread. */
    accumulators: (warpRows * warpColumns) / 32,
  };
}
