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
  // Nothing but the text that it prints.
  as(
    'differences',
    kernel(
      'check_results_kernel',
      vector,
      line('n'),
      { correctvalue: 1, x: { ...from('n'), values: { integers: [0, 2] } } },
      { prints: true },
    ),
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
/** Once in training, once not. */
const cells = [
  { hiddenSize: 40, miniBatch: 5, trained: 2 },
  { hiddenSize: 40, miniBatch: 5, trained: 1 },
];
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
    kernel('elementWise_fp', cells, line('hiddenSize * miniBatch', 128), {
      tmp_h: from('miniBatch', 4, 'hiddenSize'),
      tmp_i: from('miniBatch', 4, 'hiddenSize'),
      bias: gates(8),
      linearGates: inout('miniBatch', 4, 'hiddenSize'),
      h_out: into('miniBatch', 'hiddenSize'),
      i_out: into('miniBatch', 'hiddenSize'),
      c_in: from('miniBatch', 'hiddenSize'),
      c_out: into('miniBatch', 'hiddenSize'),
      training: 'trained - 1',
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

/** A block with a frame of one element, as the domain of a Jacobi iteration has it. */
const framed = ['h + 2', 'w + 2'];
const domain = { h: 20, w: 37 };
/** Neighbours on both sides, and on one each. */
const sides = [
  { ...domain, left: 2, right: 2 },
  { ...domain, left: 1, right: 2 },
  { ...domain, left: 2, right: 1 },
];
const extent = { fields: { x: 'w', y: 'h' } };
const neighbours = { hasLeftNeighbor: 'left - 1', hasRightNeighbor: 'right - 1' };
const inside = { bounds: { fields: { x: 0, y: 0, z: 'w - 1', w: 'h - 1' } }, stride: 'w' };
const squares = { grid: [over('w', 16), over('h', 16)], block: [16, 16] };
const jacobi = [
  as(
    'halo_to_block',
    kernel('HaloToBufferKernel', sides, line('h'), {
      block: inout(...framed),
      haloLeft: from('h'),
      haloRight: from('h'),
      size: extent,
      ...neighbours,
    }),
  ),
  as(
    'block_to_halo',
    kernel('BufferToHaloKernel', sides, line('h'), {
      block: from(...framed),
      leftSideEdge: inout('h'),
      rightSideEdge: inout('h'),
      size: extent,
      ...neighbours,
    }),
  ),
  as(
    'jacobi_step',
    kernel('JacobiComputeKernel', domain, squares, {
      oldBlock: from(...framed),
      newBlock: inout(...framed),
      devResidue: { ...inout(1), values: 'zeros' },
      ...inside,
    }),
  ),
  as(
    'copied_inside',
    kernel('CopyBlockKernel', domain, squares, {
      srcBlock: from(...framed),
      dstBlock: inout(...framed),
      ...inside,
    }),
  ),
];

/** 1000 signals of 1024 samples, as common.h fixes them. */
const signals = { signals: 1000 };
const fixed = { ragged: false };
const convolved = (name, launch) =>
  as(
    'convolved',
    kernel(
      name,
      signals,
      launch,
      {
        dataIn: from('signals', 513),
        dataOut: into(513, 'signals'),
        filter: from(513),
      },
      fixed,
    ),
  );
const everySignal = { grid: [17, 32], block: [32, 8] };
const spectra = [
  kernel(
    'ConvertInputR',
    signals,
    { grid: 32, block: 128 },
    {
      dataIn: { ...from('signals', 1024), values: { integers: [-127, 127] } },
      dataOut: into('signals', 1024),
    },
    fixed,
  ),
  convolved('ConvolveAndStoreTransposedC_Basic', everySignal),
  convolved('ConvolveAndStoreTransposedC_Optimized', everySignal),
];

const words = (...shape) => ({ ...inout(...shape), type: 'i64' });
const squarings = { c_m2: { type: 'i64', values: { integers: [0, 2 ** 48] } } };
const updates = [
  kernel('d_init', vector, { grid: 2, block: 64 }, { t: { ...words('n'), role: 'out' } }),
  as(
    'random_updates',
    kernel(
      'd_bench<UPDATE>',
      { n: 128, working_set: 64 },
      { grid: 2, block: 64 },
      { t: { ...words('working_set'), values: { integers: [0, 1000] } }, accesses_per_elem: 4 },
      { symbols: squarings, where: '(working_set & (working_set - 1)) == 0' },
    ),
  ),
  {
    kernel: 'd_bench_shmem<UPDATE>',
    sizes: { n_shmem: 100 },
    arguments: { accesses_per_elem_sh: 4 },
    symbols: squarings,
    grid: 2,
    block: 64,
    shared: 'n_shmem * 8',
  },
  as(
    'count_others',
    kernel(
      'd_check',
      vector,
      { grid: 2, block: 64 },
      {
        t: { ...words('n'), role: 'in', values: { integers: [0, 3] } },
        d_error: { ...inout(1), values: 'zeros' },
      },
    ),
  ),
];

const multiplied = kernel(
  'matrixMulCUDA<32>',
  { hA: 64, wA: 96, wB: 32 },
  { grid: ['wB / 32', 'hA / 32'], block: [32, 32] },
  { C: into('hA', 'wB'), A: from('hA', 'wA'), B: from('wA', 'wB') },
  { reference: ours('gemm_rows'), where: 'hA % 32 == 0 && wA % 32 == 0 && wB % 32 == 0' },
);

/** Reads of all memory; the sum of thread 0 of each block goes to its first element, so that none of them is lost. */
const streamed = (name, more = {}) => ({
  kernel: `${name}<float>`,
  sizes: { n: 1000 },
  arguments: { ptr: inout('n'), size: 'n * 4', ...more },
  grid: 2,
  block: 128,
});
const oversubscribed = [
  ...['read_thread', 'read_thread_blocksync', 'read_thread_blockCont', 'read_thread_blockCont_blocksync'].map(
    (name) => streamed(name),
  ),
  {
    ...streamed('cta_random_warp_streaming_read', { num_pages: 4, page_size: 1024 }),
    sizes: { n: 1024 },
    ragged: false,
  },
];

const spikes = (name, more = {}) =>
  as('spikes', kernel(name, { sz: 300 }, { grid: 4, block: 32 }, { out: into('sz') }, more));
const errors = (shape) => ({
  fields: {
    'deviceData.host_status': { type: 'i32', ...inout(1), values: 'zeros' },
    'deviceData.device_status': { type: 'i32', ...inout(1), values: 'zeros' },
    'deviceData.host_data': { type: 'i32', shape: [shape], role: 'workspace' },
  },
});
const spiking = [
  spikes('randomSpikeKernel'),
  // Of the first elements none is that large.
  spikes('randomSpikeKernelwAssert', { where: 'sz <= 5000' }),
  as('spikes_printed', { ...spikes('randomSpikeKernelwError', { prints: true }), sizes: { sz: 6200 } }),
  kernel(
    'randomSpikeKernelFinal',
    { sz: 6200 },
    { grid: 4, block: 32 },
    { out: into('sz'), device_error_data: errors(7) },
    { reference: ours('spikes_reported') },
  ),
  as(
    'square_roots',
    kernel(
      'otherKernel',
      // Without negative numbers, but with zeros, and with both.
      [
        { sz: 300, least: 1 },
        { sz: 300, least: 5 },
      ],
      { grid: 4, block: 32 },
      {
        inout: { ...inout('sz'), values: { integers: ['1 - least', 9] } },
        device_error_data: errors(8),
      },
    ),
  ),
];

const letters = as(
  'count_letters',
  kernel(
    'xyzw_frequency',
    { n: 1000 },
    { grid: 2, block: 128 },
    { count: { ...inout(1), values: 'zeros' }, text: { ...from('n'), values: { integers: [97, 122] } } },
  ),
);

const spinning = { kernel: 'spinKernel', sizes: { timeout_clocks: 1000 }, grid: 1, block: 1 };

/** A struct in memory with a pointer to a text, which the kernel changes as it prints it. */
const element = (name, reference, text = 'name') =>
  as(reference, {
    kernel: name,
    sizes: {},
    arguments: {
      elem: {
        shape: [1],
        fields: { [text]: { ...inout(6), values: [104, 101, 108, 108, 111, 0] }, value: 10 },
      },
    },
    grid: 1,
    block: 1,
    prints: true,
  });
/** Passed by value, its text is that of a class that copies it on the host. */
const copiedElement = {
  kernel: 'Kernel_by_value',
  sizes: { length: 6 },
  arguments: { elem: { fields: { 'name.data': inout('length'), value: 10 } } },
  grid: 1,
  block: 1,
};

// ------------------------------------------------------------------------------------------- American options

const strike = { fields: { m_K: 4 } };
const market = { payoff: strike, num_timesteps: 5, dt: 0.01, S0: 3.6, r: 0.06, sigma: 0.2 };
const prices = (...shape) => ({ ...from(...shape), values: { uniform: [3, 5] } });
const none = { shape: [1], role: 'in', values: 'zeros' };
const weightsOfPaths = { shape: [12], role: 'in', values: { uniform: [0.5, 1.5] } };
const american = [
  kernel('generate_paths_kernel<256, PayoffPut>', { num_paths: 300 }, line('num_paths'), {
    ...market,
    samples: from(5, 'num_paths'),
    paths: into(5, 'num_paths'),
  }),
  kernel(
    'prepare_svd_kernel<256, PayoffPut>',
    { num_paths: 512 },
    { grid: 3, block: 256 },
    {
      min_in_the_money: 4,
      payoff: strike,
      paths: prices(3, 'num_paths'),
      all_out_of_the_money: { ...inout(3), values: 'zeros' },
      svds: { ...inout(3, 16) },
    },
    { where: 'num_paths % 256 == 0' },
  ),
  kernel(
    'compute_partial_beta_kernel<128, PayoffPut>',
    { num_paths: 1000 },
    { grid: 128, block: 128 },
    {
      payoff: strike,
      svd: weightsOfPaths,
      paths: prices('num_paths'),
      cashflows: from('num_paths'),
      all_out_of_the_money: none,
      partial_sums: into(3, 128),
    },
  ),
  kernel(
    'compute_final_beta_kernel<128>',
    [{ out: 1 }, { out: 2 }], // whether no path is in the money: once no, once yes
    { grid: 1, block: 128, ragged: false },
    { all_out_of_the_money: { ...none, values: { integers: ['out - 1', 'out - 1'] } }, beta: inout(3, 128) },
  ),
  kernel(
    'update_cashflow_kernel<128, PayoffPut>',
    // Whether no path is in the money.
    [
      { num_paths: 1000, out: 1 },
      { num_paths: 300, out: 2 },
    ],
    { grid: 4, block: 128 },
    {
      payoff_object: strike,
      exp_min_r_dt: 0.99,
      // The estimate is less than some payoffs and more than others.
      beta: { ...from(3), values: [2.5, -1, 0.125] },
      paths: prices('num_paths'),
      all_out_of_the_money: { ...none, values: { integers: ['out - 1', 'out - 1'] } },
      cashflows: inout('num_paths'),
    },
    { where: 'out <= 2' },
  ),
  kernel('compute_partial_sums_kernel<128>', { num_paths: 1000 }, line('num_paths', 128), {
    cashflows: from('num_paths'),
    sums: into('ceil_div(num_paths, 128)'),
  }),
  kernel(
    'compute_final_sum_kernel<128>',
    { num_paths: 1000, num_blocks: 300 },
    { grid: 1, block: 128 },
    {
      exp_min_r_dt: 0.99,
      sums: inout('num_blocks'),
    },
  ),
].map((one) => as(one.kernel.replace(/<.*/, ''), one));
/** Refused: it launches kernels. */
const launching = {
  kernel: 'cdp_timestep_loop_kernel<128, PayoffPut>',
  sizes: { num_paths: 256 },
  defines: { WITH_CDP: 1 },
  arguments: {
    ...{ num_timesteps: 3, update_cashflow_grid: 2, payoff: strike, exp_min_r_dt: 0.99 },
    svds: from(3, 16),
    paths: prices(3, 'num_paths'),
    cashflows: inout('num_paths'),
    all_out_of_the_money: { ...from(3), values: 'zeros' },
    temp_storage: inout(3, 128),
  },
  grid: 1,
  block: 1,
};

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
  'c++11_cuda': { 'c++11_cuda.cu': [letters] },
  'posts/american-options': { 'longstaff_schwartz_svd_2.cu': [...american, launching] },
  'posts/cuda-aware-mpi-example/src': { 'Device.cu': jacobi },
  'posts/cuda-vmm': { 'sync_main.cu': [spinning] },
  'posts/cufft-callbacks': { 'cufft_no_callbacks.cu': spectra },
  'posts/gups': { 'gups.cu': updates },
  'posts/nvml': { 'matrixMul.cu': [multiplied] },
  'posts/printf-alternative': { 'main.cu': spiking },
  'posts/unified-memory': {
    'dataElem.cu': [element('Kernel', 'change_name')],
    'dataElem_um.cu': [element('Kernel', 'change_name')],
    'dataElem_um_c++_1.cu': [element('Kernel', 'change_name')],
    'dataElem_um_c++_2.cu': [
      element('Kernel_by_pointer', 'change_name_by_pointer', 'name.data'),
      element('Kernel_by_ref', 'change_name_by_reference', 'name.data'),
      copiedElement,
    ],
  },
  'posts/unified-memory-oversubscription': { 'uvm_oversubs.cu': oversubscribed },
  'posts/tensor-cores': { 'simpleTensorCoreGEMM.cu': tensorCores },
};
