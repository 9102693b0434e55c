// Groups of workloads that are alike, by what they have in common.
import type { Workload } from '../../src/model/workload.ts';

type Grouping = (workload: Workload) => string;

const field =
  (...names: string[]): Grouping =>
  ({ problem }) =>
    names.map((name) => JSON.stringify(problem[name] ?? '')).join(' ');

/** Class of the number of columns, in powers of four. */
const width: Grouping = ({ problem }) => `4^${Math.ceil(Math.log(Number(problem.n)) / Math.log(4))}`;

/** Types, blocks, layouts and transposition, which shapes, patterns and widths say nothing of. */
const kind = field('input', 'output', 'tf32', 'block', 'layoutB', 'layoutC', 'transposeA');

/**
 * By a short name: in words, and what alike workloads have in common. With a `kind`, those are asked for whose kind is timed outside their
 * group, too.
 */
export const groupings: Readonly<
  Record<string, { readonly words: string; readonly of: Grouping; readonly kind?: Grouping }>
> = {
  shape: { words: 'a shape of A, with all its patterns and widths', of: field('m', 'k'), kind },
  pattern: { words: 'a pattern and its density', of: field('pattern'), kind },
  width: { words: 'a class of widths', of: width, kind },
  'shape-width': {
    words: 'a shape of A and a class of widths',
    of: (workload) => `${field('m', 'k')(workload)} ${width(workload)}`,
    kind,
  },
  layout: { words: 'layouts of B and C, and transposition', of: field('layoutB', 'layoutC', 'transposeA') },
  type: { words: 'types and the size of blocks', of: field('input', 'output', 'block') },
};
