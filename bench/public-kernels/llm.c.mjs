// Descriptions of the kernels of github.com/karpathy/llm.c, dev/cuda: what each is given and what it should compute, by families.
const ours = (name) => `references.cpp:${name}`;
const over = (count, threads = 64) => `ceil_div(${count}, ${threads})`;
const zeros = (shape) => ({ shape, role: 'inout', values: 'zeros' });
const kept = (shape) => ({ shape, role: 'inout' });
const atMost = (shape, top) => ({ shape, values: { integers: [0, `${top} - 1`] } });
/** Numbers close together, so that a sum's terms all count, or so far apart that a wrong maximum overflows. */
const inRange = (shape) => ({ shape, values: { integers: ['-range', 'range'] } });
/** The second time with rows of which each lane of a warp has the maximum somewhere, far above the other numbers. */
const farApart = [
  { range: 3, N: 6, C: 300 },
  { range: 100000, N: 70, C: 130 },
];
/** Contents that another kernel has written, though the host code clears the array. */
const normal = (shape) => ({ shape, role: 'in', values: 'normal' });
const sums = { tolerance: 1e-4 };
/** Results in bfloat16 of arithmetic in float. */
const roundedOnce = { relative: 4.1e-3, absolute: 1e-5 };

// ----------------------------------------------------------------------------------------------- attention

const heads = { B: 2, N: 24, NH: 3, d: 20 };
const inHeads = ['B', 'NH', 'N', 'd'];
const everyHead = { sizes: heads, grid: over('B * NH * N * d'), block: 64 };
const permutations = (suffix = '') => [
  {
    ...everyHead,
    kernel: `permute_kernel${suffix}`,
    arguments: { q: inHeads, k: inHeads, v: inHeads, inp: ['B', 'N', 3, 'NH', 'd'] },
    reference: ours('permute'),
  },
  {
    ...everyHead,
    kernel: `unpermute_kernel${suffix}`,
    arguments: { inp: inHeads, out: inHeads },
    reference: ours('unpermute'),
  },
];

const scores = ['B', 'NH', 'T', 'T'];
const attended = { B: 2, T: 24, C: 24, NH: 3 };
const byHeads = { where: 'C % NH == 0 && T % 4 == 0' };

/** Scores so far apart that a wrong maximum overflows, and rows that a warp does not take at once. */
const causal = (kernel) => ({
  kernel,
  sizes: [
    { N: 3, T: 40 },
    { N: 1, T: 200 },
  ],
  where: 'T % 4 == 0',
  arguments: {
    out: kept(['N', 'T', 'T']),
    inp: { shape: ['N', 'T', 'T'], values: { uniform: [-400, 400] } },
    inv_temperature: 0.3,
  },
  grid: over('N * T * 32'),
  block: 64,
  reference: ours('causal_softmax'),
});

const gradient = (kernel, threads, more = {}) => ({
  kernel,
  sizes: attended,
  ...byHeads,
  arguments: { dpreatt: kept(scores), datt: scores, att: { shape: scores, values: { uniform: [0, 1] } } },
  grid: [over(threads), 'B * NH'],
  block: 64,
  reference: ours('softmax_backward'),
  ...sums,
  ...more,
});
const scaled = (given) => ({ ...given, scale: 0.25 });

