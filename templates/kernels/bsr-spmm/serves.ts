import { choiceKinds, type OperationValues } from '../../../src/model/operation.ts';
import type { Point } from './parameters.ts';

const both = ['no', 'yes'];

/** Values of the operation that the path naive takes at run time: all. */
const everything: OperationValues = {
  index: choiceKinds.index,
  layoutB: choiceKinds.layout,
  layoutC: choiceKinds.layout,
  transposeA: both,
  bias: both,
  activation: choiceKinds.activation,
  residual: both,
  batched: both,
};

/** Values that a path takes at run time. */
function atRunTime(path: Point['path']): OperationValues {
  if (path === 'naive') return everything;
  return path === 'narrow' ? { ...everything, transposeA: ['no'] } : {};
}

/** Values of the operation that a variant serves; of a choice that is not named, the default alone. */
export function serves({ path, block, input, output }: Point): OperationValues {
  return { block: [block], input: [input], output: [output], ...atRunTime(path) };
}
