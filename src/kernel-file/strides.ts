import { UsageError } from '../errors.ts';
import type { ArgumentDescription } from './description.ts';
import type { Expression } from './expression.ts';
import { evaluate, productOf, type Sizes } from './expression.ts';
import type { Parameter } from './signature.ts';

/** A tensor as it lies in memory: lines of `cols` elements, `stride` from the begin of one to the next. */
export interface Lines {
  readonly rows: number;
  readonly cols: number;
  readonly stride: number;
  /** Dimensions of the shape in the order in which they lie in memory, the innermost last. */
  readonly axes: readonly number[];
}

interface Strided {
  readonly shape: readonly Expression[];
  /** Elements from one index to the next, for every dimension; absent: dense, the last dimension innermost. */
  readonly strides?: readonly Expression[];
}

/** Strides of a pointer's tensor, in numbers, where it has some; those of a `float4*` are described in vectors. */
export function stridesOf(
  { strides, shape, role, type }: Extract<ArgumentDescription, { tolerance?: unknown }>,
  { lanes }: Parameter,
  where: string,
): Pick<Strided, 'strides'> {
  if (strides === undefined) return {};
  if (shape === undefined) throw new UsageError(`${where} has strides and no shape`);
  if (role === 'workspace') throw new UsageError(`${where}: a workspace has no strides, only a shape`);
  const whole = wholeStrides(strides, shape, where);
  const isVector = type === undefined && lanes > 1;
  return { strides: isVector ? [...whole.map((one) => `(${one}) * ${lanes}`), 1] : whole };
}

/** Strides for every dimension of a shape; that of the last may be left out, and is 1. Throws a UsageError for another number. */
function wholeStrides(
  strides: readonly Expression[],
  shape: readonly Expression[],
  where: string,
): readonly Expression[] {
  if (strides.length === shape.length) return strides;
  if (strides.length + 1 === shape.length) return [...strides, 1];
  throw new UsageError(
    `${where}: a shape of ${shape.length} dimensions needs ${shape.length} strides, or ${shape.length - 1} where the last is 1, not ${strides.length}`,
  );
}

/** Layout in memory of a tensor with these sizes. Throws a UsageError for strides with which elements overlap or lines are not evenly spaced. */
export function linesOf({ shape, strides }: Strided, sizes: Sizes, where: string): Lines {
  const extents = shape.map((one) => evaluate(one, sizes));
  const count = productOf(shape, sizes);
  if (strides === undefined || count === 0) {
    const cols = extents.at(-1) ?? 1;
    return { rows: cols === 0 ? 0 : count / cols, cols, stride: cols, axes: extents.map((_, i) => i) };
  }
  const apart = strides.map((one) => evaluate(one, sizes));
  const axes = extents.map((_, i) => i).toSorted((a, b) => (apart[b] ?? 0) - (apart[a] ?? 0) || a - b);
  const inwards = axes.filter((axis) => extents[axis] !== 1).toReversed();
  let [cols, rows, stride] = [1, 1, 0];
  for (const axis of inwards) {
    const [extent = 1, step = 0] = [extents[axis], apart[axis]];
    if (stride === 0 && step === cols) {
      cols *= extent;
      continue;
    }
    stride ||= step;
    if (stride < cols || step < stride * rows) throw refusal('elements overlap', extents, apart, where);
    if (step !== stride * rows)
      throw refusal(`lines of ${cols} elements are not evenly spaced`, extents, apart, where);
    rows *= extent;
  }
  return { rows, cols, stride: stride || cols, axes };
}

function refusal(
  what: string,
  shape: readonly number[],
  strides: readonly number[],
  where: string,
): UsageError {
  return new UsageError(
    `${where}: with the shape [${shape.join(', ')}] and the strides [${strides.join(', ')}] ${what}; there may be one gap, behind every line: [ld, 1], or [M * ld, ld, 1]`,
  );
}

/** Whether linesOf() takes a tensor with these sizes. */
export function hasLines(tensor: Strided, sizes: Sizes): boolean {
  try {
    linesOf(tensor, sizes, '');
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}
