import { farApart, half } from '../../../src/model/family.ts';
import { alignment, packs, valueAlignment, vectorOfB, vectorOfC } from './derive.ts';
import { farthestLayouts, has, type Layouts } from './operation-cases.ts';
import { type Point, storesByTma } from './parameters.ts';
import type { RowsCase } from './rows-case.ts';
import type { Layout } from './workloads.ts';

/** Addresses at the edge of what a variant takes: off their alignment, and far apart. */
export function edgeCases(point: Point, tile: number): readonly RowsCase[] {
  return [
    ...alignmentCases(point, tile),
    ...(storesVectors(point) ? vectorCases(point) : []),
    ...farCases(point),
    // A variant that packs B reads all of it.
    ...(packs(point) ? [] : [wideCase(point)]),
  ];
}

/** A and B off what the variant needs of them, by half of that. Right, or refused: a vector path must say so. */
function alignmentCases(point: Point, tile: number): RowsCase[] {
  const [strides, addresses] = ['ldb must be a multiple', 'values and B must be aligned'];
  const odd = (id: string, offset: RowsCase['problem'], elements: number, refuses: string): RowsCase => ({
    ...{ id, tier: 'edges', counts: [1], problem: offset },
    ...(elements > 1 && { options: { refuses } }),
  });
  // Of a column-major B the path narrow loads whole vectors where it can.
  const ofColumns = { layoutB: 'column' } as const;
  const problem = { n: tile / 2, ...(point.path === 'narrow' && ofColumns) };
  const off = half(vectorOfB(point));
  return [
    odd('odd-stride', { ...problem, ldbExtra: off }, alignment(point), strides),
    odd('odd-base', { ...problem, offsetB: off }, alignment(point), addresses),
    odd('odd-values', { ...problem, offsetA: half(valueAlignment(point)) }, valueAlignment(point), addresses),
  ];
}

/** Whether lines of C, and of what is added to it, are read and written by whole vectors where their alignment has it. */
function storesVectors({ path }: Point): boolean {
  return path === 'mma' || path === 'general' || path === 'multirow';
}

/** C, residual and bias off whole vectors of 16 bytes, by half of one: lines, addresses and products, all of them and of the residual and bias alone. */
function vectorCases(point: Point): RowsCase[] {
  const off = half(vectorOfC(point));
  const added = has(point, 'residual') ? ({ residual: 'yes', bias: 'yes' } as const) : {};
  const vectors = { n: 16, ...farthestLayouts(point), ...added, values: 'integers', beta: 1 } as const;
  const of = (id: string, problem: Partial<RowsCase['problem']>): RowsCase => ({
    ...{ id, tier: 'edges', counts: [1, 0] },
    problem: { ...vectors, ...problem },
  });
  const batch = { batch: 2, batched: 'yes' } as const;
  return [
    of('half-lines', { ldcExtra: off, ...('residual' in added && { ldrExtra: off }) }),
    of('half-addresses', { offsetC: off }),
    ...('residual' in added ? [of('addends-off', { offsetBias: 1, offsetResidual: off })] : []),
    ...(has(point, 'batched')
      ? [
          of('half-products', { ...batch, batchExtraC: off }),
          of('residual-products', { ...batch, batchExtraResidual: off }),
        ]
      : []),
  ];
}

/** Block columns of op(A) that 16 bits do not number. Of the rows of B that they stand for, those behind 2^16 block columns are memory. */
function wideCase(point: Point): RowsCase {
  const leadingColumns = 2 ** 16;
  const own = { layoutB: point.layoutB, layoutC: point.layoutC };
  return {
    id: 'wide',
    tier: 'edges',
    counts: [2, 1],
    problem: { n: 16, ...own, leadingColumns, values: 'integers' },
  };
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
