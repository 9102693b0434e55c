import { defineOperation } from '../../../src/model/operation.ts';

/** Block-sparse times dense. What no kernel serves yet, callers can already ask for: a plan refuses it with a sentence. */
export const operation = defineOperation({
  name: 'bsr_spmm',
  formula: 'C = act(alpha * op(A) * B + beta * C + bias)',
  doc: 'A is m x k in block sparse rows (BSR): values holds the stored blocks one after the other, each block x block elements, row-major; a block row names each block column at most once, in any order. Where m or k is no multiple of block, the last blocks are stored whole, and what they hold behind the last row or column of A counts for nothing. op(A) is A or its transpose, B has as many rows as op(A) has columns. Products are accumulated in fp32 and rounded once, to the type of C. With beta = 0, C is written and never read. Where residual is 1, the matrix residual is read in place of the former C.',
  pattern: { name: 'bsr', doc: 'which blocks of a matrix are stored, in block sparse rows' },
  sizes: {
    m: { doc: 'rows of A' },
    n: { doc: 'columns of B and C' },
    k: { doc: 'columns of A' },
    block: { doc: 'rows, and columns, of a block of A', least: 1 },
    blocks: { doc: 'stored blocks of A', most: '(m + block - 1) / block * ((k + block - 1) / block)' },
    batch: { doc: 'products with one pattern of A, each with values, B and C of its own', otherwise: 1 },
  },
  choices: {
    input: { kind: 'type', doc: 'element type of A and B' },
    output: { kind: 'type', doc: 'element type of C and bias' },
    index: { kind: 'index', doc: 'type of row_ptr and col_idx' },
    layoutB: { kind: 'layout', doc: 'order of B' },
    layoutC: { kind: 'layout', doc: 'order of C' },
    transposeA: { kind: 'switch', doc: 'transpose of A in place of A' },
    bias: { kind: 'switch', doc: 'bias added, one element per row of C' },
    activation: { kind: 'activation', doc: 'function act, applied to each element of C' },
    residual: { kind: 'switch', doc: 'a matrix of its own, residual, in place of the former C' },
    tf32: {
      kind: 'switch',
      doc: 'with inputs f32, their products may be made of operands rounded to TF32, of 11 bits',
    },
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
        doc: 'Kernels that arrange their work by the lengths of the block rows, often the fastest, are chosen only where it is given, and the choice among them depends on how uneven these are.',
      },
    },
    col_idx: {
      doc: 'block column of each stored block',
      role: 'input',
      type: 'index',
      shape: ['blocks'],
      host: {
        kind: 'indices',
        below: '(k + block - 1) / block',
        doc: 'Kernels that compute block rows together which share columns are chosen only where both host copies are given. What is given holds for every run of the plan: the arrays on the device must be equal to it.',
      },
    },
    values: {
      doc: 'stored blocks of A',
      role: 'input',
      type: 'input',
      shape: ['blocks', 'block', 'block'],
      batchStride: 'values_stride',
    },
    b: {
      doc: 'B',
      role: 'input',
      type: 'input',
      shape: { by: 'transposeA', shapes: { no: ['k', 'n'], yes: ['m', 'n'] } },
      layout: 'layoutB',
      leading: 'ldb',
      batchStride: 'b_stride',
    },
    bias: {
      doc: 'one element per row of C',
      role: 'input',
      type: 'output',
      shape: { by: 'transposeA', shapes: { no: ['m'], yes: ['k'] } },
      only: 'bias',
    },
    residual: {
      doc: 'matrix that is added in place of the former C; read only where beta is not 0',
      role: 'input',
      type: 'output',
      shape: { by: 'transposeA', shapes: { no: ['m', 'n'], yes: ['k', 'n'] } },
      layout: 'layoutC',
      leading: 'ldr',
      batchStride: 'residual_stride',
      only: 'residual',
    },
    c: {
      doc: 'C; read only where beta is not 0 and there is no residual',
      role: 'inout',
      readWith: 'beta',
      type: 'output',
      shape: { by: 'transposeA', shapes: { no: ['m', 'n'], yes: ['k', 'n'] } },
      layout: 'layoutC',
      leading: 'ldc',
      batchStride: 'c_stride',
    },
  },
  scalars: {
    alpha: { doc: 'factor of the product', usual: 1 },
    beta: { doc: 'factor of the former C, or of the residual' },
  },
  hints: {
    reads_c: {
      doc: '1: runs will have a beta other than 0, and no kernel is chosen that cannot read C; 0: nothing is known of beta, and the kernel that was chosen may refuse a run',
    },
  },
  features: {
    density: { doc: 'share of the blocks of A that are stored' },
    unevenness: {
      doc: 'mean square of the lengths of block rows over the square of their mean, 1 where all are equal',
    },
    alignment: {
      doc: 'bytes to which every line of B and C is aligned where the first one is, 16 at most: the paths wgmma and mma copy 16',
    },
  },
});
