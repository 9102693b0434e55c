import { roundUp } from '../../../src/model/family.ts';
import { oddBatchCases } from './combined-cases.ts';
import { alignment } from './derive.ts';
import { spare } from './fixed-choices.ts';
import type { Point } from './parameters.ts';
import type { RowsCase } from './rows-case.ts';
import { serves } from './serves.ts';
import type { Activation, Layout, Problem } from './workloads.ts';

/** Served values of a choice, the default where the variant names none. */
function served<T extends string>(point: Point, choice: string, otherwise: T): readonly T[] {
  return (serves(point)[choice] as readonly T[] | undefined) ?? [otherwise];
}

/** Whether a switch may be on. */
export function has(point: Point, choice: string): boolean {
  return served<string>(point, choice, 'no').includes('yes');
}

/** Served layouts of B and C. */
function servedLayouts(point: Point): readonly Layouts[] {
  const layoutsC = served<Layout>(point, 'layoutC', 'row');
  return served<Layout>(point, 'layoutB', 'row').flatMap((layoutB) =>
    layoutsC.map((layoutC) => ({ layoutB, layoutC })),
  );
}

/** The served layouts farthest from the plain ones, which come last: those of PyTorch's layers. */
export function farthestLayouts(point: Point): Layouts {
  return servedLayouts(point).at(-1) ?? { layoutB: 'row', layoutC: 'row' };
}

/** Cases for every value of the operation that a variant serves beside the defaults; those of the path wgmma are its own. */
export function operationCases(point: Point, tile: number): readonly RowsCase[] {
  if (point.path === 'wgmma') return [];
  const pairs = servedLayouts(point);
  const layouts = farthestLayouts(point);
  return [
    ...pairs
      .filter(({ layoutB, layoutC }) => layoutB === 'column' || layoutC === 'column')
      .flatMap((pair) => layoutCases(point, tile, pair)),
    ...(has(point, 'bias') ? biasCases(point, layouts) : []),
    ...served<Activation>(point, 'activation', 'none')
      .filter((activation) => activation !== 'none')
      .flatMap((activation) => activationCases(point, layouts, activation)),
    ...(has(point, 'residual') ? residualCases(point, layouts) : []),
    ...(has(point, 'transposeA') ? transposedCases(point, layouts) : []),
    ...(served<string>(point, 'index', 'i32').includes('i64') ? [wideIndices(point, layouts)] : []),
    ...(has(point, 'batched') ? batchCases(point, layouts) : []),
    ...(has(point, 'tf32') ? [roundedOperands(point, layouts)] : []),
  ];
}

export type Layouts = Readonly<Record<'layoutB' | 'layoutC', Layout>>;

/** `n` columns, ragged; lines of B are padded to what the variant loads at once, those of C to nothing. */
function ragged(point: Point, n: number, layouts: Layouts) {
  const unit = alignment(point);
  const padded = roundUp(n, unit);
  const ldbExtra = layouts.layoutB === 'row' ? padded - n + unit : unit;
  return { ...layouts, n, ldbExtra, ldcExtra: 3 } as const;
}

function layoutCases(point: Point, tile: number, layouts: Layouts): RowsCase[] {
  const id = `${layouts.layoutB}-${layouts.layoutC}`;
  const aligned = { ...layouts, n: tile } as const;
  const odd = { ...ragged(point, tile / 2 + 1, layouts), offsetC: 1, alpha: -0.7, beta: 1 / 3 } as const;
  return [
    {
      id: `${id}-one-hot`,
      tier: 'address-coded',
      counts: [1, 2, 0],
      problem: { ...aligned, values: 'one-hot' },
    },
    { id: `${id}-ragged`, tier: 'edges', counts: [1, 0], problem: odd },
    {
      id: `${id}-one-column`,
      tier: 'edges',
      counts: [1, 0],
      problem: { ...ragged(point, 1, layouts), values: 'integers' },
    },
  ];
}

function biasCases(point: Point, layouts: Layouts): RowsCase[] {
  const bias = { bias: 'yes', ...ragged(point, 19, layouts) } as const;
  return [
    {
      id: 'bias-exact',
      tier: 'operation',
      counts: [1, 0],
      problem: { ...bias, values: 'integers', beta: 1 },
    },
    { id: 'bias', tier: 'operation', counts: [1, 0], problem: { ...bias, offsetC: 1, alpha: 1 / 3 } },
  ];
}

