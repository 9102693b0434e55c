// Defects that show only at the edge of what a variant takes: in block columns that few bits do not number, off whole vectors by half of
// one, and in several panels of several products. Each is one change of a rendered source of a variant that passes.
import {
  describeFullMutants,
  describeMutants,
  describeSound,
  inHeader,
  type Mutant,
  replacing,
  stray,
  useMutantBench,
} from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

const ids = {
  naive: 'bsr_spmm.naive.b64-2fac',
  simt: 'bsr_spmm.simt.b32.pf1.w4.v8-6982',
  mma: 'bsr_spmm.mma.b64.tk64.st3-1c11',
  columns: 'bsr_spmm.general.b32.Bcolumn.Ccolumn.pf1.wm1-5f65',
  turned: 'bsr_spmm.general.b64.bf16.bf16.Bcolumn.at1.tn64.st2.cp4.natural-741a',
  turnedWgmma: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.at1.tn64.rows.bps2-6986',
  narrow: 'bsr_spmm.narrow.b32.tn24.pf1.u2.tm2.wk4-ceef',
  shared: 'bsr_spmm.multirow.b16.bf16.bf16.tn64.st6-49a3',
  wgmma: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.coopN.cl2.cs128.fu1-0bcf',
  addend: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.st3.staged.pn2.pingpong.wd1.cs128.fu1-3e48',
};
type Name = keyof typeof ids;

const inResults = (from: string, to: string) =>
  inHeader('tw/staged_result.cuh', replacing(from, to), 'bsr-spmm');
const inTask = (from: string, to: string) =>
  inHeader('paths/general/task.cuh', replacing(from, to), 'bsr-spmm');

const mutants: readonly Mutant<Name>[] = [
  // Block columns.
  [
    'has 8 bits of a block column',
    'naive',
    replacing(
      'index(args, args.col_idx, i) * kBlock, b)',
      '(index(args, args.col_idx, i) & 0xff) * kBlock, b)',
    ),
    stray,
  ],
  [
    'has 16 bits of a block column',
    'simt',
    replacing('(args.col_idx[block]) * kBlock', '(args.col_idx[block] & 0xffff) * kBlock'),
    stray,
  ],
  [
    'has 16 bits of all block columns but the first',
    'mma',
    inHeader(
      'tw/block_row_copy.cuh',
      replacing('block_column_ = blocks_[next];', 'block_column_ = static_cast<short>(blocks_[next]);'),
    ),
    stray,
  ],
  [
    'has 16 bits of a block column',
    'columns',
    replacing('block_.column * kBlock + k', 'static_cast<short>(block_.column) * kBlock + k'),
    stray,
  ],
  [
    'has 16 bits of a block column',
    'narrow',
    inHeader(
      'tw/slabs.cuh',
      replacing(
        'index(target, target.col_idx, block) :',
        'static_cast<short>(index(target, target.col_idx, block)) :',
      ),
    ),
    stray,
  ],
  [
    'has 16 bits of a block column, and reads far in front of its stages',
    'shared',
    inHeader(
      'paths/multirow/block_row.cuh',
      replacing('to.column = *column_;', 'to.column = static_cast<short>(*column_);'),
      'bsr-spmm',
    ),
    stray,
  ],
  [
    'has 16 bits of a block column',
    'wgmma',
    replacing('steps[i] * kBlock + k', 'static_cast<unsigned short>(steps[i]) * kBlock + k'),
    stray,
  ],
  [
    'has 16 bits of a block row of A, which is transposed',
    'turned',
    replacing('block_.column * kBlock + k', 'static_cast<unsigned short>(block_.column) * kBlock + k'),
    stray,
  ],
  [
    'has 16 bits of a block row of A, which is transposed',
    'turnedWgmma',
    replacing('steps[i].column * kBlock + k', 'static_cast<unsigned short>(steps[i].column) * kBlock + k'),
    stray,
  ],
  // Half of a vector.
  [
    'reads a residual by vectors where its lines begin at half of one',
    'addend',
    inHeader('tw/result_lines.cuh', replacing('ldc % kVector != 0', 'ldc % (kVector / 2) != 0')),
    ['out-of-bounds'],
  ],
  [
    'takes a bias to be aligned where C is',
    'columns',
    inResults(
      'bias.load(to.bias + column + first, count, false)',
      'bias.load(to.bias + column + first, count, to.aligned_c)',
    ),
    ['out-of-bounds'],
  ],
  [
    'takes a residual to be aligned where C and the lines of both are',
    'columns',
    inResults('to.aligned_addend)', 'to.aligned_addend || (to.aligned_c && to.ld_addend % 8 == 0))'),
    ['out-of-bounds'],
  ],
  // Panels and products.
  [
    'counts a panel further back for each product',
    'columns',
    inTask('blockIdx.z % args.panels * gridDim.x', '(blockIdx.z - blockIdx.z / args.panels) * gridDim.x'),
    ['unwritten', 'race', ...stray],
  ],
  [
    'takes panels for products of a batch',
    'columns',
    inTask('blockIdx.z / args.panels}', 'args.panels == 1 ? blockIdx.z : 0u}'),
    ['unwritten', 'race', ...stray],
  ],
];

describeMutants(bench, ids, mutants);

describeFullMutants(bench, ids, [
  [
    'has 16 bits of a row of C',
    'columns',
    replacing('task.row.index * kBlock + warp.row', '(task.row.index * kBlock & 0xffff) + warp.row'),
    ['unwritten', 'race', ...stray],
    'tall',
  ],
]);

describeSound(bench, ids);