const attentionBackward = [
  ...permutations(),
  {
    ...everyHead,
    kernel: 'permute_kernel_backward',
    arguments: { dinp: kept(['B', 'N', 3, 'NH', 'd']), dq: inHeads, dk: inHeads, dv: inHeads },
    reference: ours('permute_backward'),
  },
  {
    ...everyHead,
    kernel: 'unpermute_kernel_backward',
    arguments: { dinp: kept(inHeads), dout: inHeads },
    reference: ours('unpermute_backward'),
  },
  causal('softmax_forward_kernel5'),
  gradient('softmax_autoregressive_backward_kernel1', 'T', { grid: over('T') }),
  gradient('softmax_autoregressive_backward_kernel2', 'T'),
  gradient('softmax_autoregressive_backward_kernel3', '32 * T'),
  gradient('softmax_autoregressive_backward_kernel4', '4 * T', {
    where: 'C % NH == 0 && T % 8 == 0',
    reference: ours('softmax_backward_groups'),
  }),
  gradient('softmax_autoregressive_backward_kernel5', '4 * T', { where: 'C % NH == 0 && T % 8 == 0' }),
  gradient('softmax_autoregressive_backward_kernel6<64>', '', {
    sizes: { B: 1, T: 64, C: 24, NH: 3 },
    where: 'C % NH == 0 && T % 64 == 0',
    ragged: false,
    grid: ['T', 'B * NH'],
    reference: ours('softmax_backward_pieces'),
  }),
  ...['softmax_autoregressive_backward_kernel7<64>', 'softmax_autoregressive_backward_kernel8<64>'].map(
    (kernel, i) =>
      gradient(kernel, '', {
        grid: [i === 0 ? 'T' : 'T / 4', 'B * NH'],
        arguments: scaled({
          dpreatt: kept(scores),
          datt: scores,
          att: { shape: scores, values: { uniform: [0, 1] } },
        }),
        reference: ours('softmax_backward_scaled'),
        allow: ['same-value-race'],
      }),
  ),
];

const attentionForward = [
  {
    kernel: 'attention_query_key_kernel1',
    sizes: attended,
    where: 'C % NH == 0',
    arguments: { preatt: scores, inp: ['B', 'T', 3, 'C'] },
    grid: over('B * NH * T * T'),
    block: 64,
    reference: ours('query_key'),
    ...sums,
  },
  {
    kernel: 'attention_softmax_kernel1',
    sizes: [
      { range: 3, B: 2, T: 24, NH: 3 },
      { range: 1000, B: 1, T: 24, NH: 3 },
    ],
    arguments: { att: scores, preatt: inRange(scores) },
    grid: over('B * T * NH'),
    block: 64,
    reference: ours('causal_softmax_zeros'),
  },
  {
    kernel: 'softmax_forward_kernel4',
    sizes: farApart,
    where: 'C >= 128',
    arguments: { out: ['N', 'C'], inp: inRange(['N', 'C']) },
    grid: 'N',
    block: 128,
    shared: 32,
    reference: ours('softmax'),
  },
  causal('softmax_forward_kernel5'),
  { ...causal('softmax_forward_kernel5_lowp'), tolerance: roundedOnce },
  {
    kernel: 'attention_value_kernel1',
    sizes: attended,
    where: 'C % NH == 0',
    arguments: { out: ['B', 'T', 'C'], att: scores, inp: ['B', 'T', 3, 'C'] },
    grid: over('B * T * NH'),
    block: 64,
    reference: ours('weighted_values'),
    ...sums,
  },
  {
    kernel: 'attention_forward_kernel2',
    sizes: { B: 1, NH: 2, N: 64, d: 8 },
    ragged: false,
    arguments: {
      ...{ Q: inHeads, K: inHeads, V: inHeads, O: zeros(inHeads), l: zeros(['B', 'NH', 'N']) },
      m: { shape: ['B', 'NH', 'N'], role: 'inout', values: { uniform: [-1e30, -1e30] } },
      ...{ Tc: 'N / 32', Tr: 'N / 32', Bc: 32, Br: 32, softmax_scale: 0.2 },
    },
    grid: ['B', 'NH'],
    block: 32,
    shared: '(3 * 32 * d + 32 * 32) * 4',
    reference: ours('flash'),
    ...sums,
  },
  ...permutations(),
  ...permutations('_lowp'),
  {
    kernel: 'scale_kernel',
    sizes: { B: 2, NH: 3, T: 20 },
    arguments: { inp: kept(scores), scale: 0.25 },
    grid: over('B * NH * T * T'),
    block: 64,
    reference: ours('scale_causal'),
  },
  {
    kernel: 'attention_forward_fused1',
    sizes: attended,
    where: 'C % NH == 0',
    arguments: { out: ['B', 'T', 'C'], preatt: kept(scores), att: kept(scores), inp: ['B', 'T', 3, 'C'] },
    grid: [over('T * 32'), 'NH', 'B'],
    block: 64,
    reference: ours('attention'),
    ...sums,
  },
  ...['fp32_to_lowp_kernel', 'lowp_to_fp32_kernel'].map((kernel) => ({
    kernel,
    defines: { ENABLE_CUDNN: 1 },
    sizes: { n: 256 },
    where: 'n % 64 == 0',
    arguments: { out: ['n'], inp: ['n'] },
    grid: 'n / 64',
    block: 64,
    reference: ours('copy'),
  })),
];

