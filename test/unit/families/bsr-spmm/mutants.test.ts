// Defects that a gate of few schedules, aligned shapes and round numbers lets pass. Each is one change of a rendered source
// of a variant that passes; depth `quick` must see it.
import { describe, expect, it } from 'vitest';
import { jobVariant } from '../../../../src/device/job-variant.ts';
import { scheduleOf } from '../../../../src/gate/schedules.ts';
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { pointOfId } from '../../../../src/space/id.ts';
import { variantOf } from '../../../../src/space/variant.ts';
import type { Point } from '../../../../templates/kernels/bsr-spmm/parameters.ts';
import {
  type Change,
  describeFullMutants,
  describeMutants,
  inHeader,
  type Mutant,
  replacing,
  sound,
  useMutantBench,
  wrong,
} from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

const ids = {
  naive: 'bsr_spmm.naive.b64-2fac',
  naiveBf16: 'bsr_spmm.naive.b64.bf16.bf16-0c1d',
  elements: 'bsr_spmm.simt.b128.tn32.v1.ilp4-e27b',
  simt: 'bsr_spmm.simt.b32.pf1.w4.v8-6982',
  mma: 'bsr_spmm.mma.b64.tk64.st3-1c11',
  twoTiles: 'bsr_spmm.mma.b32.f16.f32.wn2.direct.tc2.natural-b856',
  producers: 'bsr_spmm.mma.b64.pw4-fef2',
  pingPong: 'bsr_spmm.wgmma.b64.tn128.pingpong-1db9',
  turns: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn48.st8.pingpong.wd1.sp8-7048',
  fused: 'bsr_spmm.wgmma.b32.Bcolumn.Ccolumn.tn384.tk32.st3.pw2.rows.wg3.similar.fu1-4754',
  packed: 'bsr_spmm.wgmma.b32.Bcolumn.Ccolumn.tn128.tk32.st5.pw2.staged.pk1.coopN-09f6',
  halves: 'bsr_spmm.wgmma.b128.tn128.overlap.pn4.coopM.cl2-1bc2',
  dependent: 'bsr_spmm.wgmma.b64.tn128.pingpong.pdl1-a4e6',
  queue: 'bsr_spmm.wgmma.b64.tn128.coopN.atomic-6de9',
  turned: 'bsr_spmm.wgmma.b32.Bcolumn.at1.tn256.tk32.st5.pw2.rows.wg3.wd1.cs128.similar-ece9',
  shares: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn16.st8.pn0.coopN.wg1.bps2.pairs-b0e4',
  parts: 'bsr_spmm.wgmma.b32.tn128.tk32.coopN.sp8-f534',
  lines: 'bsr_spmm.wgmma.b32.f16.f32.tn256.tk32.st5.pw2.staged.pk1.coopN.cs128-d90a',
};
type Name = keyof typeof ids;

/** A read that changes no result. */
const peek = (element: string) => `static_cast<float>(${element}) == 12345.0f`;

const half = (value: string) => `static_cast<float>(static_cast<__half>(${value}))`;
const bfloat16 = (value: string) => `static_cast<float>(static_cast<__nv_bfloat16>(${value}))`;

const inReduction = (from: string | RegExp, to: string) =>
  inHeader('tw/cluster_reduction.cuh', replacing(from, to));
const wait = 'ptx::griddep_wait();';
const product = /sum \+= (.*);/;
/** Of small integers many wrong ones are what C was before. */
const wrongChoice: readonly VerdictName[] = [...wrong, 'unwritten'];
const stray: readonly VerdictName[] = ['out-of-bounds', 'unwritten', 'wrong', 'nonfinite'];

const flushesAlpha: Mutant<Name> = [
  'flushes a subnormal alpha',
  'naiveBf16',
  replacing('args.alpha * sum', '(fabsf(args.alpha) < 1.2e-38f ? 0.0f : args.alpha) * sum'),
  wrong,
];

