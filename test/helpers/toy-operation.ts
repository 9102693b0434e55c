import { defineOperation, type Operation } from '../../src/model/operation.ts';

/** An operation of one size and one operand, for families that are not about their operation. */
export const toyOperation: Operation = defineOperation({
  name: 'toy_op',
  formula: 'c = 0',
  doc: 'A toy.',
  sizes: { n: { doc: 'elements' } },
  choices: { input: { kind: 'type', doc: 'element type', values: ['f16', 'bf16'] } },
  operands: { c: { doc: 'c', role: 'output', type: 'input', shape: ['n'] } },
  scalars: {},
  hints: {},
  features: { density: { doc: 'share of what is stored' } },
});
