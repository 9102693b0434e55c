import type { FileMatrix } from '../../../src/model/family.ts';
import type { ChoiceKind, choiceKinds } from '../../../src/model/operation.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { Point } from './parameters.ts';
import { elementBytes } from './paths/general/sizes.ts';

/** Choice of the stored blocks of A; read by tw/bsr.hpp, which documents each kind. */
export type Pattern =
  | { readonly kind: 'random' | 'equal-rows'; readonly density: number }
  | { readonly kind: 'power-law'; readonly density: number; readonly exponent: number }
  | { readonly kind: 'banded'; readonly width: number }
  | { readonly kind: 'block-diagonal'; readonly size?: number }
  | { readonly kind: 'rows'; readonly counts: readonly number[] }
  | { readonly kind: 'full-row'; readonly row: number }
  | { readonly kind: 'full-column'; readonly column: number }
  | { readonly kind: 'empty' | 'diagonal' | 'arrow' | 'last-block' }
  | { readonly kind: 'explicit'; readonly rowPtr: readonly number[]; readonly colIdx: readonly number[] }
  | {
      readonly kind: 'matrix-market';
      readonly path: string;
      /** Of the file in blocks of this size, if known. */
      readonly density?: number;
      readonly unevenness?: number;
    };

/** Values of the operands; read by values.hpp, which documents each kind. */
export type Values =
  | 'normal'
  | 'integers'
  | 'swing'
  | 'one-hot'
  | 'positive'
  | 'nan'
  | 'huge'
  | 'tiny'
  | 'cancel'
  | 'between'
  | 'file';

type Choice<K extends ChoiceKind> = (typeof choiceKinds)[K][number];
export type Layout = Choice<'layout'>;
export type Activation = Choice<'activation'>;

/** A product as the C++ side makes it. Sizes in elements; what is absent is 0, 1 for alpha and batch, or a choice's default. */
export interface Problem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly block: Point['block'];
  readonly input: Point['input'];
  readonly output: Point['output'];
  readonly index?: Choice<'index'>;
  readonly layoutB?: Layout;
  readonly layoutC?: Layout;
  readonly transposeA?: Choice<'switch'>;
  readonly bias?: Choice<'switch'>;
  readonly activation?: Activation;
  readonly residual?: Choice<'switch'>;
  readonly tf32?: Choice<'switch'>;
  /** Products with one pattern; `batched` is `yes` where there are several. */
  readonly batch?: number;
  readonly batched?: Choice<'switch'>;
  /** Elements by which the operands of two products lie further apart than they must. */
  readonly batchExtra?: number;
  /** The same of one operand alone, in addition: of A, of B, and of C and the residual. */
  readonly batchExtraA?: number;
  readonly batchExtraB?: number;
  readonly batchExtraC?: number;
  /** The same of the residual alone, in addition to C's. */
  readonly batchExtraResidual?: number;
  readonly pattern: Pattern;
  /** Block columns in ascending order within a row; true if absent. */
  readonly sorted?: boolean;
  /** Whether the plan is given a host copy of the block columns; true if absent. */
  readonly hostColumns?: boolean;
  readonly values: Values;
  readonly alpha?: number;
  readonly beta?: number;
  /** Stored blocks before those of the first row: no row has them, and they exist only as addresses. */
  readonly leadingBlocks?: number;
  /**
   * Block columns of op(A) before those of the pattern: no block is in them, and their rows of B exist only as addresses. Of `k`, or
   * `m` where A is transposed.
   */
  readonly leadingColumns?: number;
  /**
   * Elements by which rows (columns, where that is their layout) of B, C and the residual are further apart than they are
   * long; so many more than 2^20 exist mostly as addresses.
   */
  readonly ldbExtra?: number;
  readonly ldcExtra?: number;
  readonly ldrExtra?: number;
  /** Elements by which base pointers are moved off their alignment; that of C counts for bias and residual too. */
  readonly offsetA?: number;
  readonly offsetB?: number;
  readonly offsetC?: number;
  /** The same of bias and residual alone, in addition to C's. */
  readonly offsetBias?: number;
  readonly offsetResidual?: number;
  readonly seed: number;
}

export interface SpmmWorkload extends Workload {
  readonly problem: Problem & Workload['problem'];
}

/** The problem of one of this family's workloads. */
export function problemOf(workload: Workload): Problem {
  return workload.problem as unknown as Problem;
}

type Options = Partial<
  Pick<Problem, 'm' | 'n' | 'k' | 'input' | 'output' | 'layoutB' | 'layoutC' | 'pattern' | 'values'>
>;

const blocks: readonly Point['block'][] = [32, 64, 128];
const eighth: Pattern = { kind: 'random', density: 0.125 };

/** One workload per block size; `name` begins the id. */
function each(name: string, size: number, options: Options = {}, sizes = blocks): SpmmWorkload[] {
  const { input = 'f16', output = 'f16' } = options;
  return sizes.map((block) => ({
    id: `${name}.b${block}${input === 'f16' ? '' : `.${input}`}${output === input ? '' : `.${output}`}`,
    problem: {
      m: size,
      n: size,
      k: size,
      block,
      input,
      output,
      pattern: eighth,
      values: 'normal',
      seed: 1,
      ...options,
    },
  }));
}

/**
 * Workloads of the evidence: a size that mostly fits into L2 and one that does not, each with rows of random length
 * and with equal rows, which is what a vendor's Blocked-ELL wants.
 */
export const mainWorkloads = [4096, 8192].flatMap((size) => [
  ...each(`${size}.d12`, size),
  ...each(`${size}.d12.equal`, size, { pattern: { kind: 'equal-rows', density: 0.125 } }),
]);

