// Defects of gemm's kernels that depth `quick` must see. Each is one change of a rendered source of a variant that passes.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import {
  describeFullMutants,
  describeMutants,
  describeSound,
  inHeader,
  type Mutant,
  replacing,
  useMutantBench,
  wrong,
} from '../../../helpers/mutants.ts';

const bench = useMutantBench('gemm');

const ids = {
  naive: 'gemm.naive-e3b0',
  naiveBf16: 'gemm.naive.bf16-b9b7',
  relu: 'gemm.naive.relu-56ef',
  gelu: 'gemm.naive.gelu-erf-b267',
  mma: 'gemm.mma.m128.n128-801e',
  wgmma: 'gemm.wgmma.m128.n256.cm2-4b98',
  tall: 'gemm.wgmma.bf16.relu.m256.n128.s3.cn2.f1.b1-3951',
};
type Name = keyof typeof ids;

const half = (value: string) => `static_cast<float>(static_cast<__half>(${value}))`;
const product = /sum \+= (.*);/;
const racy: readonly VerdictName[] = ['race', 'divergence', 'wrong', 'nonfinite', 'unwritten', 'hang'];
const stuck: readonly VerdictName[] = ['hang', 'race', 'divergence'];
const stray: readonly VerdictName[] = ['out-of-bounds', 'unwritten', 'wrong', 'nonfinite'];

const initialised = 'Pipeline{shared + kBarriersAt}.init<1, 4 * kConsumers>();';
const oneTooFew = `for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(Pipeline{shared + kBarriersAt}.full(stage), 1);
      ptx::mbarrier_init(Pipeline{shared + kBarriersAt}.empty(stage), 4 * kConsumers * kCluster - 1);
    }`;