/** Tried with the whole gate at depth quick: a case that was picked for its mutant would prove less. */
const mutants: readonly Mutant<Name>[] = [
  // Reads of halves.
  [
    'reads an element that another thread is storing',
    'simt',
    replacing(
      'a.store<kPitchA>(shared_a);',
      `if (step > 0 && ${peek('shared_a[0]')}) sums[0][0][0] += 1;\n$&`,
    ),
    ['race'],
  ],
  // Programmatic dependent launch.
  ['never waits for the launch before', 'dependent', replacing(wait, ''), ['race']],
  ['waits in its consumers alone', 'dependent', replacing(wait, `if (ptx::warp_id() < 8) ${wait}`), ['race']],
  ['waits in its producer alone', 'dependent', replacing(wait, `if (ptx::warp_id() >= 8) ${wait}`), ['race']],
  // Values left in the workspace.
  [
    'leaves its work queue one off',
    'queue',
    inHeader('tw/work_list.cuh', replacing('count - 1)', 'count)')),
    ['stateful'],
  ],
  [
    'puts its sums in front of the scratch memory',
    'parts',
    inHeader('tw/split_sums.cuh', replacing('* kShares + share)', '* kShares - share)')),
    ['stateful'],
  ],
  // Schedules.
  [
    'adds parts in the order of their arrival',
    'parts',
    inHeader(
      'tw/split_sums.cuh',
      replacing(
        'const float* from = sums(slot);',
        'const float* from = sums(part.first_slot + (slot + part.slot - 2 * part.first_slot) % part.parts);',
      ),
    ),
    ['nondeterministic'],
  ],
  [
    'reads parts through the read-only cache',
    'parts',
    inHeader('tw/split_sums.cuh', replacing('__ldcg(&from', '__ldg(&from')),
    ['race'],
  ],
  // Sums of a cluster.
  [
    'hands sums over without releasing them to the cluster',
    'shares',
    inReduction(
      'mbarrier_arrive_cluster_release(ptx::map_shared_rank(full',
      'mbarrier_arrive_cluster(ptx::map_shared_rank(full',
    ),
    ['race'],
  ],
  [
    'adds sums up before they are there',
    'shares',
    inReduction('ptx::mbarrier_wait(full(), phase);', ''),
    ['race'],
  ],
  [
    'adds sums up without acquiring them from the cluster',
    'shares',
    inReduction('ptx::fence_cluster();', ''),
    ['race'],
  ],
  [
    'acquires from the cluster before the sums are there',
    'shares',
    inReduction(/(ptx::mbarrier_wait\(full\(\), phase\);)\s*(ptx::fence_cluster\(\);)/, '$2\n$1'),
    ['race'],
  ],
  [
    'leaves out the sums of the last thread block',
    'shares',
    inReduction('other < Cluster;', 'other < Cluster - 1;'),
    wrong,
  ],
  [
    'copies columns by its rank among those that share steps',
    'shares',
    replacing('cluster_rank<kCluster>() * kTileN', 'cluster_rank<kClusterSize>() * kTileN'),
    wrong,
  ],
  [
    'ends before its sums are read',
    'shares',
    replacing(/ {2}if constexpr \(kClusterSize > 1\) tw::cluster_sync<kClusterSize>\(\);\n\}/, '}'),
    ['race', 'fault', 'out-of-bounds'],
  ],
  [
    'stores the next sums before the last ones are read',
    'shares',
    inReduction('ptx::mbarrier_wait(empty(), phase ^ 1);', ''),
    ['race', 'hang'],
  ],
  // The end of a row.
  [
    'writes a whole vector at the end of a row',
    'mma',
    inHeader('tw/mma_result.cuh', replacing('aligned && count >= kCount', 'aligned && count > 0')),
    stray,
  ],
  [
    'reads behind a last, partial block',
    'naive',
    replacing('args.inner - first', 'args.inner + first'),
    stray,
  ],
  // Scalars.
  ['has 8 bits of alpha', 'simt', replacing('args.alpha * sum', `${bfloat16('args.alpha')} * sum`), wrong],
  [
    'takes a beta that bf16 rounds to 0 for 0',
    'naive',
    replacing('args.beta != 0', `${bfloat16('args.beta')} != 0`),
    ['nonfinite'],
  ],
  [
    'takes a beta that bf16 rounds to 0 for 0',
    'simt',
    replacing('args.beta != 0', `${bfloat16('args.beta')} != 0`),
    ['nonfinite'],
  ],
  [
    'takes a beta that bf16 rounds to 0 for 0',
    'mma',
    inHeader('tw/mma_result.cuh', replacing('target.beta != 0', `${bfloat16('target.beta')} != 0`)),
    ['nonfinite'],
  ],
  [
    'takes an alpha that bf16 rounds to 1 for 1',
    'halves',
    replacing('args.alpha != 1.0f', `${bfloat16('args.alpha')} != 1.0f`),
    ['wrong'],
  ],
  ['has 8 bits of beta', 'naive', replacing('args.beta * s', `${bfloat16('args.beta')} * s`), wrong],
  [
    'takes alpha 0 for a zero matrix',
    'naive',
    replacing('if (args.beta != 0) {', 'if (args.beta != 0 && args.alpha != 0) {'),
    wrong,
  ],
  flushesAlpha,
  [
    'saturates instead of overflowing',
    'naive',
    replacing(
      'static_cast<Output>(value)',
      'static_cast<Output>(fabsf(sum) > 1e30f ? value : fminf(fmaxf(value, -65504.0f), 65504.0f))',
    ),
    ['nonfinite'],
  ],
  // Zero times infinity.
  [
    'skips stored zeros',
    'naive',
    replacing(product, 'if (static_cast<float>(a[k * stride]) != 0) $&'),
    ['nonfinite'],
  ],
  // Places beyond 32 bits.
  ['finds A by 32 bits', 'naive', replacing('static_cast<long long>(i) * kBlock', 'i * kBlock'), stray],
  [
    'finds A by 32 bits where it is transposed',
    'naive',
    replacing('static_cast<long long>(i) * kBlock * kBlock', 'i * kBlock * kBlock'),
    stray,
  ],
  [
    'finds B by 32 bits',
    'naive',
    replacing('b[k * args.b_at.row]', 'b[static_cast<unsigned>(k * args.b_at.row)]'),
    stray,
  ],
  [
    'finds C by 32 bits',
    'naive',
    replacing('row * args.c_at.row', 'static_cast<int>(row * args.c_at.row)'),
    stray,
  ],
  [
    'finds C by 32 bits',
    'mma',
    inHeader(
      'tw/mma_result.cuh',
      replacing('(row + tile * 16) * target.ldc', 'static_cast<int>((row + tile * 16) * target.ldc)'),
    ),
    stray,
  ],
  [
    'finds indices by 32 bits',
    'naive',
    replacing('const int* list, long long i', 'const int* list, int i'),
    stray,
  ],
  // Where operands lie.
  [
    'reads two elements of A at any element',
    'elements',
    replacing('kBlock, kTileK, 1, kThreads', 'kBlock, kTileK, 2, kThreads'),
    ['out-of-bounds'],
  ],
  [
    'takes an address behind a B that it packs for its end',
    'packed',
    replacing('begin + args.extent', 'begin + args.extent + 8'),
    ['out-of-bounds'],
  ],
  [
    'takes an address below a B of lines far apart for its end',
    'packed',
    replacing('begin + args.extent', 'begin - args.extent'),
    ['out-of-bounds'],
  ],
  // Barriers.
  ...(
    [
      ['one behind', '<kOrderBarrier + 1, 2, 256>(ptx::warp_id() / 4)'],
      ['one before', '<kOrderBarrier - 1, 2, 256>(ptx::warp_id() / 4)'],
      ["the other's", '<kOrderBarrier, 2, 256>(1 - ptx::warp_id() / 4)'],
    ] as const
  ).map(([which, to]): Mutant<Name> => {
    const change = replacing('bar_sync_of<kOrderBarrier, 2, 256>(ptx::warp_id() / 4)', `bar_sync_of${to}`);
    return [
      `waits at another barrier for its turn: ${which}`,
      'turns',
      change,
      ['hang', 'race', 'divergence'],
    ];
  }),
  [
    'stages C by other barriers, one of which is for turns',
    'turns',
    inHeader('tw/wgmma_result.cuh', replacing('bar_sync_of<First, Count', 'bar_sync_of<First + 1, Count')),
    ['hang', 'race', 'divergence'],
  ],
  [
    'lets the last staging buffer reach into barriers',
    'producers',
    inHeader('tw/mma_result.cuh', replacing('kBytes = 16 * kPitch', 'kBytes = 17 * kPitch')),
    ['out-of-bounds', 'race', 'hang', 'fault'],
  ],
  // Copies that outlive their thread.
  ['ends while its copies are under way', 'producers', replacing('ptx::cp_async_wait_all();', ''), ['race']],
  // Choices of the operation.
  ['adds the bias of the column', 'naive', replacing('args.bias[row]', 'args.bias[column]'), stray],
  [
    'adds the bias after the activation',
    'naive',
    replacing(/if \(args\.bias\) (.*)\n *(value = tilewright::activate.*)/, '$2\n  if (args.bias) $1'),
    wrongChoice,
  ],
  [
    'adds the former C after the activation',
    'naive',
    replacing(
      'float value = args.alpha * sum;',
      'float value = tilewright::activate(args.activation, args.alpha * sum);',
    ),
    wrongChoice,
  ],
  [
    'takes one GELU for the other',
    'naive',
    replacing(
      'activate(args.activation,',
      'activate(args.activation == tilewright::Activation::gelu_erf ? tilewright::Activation::gelu_tanh : args.activation,',
    ),
    wrongChoice,
  ],
  [
    'has -Inf for what GELU and SiLU make NaN',
    'fused',
    inHeader('tw/activation.cuh', replacing('other - 0x1p-29f', 'other + 0x1p-29f')),
    ['nonfinite'],
  ],
  [
    'drops NaN in its ReLU',
    'naive',
    replacing(
      'value = tilewright::activate(args.activation, value);',
      'value = args.activation == tilewright::Activation::relu ? fmaxf(value, 0.0f) : tilewright::activate(args.activation, value);',
    ),
    ['nonfinite'],
  ],
  [
    'reads B in the other layout',
    'naive',
    replacing('first * args.b_at.row', 'first * args.b_at.column'),
    stray,
  ],
  ['reads C for the residual', 'naive', replacing('args.addend[product', 'args.c[product'), ['race']],
  [
    'reads the residual in the rows of C',
    'naive',
    replacing('const auto& at = args.addend_at;', 'const auto& at = args.c_at;'),
    stray,
  ],
  [
    'adds the residual where beta is 0',
    'naive',
    replacing(
      'if (args.beta != 0) {',
      'if (args.beta != 0 || args.activation != args.activation || args.addend != args.c) {',
    ),
    wrongChoice,
  ],
  ['reads halves of indices', 'naive', replacing('i * args.index_words', 'i'), stray],
  [
    'multiplies by blocks that it does not transpose',
    'naive',
    replacing('+ inner_row, kBlock, from', '+ inner_row * kBlock, 1, from'),
    wrongChoice,
  ],
  [
    'has the values of the first product alone',
    'naive',
    replacing('args.values + product * args.values_stride', 'args.values'),
    wrongChoice,
  ],
  [
    'has the B of the first product alone',
    'naive',
    replacing('args.b + product * args.b_at.product', 'args.b'),
    wrongChoice,
  ],
  // Defects that once took depth full.
  [
    'begins behind the first step where the plan knew no columns',
    'halves',
    replacing('if (batch < 0) batch = fetch(args, tile, 0)', 'if (batch < 0) batch = fetch(args, tile, 1)'),
    ['wrong'],
  ],
  [
    'reads the first 32 steps of a row again',
    'halves',
    replacing('const int i = from + static', 'const int i = from % 32 + static'),
    ['wrong'],
  ],
  [
    'takes two turns of the ring for one when it leaves out a row',
    'pingPong',
    replacing(
      'ring.skip(stages_of(tile.count));',
      'ring.stage += stages_of(tile.count); ring.phase ^= ring.stage >= kStages; ring.stage %= kStages;',
    ),
    ['hang', 'race', 'wrong'],
  ],
  [
    'begins a second tile while the first is in use',
    'twoTiles',
    replacing('if (n0 > first_column) __syncthreads();', ''),
    ['race'],
  ],
  [
    'adds up in half beyond three blocks',
    'mma',
    replacing(
      /Sums sums = \{\};(.*?)multiply\(sums, stage\);/s,
      `Sums sums = {}; int seen = 0;$1multiply(sums, stage); if (seen++ % 4 == 3) for (auto& m : sums) for (float& sum : m) sum = ${half('sum')};`,
    ),
    wrong,
  ],
];

