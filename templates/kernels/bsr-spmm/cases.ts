import { type GateCase, huge, subnormal, third } from '../../../src/model/family.ts';
import { addAddresses } from './address-cases.ts';
import { Cases } from './case-list.ts';
import { togetherProblem } from './combined-cases.ts';
import { alignment } from './derive.ts';
import { edgeCases } from './edge-cases.ts';
import { fixedChoices, spare } from './fixed-choices.ts';
import { farthestLayouts, has, operationCases } from './operation-cases.ts';
import { type Point, storesByTma } from './parameters.ts';
import { multirowCases } from './paths/multirow/cases.ts';
import { narrowCases } from './paths/narrow/cases.ts';
import { slabsUnderWay } from './paths/narrow/sizes.ts';
import type { RowsCase } from './rows-case.ts';
import { furtherWgmmaCases, wgmmaCases } from './wgmma-cases.ts';
import type { Pattern, Problem } from './workloads.ts';

type Depth = 'quick' | 'full';

/** Multiply-adds, in millions, that the row-length case may cost in depth `quick`; see `rowCounts`. */
const quickBudget = 24;

/** Columns of C that one thread block computes. */
function columnsPerBlock(point: Point): number {
  return point.path === 'naive' ? 32 : point.tileN * point.tilesPerCta * point.cluster;
}

/** Tiles of a panel where each panel has thread blocks of its own: all columns of a grid's first dimension. */
function panelOf({ path, panel }: Point): number {
  return path === 'mma' || path === 'general' ? Math.max(panel, 1) : 1;
}

/** Steps that are in flight at once: S in the gate's row lengths. */
function pipelineDepth(point: Point): number {
  if (point.path === 'narrow') return slabsUnderWay(point);
  if (['mma', 'general', 'wgmma', 'multirow'].includes(point.path)) return point.stages;
  return point.path === 'simt' && point.prefetch ? 2 : 1;
}

/** Steps of a block of A; two blocks of 16 are one on the path narrow. */
function stepsOf({ path, block, tileK, blocksPerStage }: Point): number {
  if (path === 'naive') return 1;
  return path === 'narrow' ? block / 32 : block / tileK / blocksPerStage;
}

/**
 * Row lengths, in blocks, around the pipeline's depth of S steps: 0, 1, 2S+1, S+1, S, S-1, 3S+2 steps, rounded up. In
 * depth `quick` as many of them, in this order, as the budget allows, but always the first three.
 */
export function rowCounts(point: Point, depth: Depth): number[] {
  const s = pipelineDepth(point);
  const stepsPerBlock = stepsOf(point);
  const steps = [0, 1, 2 * s + 1, s + 1, s, s - 1, 3 * s + 2];
  const counts = [...new Set(steps.map((count) => Math.ceil(count / stepsPerBlock)))];
  if (depth === 'full') return counts;
  const millionsPerBlock = (2 * point.block ** 2 * point.tileN) / 1e6;
  let cost = 0;
  return counts.filter((count, index) => {
    cost += count * millionsPerBlock;
    return index < 3 || cost <= quickBudget;
  });
}

/** Values of row lengths: the kind swing is made for the rows of A. */
function exactValues({ transposeA }: Point): 'integers' | 'swing' {
  return transposeA ? 'integers' : 'swing';
}

/** Problem of a variant with A from a Matrix Market file, in whole blocks; rows of C as long as a thread block's tile is wide. */
export function matrixProblem(point: Point, path: string): GateCase['problem'] {
  const { block, input, output } = point;
  const problem: Omit<Problem, 'm' | 'k'> = {
    ...{ n: columnsPerBlock(point), block, input, output, seed: 1 },
    ...fixedChoices(point),
    pattern: { kind: 'matrix-market', path },
    values: 'file',
  };
  return { ...problem };
}