const mutants: readonly Mutant<Name>[] = [
  // The formula.
  ['ignores alpha', 'naive', replacing('args.alpha * sum', 'sum'), wrong],
  ['ignores beta', 'naive', replacing('args.beta != 0', 'false'), wrong],
  ['reads C where beta is 0', 'naive', replacing('if (args.beta != 0) ', ''), ['race']],
  [
    'ignores beta where alpha is 1',
    'mma',
    inHeader('tw/epilogue.cuh', replacing('if (beta != 0)', 'if (beta != 0 && alpha != 1)')),
    [...wrong, 'unwritten'],
  ],
  ['ignores the bias', 'naive', replacing('if (args.bias)', 'if (false)'), wrong],
  ['adds the bias by rows', 'naive', replacing('args.bias[column]', 'args.bias[row % args.columns]'), wrong],
  [
    'adds the bias behind the activation',
    'relu',
    replacing(
      /if \(args\.bias\) value \+= (.*);\n(.*)activate\((.*), value\)/,
      '$2activate($3, value) + (args.bias ? $1 : 0.0f)',
    ),
    wrong,
  ],
  [
    'takes GELU by tanh for GELU by erf',
    'gelu',
    replacing('Activation::gelu_erf', 'Activation::gelu_tanh'),
    wrong,
  ],
  [
    'makes NaN 0 in ReLU',
    'relu',
    replacing(/tilewright::activate\(.*, value\)/, 'fmaxf(value, 0.0f)'),
    ['nonfinite'],
  ],
  [
    'repeats the bias in every tile',
    'mma',
    inHeader('tw/epilogue.cuh', replacing('bias[n]', 'bias[n % 128]')),
    [...wrong, 'unwritten'],
  ],
  [
    'scales the first column of tiles alone',
    'mma',
    inHeader('tw/epilogue.cuh', replacing('else if (alpha != 1)', 'else if (alpha != 1 && column < 128)')),
    wrong,
  ],
  // Sizes.
  ['leaves out the last product', 'naive', replacing('k < args.depth', 'k < args.depth - 1'), wrong],
  ['writes behind the last column', 'naive', replacing(' || column >= args.columns', ''), stray],
  ['finds A by 32 bits', 'naive', replacing('row * args.lda', 'static_cast<int>(row * args.lda)'), stray],
  [
    'finds B by 32 bits',
    'naive',
    replacing('b[k * args.ldb]', 'b[static_cast<unsigned>(k * args.ldb)]'),
    stray,
  ],
  ['finds C by 32 bits', 'naive', replacing('row * args.ldc', 'static_cast<int>(row * args.ldc)'), stray],
  [
    'finds the former C by 32 bits',
    'mma',
    inHeader('tw/epilogue.cuh', replacing('c[m * ldc + n]', 'c[static_cast<int>(m * ldc + n)]')),
    stray,
  ],
  // Numbers.
  ['adds up in half', 'naive', replacing(product, `sum = ${half('sum + $1')};`), wrong],
  [
    'flushes a subnormal alpha',
    'naiveBf16',
    replacing('args.alpha * sum', '(fabsf(args.alpha) < 1.2e-38f ? 0.0f : args.alpha) * sum'),
    wrong,
  ],
  ['skips zeros', 'naive', replacing(product, 'if (static_cast<float>(a[k]) != 0) $&'), ['nonfinite']],
  // The path mma.
  [
    'counts a row of tiles too many where rows are whole tiles',
    'mma',
    replacing('(args.rows + kTileM - 1)', '(args.rows + kTileM + 1)'),
    ['unwritten'],
  ],
  ['leaves out a short stage', 'mma', replacing('(args.depth + kTileK - 1)', 'args.depth'), wrong],
  [
    'waits for one stage too few',
    'mma',
    inHeader('tw/async_operand.cuh', replacing('<Stages - 2>', '<Stages - 1>')),
    racy,
  ],
  [
    'lets warps overtake each other',
    'mma',
    inHeader('tw/async_operand.cuh', replacing('__syncthreads();', '')),
    racy,
  ],
  [
    'stages over stages in use',
    'mma',
    replacing('  __syncthreads();\n  const tw::Ep', '  const tw::Ep'),
    racy,
  ],
  [
    'counts no empty groups',
    'mma',
    inHeader(
      'tw/async_operand.cuh',
      replacing('ptx::cp_async_commit();  //', 'if (step < steps_) ptx::cp_async_commit();  //'),
    ),
    racy,
  ],
  [
    'loads rows behind the last',
    'mma',
    replacing('args.rows, args.depth', 'args.rows + 1, args.depth'),
    stray,
  ],
  ['takes any C for aligned', 'mma', replacing('args.aligned_c, sums', 'true, sums'), ['out-of-bounds']],
  [
    'waits for a negative number of groups',
    'mma',
    inHeader('tw/async_operand.cuh', replacing('<Stages - 2>', '<2 - Stages>')),
    ['fault'],
  ],
  // The path wgmma.
  ['leaves out a short stage', 'wgmma', replacing('(args.depth + kTileK - 1)', 'args.depth'), wrong],
  [
    'adds to the tile before',
    'wgmma',
    inHeader('tw/wgmma_mainloop.cuh', replacing('step > 0', 'true')),
    wrong,
  ],
  [
    'finds no zeros without products',
    'wgmma',
    inHeader('tw/wgmma_mainloop.cuh', replacing('if (steps == 0) clear(acc);', '')),
    wrong,
  ],
  [
    'gives stages back too early',
    'wgmma',
    inHeader('tw/wgmma_mainloop.cuh', replacing('wgmma_wait<InFlight>', 'wgmma_wait<1>')),
    racy,
  ],
  [
    'gives the last stage back never',
    'tall',
    inHeader(
      'tw/wgmma_mainloop.cuh',
      replacing('if (std::is_reference_v<At> && InFlight > 0 && steps > 0)', 'if (false)'),
    ),
    stuck,
  ],
  [
    'announces half of the bytes',
    'wgmma',
    replacing('expect(at, kStageBytes)', 'expect(at, kStageBytes / 2)'),
    stuck,
  ],
  ['awaits one warpgroup', 'wgmma', replacing('4 * kConsumers>()', '4>()'), racy],
  ['takes one tile twice', 'wgmma', replacing('tw::cluster_rank<kClusterM>()', '0'), [...stray, 'race']],
  ['ends before its cluster', 'wgmma', replacing('if (kCluster > 1) ', 'if (false) '), racy],
  ['ends before its stores', 'wgmma', replacing('staging.drain();', ''), racy],
  ['takes alpha 2 for 1', 'wgmma', replacing('args.alpha,', 'args.alpha == 2 ? 1 : args.alpha,'), wrong],
  ['goes down no second time', 'wgmma', replacing('(args.rows + kRows - 1) / kRows', '1'), stray],
  [
    'counts at most eight columns of tiles',
    'wgmma',
    replacing('(args.columns + kColumns - 1) / kColumns', 'min(8, (args.columns + kColumns - 1) / kColumns)'),
    stray,
  ],
  [
    'has elements of A behind the depth, where those of B are 0',
    'mma',
    inHeader(
      'tw/async_tile.cuh',
      replacing(
        'first = column + unit_ * kUnit,',
        'at = column + unit_ * kUnit, first = at < columns_ ? at : 0,',
      ),
    ),
    ['nonfinite'],
  ],
  // One too few a turn adds up: warps of a warpgroup vouch for each other.
  ['counts one arrival of a cluster too few', 'wgmma', replacing(initialised, oneTooFew), racy],
  ['shows barriers to nobody', 'wgmma', replacing('ptx::fence_mbarrier_init();', ''), racy],
];

describeMutants(bench, ids, mutants);

describeFullMutants(bench, ids, [
  [
    'has 16 bits of a row',
    'mma',
    replacing('a.load(stage_of(step), tile.m * kTileM,', 'a.load(stage_of(step), tile.m * kTileM & 0xffff,'),
    wrong,
    'tall',
  ],
  [
    'has 16 bits of a column',
    'naive',
    replacing('args.b + column;', 'args.b + (column & 0xffff);'),
    wrong,
    'wide',
  ],
]);

describeSound(bench, ids);
