import type { Point } from './parameters.ts';

const elementBytes = { f16: 2, bf16: 2, f32: 4 } as const;

/** The mma path's layout: who multiplies what, and what lies where in shared memory. Bytes, unless said otherwise. */
export function mmaSizes(
  point: Pick<
    Point,
    'block' | 'output' | 'tileN' | 'tileK' | 'warpsM' | 'warpsN' | 'stages' | 'producers' | 'epilogue'
  >,
) {
  const { block, tileN, tileK, stages, producers } = point;
  const warps = point.warpsM * point.warpsN;
  const warpRows = block / point.warpsM;
  const warpColumns = tileN / point.warpsN;
  const ringBytes = stages * 2 * tileK * (block + tileN);
  // 16 rows of a warp's part of C, padded by 8 elements; see kStagingPitch in the template.
  const stagingBytes =
    point.epilogue === 'staged' ? warps * 16 * (warpColumns + 8) * elementBytes[point.output] : 0;
  // Producers run ahead into the next tile, so that staging cannot share the ring's memory.
  const stagingOffset = producers > 0 ? ringBytes : 0;
  const barrierOffset = ringBytes + stagingBytes;
  return {
    warps,
    warpRows,
    warpColumns,
    /** Threads of a thread block. */
    threads: 32 * (warps + producers),
    /** Threads that copy. */
    copyThreads: 32 * (producers > 0 ? producers : warps),
    stagingOffset,
    barrierOffset,
    sharedBytes: producers > 0 ? barrierOffset + 16 * stages : Math.max(ringBytes, stagingBytes),
    /** fp32 accumulators of a thread. */
    accumulators: (warpRows * warpColumns) / 32,
  };
}

/** The simt path's layout. */
export function simtSizes(
  point: Pick<Point, 'block' | 'tileN' | 'tileK' | 'simtWarps' | 'columnsPerThread' | 'transposed' | 'ilp'>,
) {
  const { block, tileN, tileK, columnsPerThread } = point;
  const threads = 32 * point.simtWarps;
  const rowsPerThread = (block * tileN) / (threads * columnsPerThread);
  // Rows padded as kPitchA and kPitchB in the template.
  const elementsB = point.transposed ? tileN * (tileK + 2) : tileK * (tileN + 8);
  return {
    threads,
    /** A whole number only for legal points. */
    rowsPerThread,
    threadsPerRow: tileN / columnsPerThread,
    sharedBytes: 2 * (block * (tileK + 8) + elementsB),
    accumulators: rowsPerThread * columnsPerThread * point.ilp,
  };
}
