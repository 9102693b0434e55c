import { type Cell, combinations } from '../../../src/model/family.ts';
import { choiceKinds } from '../../../src/model/operation.ts';
import type { Point } from './parameters.ts';
import type { Problem } from './workloads.ts';

type Types = Pick<Problem, 'input' | 'output' | 'tf32'>;

/** Element types with kernels on tensor cores. */
export const types: readonly Types[] = [
  { input: 'f16', output: 'f16' },
  { input: 'f16', output: 'bf16' },
  { input: 'f16', output: 'f32' },
  { input: 'bf16', output: 'bf16' },
  { input: 'bf16', output: 'f16' },
  { input: 'bf16', output: 'f32' },
  { input: 'f32', output: 'f32', tf32: 'yes' },
];
const blocks: readonly Point['block'][] = [16, 32, 64, 128];
const usualPattern = { kind: 'random', density: 0.1 } as const;
const layouts = choiceKinds.layout;

/**
 * Classes of columns of C, each with a width that begins no line of a row-major B but the first at 16 bytes, where the class has one;
 * and with a usual width.
 */
const widths = {
  '1': [1, 1],
  '2-16': [5, 5],
  '17-64': [33, 33],
  ragged: [263, 1001],
  'multiple of 8': [264, 1008],
} as const;

/** Every type, layout, block and class of widths, of A and of its transpose. */
export const cells: readonly Cell[] = combinations({
  transposed: [false, true],
  of: types,
  layoutB: layouts,
  layoutC: layouts,
  block: blocks,
  width: Object.entries(widths),
}).map(({ transposed, of, layoutB, layoutC, block, width: [column, [n, usualWidth]] }) => {
  const result = of.output === of.input ? '' : ` to ${of.output}`;
  const row = `${transposed ? 'transposed A, ' : ''}${of.input}${result}, B ${layoutB}, C ${layoutC}, blocks of ${block}`;
  const sizes = { m: 2 * block, k: 3 * block, n, block };
  const problem: Problem = {
    ...{ ...of, ...sizes, layoutB, layoutC, values: 'integers', seed: 1 },
    ...(transposed && { transposeA: 'yes' }),
    pattern: { kind: 'diagonal' },
  };
  const usual = { ...problem, m: 4096, k: 4096, n: usualWidth, pattern: usualPattern };
  return { row, column, problem: { ...problem }, usual };
});
