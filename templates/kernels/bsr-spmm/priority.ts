import { alignment } from './derive.ts';
import { type Point, storesByTma, storesLines } from './parameters.ts';
import { generalSizes } from './paths/general/sizes.ts';
import { multirowMerit } from './paths/multirow/merit.ts';
import { narrowMerit } from './paths/narrow/merit.ts';
import { mmaSizes, simtSizes } from './sizes.ts';
import { wgmmaMerit } from './wgmma-merit.ts';
import type { Problem } from './workloads.ts';

/**
 * A guess of effective TFLOPS on an H200, to rank what nobody has timed. The mma path is bound by the bytes that an SM
 * takes from L2 per product, times how well stages and thread blocks hide their latency; the other paths by
 * instructions. Crude, and only its order matters.
 */
export function merit(point: Point, problem: Problem): number {
  if (point.path === 'naive') return Math.min(0.5, 0.03 * problem.n);
  if (!takesLines(point, problem)) return 0;
  if (point.path === 'wgmma') return wgmmaMerit(point, problem);
  if (point.path === 'narrow') return narrowMerit(point, problem);
  if (point.path === 'multirow') return multirowMerit(point, problem);
  const wasted = Math.ceil(problem.n / point.tileN) * (point.tileN / problem.n);
  return (point.path === 'simt' ? simtMerit(point) : mmaMerit(point, problem)) / wasted;
}

/** Whether lines of B and C that follow one another without a gap suit a variant's copies and stores; launch code refuses others. */
function takesLines(point: Point, problem: Problem): boolean {
  const { n, layoutB = 'row', layoutC = 'row', transposeA = 'no' } = problem;
  const [rows, depth] = transposeA === 'yes' ? [problem.k, problem.m] : [problem.m, problem.k];
  if ((layoutB === 'row' ? n : depth) % alignment(point) !== 0) return false;
  if (point.path !== 'wgmma' || storesLines(point.epilogue)) return true;
  if (point.input === 'f32' && layoutC === 'row') return true; // stored element by element
  return (layoutC === 'row' ? n : rows) % (storesByTma(point.epilogue) ? 8 : 2) === 0;
}

function simtMerit(point: Point): number {
  const { rowsPerThread, accumulators } = simtSizes(point);
  // Products per value read from shared memory.
  const reuse = (rowsPerThread * point.columnsPerThread) / (rowsPerThread + point.columnsPerThread);
  const overflow = accumulators > 160 ? 0.1 : 1;
  const loads = { 1: 0.5, 2: 0.7, 4: 0.9, 8: 1 }[point.vector];
  return (
    4 * Math.min(reuse, 4) * overflow * loads * (point.prefetch ? 1.1 : 1) * (point.transposed ? 0.8 : 1)
  );
}

/** L2 to SM, bytes per second: the measured 9 TB/s, less what clocks lose under load. */
const l2Bandwidth = 7.5e12;
const multiprocessors = 132;
/** Of an H200's multiprocessor: shared memory, what the system takes of it for each block, and registers. */
const sharedBytesPerSm = 228 * 1024;
const reservedSharedBytes = 1024;
const registersPerSm = 65_536;

function mmaMerit(point: Point, { m, n }: Problem): number {
  const { block, tileN, stages } = point;
  const { threads, sharedBytes, accumulators } =
    point.path === 'general' ? generalSizes(point) : mmaSizes(point);
  const flopsPerByte = (block * tileN) / (block + tileN);
  const bound = (l2Bandwidth * flopsPerByte) / 1e12;
  const bySharedMemory = Math.floor(sharedBytesPerSm / (sharedBytes + reservedSharedBytes));
  const byRegisters = Math.floor(registersPerSm / (threads * Math.max(64, accumulators + 48)));
  const resident = Math.max(1, Math.min(bySharedMemory, byRegisters));
  const latencyHidden = Math.min(
    1,
    (Math.min(stages, 4) * resident * sharedBytes) / (8 * (sharedBytesPerSm - reservedSharedBytes)) + 0.5,
  );
  const warps = Math.min(1, (resident * threads) / 384);
  // Few columns make too few tiles for all multiprocessors.
  const tiles = Math.ceil(m / block) * Math.ceil(n / tileN);
  const filled = Math.min(1, tiles / (multiprocessors * resident));
  const copies = { 16: 1, 8: 0.8, 4: 0.6, 2: 0.3 }[point.copyBytes];
  const order = point.order === 'longest' ? 1.05 : 1;
  return (
    bound *
    latencyHidden *
    warps *
    filled *
    copies *
    order *
    // The choices that any product may have are tested behind each tile; measured, blocks of 64.
    (point.path === 'general' ? 0.7 : 1) *
    // CUDA cores bound it: a guess.
    (point.ffma ? 0.3 : 1) *
    (point.epilogue === 'staged' ? 1 : 0.95) *
    (point.producers > 0 ? 0.95 : 1)
  );
}