const triangles = [
  {
    kernel: 'permute_kernel',
    sizes: { B: 2, T: 24, NH: 3, HS: 20 },
    arguments: {
      ...Object.fromEntries(['q', 'k', 'v'].map((name) => [name, ['B', 'NH', 'T', 'HS']])),
      inp: ['B', 'T', 3, 'NH', 'HS'],
    },
    grid: over('B * NH * T * HS'),
    block: 64,
    reference: ours('permute'),
  },
  {
    kernel: 'trimul_global<matmul_tri4>',
    sizes: { B: 2, T: 256, C: 32, NH: 1 },
    where: 'T % 128 == 0 && C % NH == 0 && C / NH % 32 == 0',
    arguments: { out: kept(scores), inp: ['B', 'T', 3, 'C'] },
    grid: ['T / 128', 'T / 128', 'NH * B'],
    block: [16, 16],
    reference: ours('triangle'),
    ...sums,
  },
];

// ------------------------------------------------------------------------------------------------- softmax

const softmax = (kernel, launch) => ({
  kernel,
  sizes: farApart,
  arguments: { out: ['N', 'C'], inp: inRange(['N', 'C']) },
  block: 64,
  reference: 'softmax_forward.cu:softmax_forward_cpu',
  ...launch,
});
const rowPerBlock = (threads, words) => ({
  grid: 'N',
  block: threads,
  shared: 4 * words,
  where: `C >= ${threads}`,
});
const softmaxForward = [
  softmax('softmax_forward_kernel1', { grid: over('N') }),
  softmax('softmax_forward_kernel2', rowPerBlock(64, 64)),
  softmax('softmax_forward_kernel3', rowPerBlock(32, 32)),
  softmax('softmax_forward_kernel4', rowPerBlock(128, 4)),
  softmax('softmax_forward_online_kernel1', { grid: over('N') }),
  softmax('softmax_forward_online_kernel2', { grid: over('N * 32') }),
  softmax('softmax_forward_kernel7', rowPerBlock(128, 8)),
  softmax('softmax_forward_online_kernel8', { grid: over('N * 32'), where: 'C >= 64' }),
];

// ---------------------------------------------------------------------------------------------- classifiers

