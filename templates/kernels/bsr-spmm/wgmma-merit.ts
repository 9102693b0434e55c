import { hasNarrowLines, type Point, storesByTma } from './parameters.ts';
import { elementBytes } from './paths/general/sizes.ts';
import { clusterAlongK, warpgroupTile, wgmmaSizes } from './wgmma-sizes.ts';
import { densityOf, type Problem } from './workloads.ts';

/** Into the multiprocessors of an H200 from L2, bytes per second, and its tensor cores under load, TFLOPS of 16-bit types; measured. */
const ingest = 9.3e12;
const tensor = 700;
const multiprocessors = 132;
/** Bytes of B that stay in L2 beside A and what is written of C; measured as the panel width that pays. */
const residentBytes = 17e6;

/** A guess of effective TFLOPS on an H200: bytes per product, then what a tile, a short ring and uneven work cost. */
export function wgmmaMerit(point: Point, problem: Problem): number {
  const { perStep, steps, groups } = workOf(point, problem);
  const flops = 2 * point.block ** 2 * point.tileN * perStep;
  const element = elementBytes[point.input];
  const bytes = element * point.block * ((perStep * point.block) / point.cluster + point.tileN);
  const bound = Math.min((ingest * flops) / bytes / 1e12, (tensor * 2) / element);
  const epilogue = epilogueSteps(point) * (hidesEpilogue(point) ? 0.5 : 1);
  return (
    bound *
    (steps / (steps + epilogue)) *
    balance(point, problem, groups) *
    residency(point, problem) *
    ringFactor(point) *
    habits(point, problem)
  );
}

/** Per thread block: blocks of A per step (more than 1 where rows share a column), steps per tile, and rows of tiles. */
function workOf(point: Point, problem: Problem) {
  const { group } = warpgroupTile(point);
  const density = densityOf(problem) ?? 0.125;
  const alike = point.grouping === 'similar' ? 0.9 : 1;
  const union = (1 - (1 - density) ** group) * (group > 1 ? alike : 1);
  return {
    perStep: (group * density) / union,
    steps: Math.max(1, (union * problem.k) / point.block),
    groups: Math.ceil(problem.m / point.block / group),
  };
}

/** Overlap pays with blocks of 128; with smaller ones what it hides comes back as a slower main loop. */
function hidesEpilogue({ block, role, epilogue }: Point): boolean {
  return role === 'pingpong' || (epilogue === 'overlap' && block === 128);
}

/** Cost of the epilogue of a tile, in steps of the main loop; measured, as in wgmma.hpp. */
function epilogueSteps({ block }: Point): number {
  if (block === 128) return 1.1;
  return block === 64 ? 1.5 : 4;
}

/** Share of the columns that exist, times the evenness of tiles, or of a cluster's shares of them, over thread blocks. */
function balance(point: Point, { n }: Problem, groups: number): number {
  const width = point.tileN * point.cluster;
  const across = Math.ceil(n / width);
  const each = (groups * across * point.cluster * clusterAlongK(point)) / multiprocessors;
  const even = each > 6 ? 1 : each / Math.ceil(each);
  return (n / (across * width)) * Math.max(even, 0.6 * Math.min(1, each));
}

/** Panels of B that do not stay in L2 come from DRAM again. */
function residency(point: Point, { n, k }: Problem): number {
  const columns = point.panel === 0 ? n : Math.min(n, point.panel * point.tileN * point.cluster);
  const bytes = elementBytes[point.input] * columns * k;
  return bytes <= residentBytes ? 1 : bytes <= 2.2 * residentBytes ? 0.95 : 0.85;
}

/** Copies in flight: about 128 KB per multiprocessor hide the latency of L2. */
function ringFactor(point: Point): number {
  const { sharedBytes, stagingBytes } = wgmmaSizes(point);
  return (
    0.6 +
    0.4 * Math.min(1, (sharedBytes - point.consumers * stagingBytes) / 131_072) -
    (point.stages < 3 ? 0.1 : 0)
  );
}

/** Smaller effects, each measured by itself. */
function habits(point: Point, { pattern }: Problem): number {
  const uneven = ['power-law', 'arrow', 'full-row', 'rows'].includes(pattern.kind);
  return (
    (point.order === 'longest' ? 1 : 0.9) *
    (point.split === 0 ? 1 : uneven ? 1.1 : 0.98) *
    (storesByTma(point.epilogue) ? 1 : 0.85) *
    (point.cluster === 2 ? 1.01 : 1) *
    (point.schedule === 'atomic' ? 0.98 : 1) *
    (clusterAlongK(point) === 1 ? 1 : 0.8) *
    (point.wgmmaDepth === 0 ? 1 : 0.99) *
    (point.consumers === 1 ? 0.85 : 1) *
    (point.epilogue === 'overlap' && point.block === 32 ? 0.95 : 1) *
    (point.block === 128 && point.epilogue === 'tma' && point.stagingN > 64 ? 1.02 : 1) *
    (point.producers > 1 === (point.block === 32) ? 1 : 0.95) *
    (point.l2Hint === 'none' ? 1 : 0.995) *
    (!point.packB ? 1 : hasNarrowLines(point) ? 1.2 : 0.8) *
    (point.pdl ? 1.005 : 1)
  );
}