describeMutants(bench, ids, mutants);

// Depth full has the cases of quick: it passed this one when its own case of that id had an alpha of 1.
describeFullMutants(bench, ids, [[...flushesAlpha, 'huge']]);

describe('the verdict names what is wrong:', () => {
  const release = 'if (lane == 0) ptx::mbarrier_arrive(empty(stage));';
  const told: readonly [string, Name, Change, VerdictName, RegExp][] = [
    [
      'the barriers that nobody arrives at, as the source calls them',
      'producers',
      replacing(release, ''),
      'hang',
      /of block \(0,0,0\) on mbarrier 0x[0-9a-f]+ parity 0: phase 0, \d+ of \d+ arrivals missing \(empty\(i\)\)/,
    ],
    [
      'a tile that its list has twice',
      'halves',
      inHeader(
        'tw/work_list.cuh',
        replacing(
          'value, taken);',
          'value, taken == 1 && __shfl_sync(ptx::kAllLanes, batch.count, 1) >= 0 ? 0 : taken);',
        ),
      ),
      'race',
      /one thread writes the same place twice.*is the same work listed twice\?/,
    ],
  ];
  it.each(told)('%s', { timeout: 120_000 }, async (_, name, change, word, message) => {
    const { verdict, evidence } = await bench.gate(ids[name], change);
    expect(evidence.message).toMatch(message);
    expect(verdict).toBe(word);
  });
});