const rows = ['B', 'T'];
const classifier = (kernel, more = {}) => ({
  kernel,
  sizes: { B: 2, T: 4, V: 301, P: 320 },
  ragged: false,
  arguments: {
    dlogits: kept(['B', 'T', 'P']),
    losses: rows,
    ...(kernel.includes('kernel1') ? {} : { probs: 0 }),
    // Far from 0, which is no maximum then.
    logits: { shape: ['B', 'T', 'P'], values: { uniform: [-140, -100] } },
    dlosses: rows,
    targets: atMost(rows, 'V'),
  },
  grid: 'B * T',
  block: 64,
  reference: ours('classifier'),
  ...more,
});
const classifiers = [
  // A warp for each row, of which the last block lacks one.
  classifier('fused_classifier_kernel1', { sizes: { B: 3, T: 3, V: 301, P: 320 }, grid: over('B * T', 2) }),
  classifier('fused_classifier_kernel2', { reference: ours('classifier_groups') }),
  classifier('fused_classifier_kernel3'),
  // It stores whole groups of elements, whatever lies behind V.
  classifier('fused_classifier_kernel4', { sizes: { B: 2, T: 4, V: 304, P: 320 } }),
  classifier('fused_classifier_kernel5<true, false>'),
];
const crossentropy = [
  {
    kernel: 'crossentropy_forward_kernel1',
    sizes: { B: 3, T: 20, V: 40 },
    arguments: {
      losses: rows,
      probs: { shape: ['B', 'T', 'V'], values: { uniform: [0.01, 1] } },
      targets: atMost(rows, 'V'),
    },
    grid: over('B * T'),
    block: 64,
    reference: 'crossentropy_forward.cu:crossentropy_forward_cpu',
  },
];
const crossentropyBackward = [
  {
    kernel: 'crossentropy_softmax_backward_kernel1',
    sizes: { B: 3, T: 20, V: 40 },
    arguments: {
      ...{
        dlogits: kept(['B', 'T', 'V']),
        dlosses: rows,
        probs: ['B', 'T', 'V'],
        targets: atMost(rows, 'V'),
      },
    },
    grid: over('B * T * V'),
    block: 64,
    reference: 'crossentropy_softmax_backward.cu:crossentropy_softmax_backward_cpu',
  },
];

// ------------------------------------------------------------------------------------------------- encoders

const vocabulary = { B: 2, T: 12, C: 24, V: 10 };
const encoderForward = [1, 2, 3].map((n) => ({
  kernel: `encoder_forward_kernel${n}`,
  sizes: vocabulary,
  where: 'C % 8 == 0',
  arguments: { out: ['B', 'T', 'C'], inp: atMost(rows, 'V'), wte: ['V', 'C'], wpe: ['T', 'C'] },
  grid: over(n === 2 ? 'B * T' : n === 3 ? 'B * T * C / 8' : 'B * T * C'),
  block: 64,
  ...(n === 1 && { grid: over('B * T') }),
  ...(n === 2 && { grid: over('B * T * C') }),
  reference: 'encoder_forward.cu:encoder_forward_cpu',
}));
const encoderBackward = [1, 2].map((n) => ({
  kernel: `encoder_backward_kernel${n}`,
  sizes: vocabulary,
  arguments: {
    dwte: kept(['V', 'C']),
    dwpe: kept(['T', 'C']),
    dout: ['B', 'T', 'C'],
    inp: atMost(rows, 'V'),
  },
  grid: over(n === 1 ? 'B * T * C' : 'C'),
  block: 64,
  reference: 'encoder_backward.cu:encoder_backward_cpu',
  ...sums,
}));

// ----------------------------------------------------------------------------------------------- layer norms

const normed = { N: 6, C: 256 };
const channels = { weight: ['C'], bias: ['C'] };
/** Of a variance that 1e-5 changes. */
const nearlyEqual = { shape: ['N', 'C'], role: 'in', values: { normal: [0, 0.01] } };
const layernorm = (kernel, launch) => ({
  kernel,
  sizes: normed,
  arguments: { out: ['N', 'C'], mean: ['N'], rstd: ['N'], inp: nearlyEqual, ...channels },
  block: 64,
  reference: ours('layernorm'),
  ...sums,
  ...launch,
});
const perWarp = { grid: over('N * 32') };
const vectors = { where: 'C % 128 == 0' };
const layernormForward = [
  layernorm('layernorm_forward_kernel1', { grid: over('N') }),
  {
    kernel: 'mean_kernel',
    sizes: normed,
    arguments: { mean: ['N'], inp: ['N', 'C'], block_size: 64 },
    ...{ grid: 'N', block: 64, shared: 256, reference: ours('row_means'), ...sums },
  },
  {
    kernel: 'rstd_kernel',
    sizes: normed,
    arguments: { rstd: ['N'], inp: ['N', 'C'], mean: ['N'], block_size: 64 },
    ...{ grid: 'N', block: 64, shared: 256, reference: ours('row_deviations'), ...sums },
  },
  {
    kernel: 'normalization_kernel',
    sizes: { B: 2, T: 3, C: 100 },
    arguments: {
      ...{ out: ['B', 'T', 'C'], inp: ['B', 'T', 'C'], ...channels },
      mean: { shape: rows, role: 'in' },
      rstd: { shape: rows, role: 'in' },
    },
    where: 'B * T * C % 64 == 0', // it has no guard
    ...{ grid: 'B * T * C / 64', block: 64, reference: ours('normalised') },
  },
  layernorm('layernorm_forward_kernel3', perWarp),
  // The mean of squares less the square of the mean: rounding is all that a row of few elements leaves.
  layernorm('layernorm_forward_kernel4', { ...perWarp, where: 'C >= 32' }),
  layernorm('layernorm_forward_kernel5', { grid: 'N', where: 'C >= 32' }),
  layernorm('layernorm_forward_kernel6', {
    grid: over('N', 2),
    block: [32, 2],
    shared: '4 * C * 4',
    ...vectors,
  }),
];

