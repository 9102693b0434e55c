import { defineOperation } from '../../../src/model/family.ts';

/** A dense product, sampled at the blocks of a sparse matrix. */
export const operation = defineOperation({
  name: 'bsr_sddmm',
  formula: 'A = alpha * (X * Y^T) + beta * A, at the stored blocks of A',
  doc: 'A is m x n in block sparse rows (BSR): values holds the stored blocks one after the other, each block x block elements, row-major; a block row names each block column at most once, in any order. Where m or n is no multiple of block, the last blocks are stored whole, and what they hold behind the last row or column of A counts for nothing. X is m x k and Y is n x k. Products are accumulated in fp32 and rounded once. With beta = 0, values are written and never read.',
  pattern: {
    name: 'bsr',
    doc: 'which blocks of a matrix are stored, in block sparse rows',
    sizes: { k: 'n' },
  },
  sizes: {
    m: { doc: 'rows of A' },
    n: { doc: 'columns of A' },
    k: { doc: 'columns of X and Y' },
    block: { doc: 'rows, and columns, of a block of A', least: 1 },
    blocks: { doc: 'stored blocks of A', most: '(m + block - 1) / block * ((n + block - 1) / block)' },
    batch: { doc: 'products with one pattern of A, each with values, X and Y of its own', otherwise: 1 },
  },
  choices: {
    input: { kind: 'type', doc: 'element type of X and Y', values: ['f16', 'bf16'] },
    output: { kind: 'type', doc: 'element type of A' },
    index: { kind: 'index', doc: 'type of row_ptr and col_idx' },
    layoutX: { kind: 'layout', doc: 'order of X' },
    layoutY: { kind: 'layout', doc: 'order of Y' },
    batched: { kind: 'switch', doc: 'several products in one call', when: 'batch > 1' },
  },
  operands: {
    row_ptr: {
      doc: 'first stored block of each block row of A, and their number at the end',
      role: 'input',
      type: 'index',
      shape: ['(m + block - 1) / block + 1'],
      host: {
        kind: 'offsets',
        total: 'blocks',
        doc: 'Kernels that compute several blocks of a row together, the fast ones, are chosen only where it is given. What is given holds for every run of the plan.',
      },
    },
    col_idx: {
      doc: 'block column of each stored block',
      role: 'input',
      type: 'index',
      shape: ['blocks'],
      host: {
        kind: 'indices',
        below: '(n + block - 1) / block',
        doc: 'Checked where it is given; no kernel depends on it.',
      },
    },
    x: {
      doc: 'X',
      role: 'input',
      type: 'input',
      shape: ['m', 'k'],
      layout: 'layoutX',
      leading: 'ldx',
      batchStride: 'x_stride',
    },
    y: {
      doc: 'Y',
      role: 'input',
      type: 'input',
      shape: ['n', 'k'],
      layout: 'layoutY',
      leading: 'ldy',
      batchStride: 'y_stride',
    },
    values: {
      doc: 'stored blocks of A; read only where beta is not 0',
      role: 'inout',
      readWith: 'beta',
      type: 'output',
      shape: ['blocks', 'block', 'block'],
      batchStride: 'values_stride',
    },
  },
  scalars: {
    alpha: { doc: 'factor of the product', usual: 1 },
    beta: { doc: 'factor of the former values' },
  },
  features: {
    density: { doc: 'share of the blocks of A that are stored' },
    unevenness: {
      doc: 'mean square of the lengths of block rows over the square of their mean, 1 where all are equal',
    },
  },
});
