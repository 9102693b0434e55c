import type { Point } from '../../parameters.ts';
import { densityOf, type Problem } from '../../workloads.ts';

/** L2 to shared memory by TMA, bytes per second, and mma.sync with operands from shared memory, operations per second: a guess for an H200. */
const l2Bandwidth = 5e12;
const mmaRate = 3.5e14;

/** A guess of effective TFLOPS: all of B passes once per tile of block rows, however many of their blocks are stored. */
export function multirowMerit({ block, blockRows, tileN }: Point, problem: Problem): number {
  const { m, n, k } = problem;
  const density = densityOf(problem) ?? 0.1;
  const columns = Math.ceil(n / tileN) * tileN;
  const tiles = Math.ceil(m / block / blockRows);
  const seconds = (tiles * columns * k * 2) / l2Bandwidth + (2 * m * columns * k * density) / mmaRate;
  return (2 * m * n * k * density) / seconds / 1e12;
}
