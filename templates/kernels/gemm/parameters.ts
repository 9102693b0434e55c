import { defineParameters, type Point as PointOf } from '../../../src/model/family.ts';

/** The search space of gemm. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'How products are made: naive (one thread per element, the reference).',
    values: ['naive'],
  },
  element: { label: '', doc: 'Element type of A, B, C and bias.', values: ['f16', 'bf16'] },
  activation: {
    label: '',
    doc: 'Function applied to each element of C.',
    values: ['none', 'relu', 'gelu-tanh', 'gelu-erf', 'silu'],
  },
});

export type Point = PointOf<typeof parameters.specs>;

/** Rows, columns and depth of what a thread block computes at once, and how many such depths are in flight. */
export function tileOf({ path }: Pick<Point, 'path'>) {
  return { m: 8, n: 32, k: path === 'naive' ? 32 : 64, stages: 1 };
}

/** Elements per load of A and B: what their rows must be aligned to. */
export function loadElements({ path }: Point): number {
  return path === 'naive' ? 1 : 8;
}
