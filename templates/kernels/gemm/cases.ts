import {
  type BareCase,
  CaseList,
  farApart,
  type GateCase,
  half,
  huge,
  oddOperands,
  roundUp,
  stepsAround,
  subnormal,
  third,
} from '../../../src/model/family.ts';
import { operation } from './operation.ts';
import { loadElements, type Point, storeElements, tileOf } from './parameters.ts';

/** Scalars and bias at once, which count in every tile. */
const everything = { bias: 'yes', alpha: third, beta: -0.7 };

/**
 * Problems of many tiles, few of whose elements are inside. `long-list`: nine columns of tiles for one thread block or cluster,
 * whose pipeline wraps around thirteen times or more and begins each tile at another stage: an arrival too few or too many at an mbarrier
 * adds up until a stage is written while it is read. `many-rows`: more rows of tiles than go down together, and whole tiles along n.
 */
function manyTiles(point: Point): readonly BareCase[] {
  const { group = 1, clusterM = 1, clusterN = 1 } = point;
  const { m, n, k, stages } = tileOf(point);
  const oneList = { multiprocessors: clusterM * clusterN };
  return [
    ['long-list', { m: 8, n: 8 * n * clusterN + 8, k: (2 * stages - 1) * k, ...everything }, oneList],
    ['many-rows', { m: group * m * clusterM + 1, n: 2 * n * clusterN, k: 8 }],
  ];
}

/**
 * Operands, and the width of C, off what the variant needs of them. Of C that is half of a whole vector, which not all need. Right, or
 * refused.
 */
function misaligned(point: Point): readonly BareCase[] {
  const { n } = tileOf(point);
  const stored = storeElements(point);
  const column = half(stored);
  const loads = { lines: 'lda and ldb must be multiples', addresses: 'A and B must be aligned' };
  const stores = { lines: 'n and ldc must be multiples', addresses: 'stores C by TMA' };
  return [
    ...oddOperands(operation, ['a', 'b'], loadElements(point), loads),
    ['odd-n', { n: n - column, bExtra: column, cExtra: column }, stored > 1 ? { refuses: stores.lines } : {}],
    ...oddOperands(operation, ['c'], stored, stores, half(8)),
  ];
}

/** Places that 32 bits do not number: only what is used of the operands is memory. */
const farProblem = {
  ...{ m: 9, n: 8, k: 16, values: 'integers', beta: 1 },
  ...{ aExtra: farApart(9, 16), bExtra: farApart(16, 8), cExtra: farApart(9, 8) },
};

/** Gate cases of a variant. Problems are small: they also run emulated, on a CPU. */
export function casesOf(point: Point, depth: 'quick' | 'full'): readonly GateCase[] {
  const { element, activation } = point;
  const { m, n, k, stages } = tileOf(point);
  const vector = loadElements(point);
  const stored = storeElements(point);
  const list = new CaseList({ m, n, k, element, activation });
  // Rows that the variant can load, ragged on all sides as far as it can store them.
  const ragged = (rows: number, columns: number, length: number) => {
    const n = roundUp(columns, stored);
    const [aExtra, bExtra] = [roundUp(length, vector) - length, roundUp(n, vector) - n];
    return { m: rows, n, k: length, aExtra, bExtra };
  };
  list.add('pipeline', 'exact', { k: (2 * stages + 1) * k, bias: 'yes', values: 'swing' });
  list.add('address-coded', 'address-coded', { ...ragged(m + 3, n + 8, 2 * k - 5), values: 'one-hot' });
  list.add('one-step', 'structures', { m: m / 2, k: k / 2 });
  list.add('no-depth', 'structures', { k: 0, bias: 'yes', alpha: third, beta: -0.7 });
  list.add('no-rows', 'structures', { m: 0 });
  list.add('no-columns', 'structures', { n: 0, bExtra: 8, cExtra: 8 });
  // Never 0, which no step at all would leave. Alpha 2 without beta: what takes it for 1 shows nowhere else.
  list.add('one-element', 'structures', { ...ragged(1, 1, 1), values: 'positive', alpha: 2 });
  // Operands behind the depth are 0 on both sides: 0 times infinity is NaN.
  list.add('non-finite', 'non-finite', { ...ragged(m / 2, n, k + 5), values: 'nan' });
  list.add('ragged', 'edges', {
    ...ragged(m - 3, n - stored - 2, k + 5),
    ...{ cExtra: roundUp(11, stored), ...everything },
  });
  const c = { cExtra: roundUp(13, stored), cOffset: stored };
  list.add('unaligned', 'edges', { ...ragged(m + 1, n - 8, k), ...c, biasOffset: 1, ...everything });
  for (const [id, problem, options] of misaligned(point))
    list.add(id, 'edges', { m: 8, ...problem }, options);
  list.add('far', 'edges', farProblem);
  list.add('beta-where-alpha-is-one', 'scalars', { m: 8, n: 16, beta: -0.7 });
  // Whole vectors of C in lines, and then at an address, off their alignment.
  list.add('beta-alone', 'scalars', { m: 8, n: 16, alpha: 0, beta: 1, cExtra: roundUp(5, stored) });
  list.add('beta-subnormal', 'scalars', { m: 8, n: 16, alpha: subnormal, beta: third });
  list.add('alpha-zero', 'scalars', { m: 8, n: 16, alpha: 0, cOffset: stored });
  // More than one column of tiles.
  list.add('alpha-alone', 'scalars', { m: 8, n: 2 * n, k: 8, alpha: third });
  list.add('alpha-huge', 'scalars', { m: 8, n: 16, alpha: huge });
  const tiny = ragged(m / 2, n, 2 * k - 12);
  // The one kind that catches most: f16 that flushes subnormals, bf16 taken for f16; both fail sums rounded to half. Alpha lifts
  // what is tiny above the bound, a single byte read behind the depth too.
  if (element === 'f16') list.add('tiny', 'magnitude', { ...tiny, values: 'tiny', alpha: 2 ** 27 });
  else list.add('huge', 'magnitude', { m: m / 2, k: 2 * k, values: 'huge', alpha: subnormal });
  // Whole tiles, and fewer than go down together: what counts them one too many is wrong there alone.
  list.add('repeated', 'repetition', { m: 3 * m, n: 2 * n, k: k + 8 }, { launches: 2, multiprocessors: 2 });
  for (const [id, problem, options] of manyTiles(point)) list.add(id, 'structures', problem, options);
  // Of whole tiles: all that some imported kernels take.
  list.add('non-finite-whole', 'non-finite', { m: m / 2, values: 'nan' });
  if (depth === 'quick') return list.cases;
  for (const values of ['positive', 'cancel', 'normal']) {
    list.add(values, 'magnitude', { ...ragged(m + 5, n + 9, 7 * k + 1), values });
  }
  for (const steps of stepsAround(stages)) {
    list.add(`steps-${steps}`, 'structures', { m: m + 1, k: steps * k, values: 'swing' });
  }
  // More than 8 bits count, of one tile.
  list.add('steps-257', 'structures', { m: 8, k: 257 * k, values: 'swing' });
  // Rows, and then columns, that 16 bits do not number.
  const many = 2 ** 16 + 8;
  list.add('tall', 'structures', { ...ragged(many, 1, 8), values: 'integers' });
  list.add('wide', 'structures', { ...ragged(1, many, 8), values: 'integers' });
  list.add('large', 'structures', { ...ragged(5 * m + 7, 3 * n + 17, 3 * k + 2), beta: 1, bias: 'yes' });
  list.add('many-launches', 'repetition', { m: 3 * m, n: 2 * n, k: 3 * k }, { launches: 20 });
  return list.cases;
}
