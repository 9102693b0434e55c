import type { Point } from '../../parameters.ts';

/** The path narrow's layout: who sums what, and what lies where in shared memory. */
export function narrowSizes(
  point: Pick<
    Point,
    'tileN' | 'warpsM' | 'warpsK' | 'tilesM' | 'unroll' | 'prefetch' | 'parts' | 'bulkStages'
  >,
) {
  const { tileN, warpsM, warpsK, tilesM, unroll, bulkStages } = point;
  const warps = warpsM * warpsK;
  const warpRows = 16 * tilesM;
  // Columns of sums are padded by 4; see kPitch in the template.
  const sumBytes = 4 * warps * tileN * (warpRows + 4);
  const stageBytes = 2 * warps * bulkStages * warpRows * 32 * unroll;
  // The word behind the sums says whether the thread block is the last of its tile.
  const barrierOffset = stageBytes + sumBytes + (point.parts > 1 ? 16 : 0);
  return {
    threads: 32 * warps,
    /** Rows of C of a thread block. */
    tileRows: warpsM * warpRows,
    /** Shared memory: stages, sums and that word, then mbarriers. */
    barrierOffset,
    sharedBytes: barrierOffset + 8 * warps * bulkStages,
    /**
     * fp32 accumulators of a thread, and its registers for what is loaded together, 4 a vector: of A two vectors a slab and mma tile; with
     * stages of A those of one mma tile, and all of B.
     */
    accumulators: (warpRows * tileN) / 32,
    vectorRegisters:
      bulkStages > 0 ? unroll * (8 + tileN / 2) : ((unroll * warpRows) / 2) * (point.prefetch ? 2 : 1),
  };
}

/** Slabs of a block row that are on their way at once, by all warps that share it. */
export function slabsUnderWay({
  unroll,
  warpsK,
  parts,
  bulkStages,
}: Pick<Point, 'unroll' | 'warpsK' | 'parts' | 'bulkStages'>): number {
  return unroll * warpsK * parts * Math.max(1, bulkStages);
}
