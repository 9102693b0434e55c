// Defects of kernels of the path multirow that depth `quick` must see. Each is one change of a rendered source of a variant that
// passes.
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

const bench = useMutantBench('bsr-spmm');

const ids = {
  linear: 'bsr_spmm.multirow.b16.Bcolumn.Ccolumn-b086',
  rows: 'bsr_spmm.multirow.b16.bf16.bf16.tn64.st6-49a3',
  floats: 'bsr_spmm.multirow.b16.f16.f32.Bcolumn.tn64.st3.br8-d5fb',
};
type Name = keyof typeof ids;

const inBlockRow = (from: string, to: string) =>
  inHeader('paths/multirow/block_row.cuh', replacing(from, to), 'bsr-spmm');

const mutants: readonly Mutant<Name>[] = [
  // Stages.
  [
    'copies into a stage without a fence behind its readers',
    'linear',
    replacing('ptx::fence_proxy_async_shared();', ''),
    ['race'],
  ],
  ['does not wait for a stage', 'rows', replacing('pipeline.wait(at);', ''), ['race', ...stray]],
  [
    'stages results while others multiply',
    'rows',
    replacing('ptx::bar_sync<1, 32 * kBlockRows>();', ''),
    ['race', ...wrong],
  ],
  // Steps.
  [
    'takes the steps of the first tile',
    'floats',
    replacing('args.steps + begin, count, lane', 'args.steps, count, lane'),
    stray,
  ],
  ['begins with the first rows of B', 'floats', replacing('count > 0 ? steps[0] : 0', '0'), stray],
  [
    'multiplies by the first rows of a step',
    'linear',
    replacing('(row.column() - first) * kBlock', '0'),
    wrong,
  ],
  [
    'takes block rows as they are',
    'floats',
    replacing('args.order[tile * kBlockRows + warp]', 'tile * kBlockRows + warp'),
    stray,
  ],
  ['copies whole panels alone', 'rows', replacing('args.clipped', '0'), stray],
  // Blocks.
  [
    'finds A by 32 bits',
    'linear',
    inBlockRow('static_cast<long long>(first) * (kBlock * kBlock)', 'first * (kBlock * kBlock)'),
    stray,
  ],
  ['loads a block behind the last', 'rows', inBlockRow('rest_ <= 0', 'rest_ < 0'), stray],
  [
    'takes the quarters of a block in the other order',
    'linear',
    inBlockRow('Second ? i / 2 : i % 2', 'Second ? i % 2 : i / 2'),
    wrong,
  ],
  ['loads one row more than there is', 'rows', inBlockRow('row < args.block_rows', 'true'), stray],
];

describeMutants(bench, ids, mutants);

describeSound(bench, ids);