/** The former C and the bias count before the function is applied. */
function activationCases(point: Point, layouts: Layouts, activation: Activation): RowsCase[] {
  const biased = has(point, 'bias') && ({ bias: 'yes' } as const);
  const problem = { ...ragged(point, 19, layouts), activation } as const;
  const of = (scalars: Partial<Problem>) => ({ ...problem, ...biased, ...scalars });
  if (activation !== 'relu') {
    const scalars = of({ alpha: 1 / 8, beta: -0.7 });
    return [
      { id: activation, tier: 'operation', counts: [1, 0], problem: scalars },
      steepActivation(activation, ragged(point, 8, layouts)),
    ];
  }
  return [
    { id: 'relu', tier: 'operation', counts: [1, 0], problem: of({ values: 'integers', beta: 1 }) },
    { id: 'relu-nan', tier: 'non-finite', counts: [1, 0], problem: { ...problem, values: 'nan' } },
  ];
}

/** Sums at which exponentials of an activation overflow. */
export function steepActivation(activation: Activation, problem: RowsCase['problem']): RowsCase {
  return {
    id: `${activation}-steep`,
    tier: 'operation',
    counts: [1],
    problem: { ...problem, activation, alpha: 32 },
  };
}

/** A residual is read, and C is not; with beta 0 neither is. */
export function residualCases(point: Point, layouts: Layouts): RowsCase[] {
  const residual = { ...ragged(point, 19, layouts), residual: 'yes', ldrExtra: 5 } as const;
  // Lines of C are whole vectors, those of the residual one element longer.
  const whole = spare(layouts.layoutC, 19);
  const aligned = { ldcExtra: whole, ldrExtra: whole - 7, beta: -0.7 } as const;
  return [
    { id: 'residual', tier: 'operation', counts: [1, 0], problem: { ...residual, beta: -0.7, offsetC: 1 } },
    { id: 'residual-apart', tier: 'operation', counts: [1], problem: { ...residual, ...aligned } },
    { id: 'residual-zero', tier: 'operation', counts: [1], problem: { ...residual, values: 'nan' } },
  ];
}

function transposedCases(point: Point, layouts: Layouts): RowsCase[] {
  const transposed = { ...ragged(point, 19, layouts), transposeA: 'yes' } as const;
  // Its blocks are those behind 2^32 elements.
  const leadingBlocks = 2 ** 32 / point.block ** 2;
  return [
    {
      id: 'transposed-exact',
      tier: 'operation',
      counts: [2, 0, 1, 1],
      problem: { ...transposed, leadingBlocks, values: 'integers' },
    },
    {
      id: 'transposed',
      tier: 'operation',
      counts: [1, 3, 0],
      problem: { ...transposed, sorted: false, alpha: 1 / 3, beta: -0.7 },
    },
    {
      id: 'transposed-empty',
      tier: 'operation',
      counts: [0],
      problem: { ...transposed, values: 'integers', beta: 1 },
    },
  ];
}

/** Indices of 64 bits, behind so many blocks that 32 bits do not number their words. */
function wideIndices(point: Point, layouts: Layouts): RowsCase {
  const wide = { index: 'i64', leadingBlocks: 2 ** 30 } as const;
  const problem = { ...ragged(point, 19, layouts), ...wide, values: 'integers' } as const;
  return { id: 'indices-of-64-bits', tier: 'operation', counts: [2, 0, 1], problem };
}

/** Whoever may round operands need not, but whoever does must round both to nearest. */
function roundedOperands(point: Point, layouts: Layouts): RowsCase {
  return {
    id: 'tf32',
    tier: 'operation',
    counts: [2, 1],
    problem: { ...ragged(point, 19, layouts), tf32: 'yes', values: 'between' },
  };
}

/** Elements between products, with which 32 bits do not number the second one's: only what is used of the operands is memory. */
const farApart = 2 ** 31 - 8;

/** Products side by side and far apart, alone and with all that has a stride of its own. */
function batchCases(point: Point, layouts: Layouts): RowsCase[] {
  const batch = { batch: 3, batched: 'yes' } as const;
  // Of the path general a product has several panels, which the grid counts with the products.
  const panels = ragged(
    point,
    point.path === 'general' ? point.tileN * Math.max(point.panel, 1) + 3 : 19,
    layouts,
  );
  const residual = has(point, 'residual') && ({ residual: 'yes', ldrExtra: 5 } as const);
  // Aligned lines of C in products that are not.
  const apart = {
    ...ragged(point, 24, layouts),
    batch: 2,
    ldcExtra: 0,
    batchExtra: farApart,
    batchExtraC: 3,
  };
  return [
    ...oddBatchCases(point, layouts),
    {
      id: 'batch',
      tier: 'operation',
      counts: [1, 0, 2],
      problem: { ...panels, ...batch, values: 'integers', beta: 1 },
    },
    {
      id: 'batch-apart',
      tier: 'operation',
      counts: [1, 0],
      problem: { ...residual, ...apart, batched: 'yes', beta: -0.7 },
    },
  ];
}
