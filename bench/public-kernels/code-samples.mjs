// Descriptions of the kernels of github.com/NVIDIA-developer-blog/code-samples. References are templates, called with double, where
// the kernel's own arithmetic leaves room for error.
const ours = (name) => `references-code-samples.cpp:${name}`;
const over = (count, threads = 256) => `ceil_div(${count}, ${threads})`;
const line = (count, threads = 256) => ({ grid: over(count, threads), block: threads });

const from = (...shape) => ({ shape, role: 'in' });
const into = (...shape) => ({ shape, role: 'out' });
const inout = (...shape) => ({ shape, role: 'inout' });

const kernel = (name, sizes, launch, given, more = {}) => ({
  kernel: name,
  sizes,
  arguments: given,
  ...launch,
  reference: ours(name),
  ...more,
});
/** As above, with a reference of another name. */
const as = (reference, one) => ({ ...one, reference: ours(reference) });

// --------------------------------------------------------------------------------------------- CUDA C++ series

const whole = { where: 'n % 256 == 0' };
const coalescing = {
  'coalescing.cu': [
    as('add_one', {
      ...kernel('offset<float>', { n: 512, s: 3 }, line('n'), { a: inout('n + s') }, whole),
    }),
    as(
      'add_one_apart',
      kernel('stride<float>', { n: 512, s: 3 }, line('n'), { a: inout('(n - 1) * s + 1') }, whole),
    ),
  ],
};
const overlap = {
  'async.cu': [
    as(
      'add_one_behind',
      kernel('kernel', { n: 512, offset: 30 }, line('n'), { a: inout('n + offset') }, whole),
    ),
  ],
};
const reversed = (name, most, more = {}) =>
  as(
    'reverse',
    kernel(name, { n: 64 }, { grid: 1, block: 'n' }, { d: inout('n') }, { where: `n <= ${most}`, ...more }),
  );
const reversal = {
  'shared-memory.cu': [reversed('staticReverse', 64), reversed('dynamicReverse', 1024, { shared: 'n * 4' })],
};

const tiles = { grid: ['w / 32', 'h / 32'], block: [32, 8] };
const tiled = { where: 'w % 32 == 0 && h % 32 == 0' };
const copied = (name) =>
  as(
    'copied',
    kernel(name, { h: 64, w: 96 }, tiles, { odata: into('h', 'w'), idata: from('h', 'w') }, tiled),
  );
const turned = (name) =>
  as(
    'transposed',
    kernel(
      name,
      { n: 96 },
      { grid: ['n / 32', 'n / 32'], block: [32, 8] },
      { odata: into('n', 'n'), idata: from('n', 'n') },
      { where: 'n % 32 == 0' },
    ),
  );
const transposition = {
  'transpose.cu': [
    ...['copy', 'copySharedMem'].map(copied),
    ...['transposeNaive', 'transposeCoalesced', 'transposeNoBankConflicts'].map(turned),
  ],
};

/** Derivatives of a cube with 64 points in each direction, of some of its planes. */
const weights = { a: 50.4, b: -12.6, c: 2.4, d: -0.225 };
const derivative = (axis, launch) => (kind) => {
  const name = `derivative_${axis}${kind}`;
  const symbols = Object.fromEntries(
    Object.entries(weights).map(([one, value]) => [`c_${one}${axis}`, value]),
  );
  const planes = axis === 'z' ? 64 : 'planes';
  const field = { f: from(planes, 64, 64), df: inout(planes, 64, 64) };
  const where = 'planes <= 64';
  return as(
    `derivative_${axis}`,
    kernel(name, { planes: 3 }, launch(kind !== ''), field, { symbols, where }),
  );
};
const differences = {
  'finite-difference.cu': [
    ...['', '_lPencils'].map(
      derivative('x', (large) => ({ grid: [large ? 2 : 16, 'planes'], block: [64, 4] })),
    ),
    ...['', '_lPencils'].map(
      derivative('y', (large) => ({ grid: [large ? 2 : 16, 'planes'], block: large ? [32, 8] : [4, 64] })),
    ),
    ...['', '_lPencils'].map(
      derivative('z', (large) => ({ grid: [large ? 2 : 16, 'planes'], block: large ? [32, 8] : [4, 64] })),
    ),
  ],
};