/**
 * y = x W^T of torch.nn.functional.linear for `n` rows of x: B and C are column-major. Weights of Llama-3.1-8B's MLP, a tenth of
 * their blocks stored.
 */
function linear(m: number, k: number, n: number): SpmmWorkload[] {
  const problem = {
    m,
    n,
    k,
    layoutB: 'column',
    layoutC: 'column',
    pattern: { kind: 'random', density: 0.1 },
  } as const;
  return each(`linear.${m}x${k}x${n}.d10`, m, problem, [16, ...blocks]);
}

/** Few columns, as in decoding. */
export const linearWorkloads = [1, 4, 16, 17, 64].flatMap((n) => [
  ...linear(14336, 4096, n),
  ...linear(4096, 14336, n),
]);

/** Row-major B and C, and nothing but the product. */
export const plainWorkloads: readonly SpmmWorkload[] = [
  ...mainWorkloads,
  ...each('1024.d12', 1024),
  ...each('2048.d12', 2048),
  ...each('4096.d5', 4096, { pattern: { kind: 'random', density: 0.05 } }),
  ...each('4096.d50', 4096, { pattern: { kind: 'random', density: 0.5 } }),
  ...each('4096.banded', 4096, { pattern: { kind: 'banded', width: 4 } }),
  ...each('4096.power-law', 4096, { pattern: { kind: 'power-law', density: 0.125, exponent: 1 } }),
  ...each('4096x128.d12', 4096, { n: 128 }),
  ...each('4096x512.d12', 4096, { n: 512 }),
  ...each('4096x1024.d12', 4096, { n: 1024 }),
  ...each('4096.d12', 4096, { input: 'bf16', output: 'bf16' }),
  ...each('4096.d12', 4096, { output: 'f32' }),
];

export const workloads: readonly SpmmWorkload[] = [...plainWorkloads, ...linearWorkloads];

/** Few and many columns. */
const matrixColumns = [128, 1024];

/** Products with A from a file, for each pair of types. */
export function matrixWorkloads(matrix: FileMatrix): readonly SpmmWorkload[] {
  const { id, path, block, rows, columns, density, unevenness } = matrix;
  const pattern: Pattern = {
    ...{ kind: 'matrix-market', path, density },
    ...(unevenness !== undefined && { unevenness }),
  };
  const types = (['f16', 'bf16'] as const).flatMap((input) =>
    ([input, 'f32'] as const).map((output) => ({ input, output })),
  );
  return matrixColumns.flatMap((n) =>
    types.flatMap(({ input, output }) => {
      const problem = { m: rows, n, k: columns, input, output, pattern, values: 'file' } as const;
      return each(`${id}.n${n}`, rows, problem, [block as Point['block']]);
    }),
  );
}

/** Share of A's blocks that are stored, as far as the pattern tells; banded ones without what the edges cut off. */
export function densityOf({ pattern, k, block }: Problem): number | undefined {
  const columns = Math.ceil(k / block);
  switch (pattern.kind) {
    case 'random':
    case 'equal-rows':
    case 'power-law':
      return pattern.density;
    case 'banded':
      return Math.min(1, (2 * pattern.width + 1) / columns);
    case 'block-diagonal':
      return Math.min(1, (pattern.size ?? 4) / columns);
    case 'matrix-market':
      return pattern.density;
    default:
      return undefined;
  }
}

/**
 * Unevenness of block rows, as far as the pattern tells: the mean square of their lengths over the square of the mean. 1 where
 * all are equal; of random ones the expectation.
 */
export function unevennessOf({ pattern, m, k, block }: Problem): number | undefined {
  const rows = Math.ceil(m / block);
  const columns = Math.ceil(k / block);
  switch (pattern.kind) {
    case 'equal-rows':
    case 'banded':
    case 'block-diagonal':
      return 1;
    case 'random':
      return pattern.density === 0 ? undefined : 1 + (1 - pattern.density) / (pattern.density * columns);
    case 'matrix-market':
      return pattern.unevenness;
    case 'power-law': {
      const lengths = powerLaw(rows, columns, pattern);
      const mean = lengths.reduce((sum, length) => sum + length, 0) / rows;
      return lengths.reduce((sum, length) => sum + length ** 2, 0) / rows / mean ** 2;
    }
    default:
      return undefined;
  }
}

/** Bytes to which every line of B and C is aligned where the first one is, 16 at most: the lowest bit of their lengths. */
export function alignmentOf(problem: Problem): number {
  const { m, n, k, layoutB = 'row', layoutC = 'row', transposeA = 'no', input, output } = problem;
  const [rows, depth] = transposeA === 'yes' ? [k, m] : [m, k];
  const lineOfB = (layoutB === 'row' ? n : depth) * elementBytes[input];
  const lineOfC = (layoutC === 'row' ? n : rows) * elementBytes[output];
  const bits = lineOfB | lineOfC | 16;
  return bits & -bits;
}

/** Row lengths c * rank^-exponent, full rows at most; c such that they have the density. As tw/bsr.hpp has it, unrounded. */
function powerLaw(
  rows: number,
  columns: number,
  { density, exponent }: { readonly density: number; readonly exponent: number },
): number[] {
  const lengths = (scale: number) =>
    Array.from({ length: rows }, (_, rank) => Math.min(columns, scale * (rank + 1) ** -exponent));
  let low = 0;
  let high = columns * (rows + 1) ** Math.abs(exponent) + 1;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    const blocks = lengths(middle).reduce((sum, length) => sum + length, 0);
    if (blocks < density * rows * columns) low = middle;
    else high = middle;
  }
  return lengths(high);
}
