import { defineFamily, type ProductVariant, productCases } from '../../../src/model/family.ts';
import { cells } from './cells.ts';
import { constraints } from './constraints.ts';
import { operation } from './operation.ts';
import { activations, loadElements, type Point, parameters, storeElements, tileOf } from './parameters.ts';
import { presets } from './presets.ts';
import { consumers, sizesOf } from './sizes.ts';
import { workloads } from './workloads.ts';

const needs = {
  naive: [],
  mma: ['cp.async', 'mma.bf16'],
  wgmma: ['tma', 'cluster', 'wgmma', 'setmaxnreg'],
} as const;

/** 3: any operands; 2: lines of A and B of even length; 1: any sizes, where A and B are aligned to 16 bytes; 0: what TMA can store. */
function generality(point: Point): number {
  if (point.path === 'wgmma') return 0;
  return { 1: 3, 2: 2 }[loadElements(point)] ?? 1;
}

/** A variant as its gate cases see it. */
function variantOf(point: Point): ProductVariant {
  const { group, clusterM, clusterN } = point;
  return {
    ...{ tile: tileOf(point), cluster: [clusterM, clusterN], group },
    loads: { elements: loadElements(point), refuses: 'A and B must be aligned' },
    stores: { elements: storeElements(point), refuses: 'stores C by TMA' },
  };
}

export default defineFamily<typeof parameters.specs>({
  name: 'gemm',
  summary: 'C[M,N] = act(alpha * A[M,K] * B[K,N] + beta * C + bias), row-major, f16 or bf16',
  operation,
  serves: () => ({ bias: ['no', 'yes'] }),
  parameters: parameters.specs,
  activations,
  constraints,
  presets,
  derive: (point) => ({
    // Of a thread block, or of a cluster of them.
    blockRows: tileOf(point).m * point.clusterM,
    blockColumns: tileOf(point).n * point.clusterN,
    loadBytes: 2 * loadElements(point),
    threads: sizesOf(point).threads,
    sharedBytes: sizesOf(point).sharedBytes,
    consumers,
    warpgroupRows: point.tileM / consumers,
    boxRowsA: point.tileM / point.clusterN,
  }),
  needs: ({ path }) => needs[path],
  workloads,
  cells,
  cases: (point, depth) => productCases(operation, point, variantOf(point), depth),
  generality,
  priority: (point) => ({ naive: 0, mma: 1, wgmma: 2 })[point.path] * 1000 + sizesOf(point).accumulators,
});
