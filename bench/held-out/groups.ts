// Groups of workloads that are alike, by what they have in common.
import type { Workload } from '../../src/model/workload.ts';

type Grouping = (workload: Workload) => string;

const field =
  (...names: string[]): Grouping =>
  ({ problem }) =>
    names.map((name) => JSON.stringify(problem[name] ?? '')).join(' ');

/** Class of the number of columns, in powers of four. */
const width: Grouping = ({ problem }) => `4^${Math.ceil(Math.log(Number(problem.n)) / Math.log(4))}`;

/** By a short name: in words, and what alike workloads have in common. */
export const groupings: Readonly<Record<string, { readonly words: string; readonly of: Grouping }>> = {
  shape: { words: 'a shape of A, with all its patterns and widths', of: field('m', 'k') },
  pattern: { words: 'a pattern and its density', of: field('pattern') },
  width: { words: 'a class of widths', of: width },
  'shape-width': {
    words: 'a shape of A and a class of widths',
    of: (workload) => `${field('m', 'k')(workload)} ${width(workload)}`,
  },
  layout: { words: 'layouts of B and C, and transposition', of: field('layoutB', 'layoutC', 'transposeA') },
  type: { words: 'types and the size of blocks', of: field('input', 'output', 'block') },
};
