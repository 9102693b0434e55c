import {
  type BareCase,
  CaseList,
  farApart,
  half,
  huge,
  oddOperands,
  roundUp,
  stepsAround,
  subnormal,
  third,
} from './case-list.ts';
import type { Operation } from './operation.ts';
import type { Point } from './parameter.ts';
import type { GateCase, Workload } from './workload.ts';

type Problem = Workload['problem'];

/** The alignment of operands: elements that lines and first elements are multiples of, and the reason for which others are refused. */
interface Aligned {
  readonly elements: number;
  readonly refuses: string;
}

/** Rows and columns of C of a thread block, the depth of a step, and how many steps are in flight. */
type Tile = Readonly<Record<'m' | 'n' | 'k' | 'stages', number>>;

/** A variant of an operation that computes a product, as far as its gate cases depend on it. */
export interface ProductVariant {
  readonly tile: Tile;
  /** Thread blocks of a cluster, below each other and side by side. */
  readonly cluster: readonly [rows: number, columns: number];
  /** Rows of tiles, or of clusters, that go down together before the next column. */
  readonly group: number;
  /** A and B, as they are loaded. */
  readonly loads: Aligned;
  /** C, as it is stored; where it is more than one element, n is a multiple too. */
  readonly stores: Aligned;
}

/** Makers of problems of a variant. */
function problemsOf(operation: Operation, { loads, stores }: ProductVariant) {
  const [vector, stored] = [loads.elements, stores.elements];
  const bias: Problem = operation.operands.bias ? { bias: 'yes' } : {};
  return {
    vector,
    stored,
    bias,
    /** Scalars and bias at once, which count in every tile. */
    everything: { ...bias, alpha: third, beta: -0.7 },
    /** Rows that the variant can load, ragged on all sides as far as it can store them. */
    ragged: (m: number, columns: number, k: number) => {
      const n = roundUp(columns, stored);
      return { m, n, k, aExtra: roundUp(k, vector) - k, bExtra: roundUp(n, vector) - n };
    },
  };
}

type Problems = ReturnType<typeof problemsOf>;

/**
 * Problems of many tiles, few of whose elements are inside. `long-list`: nine columns of tiles for one thread block or cluster,
 * whose pipeline wraps around thirteen times or more and begins each tile at another stage: an arrival too few or too many at an mbarrier
 * adds up until a stage is written while it is read. `many-rows`: more rows of tiles than go down together, and whole tiles along n.
 */
function manyTiles({ tile, cluster, group }: ProductVariant, { everything }: Problems): readonly BareCase[] {
  const { m, n, k, stages } = tile;
  const [rows, columns] = cluster;
  const oneList = { multiprocessors: rows * columns };
  return [
    ['long-list', { m: 8, n: 8 * n * columns + 8, k: (2 * stages - 1) * k, ...everything }, oneList],
    ['many-rows', { m: group * m * rows + 1, n: 2 * n * columns, k: 8 }],
  ];
}

/**
 * Operands, and the width of C, off what the variant needs of them. Of C that is half of a whole vector, which not all need. Right, or
 * refused.
 */
function misaligned(operation: Operation, { tile, loads, stores }: ProductVariant): readonly BareCase[] {
  const column = half(stores.elements);
  const oddN = { n: tile.n - column, bExtra: column, cExtra: column };
  return [
    ...oddOperands(operation, ['a', 'b'], loads.elements, loads.refuses),
    ['odd-n', oddN, stores.elements > 1 ? { refuses: 'n and ldc must be multiples' } : {}],
    ...oddOperands(operation, ['c'], stores.elements, stores.refuses, half(8)),
  ];
}

/** Places that 32 bits do not number: only what is used of the operands is memory. */
const farProblem = {
  ...{ m: 9, n: 8, k: 16, values: 'integers', beta: 1 },
  ...{ aExtra: farApart(9, 16), bExtra: farApart(16, 8), cExtra: farApart(9, 8) },
};

function addStructures(list: CaseList, { m, n, k, stages }: Tile, problems: Problems): void {
  const { ragged, bias, everything } = problems;
  list.add('pipeline', 'exact', { k: (2 * stages + 1) * k, ...bias, values: 'swing' });
  list.add('address-coded', 'address-coded', { ...ragged(m + 3, n + 8, 2 * k - 5), values: 'one-hot' });
  list.add('one-step', 'structures', { m: m / 2, k: k / 2 });
  list.add('no-depth', 'structures', { k: 0, ...everything });
  list.add('no-rows', 'structures', { m: 0 });
  list.add('no-columns', 'structures', { n: 0, bExtra: 8, cExtra: 8 });
  // Never 0, which no step at all would leave. Alpha 2 without beta: what takes it for 1 shows nowhere else.
  list.add('one-element', 'structures', { ...ragged(1, 1, 1), values: 'positive', alpha: 2 });
  // Operands behind the depth are 0 on both sides: 0 times infinity is NaN.
  list.add('non-finite', 'non-finite', { ...ragged(m / 2, n, k + 5), values: 'nan' });
}

