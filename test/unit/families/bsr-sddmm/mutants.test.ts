// Defects of the kernels of bsr-sddmm that depth `quick` must see. Each is one change of a rendered source of a variant that
// passes.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import {
  describeMutants,
  describeSound,
  inHeader,
  type Mutant,
  replacing,
  stray,
  useMutantBench,
  wrong,
} from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-sddmm');

const ids = {
  naive: 'bsr_sddmm.naive.b16-e3b0',
  rows: 'bsr_sddmm.mma.b16.g8.wm1.wn2-b007',
  columns: 'bsr_sddmm.mma.b32.xcolumn.ycolumn.g4.wm2.wn2-b2cb',
  mapped: 'bsr_sddmm.wgmma.b64.f32.xcolumn.g1.s3.w1-16f2',
  grouped: 'bsr_sddmm.wgmma.b64.g4.s3.w1-4a74',
  parted: 'bsr_sddmm.wgmma.b64.f32.g2.s3.w2.sp2-6f9a',
  shared: 'bsr_sddmm.wgmma.b64.xcolumn.ycolumn.g4.k32.s3.w2.cl2-07a1',
};
type Name = keyof typeof ids;

const racy: readonly VerdictName[] = ['race', 'divergence', 'wrong', 'nonfinite'];
const stuck: readonly VerdictName[] = ['hang', ...racy];