describe('depth quick passes', () => {
  it.each(Object.entries(ids))('%s as it is', { timeout: 120_000 }, async (_, id) => {
    const { verdict, evidence } = await bench.gate(id, sound);
    expect(verdict, evidence.message).toBe('passed');
    expect(evidence).not.toHaveProperty('skipped');
  });
});

describe('a launch that the cubin does not fit', () => {
  const mismatches: readonly [string, Name, Change, RegExp][] = [
    [
      'more threads than __launch_bounds__',
      'pingPong',
      replacing('__launch_bounds__(kThreads, 1)', '__launch_bounds__(kThreads / 2, 1)'),
      /288 threads a block.*at most 144/,
    ],
    [
      'an argument of another size',
      'pingPong',
      (text) =>
        replacing(
          'const Args args,',
          'const Wider args,',
        )(replacing('extern "C" __global__', 'struct Wider : Args { long long more; };\n$&')(text)),
      /passes \d+ bytes as argument 0, the kernel takes \d+/,
    ],
    [
      'more registers for the consumers than the others give up',
      'halves',
      replacing('setmaxnreg_inc<232>', 'setmaxnreg_inc<240>'),
      /add up to 66560, but the block is launched with 64512/,
    ],
  ];
  it.each(mismatches)(
    'has the verdict launch: %s',
    { timeout: 180_000 },
    async (_, name, change, message) => {
      const { verdict, evidence } = await bench.gateWithCubin(ids[name], change);
      expect(evidence.message).toMatch(message);
      expect(verdict).toBe('launch');
    },
  );
});