/** Their sums are whole numbers that bfloat16 holds. */
const exactlyAdded = { shape: ['N', 'C'], role: 'in', values: { integers: [-100, 100] } };
const residual = (kernel, launch) => ({
  kernel,
  sizes: normed,
  arguments: {
    ...{
      residual: ['N', 'C'],
      normed: ['N', 'C'],
      mean: ['N'],
      rstd: ['N'],
      inp1: exactlyAdded,
      inp2: exactlyAdded,
      ...channels,
    },
  },
  block: [32, 2],
  grid: over('N', 2),
  reference: ours('residual_layernorm'),
  tolerance: roundedOnce,
  ...launch,
});
const fusedResidual = [
  elementwise('residual_forward_kernel1', 'fused_residual_forward.cu:residual_forward_cpu', {
    out: ['N'],
    inp1: ['N'],
    inp2: ['N'],
  }),
  layernorm('layernorm_forward_kernel1', { grid: over('N'), tolerance: roundedOnce }),
  residual('fused_residual_forward2', { grid: over('N'), block: 64 }),
  residual('fused_residual_forward3'),
  residual('fused_residual_forward_kernel4', { where: 'C % 256 == 0' }),
  residual('fused_residual_forward_kernel5', { shared: '4 * C * 2', where: 'C % 256 == 0' }),
  residual('fused_residual_forward_kernel6', {
    ...{ grid: 2, block: [32, 2, 2], shared: '4 * C * 2 + 64 * 4 * 2', where: 'C % 256 == 0 && N % 4 == 0' },
    sizes: { N: 8, C: 256 },
    allow: ['same-value-race'], // every part of the block copies the weights
  }),
];

