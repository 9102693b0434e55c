import { farApart } from '../../../src/model/family.ts';
import { alignment, valueAlignment } from './derive.ts';
import { farthestLayouts, type Layouts } from './operation-cases.ts';
import { type Point, storesByTma } from './parameters.ts';
import type { RowsCase } from './rows-case.ts';
import type { Layout } from './workloads.ts';

/** Addresses at the edge of what a variant takes: off their alignment, and far apart. */
export function edgeCases(point: Point, tile: number): readonly RowsCase[] {
  return [...alignmentCases(point, tile), ...farCases(point)];
}

/** Operands that are aligned to their elements only. Right, or refused: a vector path must say so. */
function alignmentCases(point: Point, tile: number): RowsCase[] {
  const [strides, addresses] = ['ldb must be a multiple', 'values and B must be aligned'];
  const odd = (id: string, offset: RowsCase['problem'], elements: number, refuses: string): RowsCase => ({
    ...{ id, tier: 'edges', counts: [1], problem: offset },
    ...(elements > 1 && { options: { refuses } }),
  });
  const n = tile / 2;
  return [
    odd('odd-stride', { n, ldbExtra: 1 }, alignment(point), strides),
    odd('odd-base', { n, offsetB: 1 }, alignment(point), addresses),
    odd('odd-values', { n, offsetA: 1 }, valueAlignment(point), addresses),
  ];
}

/** Places in A, B and C that 32 bits do not number, in elements. Only what is used of the operands is memory. */
function farCases(point: Point): RowsCase[] {
  const { path, layoutB, layoutC, transposeA } = point;
  const own = { layoutB, layoutC };
  const farthest = path === 'wgmma' ? own : farthestLayouts(point);
  const takesParts = path === 'naive' || (path === 'general' && !transposeA);
  return [
    farCase(point, 'far', own),
    ...(farthest.layoutB === layoutB ? [] : [farCase(point, 'far-columns', farthest)]),
    ...(takesParts && layoutB === 'row' && layoutC === 'row' ? [farLines(point, own)] : []),
  ];
}

/** Elements behind a line, so many that 32 bits do not hold the distance of two. */
const wide = 2 ** 31 - 8;

function farCase(point: Point, id: string, layouts: Layouts): RowsCase {
  const byColumns = layouts.layoutB === 'column' && layouts.layoutC === 'column';
  // Of columns the variant takes as few as there is room for.
  const n = byColumns ? 3 : 16;
  const extra = (layout: Layout) => (byColumns ? wide : farApart(layout === 'row' ? point.block : n, n));
  const [ldbExtra, ldcExtra] = [extra(layouts.layoutB), extra(layouts.layoutC)];
  return farProblem(point, id, { n, ...layouts, ldbExtra, ldcExtra });
}

/** Three rows of B and of C, for which there is room. */
function farLines(point: Point, layouts: Layouts): RowsCase {
  return farProblem(point, 'far-lines', { m: 3, k: 3, n: 16, ...layouts, ldbExtra: wide, ldcExtra: wide });
}

function farProblem({ path, block, epilogue }: Point, id: string, lines: RowsCase['problem']): RowsCase {
  const beta = path === 'wgmma' && storesByTma(epilogue) ? 0 : 1;
  const leadingBlocks = 2 ** 32 / block ** 2;
  return {
    id,
    tier: 'edges',
    counts: [1],
    problem: { ...lines, values: 'integers', beta, leadingBlocks },
  };
}
