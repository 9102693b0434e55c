import type { Point } from '../../parameters.ts';

/** The path narrow's layout: who sums what, and what lies where in shared memory. */
export function narrowSizes(
  point: Pick<Point, 'tileN' | 'warpsM' | 'warpsK' | 'tilesM' | 'unroll' | 'prefetch' | 'parts'>,
) {
  const { tileN, warpsM, warpsK, tilesM } = point;
  const warpRows = 16 * tilesM;
  // Columns of sums are padded by 4; see kPitch in the template.
  const sumBytes = 4 * warpsM * warpsK * tileN * (warpRows + 4);
  return {
    threads: 32 * warpsM * warpsK,
    /** Rows of C of a thread block. */
    tileRows: warpsM * warpRows,
    /** The word behind the sums says whether the thread block is the last of its tile. */
    sharedBytes: sumBytes + (point.parts > 1 ? 16 : 0),
    /** fp32 accumulators of a thread, and its registers for A: 4 a vector, two vectors a slab and mma tile. */
    accumulators: (warpRows * tileN) / 32,
    vectorRegisters: ((point.unroll * warpRows) / 2) * (point.prefetch ? 2 : 1),
  };
}
