// Defects of kernels of the path narrow that depth `quick` must see. Each is one change of a rendered source of a variant that
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

const bench = useMutantBench('bsr-spmm');

const ids = {
  small: 'bsr_spmm.narrow.b16.tn8.u4.wk2-0a75',
  ahead: 'bsr_spmm.narrow.b32.tn24.pf1.u2.tm2.wk4-ceef',
  parts: 'bsr_spmm.narrow.b64.f16.f32.tn8.u4.wm2.wk4.pt4-2179',
  bulk: 'bsr_spmm.narrow.b32.bf16.bf16.tn16.u2.wk4.bs4-7bf2',
  pairs: 'bsr_spmm.narrow.b16.tn16.u2.wm2.wk2.bs2-0193',
  few: 'bsr_spmm.narrow.b128.f16.f32.tn8.u4.mb1.wk8.pt2.bs1.pdl1-66c3',
  dependent: 'bsr_spmm.narrow.b64.f16.f32.tn8.u4.wm2.wk4.pt4.pdl1-a785',
};
type Name = keyof typeof ids;

const racy: readonly VerdictName[] = ['race', 'divergence', 'wrong', 'nonfinite', 'stateful', 'unwritten'];

const inSlabs = (from: string, to: string) => inHeader('tw/slabs.cuh', replacing(from, to));
const inBulk = (from: string, to: string) => inHeader('tw/bulk_slabs.cuh', replacing(from, to));
const inSums = (from: string, to: string) => inHeader('tw/warp_sums.cuh', replacing(from, to));

const mutants: readonly Mutant<Name>[] = [
  // Slabs.
  ['takes one half of a slab alone', 'small', inSlabs('left2, right[n].z', 'left, right[n].z'), wrong],
  [
    'finds indices by 32 bits',
    'ahead',
    inSlabs('const int* list, long long i', 'const int* list, int i'),
    stray,
  ],
  ['loads behind the share', 'small', inSlabs('vector < share.end', 'true'), stray],
  ['leaves out half a slab', 'small', inSlabs('(vectors + kVectorsPerSlab - 1)', 'vectors'), wrong],
  ['assigns uneven slabs twice', 'ahead', inSlabs(' + min(of, slabs % Shares)', ''), wrong],
  [
    'multiplies by the next rows of B',
    'ahead',
    replacing('const int next = share.next;', 'const int next = share.next + 1;'),
    wrong,
  ],
  // Bulk copies.
  [
    'multiplies blocks before they have come',
    'bulk',
    inBulk('ptx::mbarrier_wait(barrier(at.stage), at.phase);', ''),
    racy,
  ],
  [
    'fills a stage that lanes still read',
    'bulk',
    inBulk('__syncwarp();  // all lanes', '// all lanes'),
    ['race'],
  ],
  ['copies whole blocks where a warp has some rows', 'bulk', inBulk('TilesM * 16 == Block', 'true'), wrong],
  [
    'fills the stage of the last turn',
    'bulk',
    inBulk('copy(values, share, Stages, at.stage)', 'copy(values, share, Stages, 0)'),
    racy,
  ],
  [
    'takes a block that does not exist',
    'pairs',
    inBulk('if (second >= blocks) a[i][half] = uint4{};', ''),
    wrong,
  ],
  [
    'has no bound of results for more threads',
    'few',
    replacing('if (i >= WarpSums::kElements || ', 'if ('),
    ['race', ...stray],
  ],
  // Programmatic dependent launch.
  ['never waits for the launch before', 'dependent', replacing('ptx::griddep_wait();', ''), ['race']],
  // Layouts.
  [
    'takes any B for column-major',
    'small',
    inSlabs('target.vectors_b ? load_vector(b) : load_elements(target, b)', 'load_vector(b)'),
    stray,
  ],
  [
    'takes any C for row-major',
    'small',
    inSums('target.c_by_columns ? i % kRows : i / kColumns', 'i / kColumns'),
    ['race', ...stray],
  ],
  ['reads columns behind the last', 'small', inSlabs('&& n * 8 < columns ', ''), stray],
  // Sums.
  ['lets warps read each other early', 'ahead', replacing('sums);\n  __syncthreads();', 'sums);'), racy],
  ['adds up the first warp alone', 'ahead', inSums('warp < WarpsK', 'warp < 1'), wrong],
  ['adds up the first part alone', 'parts', inSums('part < Parts', 'part < 1'), wrong],
  ['counts without a fence', 'parts', inSums("__threadfence();  // the thread block's", '//'), racy],
  [
    'reads parts through the read-only cache',
    'parts',
    inSums('__ldcg(&partials', '__ldg(&partials'),
    ['race'],
  ],
  ['never resets its counters', 'parts', inSums('Parts - 1)', '0xffffffffu)'), racy],
  [
    'tells who is last below shared memory',
    'parts',
    replacing('.base + WarpSums', '.base - WarpSums'),
    stray,
  ],
  // The epilogue.
  ['ignores the bias', 'small', replacing('if (args.bias)', 'if (false)'), stray],
  ['reads C for the residual', 'small', replacing('args.addend[', 'args.c['), ['race', ...wrong]],
];

describeMutants(bench, ids, mutants);

describeSound(bench, ids);