const backward = { B: 2, T: 6, C: 128 };
const tensor = ['B', 'T', 'C'];
const normBackward = (kernel, launch, more = {}) => ({
  kernel,
  sizes: backward,
  where: 'C % 128 == 0',
  arguments: {
    ...{ dinp: kept(tensor), dweight: kept(['C']), dbias: kept(['C']), dout: tensor, inp: tensor },
    ...{ weight: ['C'], mean: rows, rstd: rows },
    ...more,
  },
  block: 64,
  grid: 2,
  shared: '2 * C * 4',
  reference: ours(more.scratch ? 'norm_backward_between' : 'norm_backward'),
  deterministic: false,
  tolerance: roundedOnce,
  ...launch,
});
/** Memory between blocks: it begins as zeros, and nobody looks at what is left there. No element more than the kernel needs. */
const between = (count) => ({
  scratch: { shape: [count], role: 'inout', values: 'zeros', tolerance: 1e30 },
});
const scratch = between('2 * C + 1');
const scratchOfBlocks = between('4 * C + 1'); // of two
const scratchOfLines = between('4 * C + 32');
/** The gradients of the weights are stored, not added to. */
const fromZero = { ...scratch, dweight: zeros(['C']), dbias: zeros(['C']) };
/** Sums of whole numbers, which bfloat16 holds: adding in bfloat16 rounds nothing. */
const whole = (shape) => ({ shape, role: 'in', values: { integers: [-2, 2] } });
const ofOnes = { shape: rows, role: 'in', values: 'ones' };
const exactSums = {
  ...{ dweight: { ...kept(['C']), values: { integers: [-8, 8] } } },
  ...{ dbias: { ...kept(['C']), values: { integers: [-8, 8] } } },
  ...{ dout: whole(tensor), inp: whole(tensor), mean: ofOnes, rstd: ofOnes },
};
const wide = { sizes: { ...backward, C: 256 }, where: 'C % 256 == 0' };
const even = { sizes: { B: 2, T: 6, C: 256 }, where: 'C % 256 == 0 && B * T % 4 == 0' };
const floats = '<float, float, float, float>';
const layernormBackward = [
  normBackward('layernorm_backward_kernel1', { grid: over('B * T') }),
  normBackward(
    `layernorm_backward_kernel2${floats}`,
    { grid: over('32 * B * T'), reference: ours('norm_backward_sums') },
    {
      dweight_tmp: kept(['C']),
      dbias_tmp: kept(['C']),
      dweight: { shape: ['C'], role: 'in' },
      dbias: { shape: ['C'], role: 'in' },
    },
  ),
  {
    kernel: 'copy_to_dweight_dbias<float>',
    sizes: { C: 300 },
    arguments: {
      ...{ dbias: ['C'], dweight: ['C'] },
      ...{ dbias_tmp: { shape: ['C'], role: 'in' }, dweight_tmp: { shape: ['C'], role: 'in' } },
    },
    ...{ grid: 2, block: 64, reference: ours('copies') },
  },
  normBackward(`layernorm_backward_kernel3${floats}`, sums),
  normBackward('layernorm_backward_kernel4<floatX, floatX, floatX, floatX>', {}, exactSums),
  normBackward(
    `layernorm_backward_kernel5${floats}`,
    { shared: '(2 * C + 1) * 4', ...sums },
    scratchOfBlocks,
  ),
  normBackward(`layernorm_backward_kernel6${floats}`, { shared: '(2 * C + 1) * 4', ...sums }, fromZero),
  normBackward('layernorm_backward_kernel7', { shared: '(2 * C + 1) * 4' }, fromZero),
  normBackward('layernorm_backward_kernel8', { shared: '(2 * C + 1) * 4', ...wide }, scratch),
  // Barriers stand in the loop over rows, of which each warp needs as many.
  normBackward('layernorm_backward_kernel9', { shared: '(2 * C + 2 * 64 + 1) * 4', ...even }, scratchOfLines),
  normBackward(
    'layernorm_backward_kernel10',
    { shared: '(2 * ceil_div(C, 256) * 256 + 2 * 32 * 4) * 4', ...even },
    scratchOfLines,
  ),
];

// ------------------------------------------------------------------------------------ sums, products, steps

const matrix = { B: 2, T: 20, OC: 64 };
const bias = (kernel, launch, more = {}) => ({
  kernel,
  sizes: matrix,
  where: 'OC % 32 == 0',
  arguments: { dbias: kept(['OC']), dout: ['B', 'T', 'OC'], ...more },
  block: 64,
  reference: ours('column_sums'),
  tolerance: roundedOnce,
  ...launch,
});
const empty = { argument5: { fields: {} } };
const biasAlone = (kernel, launch) =>
  bias(kernel, { reference: ours('column_sums_alone'), ...sums, ...launch }, { dbias: ['OC'] });
