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

/** Values that a variant takes: at run time, or, of layouts and transposition on the paths general and wgmma, the one it is made for. */
function taken(point: Point): OperationValues {
  switch (point.path) {
    case 'naive':
      return { ...everything, ...(point.input === 'f32' && { tf32: both }) };
    case 'narrow':
      return { ...everything, transposeA: ['no'] };
    case 'general': {
      const { layoutB, layoutC, transposeA } = point;
      const fixed = { layoutB: [layoutB], layoutC: [layoutC], transposeA: [transposeA ? 'yes' : 'no'] };
      return { ...everything, ...fixed, ...(point.input === 'f32' && { tf32: point.ffma ? both : ['yes'] }) };
    }
    case 'multirow':
      return {
        ...everything,
        ...{ layoutB: [point.layoutB], layoutC: [point.layoutC], transposeA: ['no'], batched: ['no'] },
      };
    case 'wgmma':
      return {
        ...{
          layoutB: [point.layoutB],
          layoutC: [point.layoutC],
          transposeA: [point.transposeA ? 'yes' : 'no'],
        },
        ...(point.input === 'f32' && { tf32: ['yes'] }),
        ...(point.fused && { bias: both, activation: choiceKinds.activation }),
        ...(hasAddend(point) && { residual: both }),
      };
    default:
      return {};
  }
}

/** Values of the operation that a variant serves; of a choice that is not named, the default alone. */
export function serves(point: Point): OperationValues {
  const { block, input, output } = point;
  return { block: [block], input: [input], output: [output], ...taken(point) };
}
