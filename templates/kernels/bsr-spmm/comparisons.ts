import { type Comparison, combinations } from '../../../src/model/family.ts';
import { types } from './cells.ts';
import type { Point } from './parameters.ts';
import type { Layout, Problem } from './workloads.ts';

/** Columns of C in each class of `cells`, at sizes that are worth timing, with the next multiple of 8. */
const widths = [
  [1, 8],
  [5, 8],
  [33, 40],
  [1001, 1008],
  [1008, 1008],
] as const;

interface Kind {
  readonly of: (typeof types)[number];
  readonly layoutB: Layout;
  readonly layoutC: Layout;
  readonly block: Point['block'];
  readonly transposed: boolean;
}

const layouts: readonly Layout[] = ['row', 'column'];
const kinds: readonly Kind[] = combinations({
  of: types,
  layoutB: layouts,
  layoutC: layouts,
  block: [16, 32, 64, 128],
  transposed: [false, true],
});

const isHalf = ({ of }: Kind) => of.input === 'f16' && of.output === 'f16';

function idOf({ of: { input, output }, layoutB, layoutC, block, transposed }: Kind, n: number): string {
  const type = output === input ? input : `${input}-${output}`;
  return `cell${transposed ? '.transposed' : ''}.${type}.${layoutB}-${layoutC}.${n}.b${block}`;
}

function problemOf({ of, layoutB, layoutC, block, transposed }: Kind, n: number): Problem {
  return {
    ...{ m: 4096, k: 4096, n, block, ...of, layoutB, layoutC, values: 'normal', seed: 1 },
    ...(transposed && { transposeA: 'yes' }),
    pattern: { kind: 'random', density: 0.1 },
  };
}

function comparison(kind: Kind, n: number, aligned: number): Comparison {
  const half = { ...kind, of: { input: 'f16', output: 'f16' } } as const;
  return {
    ...{ id: idOf(kind, n), problem: { ...problemOf(kind, n) } },
    ...((!isHalf(kind) || n !== aligned) && { sibling: idOf(half, aligned) }),
    ...(kind.of.tf32 === 'yes' && { rate: 0.5 }), // of tensor cores with TF32, on every GPU that has them
  };
}

/**
 * Each type, layout, block and class of widths, of A and of its transpose, beside the product of f16 that is alike but for its
 * width, a multiple of 8. A is 4096 x 4096 with a tenth of its blocks.
 */
export const comparisons: readonly Comparison[] = kinds.flatMap((kind) => [
  ...widths.map(([n, aligned]) => comparison(kind, n, aligned)),
  ...(isHalf(kind) ? [8, 40].map((n) => comparison(kind, n, n)) : []),
]);

/** Those whose inputs and results are of one type, or whose results are f32. */
export const unmixed = comparisons.filter(
  ({ problem: { input, output } }) => output === input || output === 'f32',
);
