// Descriptions of the kernels of github.com/KernelTuner/kernel_tuner, examples/cuda. Their files leave tunable parameters to
// the tuner, which defines them before it compiles; so does each description.
const ours = (name) => `references.cpp:${name}`;
const over = (count, threads = 64) => `ceil_div(${count}, ${threads})`;
const uniform = { uniform: [-1, 1] };

/** The size of the image is fixed in the file: a corner of it is computed. */
const corner = { rows: 32, cols: 32, width: 4096 };

const polygon = (kernel, reference, more = {}) => ({
  kernel,
  sizes: { n: 300 },
  arguments: { bitmap: ['n'], points: { shape: ['n'], values: { uniform: [-1.5, 1.5] }, role: 'in' } },
  symbols: { d_vertices: uniform },
  grid: over('n', 128),
  block: 128,
  defines: { block_size_x: 128 },
  reference,
  ...more,
});

const means = (kernel, reference, launch) => ({
  kernel,
  sizes: { h: 48, w: 64 },
  arguments: { input: { shape: ['h', 'w'], role: 'inout' } },
  block: [32, 16],
  reference: ours(reference),
  tolerance: 1e-4,
  ...launch,
});

const convolution = (kernel, reference, filter) => ({
  kernel,
  sizes: corner,
  ragged: false,
  arguments: {
    output: { shape: ['rows', 'width'], role: 'inout' },
    input: { shape: ['rows + 16', 'width + 16'], role: 'in' },
    ...filter.arguments,
  },
  symbols: filter.symbols,
  defines: { read_only: 1 },
  ...{ grid: [2, 2], block: [16, 16], reference: ours(reference), tolerance: 1e-3 },
});
const convolutions = [
  convolution('convolution_kernel', 'convolution', {
    arguments: { filter: 0 },
    symbols: { d_filter: uniform },
  }),
  convolution('convolution_naive', 'convolution_plain', {
    arguments: { filter: { shape: [17, 17], role: 'in', values: uniform } },
  }),
];

const product = {
  kernel: 'matmul_kernel',
  sizes: { rows: 16, cols: 16, width: 4096 },
  ragged: false,
  arguments: {
    C: { shape: ['rows', 'width'], role: 'inout' },
    A: { shape: ['rows', 'width'], role: 'in' },
    B: { shape: ['width', 'width'], role: 'in', values: { integers: [-2, 2] } },
  },
  defines: { block_size_x: 16, block_size_y: 16, tile_size_x: 1, tile_size_y: 1 },
  ...{ grid: 1, block: [16, 16], reference: ours('matmul_corner'), tolerance: 1e-3 },
};

/** Two columns for each thread. */
const tiledProduct = {
  ...product,
  sizes: { ...product.sizes, cols: 32 },
  defines: { ...product.defines, tile_size_x: 2 },
};

const examples = {
  'convolution.cu': convolutions,
  'expdist.cu': [
    {
      kernel: 'ExpDist',
      sizes: { m: 128, n: 32 },
      where: 'm % 128 == 0 && n % 16 == 0',
      arguments: {
        ...{ A: [2, 'm'], B: [2, 'n'], cross_term: ['n / 16', 'm / 128'] },
        scale_A: { shape: ['m'], role: 'in', values: { uniform: [0.5, 2] } },
        scale_B: { shape: ['n'], role: 'in', values: { uniform: [0.5, 2] } },
      },
      ...{ grid: ['m / 128', 'n / 16'], block: [32, 4], reference: ours('expdist') },
    },
    {
      kernel: 'reduce_cross_term',
      sizes: { nblocks: 100 },
      arguments: { output: [1], d_cross_term: { shape: ['nblocks'], role: 'in' }, m: 1, n: 1 },
      ...{ grid: 1, block: 32, reference: ours('total') },
    },
  ],
  'matmul.cu': [tiledProduct],
  'pnpoly.cu': [
    polygon('cn_pnpoly', 'pnpoly.cu:cn_pnpoly_naive'),
    polygon('cn_pnpoly_naive', ours('in_polygon')),
  ],
  'reduction.cu': [
    {
      kernel: 'sum_floats',
      sizes: { n: 1000 },
      arguments: { sum_global: [2], array: { shape: ['n'], role: 'in' } },
      // Of four warps, so that sums pass between them more than once.
      defines: { block_size_x: 128, num_blocks: 2, use_shuffle: 1, vector: 1, loop_unroll_factor_0: 1 },
      ...{ grid: 2, block: 128, reference: ours('block_sums'), tolerance: 1e-4 },
    },
  ],
  'spmv.cu': [
    {
      kernel: 'spmv_kernel',
      sizes: { nrows: 8 },
      ragged: false,
      arguments: {
        rows: { shape: ['nrows + 1'], role: 'in', values: [0, 3, 3, 40, 41, 50, 50, 58, 60] },
        cols: { shape: [60], role: 'in', values: { integers: [0, 19] } },
        ...{ values: { shape: [60], role: 'in' }, x: { shape: [20], role: 'in' }, y: ['nrows'] },
      },
      ...{ grid: 4, block: 64, reference: ours('sparse_product') },
    },
  ],
  'stencil.cu': [
    {
      kernel: 'stencil_kernel',
      sizes: corner,
      ragged: false,
      arguments: {
        x_new: { shape: ['rows', 'width'], role: 'inout' },
        x_old: { shape: ['rows + 1', 'width'], role: 'in' },
      },
      defines: { block_size_x: 16, block_size_y: 16 },
      ...{ grid: [2, 2], block: [16, 16], reference: ours('five_points') },
    },
  ],
  'zeromeanfilter.cu': [
    means('computeMeanVertically', 'zero_mean_columns', { grid: over('w', 32), where: 'w % 32 == 0' }),
    means('computeMeanVertically_naive', 'zero_mean_columns', { grid: over('w', 32), block: 32 }),
    means('computeMeanHorizontally', 'zero_mean_rows', { grid: [1, over('h', 16)], where: 'h % 16 == 0' }),
    {
      kernel: 'transpose',
      sizes: { h: 48, w: 70 },
      arguments: { output: ['w', 'h'], input: { shape: ['h', 'w'], role: 'in' } },
      ...{ grid: [over('w', 32), over('h', 16)], block: [32, 16], reference: ours('transposed') },
    },
  ],
};

const tests = {
  'convolution.cu': convolutions,
  'vector_add.cu': [
    {
      kernel: 'vector_add',
      sizes: { n: 300 },
      arguments: { c: ['n'], a: { shape: ['n'], role: 'in' }, b: { shape: ['n'], role: 'in' } },
      defines: { block_size_x: 64 },
      ...{ grid: over('n'), block: 64, reference: ours('sum_of_two') },
    },
  ],
};
const tutorial = {
  'matmul.cu': [tiledProduct],
  'matmul_naive.cu': [product],
  'matmul_shared.cu': [product],
};

export const folders = { 'examples/cuda': examples, test: tests, 'doc/source/matmul': tutorial };
