import { choiceKinds, type OperationValues } from '../../../src/model/operation.ts';
import { hasAddend, type Point } from './parameters.ts';

const both = ['no', 'yes'];

/** Values of the operation that the path naive takes at run time: all but what asks for another type. */
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

/** Layouts and transposition that are fixed when a variant is rendered. */
function fixedLayouts({ layoutB, layoutC, transposeA }: Point): OperationValues {
  return { layoutB: [layoutB], layoutC: [layoutC], transposeA: [transposeA ? 'yes' : 'no'] };
}

/** Values that a variant takes: at run time, or, of layouts and transposition on the paths general and wgmma, the one it is made for. */
function taken(point: Point): OperationValues {
  switch (point.path) {
    case 'naive':
      return { ...everything, ...(point.input === 'f32' && { tf32: both }) };
    case 'narrow':
      return { ...everything, transposeA: ['no'] };
    case 'general':
      return {
        ...{ ...everything, ...fixedLayouts(point) },
        ...(point.input === 'f32' && { tf32: point.ffma ? both : ['yes'] }),
      };
    case 'multirow':
      return { ...everything, ...fixedLayouts(point), batched: ['no'] };
    case 'wgmma':
      return {
        ...fixedLayouts(point),
        ...(point.input === 'f32' && { tf32: ['yes'] }),
        ...(point.fused && { bias: both, activation: choiceKinds.activation }),
        ...(hasAddend(point) && { residual: both }),
      };
    default:
      return {};
  }
}

/** Values of the operation that a variant serves beside the types that it is made for. */
export function serves(point: Point): OperationValues {
  return { block: [point.block], ...taken(point) };
}
