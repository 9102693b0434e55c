import type { Point } from '../../parameters.ts';
import type { Problem } from '../../workloads.ts';
import { narrowSizes } from './sizes.ts';

/** Bytes per second from L2 to the multiprocessors of an H200, their number, and warps of each that hide the latency. */
const l2Bandwidth = 7.5e12;
const multiprocessors = 132;
const warpsThatHide = 12;
/** Share of that bound which blocks of 64 reach, beside the guess for the path wgmma: by vectors, and by bulk copies. */
const measured = 0.5;
const measuredByBulk = 0.75;

/**
 * A guess of effective TFLOPS, as `merit`: a byte of A serves as many products as the tile has columns; B comes from L1, at
 * about four times that speed. Too few warps have too few loads in flight.
 */
export function narrowMerit(point: Point, { m, n }: Problem): number {
  const { tileN, tilesM, parts, bulkStages } = point;
  const { threads, tileRows } = narrowSizes(point);
  const columns = Math.ceil(n / tileN) * tileN;
  const flopsPerByte = 1 / (1 / tileN + 1 / (64 * tilesM));
  const warps = Math.ceil(m / tileRows) * (columns / tileN) * parts * (threads / 32);
  const filled = Math.min(1, (warps * point.unroll) / (4 * multiprocessors * warpsThatHide));
  const combining = parts > 1 ? 0.9 : 1;
  const share = bulkStages > 0 ? measuredByBulk : measured;
  return (((share * l2Bandwidth * flopsPerByte) / 1e12) * filled * combining * n) / columns;
}