/** Gate cases of a variant. Problems are small: they also run emulated, on a CPU. */
export function casesOf(point: Point, depth: Depth): readonly GateCase[] {
  const cases = new Cases(point);
  const wide = columnsPerBlock(point);
  const tile = Math.min(wide, point.path === 'naive' ? 32 : point.tileN);
  cases.addRows('row-lengths', 'exact', rowCounts(point, 'quick'), { n: tile, values: exactValues(point) });
  cases.addRows('address-coded', 'address-coded', [1, 0], {
    n: panelOf(point) * wide + 8,
    values: 'one-hot',
  });
  // The path multirow walks along B with all block rows at once.
  const inOrder = point.path === 'multirow' ? { refuses: 'in the order of their columns' } : {};
  cases.addRows('unsorted', 'structures', [2], { n: tile / 2, sorted: false, alpha: nearlyOne }, inOrder);
  cases.add('empty', 'structures', { rows: 2, columns: 1, n: tile, pattern: { kind: 'empty' } });
  cases.add('no-rows', 'structures', { rows: 0, columns: 1, n: tile, pattern: { kind: 'empty' } });
  cases.add('no-depth', 'structures', { rows: 1, columns: 0, n: tile, pattern: { kind: 'empty' } });
  cases.addRows('no-columns', 'structures', [1], { n: 0, ldbExtra: 8, ldcExtra: 8 });
  cases.addRows('non-finite', 'non-finite', [1, 0], { n: tile, values: 'nan' });
  if (point.path !== 'wgmma') addScalars(cases, point, tile);
  for (const item of [...casesOfPath(point), ...operationCases(point, tile)]) {
    cases.addRows(item.id, item.tier, item.counts, item.problem, item.options);
  }
  if (point.path === 'naive' || point.path === 'narrow' || point.path === 'general')
    addTogether(cases, point);
  addAlphas(cases);
  addEdges(cases, point, tile);
  addPartBlocks(cases, point, tile);
  cases.addRows('repeated', 'repetition', [1], { n: tile }, { launches: 2 });
  addMagnitude(cases, point, tile);
  if (depth === 'full') addFull(cases, point, tile, wide);
  return cases.list;
}

/** Cases that only the variant's path needs. */
function casesOfPath(point: Point): readonly RowsCase[] {
  switch (point.path) {
    case 'wgmma':
      return wgmmaCases(point);
    case 'narrow':
      return narrowCases(point);
    case 'multirow':
      return multirowCases(point);
    default:
      return [];
  }
}

/** A beta that bf16 and f16 round to 0. */
const vanishing = 1e-41;
/** An alpha that bf16 rounds to 1, and f16 does not; results are another by more than the bound of f16. */
const nearlyOne = 1 + 2 ** -8 - 2 ** -12;

/** Alpha and beta, a ragged N with padded rows: of two tiles with C aligned, so that rows end in a part of a vector; of one with C not. */
function addScalars(cases: Cases, { layoutB, layoutC }: Point, tile: number): void {
  // Rows of B stay aligned for every path; those of C need not.
  const ragged = (n: number) => ({ n, ldbExtra: spare(layoutB, n), offsetB: 8 }) as const;
  const two = { ...ragged(2 * tile - 3), ldcExtra: spare(layoutC, 2 * tile - 3) } as const;
  // The last block reads the end of B.
  const last = { rows: 2, columns: 2, pattern: { kind: 'last-block' } } as const;
  cases.add('ragged', 'edges', { ...last, ...two, alpha: third, beta: -0.7 });
  cases.addRows('unaligned', 'edges', [1, 0], { ...ragged(tile - 3), ldcExtra: 5, offsetC: 1, alpha: -0.7 });
  cases.addRows('alpha-zero-beta', 'scalars', [1], { n: 16, alpha: 0, beta: 1, ldcExtra: 5 });
  // The effect of beta shows without a product.
  cases.addRows('beta-one', 'scalars', [0], { n: 16, beta: 1 });
  cases.addRows('beta-subnormal', 'scalars', [0], { n: 16, alpha: subnormal, beta: third, offsetC: 1 });
  cases.addRows('beta-vanishing', 'scalars', [0], { n: 16, beta: vanishing, values: 'nan' });
}

/** Alpha where C is not read. */
function addAlphas(cases: Cases): void {
  cases.addRows('alpha-zero', 'scalars', [0, 1], { n: 16, alpha: 0 });
  cases.addRows('alpha-huge', 'scalars', [1], { n: 16, alpha: huge });
}

/** Addresses off their alignment, far apart and at the end of what may be read. */
function addEdges(cases: Cases, point: Point, tile: number): void {
  for (const item of edgeCases(point, tile)) {
    cases.addRows(item.id, item.tier, item.counts, item.problem, item.options);
  }
  addAddresses(cases, point, tile);
}

/** Every choice of the operation at once; A as it is and transposed where the variant takes both. */
function addTogether(cases: Cases, point: Point): void {
  const layouts = farthestLayouts(point);
  if (!point.transposeA) cases.add('together', 'operation', togetherProblem(point, layouts, false));
  if (has(point, 'transposeA'))
    cases.add('together-transposed', 'operation', togetherProblem(point, layouts, true));
}

