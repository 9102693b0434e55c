import { defineOperation } from '../../../src/model/family.ts';

/** The dense product, row-major. */
export const operation = defineOperation({
  name: 'gemm',
  formula: 'C = act(alpha * A * B + beta * C + bias)',
  computes: 'product',
  doc: 'A is m x k, B is k x n, C is m x n, all row-major. Products are accumulated in fp32, the activation is applied in fp32, and the result is rounded once. With beta = 0, C is written and never read.',
  sizes: {
    m: { doc: 'rows of A and C' },
    n: { doc: 'columns of B and C' },
    k: { doc: 'columns of A, rows of B' },
  },
  choices: {
    element: { kind: 'type', doc: 'element type of A, B, C and bias', values: ['f16', 'bf16'] },
    bias: { kind: 'switch', doc: 'bias added, one element per column of C' },
    activation: { kind: 'activation', doc: 'function act, applied to each element of C' },
  },
  operands: {
    a: { doc: 'A', role: 'input', type: 'element', shape: ['m', 'k'], leading: 'lda' },
    b: { doc: 'B', role: 'input', type: 'element', shape: ['k', 'n'], leading: 'ldb' },
    bias: { doc: 'one element per column of C', role: 'input', type: 'element', shape: ['n'], only: 'bias' },
    c: {
      doc: 'C; read only where beta is not 0',
      role: 'inout',
      readWith: 'beta',
      type: 'element',
      shape: ['m', 'n'],
      leading: 'ldc',
    },
  },
  scalars: { alpha: { doc: 'factor of the product', usual: 1 }, beta: { doc: 'factor of the former C' } },
});