const matmulBackward = [
  biasAlone('matmul_backward_bias_kernel_naive', { grid: over('OC') }),
  biasAlone('matmul_backward_bias_kernel_faster', { grid: 'OC', shared: 256 }),
];
const biases = [
  bias('matmul_backward_bias_kernel1', { grid: 'OC', shared: 256 }),
  bias('matmul_backward_bias_kernel2', { grid: over('OC * 32') }),
  bias('matmul_backward_bias_kernel3', { grid: 'OC' }),
  // A block of one warp too, and one of several that do not add.
  bias('matmul_backward_bias_kernel4', {
    sizes: [
      { ...matrix, threads: 128 },
      { ...matrix, threads: 32 },
    ],
    where: 'OC % 32 == 0 && threads % 32 == 0',
    ...{ grid: 'OC / 32', block: 'threads', shared: 'threads * 4' },
  }),
  bias(
    'matmul_backward_bias_kernel7',
    { grid: [over('OC', 256), 2], block: [32, 8], shared: 1024 },
    { block_size: 256 },
  ),
  // With fewer than four warps, lanes of a warp leave the loop in which it shuffles.
  bias(
    'matmul_backward_bias_kernel8<float, false>',
    { grid: [over('OC', 64), 1], block: [4, 8, 4], ...sums },
    empty,
  ),
  bias(
    'matmul_backward_bias_kernel9<float, true>',
    {
      sizes: { ...matrix, parts: 2, rows_at_once: 16 },
      ...{
        ragged: false,
        grid: [over('OC', 64), 2],
        block: [4, 8, 4],
        reference: ours('column_sums_in_parts'),
        ...sums,
      },
    },
    { ...empty, dbias: ['parts', 'OC'] },
  ),
  elementwise('cast_and_add_kernel', ours('add'), { dst: kept(['n']), src: normal(['n']) }, { n: 300 }),
  {
    kernel: 'reduce_add_sum_kernel',
    sizes: { n: 256, m: 3 },
    where: 'n % 8 == 0',
    arguments: { dst: kept(['n']), src: ['m', 'n'] },
    ...{ grid: over('n / 4'), block: 64, reference: ours('add_rows') },
  },
];
const matmulForward = [
  {
    kernel: 'matmul_forward_kernel1',
    sizes: { BT: 20, C: 33, OC: 24 },
    arguments: { out: ['BT', 'OC'], inp: ['BT', 'C'], weight: ['OC', 'C'], bias: ['OC'] },
    ...{ grid: [over('BT', 16), over('OC', 16)], block: [16, 16], reference: ours('linear'), ...sums },
  },
  {
    kernel: 'add_bias',
    sizes: matrix,
    arguments: { out: kept(['B', 'T', 'OC']), bias: ['OC'] },
    ...{ grid: 3, block: 64, reference: ours('biased') },
  },
  {
    kernel: 'matmul_forward_kernel4',
    sizes: { BT: 128, C: 64, OC: 128 },
    where: 'BT % 128 == 0 && OC % 128 == 0 && C % 32 == 0',
    arguments: { out: ['BT', 'OC'], inp: ['BT', 'C'], weight: ['OC', 'C'], bias: ['OC'] },
    ...{ grid: ['BT / 128', 'OC / 128'], block: [16, 16], reference: ours('linear'), ...sums },
  },
];

function elementwise(kernel, reference, given, sizes = { N: 1024 }, more = {}) {
  const [size] = Object.keys(sizes);
  return { kernel, sizes, arguments: given, grid: over(size), block: 64, reference, ...more };
}
const quarter = { where: 'N % 8 == 0', grid: over('N / 8') };
const gelu = (n, more) =>
  elementwise(
    `gelu_forward_kernel${n}`,
    'gelu_forward.cu:gelu_forward_cpu',
    { out: ['N'], inp: ['N'] },
    { N: 1024 },
    more,
  );
const geluBackward = (n, more) =>
  elementwise(
    `gelu_backward${n}`,
    'gelu_backward.cu:gelu_backward_cpu',
    { dinp: ['N'], inp: ['N'], dout: ['N'] },
    { N: 1024 },
    more,
  );
