import { defineFamily } from '../../../src/model/family.ts';
import { casesOf } from './cases.ts';
import { cells } from './cells.ts';
import { constraints } from './constraints.ts';
import { patternFeatures } from './features.ts';
import { operation } from './operation.ts';
import { activations, type Point, parameters } from './parameters.ts';
import { presets } from './presets.ts';
import { loadElements, residentsOf, sizesOf } from './sizes.ts';
import { type Problem, workloads } from './workloads.ts';

/** Contiguous dimension of an operand: along the depth, or along the rows of A or its columns. */
const majors = { row: 'k', column: 'mn' } as const;
const needs = {
  naive: [],
  mma: ['cp.async', 'mma.bf16'],
  wgmma: ['tma', 'cluster', 'wgmma'],
} as const;

/** Limits of Hopper, which alone has the path wgmma: a guess of merit is given no architecture. */
const hopper = { sharedBytesPerSm: 228 * 1024, reservedSharedBytesPerBlock: 1024, registersPerSm: 65_536 };

/** Wide tiles serve more products with a byte; two thread blocks of a multiprocessor hide each other's latency. */
function merit(point: Point): number {
  if (point.path === 'naive') return 0;
  const columns = point.block * point.group;
  const served = (point.block * columns) / (point.block + columns);
  if (point.path === 'wgmma') return 1000 + served + (residentsOf(point, hopper) > 1 ? 8 : 0);
  return served + (sizesOf(point).sharedBytes <= 112 * 1024 ? 8 : 0);
}

export default defineFamily<typeof parameters.specs>({
  name: 'bsr-sddmm',
  summary: 'A = alpha * (X[M,K] * Y[N,K]^T) + beta * A at the stored blocks of A, in block sparse rows (BSR)',
  operation,
  serves: ({ path, block }) => ({
    ...{ block: [block], index: ['i32', 'i64'], batched: ['no', 'yes'] },
    ...(path === 'naive' && { layoutX: ['row', 'column'], layoutY: ['row', 'column'] }),
  }),
  parameters: parameters.specs,
  activations,
  constraints,
  presets,
  derive: (point, arch) => {
    const { threads, sharedBytes, tileRows, tileColumns } = sizesOf(point);
    const residents = residentsOf(point, arch);
    const loadBytes = 2 * loadElements(point);
    const sizes = { threads, sharedBytes, loadBytes, tileRows, tileColumns, residents };
    const [majorX, majorY] = [majors[point.layoutX], majors[point.layoutY]];
    return { majorX, majorY, ...sizes };
  },
  needs: ({ path }) => needs[path],
  workloads,
  cells,
  cases: casesOf,
  features: ({ problem }) => {
    const { m, n, k, block, batch = 1, pattern } = problem as unknown as Problem;
    return { m, n, k, block, batch, ...patternFeatures(pattern, n / block) };
  },
  // 2: any operands; 1: any sizes, where X and Y are aligned.
  generality: ({ path }) => (path === 'naive' ? 2 : 1),
  priority: merit,
});