function addEdges(list: CaseList, { m, n, k }: Tile, problems: Problems): void {
  const { ragged, bias, everything, stored } = problems;
  list.add('ragged', 'edges', {
    ...ragged(m - 3, n - stored - 2, k + 5),
    ...{ cExtra: roundUp(11, stored), ...everything },
  });
  const c = { cExtra: roundUp(13, stored), cOffset: stored };
  const biasOffset = 'bias' in bias && { biasOffset: 1 };
  list.add('unaligned', 'edges', { ...ragged(m + 1, n - 8, k), ...c, ...biasOffset, ...everything });
}

function addScalars(list: CaseList, { n }: Tile, stored: number): void {
  list.add('beta-where-alpha-is-one', 'scalars', { m: 8, n: 16, beta: -0.7 });
  // Whole vectors of C in lines, and then at an address, off their alignment.
  list.add('beta-alone', 'scalars', { m: 8, n: 16, alpha: 0, beta: 1, cExtra: roundUp(5, stored) });
  list.add('beta-subnormal', 'scalars', { m: 8, n: 16, alpha: subnormal, beta: third });
  list.add('alpha-zero', 'scalars', { m: 8, n: 16, alpha: 0, cOffset: stored });
  // More than one column of tiles.
  list.add('alpha-alone', 'scalars', { m: 8, n: 2 * n, k: 8, alpha: third });
  list.add('alpha-huge', 'scalars', { m: 8, n: 16, alpha: huge });
}

function addMagnitude(list: CaseList, { m, n, k }: Tile, { ragged }: Problems, type: unknown) {
  const tiny = ragged(m / 2, n, 2 * k - 12);
  // The one kind that catches most: f16 that flushes subnormals, bf16 taken for f16; both fail sums rounded to half. Alpha lifts
  // what is tiny above the bound, a single byte read behind the depth too.
  if (type === 'f16') list.add('tiny', 'magnitude', { ...tiny, values: 'tiny', alpha: 2 ** 27 });
  else list.add('huge', 'magnitude', { m: m / 2, k: 2 * k, values: 'huge', alpha: subnormal });
}

/** Magnitudes, depths, sizes and repetitions that a real GPU has time for. */
function addFull(list: CaseList, { m, n, k, stages }: Tile, { ragged, bias }: Problems): void {
  for (const values of ['positive', 'cancel', 'normal'])
    list.add(values, 'magnitude', { ...ragged(m + 5, n + 9, 7 * k + 1), values });
  for (const steps of stepsAround(stages))
    list.add(`steps-${steps}`, 'structures', { m: m + 1, k: steps * k, values: 'swing' });
  // More than 8 bits count, of one tile.
  list.add('steps-257', 'structures', { m: 8, k: 257 * k, values: 'swing' });
  // Rows, and then columns, that 16 bits do not number.
  const many = 2 ** 16 + 8;
  list.add('tall', 'structures', { ...ragged(many, 1, 8), values: 'integers' });
  list.add('wide', 'structures', { ...ragged(1, many, 8), values: 'integers' });
  list.add('large', 'structures', { ...ragged(5 * m + 7, 3 * n + 17, 3 * k + 2), beta: 1, ...bias });
  list.add('many-launches', 'repetition', { m: 3 * m, n: 2 * n, k: 3 * k }, { launches: 20 });
}

/**
 * Gate cases of a variant of an operation that computes a product, for the values of its choices that the point has. Problems are small:
 * they also run emulated, on a CPU.
 */
export function productCases(
  operation: Operation,
  point: Point,
  variant: ProductVariant,
  depth: 'quick' | 'full',
): readonly GateCase[] {
  const { m, n, k } = variant.tile;
  const problems = problemsOf(operation, variant);
  const made = Object.keys(operation.choices).flatMap((name) => (name in point ? [[name, point[name]]] : []));
  const list = new CaseList({ m, n, k, ...Object.fromEntries(made) });
  addStructures(list, variant.tile, problems);
  addEdges(list, variant.tile, problems);
  for (const [id, problem, options] of misaligned(operation, variant))
    list.add(id, 'edges', { m: 8, ...problem }, options);
  list.add('far', 'edges', farProblem);
  addScalars(list, variant.tile, problems.stored);
  addMagnitude(list, variant.tile, problems, point[operation.operands.a?.type ?? '']);
  // Whole tiles, and fewer than go down together: what counts them one too many is wrong there alone.
  list.add('repeated', 'repetition', { m: 3 * m, n: 2 * n, k: k + 8 }, { launches: 2, multiprocessors: 2 });
  for (const [id, problem, options] of manyTiles(variant, problems))
    list.add(id, 'structures', problem, options);
  // Of whole tiles: all that some imported kernels take.
  list.add('non-finite-whole', 'non-finite', { m: m / 2, values: 'nan' });
  if (depth === 'full') addFull(list, variant.tile, problems);
  return list.cases;
}