// The emulated device takes it for the same kernel.
it('a tile whose accumulators do not end before the next one begins is refused: ptxas adds a wait', async () => {
  const kept = replacing(/tw::clear\(acc\);(?= +\/\/ its values end here)/, '');
  const { verdict, evidence } = await bench.gateWithCubin(ids.lines, kept);
  expect(evidence.message).toMatch(/^ptxas changed the kernel's synchronisation: \(C7517\)/);
  expect(verdict).toBe('compile');
}, 180_000);

// Bytes that a product moves, from its sizes: what the detector sees is all that there is. One block row of two blocks.
describe('loads and stores are those of the algorithm', () => {
  const [stored, columns] = [2, 64];
  const elements = (point: { block: number }) => stored * point.block ** 2;
  /** A and B once, a tile of B's columns for each block. */
  const operands = (point: { block: number }) => 2 * (elements(point) + stored * point.block * columns);
  const [naive, simt, mma, wgmma] = [ids.naive, ids.simt, ids.mma, ids.pingPong];
  const general = 'bsr_spmm.general.b64.f16.f16.Brow.Crow.at0.tn64.tk32.pf0.wm2.wn2.st3.cp16.mb2.pn1.natural';
  const narrow = 'bsr_spmm.narrow.b32.tn24.pf1.u2.tm2.wk4-ceef';
  const bulk = 'bsr_spmm.narrow.b32.bf16.bf16.tn16.u2.wk4.bs4-7bf2';
  const multirow = 'bsr_spmm.multirow.b16.bf16.bf16.tn64.st6-49a3';

  const run = async (id: string, n = columns) => {
    const artifact = await bench.build(id, sound);
    if ('verdict' in artifact) throw new Error(artifact.evidence.message);
    const point = artifact.source.variant.parameters as unknown as Point;
    const { block, input, output } = point;
    const problem = {
      m: block,
      n,
      k: 3 * block,
      block,
      input,
      output,
      values: 'normal',
      seed: 1,
    };
    const { verdict, evidence } = await bench.session.gate({
      variant: jobVariant(artifact),
      cases: [
        { id: 'two', tier: 'exact', problem: { ...problem, pattern: { kind: 'rows', counts: [stored] } } },
      ],
      schedules: [scheduleOf(1)],
      vendor: false,
    });
    expect(verdict, evidence.message).toBe('passed');
    return { point, bytes: (name: string) => (evidence.statistics as Record<string, number>)[name] ?? 0 };
  };

  it('naive: every element of C reads a row of A and a column of B', async () => {
    const { point, bytes } = await run(naive);
    const products = elements(point) * columns;
    const indices = bytes('globalLoadBytes') - 2 * 2 * products;
    // Of the ends of its row and the columns of its blocks, which it may read again.
    expect(indices).toBeGreaterThanOrEqual(4 * 2 * point.block * columns);
    expect(indices).toBeLessThan(4 * 4 * stored * point.block * columns);
    expect(bytes('globalStoreBytes')).toBe(2 * point.block * columns);
  });

  it('simt: operands go through shared memory once, and each thread reads its part of them', async () => {
    const { point, bytes } = await run(simt);
    const { budget, derived } = variantOf(bench.family, pointOfId(bench.family, simt));
    const { threads } = budget;
    const perThread =
      Number(derived.rowsPerThread) + Number((point as unknown as Record<string, number>).columnsPerThread);
    expect(bytes('sharedStoreBytes')).toBe(operands(point));
    const depth = stored * point.block;
    expect(bytes('sharedLoadBytes')).toBe(2 * threads * depth * perThread);
    expect(bytes('globalLoadBytes') - operands(point)).toBeLessThan(16 * threads * (stored + 1));
    expect(bytes('globalStoreBytes')).toBe(2 * point.block * columns);
  });

  it('mma: cp.async brings a tile, ldmatrix takes it to each warp that needs it', async () => {
    const { point, bytes } = await run(mma);
    const { tileN, warpsM, warpsN } = point as unknown as Record<string, number>;
    const [a, b] = [2 * elements(point), 2 * stored * point.block * Number(tileN)];
    expect(bytes('cpAsyncBytes')).toBe(a + b);
    expect(bytes('ldmatrixBytes')).toBe(a * Number(warpsN) + b * Number(warpsM));
    expect(bytes('globalStoreBytes')).toBe(2 * point.block * columns);
  });

  it('wgmma: TMA brings a tile and takes C away', async () => {
    const { point, bytes } = await run(wgmma, 128);
    const tile = 2 * (elements(point) + stored * point.block * Number(point.tileN));
    expect(bytes('bulkLoadBytes')).toBe(tile);
    expect(bytes('wgmmaBytes')).toBe(tile);
    expect(bytes('stmatrixBytes')).toBe(2 * point.block * Number(point.tileN));
    expect(bytes('bulkStoreBytes')).toBe(2 * point.block * 128);
  });

  const threadsOf = (id: string) => variantOf(bench.family, pointOfId(bench.family, id)).budget.threads;

  it('general: cp.async brings a tile, its threads look up each step, and sums become lines in shared memory', async () => {
    const { point, bytes } = await run(general);
    const { block, tileN, tileK, warpsM, warpsN } = point;
    const [a, b] = [2 * elements(point), 2 * stored * block * tileN];
    expect(bytes('cpAsyncBytes')).toBe(a + b);
    expect(bytes('ldmatrixBytes')).toBe(a * warpsN + b * warpsM);
    // The ends of the row, and the column of a block for each step.
    expect(bytes('globalLoadBytes')).toBe(4 * threadsOf(general) * (2 + (stored * block) / tileK));
    expect(bytes('sharedStoreBytes')).toBe(4 * block * tileN);
    expect(bytes('sharedLoadBytes')).toBe(4 * block * tileN);
    expect(bytes('globalStoreBytes')).toBe(2 * block * columns);
  });

  it('narrow: A and B go to registers once, sums of the warps that share products through shared memory', async () => {
    const { point, bytes } = await run(narrow, 24);
    const { block, warpsK } = point;
    const operands = 2 * (elements(point) + stored * block * 24);
    // The ends of the row in every thread, and for each vector of A of a row the column of its block, in 8 lanes.
    const indices = 4 * (2 * threadsOf(narrow) + 8 * ((stored * block) / 8));
    expect(bytes('globalLoadBytes')).toBe(operands + indices);
    expect(bytes('sharedStoreBytes')).toBe(4 * warpsK * block * 24);
    expect(bytes('sharedLoadBytes')).toBe(4 * warpsK * block * 24);
    expect(bytes('globalStoreBytes')).toBe(2 * block * 24);
  });

  it('narrow, by bulk copies: A goes through shared memory once, B to the registers of each thread block', async () => {
    const { point, bytes } = await run(bulk, 16);
    const { block, warpsK, tilesM } = point;
    const threadBlocks = block / (16 * tilesM);
    const a = 2 * elements(point);
    expect(bytes('bulkLoadBytes')).toBe(a);
    // The ends of the row in every thread, and the column of each block in a warp's lanes.
    const indices = 4 * (2 * threadsOf(bulk) + 32 * stored);
    expect(bytes('globalLoadBytes')).toBe(threadBlocks * (2 * stored * block * 16 + indices));
    const sums = 4 * warpsK * block * 16;
    expect(bytes('sharedStoreBytes')).toBe(sums);
    expect(bytes('sharedLoadBytes')).toBe(a + sums);
    expect(bytes('globalStoreBytes')).toBe(2 * block * 16);
  });

  it('multirow: TMA brings one step of B, A goes to registers', async () => {
    const { point, bytes } = await run(multirow);
    const { block, tileN, tileK, blockRows } = point;
    expect(bytes('bulkLoadBytes')).toBe(2 * tileK * tileN);
    expect(bytes('ldmatrixBytes')).toBe(2 * stored * block * tileN);
    // In every thread the ends of the list of steps; in those of consumers a step and a row, of the one row its ends and columns; and the
    // producer's step.
    const indices = 4 * (2 * threadsOf(multirow) + 32 * (2 * blockRows + 2 + stored) + 1);
    expect(bytes('globalLoadBytes')).toBe(2 * elements(point) + indices);
    // Warps without a row stage sums too, and write none.
    expect(bytes('sharedStoreBytes')).toBe(4 * blockRows * block * tileN);
    expect(bytes('sharedLoadBytes')).toBe(4 * block * tileN);
    expect(bytes('globalStoreBytes')).toBe(2 * block * columns);
  });
});