const added = (n, more) =>
  elementwise(
    `residual_forward_kernel${n}`,
    'residual_forward.cu:residual_forward_cpu',
    { out: ['N'], inp1: ['N'], inp2: ['N'] },
    { N: 1024 },
    more,
  );
const norms = [
  ...[1, 2, 3].map((n) => ({
    kernel: `norm_kernel${n}<float>`,
    // A block of one warp too: the sum of its warps is that of warp 0.
    ...{
      sizes: [
        { count: 1000, threads: 64 },
        { count: 300, threads: 32 },
      ],
      where: 'threads % 32 == 0',
    },
    arguments: { out: zeros([1]), data: ['count'] },
    ...{ grid: 3, block: 'threads', reference: ours('squares'), tolerance: 1e-4 },
  })),
  {
    kernel: 'norm_kernel4<float>',
    sizes: { count: 1000, blocks: 3, threads: 64 },
    ragged: false,
    arguments: { out: ['blocks'], data: ['count'] },
    ...{ grid: 'blocks', block: 64, reference: ours('squares_by_block'), tolerance: 1e-4 },
  },
  {
    kernel: 'global_norm_aggregate_kernel',
    sizes: { count: 50 },
    where: 'count <= 128',
    arguments: { out: kept(['count']) },
    ...{ grid: 1, block: 128, reference: ours('sum_in_place'), ...sums },
  },
];
const adam = [1, 2].map((n) => ({
  kernel: `adamw_kernel${n}`,
  sizes: { num_parameters: 300 },
  arguments: {
    params_memory: kept(['num_parameters']),
    grads_memory: ['num_parameters'],
    m_memory: kept(['num_parameters']),
    v_memory: { shape: ['num_parameters'], role: 'inout', values: { uniform: [0, 1] } },
    ...{ learning_rate: 0.01, beta1: 0.9, beta2: 0.999, beta1_correction: 0.1, beta2_correction: 0.001 },
    ...{ eps: 0.01, weight_decay: 0.5 }, // large enough to be seen
  },
  grid: over('num_parameters'),
  block: 64,
  reference: ours('adam'),
}));

const devCuda = {
  'adamw.cu': adam,
  'attention_backward.cu': attentionBackward,
  'attention_forward.cu': attentionForward,
  'classifier_fused.cu': classifiers,
  'crossentropy_forward.cu': crossentropy,
  'crossentropy_softmax_backward.cu': crossentropyBackward,
  'encoder_backward.cu': encoderBackward,
  'encoder_forward.cu': encoderForward,
  'fused_residual_forward.cu': fusedResidual,
  'gelu_backward.cu': [geluBackward(1), geluBackward(2, quarter)],
  'gelu_forward.cu': [gelu(1), gelu(2, quarter)],
  'global_norm.cu': norms,
  'layernorm_backward.cu': layernormBackward,
  'layernorm_forward.cu': layernormForward,
  'matmul_backward.cu': matmulBackward,
  'matmul_backward_bias.cu': biases,
  'matmul_forward.cu': matmulForward,
  'nccl_all_reduce.cu': [elementwise('set_vector', ours('constant'), { data: ['N'], value: 3 }, { N: 300 })],
  'permute.cu': [
    {
      kernel: 'permute_kernel',
      sizes: { dim1: 2, dim2: 5, dim3: 7, dim4: 9 },
      arguments: { matrix: ['dim1', 'dim2', 'dim3', 'dim4'], out_matrix: ['dim1', 'dim2', 'dim3', 'dim4'] },
      ...{ grid: over('dim1 * dim2 * dim3 * dim4'), block: 64, reference: 'permute.cu:permute_cpu' },
    },
  ],
  'residual_forward.cu': [added(1), added(2, quarter)],
  'softmax_forward.cu': softmaxForward,
  'trimat_forward.cu': triangles,
};
/** Kernels that no compiler sees, and why. */
export const leftOut = {
  matmul_backward_bias_kernel5: 'stands behind #ifndef ENABLE_BF16, which its file defines',
};
export const folders = { 'dev/cuda': devCuda };
