import { type ArchFeature, defineFamily } from '../../../src/model/family.ts';
import { casesOf, matrixProblem } from './cases.ts';
import { cells } from './cells.ts';
import { comparisons } from './comparisons.ts';
import { constraints } from './constraints.ts';
import { cost } from './cost.ts';
import { alignment, derive, footprint, packs } from './derive.ts';
import { layerWorkloads } from './layer-workloads.ts';
import { operation } from './operation.ts';
import { activations, type Point, parameters } from './parameters.ts';
import { elementBytes } from './paths/general/sizes.ts';
import { presets } from './presets.ts';
import { merit } from './priority.ts';
import { serves } from './serves.ts';
import { alignmentOf, densityOf, matrixWorkloads, problemOf, unevennessOf, workloads } from './workloads.ts';

/** Features of a GPU that the paths need. */
const common: readonly ArchFeature[] = ['cp.async', 'mma.bf16'];
const needs: Readonly<Record<Point['path'], readonly ArchFeature[]>> = {
  naive: common,
  simt: common,
  mma: common,
  general: common,
  narrow: common,
  multirow: [...common, 'mbarrier', 'tma'],
  wgmma: [...common, 'tma', 'cluster', 'wgmma', 'setmaxnreg'],
};
const dependent: readonly ArchFeature[] = ['dependent-launch'];
const bulkCopies: readonly ArchFeature[] = ['mbarrier', 'tma'];

/**
 * With three consumer warpgroups the producer keeps 32 registers and spills some between tiles, where they cost nothing
 * next to the copies that it waits for.
 */
function maxSpillBytes(point: Point): number {
  return point.path === 'wgmma' && point.consumers === 3 ? 256 : 0;
}

/**
 * 3: whatever may be asked of the types and the block; 2: any operands; 1: any beta and width, where the operands are aligned and
 * nothing is known of A on the host.
 */
function generality(point: Point): number {
  if (point.path === 'naive') return 3;
  // Their blocks of A must be aligned; wide products have better kernels than narrow.
  if (point.path === 'narrow' || (packs(point) && point.path !== 'general')) return 0;
  if (alignment(point) === 1) return 2;
  const any = point.path === 'mma' || point.path === 'general';
  return any && point.order === 'natural' ? 1 : 0;
}

export default defineFamily<typeof parameters.specs>({
  name: 'bsr-spmm',
  summary: 'C[M,N] = alpha * A[M,K] * B[K,N] + beta * C, A in block sparse rows (BSR), B and C dense',
  operation,
  serves,
  parameters: parameters.specs,
  activations,
  constraints,
  presets,
  derive,
  budget: (point) => {
    const { threads, sharedBytes } = footprint(point);
    return { threads, sharedBytes, maxSpillBytes: maxSpillBytes(point) };
  },
  needs: ({ path, pdl, bulkStages }) => [
    ...needs[path],
    ...(pdl ? dependent : []),
    ...(bulkStages > 0 ? bulkCopies : []),
  ],
  workloads: [...workloads, ...layerWorkloads],
  cells,
  comparisons,
  tensorCores: ({ path, ffma }) => path !== 'naive' && path !== 'simt' && !ffma,
  cases: casesOf,
  matrixProblem,
  matrixWorkloads,
  features: (workload) => {
    const problem = problemOf(workload);
    const { m, n, k, block } = problem;
    const density = densityOf(problem);
    const unevenness = unevennessOf(problem);
    return {
      ...{ m, n, k, block },
      ...(density !== undefined && { density }),
      ...(unevenness !== undefined && { unevenness }),
      alignment: alignmentOf(problem),
    };
  },
  generality,
  // Behind a kernel that packs B the launch overlaps that one, of the same call.
  overlapsLaunches: ({ pdl, packB }) => pdl && !packB,
  cost,
  priority: (point, workload) => merit(point, problemOf(workload)),
  arithmetic: (workload) => {
    const { input, tf32 } = problemOf(workload);
    return input !== 'f32' ? 'f16' : tf32 === 'yes' ? 'tf32' : 'f32';
  },
  // Each stored block is multiplied by as many rows of B as it has columns: n * block elements for 2 * n * block^2 operations. Variants
  // that share rows of B between block rows need less.
  l2Bytes: (workload, flops) => {
    const { block, input } = problemOf(workload);
    return (flops / block) * (elementBytes[input] / 2);
  },
});