/** Rows and columns that end within a block: what is stored behind them counts for nothing. Right, or refused. */
function addPartBlocks(cases: Cases, point: Point, tile: number): void {
  const { path, block, epilogue, layoutB, layoutC, transposeA } = point;
  const pattern = { kind: 'random', density: 1 } as const;
  const problem = { rows: 2, columns: 2, pattern, values: 'integers', n: tile / 2 } as const;
  // A line of B of k elements has one in its last 16 bytes.
  const [m, k] = [2 * block - 5, 2 * block - 7];
  if (path === 'naive' || path === 'general') {
    // Lines of B that are as long as the inner size are filled up to a multiple of 8 again where the variant asks for it.
    const fill = transposeA ? 5 : 7;
    const ldbExtra = layoutB === 'row' || alignment(point) === 1 ? 0 : fill;
    cases.add('part-blocks', 'edges', { ...problem, m, k, ldbExtra });
    return;
  }
  const byTma = path === 'wgmma' && storesByTma(epilogue);
  const [outer, inner] = transposeA ? (['k', 'm'] as const) : (['m', 'k'] as const);
  // Columns of C end at a multiple of 16 bytes where TMA stores them.
  const rows = byTma && layoutC === 'column' ? { [outer]: 2 * block - 8, ldcExtra: 16 } : { [outer]: m };
  const refuses =
    path === 'narrow' || path === 'multirow' || byTma ? {} : { refuses: `${outer} must be a multiple` };
  cases.add('part-rows', 'edges', { ...problem, ...rows }, refuses);
  cases.add('part-columns', 'edges', { ...problem, [inner]: k }, { refuses: `${inner} must be a multiple` });
}

/**
 * Magnitudes: the one of their four kinds that catches most of what all other cases let pass. With f16 that is `tiny`: subnormals
 * flushed to zero. With bf16 it is `huge`: operands taken for half, which is exact but for its range; what is tiny there
 * is below the bound's 2^-25. Partial sums rounded to half fail both.
 */
function addMagnitude(cases: Cases, { input }: Point, tile: number): void {
  const values = input === 'f16' ? 'tiny' : 'huge';
  // Products so large show what becomes of a subnormal alpha too.
  const alpha = values === 'huge' ? subnormal : 1;
  cases.addRows(values, 'magnitude', [2], { n: tile / 2, values, alpha });
}

/** Structures, magnitudes and repetitions that a real GPU has time for, beside all cases of `quick`. */
function addFull(cases: Cases, point: Point, tile: number, wide: number): void {
  const lengths = rowCounts(point, 'full');
  if (lengths.length > rowCounts(point, 'quick').length)
    cases.addRows('all-row-lengths', 'exact', lengths, { n: tile, values: exactValues(point) });
  if (point.path === 'wgmma')
    for (const item of furtherWgmmaCases(point))
      cases.addRows(item.id, item.tier, item.counts, item.problem, item.options);
  const square = { rows: 5, columns: 5, n: wide + tile / 2 };
  const patterns: readonly Pattern[] = [
    { kind: 'random', density: 0.4 },
    { kind: 'full-row', row: 2 },
    { kind: 'full-column', column: 3 },
    { kind: 'diagonal' },
    { kind: 'banded', width: 1 },
    { kind: 'block-diagonal', size: 2 },
    { kind: 'arrow' },
    { kind: 'last-block' },
    { kind: 'power-law', density: 0.4, exponent: 1 },
  ];
  for (const pattern of patterns) cases.add(pattern.kind, 'structures', { ...square, pattern });
  // The kind that `quick` has too, on rows of several lengths and with alpha 1.
  for (const values of ['positive', 'huge', 'tiny', 'cancel'] as const) {
    cases.addRows(`${values}-rows`, 'magnitude', [3, 1, 0, 2], { n: tile + 8, values });
  }
  if (point.path !== 'wgmma') {
    const n = 2 * wide + 9;
    const ldbExtra = spare(point.layoutB, n);
    cases.addRows('two-tiles', 'scalars', [2, 1], { n, ldbExtra, alpha: third, beta: -0.7 });
    // More steps than 8 bits count.
    const blocks = Math.ceil(257 / stepsOf(point));
    cases.addRows('long-row', 'structures', [blocks], { n: tile, values: 'integers' });
  }
  cases.add(
    'many-launches',
    'repetition',
    { rows: 12, columns: 6, n: 2 * wide, pattern: { kind: 'random', density: 0.3 } },
    { launches: 20 },
  );
  // One multiprocessor does all the work, launch after launch: what the workspace is left with adds up.
  cases.addRows(
    'one-multiprocessor',
    'repetition',
    [2, 1, 0, 1],
    { n: wide + tile / 2 },
    { launches: 5, multiprocessors: 1 },
  );
  // Rows of C that 16 bits do not number.
  const rows = 2 ** 16 / point.block + 1;
  cases.add('tall', 'structures', { rows, columns: 1, n: 8, pattern: { kind: 'last-block' } });
  cases.add('large', 'structures', {
    rows: 2048 / point.block,
    columns: 1024 / point.block,
    // Every product of these paths is two loads that the emulated device watches.
    n: ['mma', 'general', 'wgmma', 'multirow'].includes(point.path) ? 1096 : 136,
    pattern: { kind: 'power-law', density: 0.25, exponent: 0.7 },
  });
}
