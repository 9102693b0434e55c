import type { Point } from '../../parameters.ts';

type Sized = Pick<Point, 'block' | 'layoutC' | 'tileN' | 'tileK' | 'stages' | 'blockRows'>;

/** The path's layout: who multiplies what, and what lies in shared memory. Bytes, unless said otherwise. */
export function multirowSizes(point: Sized) {
  const { block, tileN, tileK, stages, blockRows } = point;
  const ringBytes = stages * 2 * tileK * tileN;
  // 16 rows of sums per warp, padded; see Staging in tw/staged_result.cuh. Its rows are contiguous in C.
  const stagedColumns = point.layoutC === 'column' ? block : tileN;
  const stagingBytes = blockRows * 16 * 4 * (stagedColumns + 8);
  const barrierOffset = Math.max(ringBytes, stagingBytes);
  return {
    /** Threads of a thread block: a warp for each block row, and the producer. */
    threads: 32 * (blockRows + 1),
    barrierOffset,
    sharedBytes: barrierOffset + 16 * stages,
    /** fp32 accumulators of a thread. */
    accumulators: (block * tileN) / 32,
  };
}

/** Names of the template and of the launch code besides the parameters. */
export function deriveMultirow(point: Point) {
  const { barrierOffset } = multirowSizes(point);
  return {
    ...{ barrierOffset, boxColumnsB: point.tileN },
    columnMajorB: point.layoutB === 'column',
    columnMajorC: point.layoutC === 'column',
    majorB: point.layoutB === 'column' ? 'k' : 'mn',
  };
}