// ------------------------------------------------------------------------------------------------------- posts

const vector = { n: 300 };
const profiled = [
  kernel('init_data_kernel', vector, line('n'), { x: into('n') }),
  as('axpy', kernel('daxpy_kernel', vector, line('n'), { a: 1.5, x: from('n'), y: inout('n') })),
  // Nothing but the text that it prints: none, where all is right.
  as(
    'nothing',
    kernel('check_results_kernel', vector, line('n'), {
      correctvalue: 1,
      x: { ...inout('n'), values: 'ones' },
    }),
  ),
];

const pointwise = (name, reference, ...inputs) =>
  as(
    reference,
    kernel(name, vector, line('n', 128), {
      y: into('n'),
      ...Object.fromEntries(inputs.map((one) => [one, from('n')])),
    }),
  );
const gates = (count) => from(count, 'hiddenSize');
const recurrent = [
  as(
    'add_bias',
    kernel('pw_biasAdd', { n: 300, nBias: 7 }, line('n', 128), { y: inout('n'), bias: from('nBias') }),
  ),
  pointwise('pw_vecAdd', 'sum', 'a', 'b'),
  pointwise('pw_vecMul', 'product', 'a', 'b'),
  pointwise('pw_tanh', 'hyperbolic', 'a'),
  pointwise('pw_sigmoid', 'sigmoids', 'a'),
  as(
    'lstm_cell',
    kernel('elementWise_fp', { hiddenSize: 40, miniBatch: 5 }, line('hiddenSize * miniBatch', 128), {
      tmp_h: from('miniBatch', 4, 'hiddenSize'),
      tmp_i: from('miniBatch', 4, 'hiddenSize'),
      bias: gates(8),
      linearGates: into('miniBatch', 4, 'hiddenSize'),
      h_out: into('miniBatch', 'hiddenSize'),
      i_out: into('miniBatch', 'hiddenSize'),
      c_in: from('miniBatch', 'hiddenSize'),
      c_out: into('miniBatch', 'hiddenSize'),
      training: 1,
    }),
  ),
];

const tensorCores = [
  as(
    'gemm_columns',
    kernel(
      'wmma_example',
      { M: 80, N: 48, K: 32 },
      { grid: [over('M', 64), over('N', 64)], block: [128, 4] },
      { a: from('K', 'M'), b: from('N', 'K'), c: inout('N', 'M'), alpha: 2, beta: 0.5 },
      { where: 'M % 16 == 0 && N % 16 == 0 && K % 16 == 0' },
    ),
  ),
  as('converted', kernel('convertFp32ToFp16', vector, line('n'), { out: into('n'), in: from('n') })),
];

export const folders = {
  'series/cuda-cpp/coalescing-global': coalescing,
  'series/cuda-cpp/overlap-data-transfers': overlap,
  'series/cuda-cpp/shared-memory': reversal,
  'series/cuda-cpp/transpose': transposition,
  'series/cuda-cpp/finite-difference': differences,
  'posts/grcuda/kernel': {
    'saxpy.cu': [as('axpy', kernel('saxpy', vector, line('n'), { alpha: 1.5, x: from('n'), y: inout('n') }))],
  },
  'posts/mixed-precision': {
    'haxpy.cu': [as('axpy', kernel('haxpy', { n: 301 }, line('n'), { a: 1.5, x: from('n'), y: inout('n') }))],
  },
  'posts/nvtx': { 'manual_nvtx.cu': profiled, 'compiler_inst_nvtx.cu': profiled },
  'posts/rnn': { 'LSTM.cu': recurrent },
  'posts/tensor-cores': { 'simpleTensorCoreGEMM.cu': tensorCores },
};
