import type { GateCase } from '../../../src/model/workload.ts';
import { alignment } from './derive.ts';
import type { Point } from './parameters.ts';
import { wgmmaCases } from './wgmma-cases.ts';
import type { Pattern, Problem } from './workloads.ts';

type Depth = 'quick' | 'full';

/** Multiply-adds, in millions, that the row-length case may cost in depth `quick`; see `rowCounts`. */
const quickBudget = 45;

/** Columns of C that one thread block computes. */
function columnsPerBlock(point: Point): number {
  return point.path === 'naive' ? 32 : point.tileN * point.tilesPerCta * point.cluster;
}

/** Steps that are in flight at once: S in the gate's row lengths. */
function pipelineDepth(point: Point): number {
  if (point.path === 'mma' || point.path === 'wgmma') return point.stages;
  return point.path === 'simt' && point.prefetch ? 2 : 1;
}

/**
 * Row lengths, in blocks, around the pipeline's depth of S steps: 0, 1, 2S+1, S+1, S, S-1, 3S+2 steps, rounded up. In
 * depth `quick` as many of them, in this order, as the budget allows, but always the first three.
 */
export function rowCounts(point: Point, depth: Depth): number[] {
  const s = pipelineDepth(point);
  const stepsPerBlock = point.path === 'naive' ? 1 : point.block / point.tileK / point.blocksPerStage;
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

/** Problems by size: block rows and columns of A as the pattern needs them. */
class Cases {
  readonly list: GateCase[] = [];
  readonly #point: Point;

  constructor(point: Point) {
    this.#point = point;
  }

  add(
    id: string,
    tier: number,
    problem: Shape,
    options: Pick<GateCase, 'launches' | 'multiprocessors' | 'refuses'> = {},
  ): void {
    const { block, input, output } = this.#point;
    const { rows, columns, ...rest } = problem;
    const complete: Problem = {
      m: rows * block,
      k: columns * block,
      block,
      input,
      output,
      values: 'normal',
      seed: 1 + this.list.length,
      ...rest,
    };
    this.list.push({ id, tier, problem: { ...complete }, ...options });
  }

  addRows(id: string, tier: number, counts: readonly number[], problem: RowShape, options = {}): void {
    const columns = Math.max(...counts) + 1;
    const pattern: Pattern = { kind: 'rows', counts };
    this.add(id, tier, { rows: counts.length, columns, pattern, ...problem }, options);
  }
}

type Shape = Pick<Problem, 'n' | 'pattern'> &
  Partial<Omit<Problem, 'm' | 'k'>> & { readonly rows: number; readonly columns: number };
type RowShape = Omit<Shape, 'rows' | 'columns' | 'pattern'>;

/** What the gate puts a variant through; tiers as in GateCase. Problems are small: they also run emulated, on a CPU. */
export function casesOf(point: Point, depth: Depth): readonly GateCase[] {
  const cases = new Cases(point);
  const wide = columnsPerBlock(point);
  const tile = Math.min(wide, point.path === 'naive' ? 32 : point.tileN);
  cases.addRows('row-lengths', 1, rowCounts(point, depth), { n: tile, values: 'integers' });
  cases.addRows('address-coded', 2, [1, 0], { n: wide + 8, values: 'one-hot' });
  cases.addRows('unsorted', 3, [2], { n: tile / 2, sorted: false });
  cases.add('empty', 3, { rows: 2, columns: 1, n: tile, pattern: { kind: 'empty' } });
  cases.addRows('non-finite', 4, [1, 0], { n: tile, values: 'nan' });
  if (point.path === 'wgmma') {
    for (const item of wgmmaCases(point, depth)) {
      cases.addRows(item.id, item.tier, item.counts, item.problem, item.options);
    }
  } else {
    addScalars(cases, tile);
  }
  cases.addRows('alpha-zero', 5, [1], { n: 16, alpha: 0, beta: 0 });
  addAlignment(cases, point, tile);
  cases.addRows('repeated', 7, [1], { n: tile }, { launches: 2 });
  if (depth === 'full') addFull(cases, point, tile, wide);
  else addMagnitude(cases, point, tile);
  return cases.list;
}

/** Tier 5: alpha and beta, a ragged N with padded rows. */
function addScalars(cases: Cases, tile: number): void {
  const n = tile - 3;
  // Rows of B stay aligned for every path; those of C need not.
  cases.addRows('ragged', 5, [1, 0], {
    n,
    ldbExtra: 3 + 8,
    ldcExtra: 5,
    alpha: -1.5,
    beta: 1,
    offsetB: 8,
    offsetC: 1,
  });
  cases.addRows('beta', 5, [1, 0], { n: tile / 2, alpha: 1, beta: -1.5, ldcExtra: 8 });
}

/** Tier 5: operands that are aligned to their elements only. Right, or refused: a vector path must say so. */
function addAlignment(cases: Cases, point: Point, tile: number): void {
  const unless = (refuses: string) => (alignment(point) === 1 ? {} : { refuses });
  cases.addRows('odd-stride', 5, [1], { n: tile / 2, ldbExtra: 1 }, unless('ldb must be a multiple'));
  cases.addRows('odd-base', 5, [1], { n: tile / 2, offsetB: 1 }, unless('values and B must be aligned'));
}

/**
 * Tier 6, the one of its four kinds that catches most of what all other cases let pass. With f16 that is `tiny`: subnormals
 * flushed to zero. With bf16 it is `huge`: operands taken for half, which is exact but for its range; what is tiny there
 * is below the bound's 2^-25. Partial sums rounded to half fail both, as they fail tier 3.
 */
function addMagnitude(cases: Cases, { input }: Point, tile: number): void {
  const values = input === 'f16' ? 'tiny' : 'huge';
  cases.addRows(values, 6, [2], { n: tile / 2, values });
}

/** Structures, magnitudes and repetitions that a real GPU has time for. */
function addFull(cases: Cases, point: Point, tile: number, wide: number): void {
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
  for (const pattern of patterns) cases.add(pattern.kind, 3, { ...square, pattern });
  for (const values of ['positive', 'huge', 'tiny', 'cancel'] as const) {
    cases.addRows(values, 6, [3, 1, 0, 2], { n: tile + 8, values });
  }
  if (point.path !== 'wgmma') {
    cases.addRows('two-tiles', 5, [2, 1], { n: 2 * wide + 9, ldbExtra: 7, alpha: 2, beta: 0.5 });
  }
  cases.add(
    'many-launches',
    7,
    { rows: 12, columns: 6, n: 2 * wide, pattern: { kind: 'random', density: 0.3 } },
    { launches: 20 },
  );
  cases.add('large', 3, {
    rows: 2048 / point.block,
    columns: 1024 / point.block,
    n: 1096,
    pattern: { kind: 'power-law', density: 0.25, exponent: 0.7 },
  });
}
