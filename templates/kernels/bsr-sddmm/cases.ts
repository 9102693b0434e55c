import {
  CaseList,
  farApart,
  type GateCase,
  half,
  huge,
  oddOperands,
  roundUp,
  stepsAround,
  subnormal,
  type Tier,
  third,
} from '../../../src/model/family.ts';
import { operation } from './operation.ts';
import type { Point } from './parameters.ts';
import { loadElements } from './sizes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Problems by the lengths of their block rows. */
class Cases {
  readonly #list: CaseList;
  readonly #block: number;

  constructor({ path, block, input, output, layoutX, layoutY }: Point) {
    const layouts = path !== 'naive' && { layoutX, layoutY };
    this.#list = new CaseList({ k: 32, block, input, output, ...layouts });
    this.#block = block;
  }

  get list(): readonly GateCase[] {
    return this.#list.cases;
  }

  add(id: string, tier: Tier, counts: readonly number[], fields: Fields, options: Partial<GateCase> = {}) {
    const [m, n] = [counts.length * this.#block, (Math.max(...counts) + 1) * this.#block];
    this.#list.add(id, tier, { m, n, pattern: { kind: 'rows', counts }, ...fields }, options);
  }
}

/** Indices of 64 bits, behind so many blocks that 32 bits do not number their words. */
function wideIndices(naive: boolean): Fields {
  return { index: 'i64', leadingBlocks: naive ? 0 : 2 ** 30, values: 'integers' };
}

/** Gate cases of a variant. Problems are small: they also run emulated, on a CPU. */
export function casesOf(point: Point, depth: 'quick' | 'full'): readonly GateCase[] {
  const cases = new Cases(point);
  const naive = point.path === 'naive';
  const [tileK, stages, group] = naive ? [8, 1, 1] : [point.tileK, point.stages, point.group];
  const vector = loadElements(point);
  /** A depth that is no multiple of anything, with lines padded to what the variant loads. */
  const ragged = (k: number) => {
    const padding = roundUp(k, vector) - k;
    const by = (layout: Point['layoutX']) => (layout === 'row' || naive ? padding : 0) + vector;
    return { k, xExtra: by(point.layoutX), yExtra: by(point.layoutY) };
  };
  cases.add('pipeline', 'exact', [group + 1, 0, 1], { k: (2 * stages + 1) * tileK, values: 'swing' });
  // Two whole tiles, in every stage: to the last byte of shared memory.
  const everyStage = Math.max(stages - 1, 1) * tileK;
  cases.add('address-coded', 'address-coded', [2 * group, 1], {
    ...ragged(everyStage + 5),
    values: 'one-hot',
  });
  if (point.path === 'wgmma') {
    // So often around the ring that one arrival too few at its barriers, each time, adds up to all of a turn.
    const turns = 4 * point.consumers * point.cluster + 2;
    cases.add('long-depth', 'structures', [1], {
      k: turns * stages * tileK * point.splits,
      values: 'integers',
    });
  }
  cases.add('unsorted', 'structures', [3], { sorted: false, k: tileK });
  cases.add('uneven', 'structures', [0, 1, 2, 0, 0, 1, 3, 0, 1, 0], { values: 'integers' });
  if (point.path === 'wgmma') {
    // Code of its own for each number of blocks of a warpgroup.
    const counts = Array.from({ length: group }, (_, i) => i + 1);
    cases.add('every-count', 'structures', counts, { k: tileK, values: 'integers' });
  }
  cases.add('no-depth', 'structures', [1, 0], { k: 0, alpha: third, beta: -0.7 });
  // Operands behind the depth are 0 on both sides: 0 times infinity is NaN.
  cases.add('non-finite', 'non-finite', [1, 0], { ...ragged(tileK + 3), values: 'nan' });
  cases.add('ragged', 'edges', [1, 2], { ...ragged(2 * tileK + 3), alpha: third, beta: -0.7 });
  cases.add('one-column', 'edges', [1], { ...ragged(1), values: 'integers', xOffset: vector });
  addShapes(cases, point, tileK);
  addMisaligned(cases, point);
  // Places in a block's last row that 32 bits do not number. Only what is used of the operands is memory, and addresses for all of
  // them must be there: X and Y take three times 2^32 elements.
  const far = farApart(point.block, 16);
  // The naive path computes every block there is, also those of no row.
  const leadingBlocks = naive ? 0 : 2 ** 32 / point.block ** 2;
  const farFields = { k: 16, values: 'integers', xExtra: far, yExtra: far, leadingBlocks };
  if (naive || (point.layoutX === 'row' && point.layoutY === 'row'))
    cases.add('far', 'edges', [1], farFields);
  addWide(cases, point.block);
  cases.add('indices-of-64-bits', 'operation', [2, 0, 1], wideIndices(naive));
  if (naive) {
    const layouts = { layoutX: 'column', layoutY: 'column' };
    cases.add('column-column', 'operation', [2, 0, 1], { ...layouts, k: 19, values: 'one-hot', xExtra: 3 });
    cases.add('column-row', 'operation', [1, 1], { layoutX: 'column', k: 19, values: 'one-hot', yExtra: 3 });
  }
  cases.add('beta-alone', 'scalars', [1], { alpha: 0, beta: 1, values: 'integers' });
  cases.add('beta-subnormal', 'scalars', [1], { alpha: subnormal, beta: third });
  cases.add('alpha-zero', 'scalars', [1], { alpha: 0 });
  cases.add('alpha-huge', 'scalars', [1], { alpha: huge });
  // The one kind that catches most: f16 that flushes subnormals, bf16 taken for f16; both fail sums rounded to half. Alpha lifts
  // what is tiny above the bound, a single byte read behind the depth too.
  const magnitude = { k: 2 * tileK };
  const tiny = { ...ragged(2 * tileK - 12), values: 'tiny', alpha: 2 ** 27 };
  if (point.input === 'f16') cases.add('tiny', 'magnitude', [2], tiny);
  else cases.add('huge', 'magnitude', [2], { ...magnitude, values: 'huge', alpha: subnormal });
  cases.add('repeated', 'repetition', [group, 1], { k: tileK, beta: 1 }, { launches: 2, multiprocessors: 2 });
  if (depth === 'full') addFull(cases, { tileK, stages, group });
  return cases.list;
}

/** Block rows and block columns that 16 bits do not number. Of the rows of X and Y that they stand for, those behind 2^16 blocks are memory. */
function addWide(cases: Cases, block: number): void {
  const leading = 2 ** 16;
  const fields = { m: (leading + 2) * block, n: (leading + 3) * block, k: 16, values: 'integers' };
  cases.add('wide', 'edges', [2, 1], { ...fields, leadingRows: leading, leadingColumns: leading });
}

/** Each operand alone, and its products, off what the variant needs of it by half of that, so that all are looked at. Right, or refused. */
function addMisaligned(cases: Cases, point: Point): void {
  const loads = (refuses: string) => (loadElements(point) > 1 ? { refuses } : {});
  const off = half(loadElements(point));
  const stores = (refuses: string) => (point.path === 'naive' ? {} : { refuses });
  for (const [id, fields, options] of [
    ...oddOperands(operation, ['x', 'y'], loadElements(point), 'X and Y must be aligned'),
    ...oddOperands(operation, ['values'], point.path === 'naive' ? 1 : 2, 'values must be aligned'),
  ])
    cases.add(id, 'edges', [1], fields, options);
  const batch = { batch: 2, batched: 'yes' };
  const products = loads('x_stride and y_stride must be multiples');
  cases.add('odd-products-of-x', 'operation', [1], { ...batch, xApart: off }, products);
  cases.add('odd-products-of-y', 'operation', [1], { ...batch, yApart: off }, products);
  const even = stores('values_stride must be even');
  cases.add('odd-products-of-values', 'operation', [1], { ...batch, valuesApart: 1 }, even);
}

/**
 * No blocks; and last blocks that end behind the matrix, in rows, in columns and in both, alone and in a batch with indices of 64 bits.
 * Lines are padded to what is loaded.
 */
function addShapes(cases: Cases, point: Point, tileK: number): void {
  cases.add('no-blocks', 'structures', [0, 0], {});
  const vector = loadElements(point);
  const padding = (layout: Point['layoutX'], rows: number, k: number) =>
    vector - ((layout === 'row' || point.path === 'naive' ? k : rows) % vector);
  const partial = (columns: number, k: number) => {
    const [m, n] = [3 * point.block - 5, columns * point.block - 11];
    const extra = { xExtra: padding(point.layoutX, m, k), yExtra: padding(point.layoutY, n, k) };
    return { m, n, k, ...extra, alpha: third, beta: -0.7 };
  };
  cases.add('partial-blocks', 'edges', [3, 1, 3], partial(3, tileK + 3));
  // More columns than rows: products of Y lie further apart than those of X.
  const batch = { batch: 3, batched: 'yes', productExtra: 2, ...wideIndices(true) };
  cases.add('batch', 'operation', [2, 0, 1], { ...batch, ...partial(4, tileK + 1), values: 'normal' });
}

interface Loop {
  readonly tileK: number;
  readonly stages: number;
  readonly group: number;
}

/** Depths, structures and repetitions that a real GPU has time for. */
function addFull(cases: Cases, { tileK, stages, group }: Loop): void {
  for (const values of ['positive', 'cancel', 'normal'])
    cases.add(values, 'magnitude', [2, 0, 1], { k: 8 * tileK, values });
  for (const steps of stepsAround(stages))
    cases.add(`steps-${steps}`, 'structures', [1, 2], { k: steps * tileK, values: 'swing' });
  // More than 8 bits count, of one tile.
  cases.add('steps-257', 'structures', [1], { k: 257 * tileK, values: 'swing' });
  cases.add('long-rows', 'structures', [3 * group + 1, 0, 2 * group, group - 1], { k: tileK, beta: 1 });
  cases.add('many-launches', 'repetition', [4, 2, 3, 0, 1], { k: 3 * tileK }, { launches: 20 });
}