const mutants: readonly Mutant<Name>[] = [
  // The formula.
  ['ignores alpha', 'naive', replacing('args.alpha * sum', 'sum'), wrong],
  ['ignores beta', 'rows', inHeader('tw/result_pair.cuh', replacing('if (beta != 0)', 'if (false)')), wrong],
  [
    'reads A where beta is 0',
    'rows',
    inHeader('tw/result_pair.cuh', replacing('if (beta != 0) {', '{')),
    ['race'],
  ],
  ['takes X of the first product for all', 'naive', replacing('product * args.x_stride', '0'), wrong],
  ['takes Y of the first product for all', 'rows', replacing('blockIdx.y * args.y_stride', '0'), wrong],
  ['finds Y by the products of X', 'rows', replacing('y * args.y_stride', 'y * args.x_stride'), stray],
  [
    'reads halves of indices in a batch',
    'grouped',
    replacing('* args.index_words]', '* (blockIdx.y > 0 ? 1 : args.index_words)]'),
    [...wrong, 'unwritten'],
  ],
  [
    'loads whole blocks in a batch',
    'rows',
    replacing(
      'args.rows, args.depth',
      'blockIdx.y > 0 ? (args.rows + kBlock - 1) / kBlock * kBlock : args.rows, args.depth',
    ),
    stray,
  ],
  ['stores all products as the first', 'mapped', replacing('blockIdx.y * args.values_stride', '0'), racy],
  [
    'loads the first product for all',
    'mapped',
    inHeader('tw/tma_operand.cuh', replacing('{first + i, k, matrix}', '{first + i, k, 0}')),
    wrong,
  ],
  // The pattern.
  ['takes a row too early', 'naive', replacing('<= block', '< block'), stray],
  ['takes indices of 64 bits for 32', 'columns', replacing('i * args.index_words', 'i'), stray],
  ['computes the first block alone', 'rows', replacing('tile.first + i', 'tile.first'), wrong],
  ['leaves out a block', 'rows', replacing('i >= tile.count', 'i >= tile.count - 1'), ['race', ...wrong]],
  ['finds blocks by 32 bits', 'rows', replacing('static_cast<long long>(tile.first)', 'tile.first'), stray],
  [
    'finds 64-bit indices by 32 bits',
    'rows',
    replacing('column_of(const Args& args, long long i)', 'column_of(const Args& args, int i)'),
    stray,
  ],
  [
    'finds 64-bit indices by 32 bits, on wgmma',
    'grouped',
    replacing('static_cast<long long>(tile.first + i)', 'static_cast<int>(tile.first + i)'),
    stray,
  ],
  // The operands.
  ['leaves out a short stage', 'rows', replacing('(args.depth + kTileK - 1)', 'args.depth'), wrong],
  ['loads a depth too many', 'rows', replacing('args.rows, args.depth', 'args.rows, args.depth + 1'), stray],
  [
    'takes X for row-major',
    'columns',
    replacing('load_a<Input, TileX::kMajor', 'load_a<Input, tw::Major::k'),
    stray,
  ],
  [
    'takes Y for row-major',
    'columns',
    replacing('load_b<Input, TileY::kMajor', 'load_b<Input, tw::Major::k'),
    stray,
  ],
  // The pipeline.
  [
    'waits for one stage too few',
    'rows',
    inHeader('tw/async_operand.cuh', replacing('<Stages - 2>', '<Stages - 1>')),
    racy,
  ],
  [
    'lets warps overtake each other',
    'rows',
    inHeader('tw/async_operand.cuh', replacing('__syncthreads();', '')),
    racy,
  ],
  // TMA, the ring and wgmma.
  [
    'reads A where beta is 0, on wgmma',
    'mapped',
    inHeader('tw/result_pair.cuh', replacing('if (beta != 0) {', '{')),
    ['race'],
  ],
  ['leaves out a short step', 'mapped', replacing('(args.depth + kTileK - 1)', 'args.depth'), racy],
  [
    'takes columns of X for rows',
    'mapped',
    replacing('TileX = tw::WgmmaOperand<ptx::Major::mn', 'TileX = tw::WgmmaOperand<ptx::Major::k'),
    stray,
  ],
  ['announces a block too few', 'mapped', replacing('(1 + tile.count)', 'tile.count'), stuck],
  [
    'multiplies what has not come',
    'mapped',
    inHeader(
      'tw/wgmma_mainloop.cuh',
      replacing(/pipeline\.wait\(at\);\s+ptx::wgmma_fence/, 'ptx::wgmma_fence'),
    ),
    racy,
  ],
  [
    'releases what is still multiplied',
    'mapped',
    inHeader('tw/wgmma_mainloop.cuh', replacing('wgmma_wait<InFlight>', 'wgmma_wait<InFlight + 1>')),
    racy,
  ],
  [
    'takes a stage for free one arrival early, which adds up over many turns of the ring',
    'mapped',
    inHeader(
      'tw/wgmma_mainloop.cuh',
      inHeader('tw/pipeline.cuh', replacing('Consumers * Cluster)', 'Consumers * Cluster - 1)')),
    ),
    racy,
  ],
  [
    'finds blocks by 32 bits, on wgmma',
    'grouped',
    replacing('static_cast<long long>(tile.first + block)', 'static_cast<int>(tile.first + block)'),
    stray,
  ],
  [
    'releases a stage before all lanes of a warp without blocks have seen it full',
    'shared',
    replacing(/__syncwarp\(\);(?=.*\n\s+pipeline\.release)/, ''),
    racy,
  ],
  [
    'releases a stage before all lanes of a warp without blocks are behind the release',
    'shared',
    replacing(/(__syncwarp\(\);).*\n\s+(pipeline\.release\(at\.stage\);)/, '$2 $1'),
    racy,
  ],
  ['takes the first block for all', 'shared', replacing('(1 + first) * kBlockBytes', 'kBlockBytes'), wrong],
  ['takes all of the depth for a part', 'parted', replacing('all * rank / kSplits', '0'), wrong],
  [
    'goes on behind its part of the depth',
    'parted',
    replacing('(rank + 1) / kSplits', '(rank + 2) / kSplits'),
    wrong,
  ],
  [
    'puts sums where others multiply',
    'parted',
    inHeader('tw/split_sums.cuh', replacing(/ptx::bar_sync<.*;(?=\s+if \(rank > 0\)\s+each)/, '')),
    racy,
  ],
  [
    'adds sums that are not there yet',
    'parted',
    inHeader('tw/split_sums.cuh', replacing(/ptx::cluster_sync\(\);(?=\s+if \(rank)/, '')),
    stuck,
  ],
  // Block rows and block columns.
  [
    'has 8 bits of a block column',
    'rows',
    replacing(
      'column_of(args, tile.first + i) * kBlock',
      '(column_of(args, tile.first + i) & 0xff) * kBlock',
    ),
    stray,
  ],
  [
    'has 16 bits of a block row',
    'grouped',
    replacing('tile.row * kBlock, k, product', 'static_cast<short>(tile.row) * kBlock, k, product'),
    stray,
  ],
  [
    'has 16 bits of a block row, where X lies by columns',
    'columns',
    replacing('x.load(stage, tile.row * kBlock, k)', 'x.load(stage, (tile.row & 0xffff) * kBlock, k)'),
    stray,
  ],
  [
    'has 16 bits of a block column, where Y lies by columns',
    'columns',
    replacing(
      'column_of(args, tile.first + i) * kBlock',
      '(column_of(args, tile.first + i) & 0xffff) * kBlock',
    ),
    stray,
  ],
  // Arrays in registers, which have no addresses.
  [
    'adds up a sum too many',
    'parted',
    inHeader(
      'tw/wgmma_tile.cuh',
      replacing('i < Registers; ++i)\n      visit', 'i <= Registers; ++i)\n      visit'),
    ),
    ['out-of-bounds'],
  ],
  ['keeps a column index too many', 'mapped', replacing('i < kGroup', 'i <= kGroup'), ['out-of-bounds']],
  [
    'leaves the cluster early',
    'shared',
    replacing('if (kCluster > 1) tw::cluster_sync<kCluster>();', ''),
    ['fault', 'launch', 'hang', ...racy],
  ],
];

describeMutants(bench, ids, mutants);

describeSound(bench, ids);
