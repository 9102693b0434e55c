// Defects of bsr-spmm's launch code, paths wgmma and multirow, that depth `quick` must see.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { describeLaunchDefects, type LaunchDefect } from '../../../helpers/launch-mutants.ts';

const ids = {
  rows: 'bsr_spmm.wgmma.b64.tn128.pingpong-1db9',
  columns: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn16.st8.pn0.coopN.wg1.bps2.pairs-b0e4',
  tma: 'bsr_spmm.wgmma.b128.tn128.overlap.pn4.coopM.cl2-1bc2',
  addend: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.st3.staged.pn2.pingpong.wd1.cs128.fu1-3e48',
  shared: 'bsr_spmm.multirow.b16.bf16.bf16.tn64.st6-49a3',
};
type Name = keyof typeof ids;

const file = 'paths/wgmma/launch.hpp';
const multirow = 'paths/multirow/launch.hpp';
const stuck: readonly VerdictName[] = ['hang', 'launch', 'race', 'divergence', 'wrong', 'out-of-bounds'];

const defects: readonly LaunchDefect<Name>[] = [
  {
    ...{ file: 'paths/input_maps.hpp', name: 'maps an absent B with lines at one address', of: 'columns' },
    behind: '{0, static_cast<std::uint64_t>(',
    expression: 'std::max<std::int64_t>(shape.ldb * input_bytes(shape), 16)',
    defect: 'shape.ldb * input_bytes(shape)',
    verdicts: ['launch'],
  },
  {
    ...{ file, name: 'starts clusters of one where two share a tile', of: 'columns' },
    behind: 'kernel.launch.cluster[0] = ',
    expression: 'cluster * static_cast<unsigned>(params.along_k)',
    defect: 'cluster',
    verdicts: stuck,
  },
  {
    ...{ file, name: 'starts a cluster too few', of: 'tma', behind: 'kernel.launch.grid = {' },
    expression: 'static_cast<unsigned>(params.lists * params.along_k)',
    defect: 'static_cast<unsigned>(params.lists * params.along_k - 1)',
    verdicts: ['unwritten', 'wrong', 'launch', 'hang'],
  },
  {
    ...{ file, name: 'asks for half of the shared memory', of: 'rows', behind: 'BoundLaunch launch = ' },
    ...{ expression: 'kernel.finish()', defect: '(kernel.launch.shared_bytes /= 2, kernel.finish())' },
    verdicts: ['out-of-bounds', 'launch'],
  },
  {
    ...{ file, name: 'maps boxes of half of the rows of A', of: 'rows' },
    behind: 'static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(',
    expression: 'rows / parameters.number("cluster")',
    defect: 'rows / 2',
    verdicts: stuck,
  },
  {
    ...{ file, name: 'lets TMA store lines of C that are not aligned', of: 'tma', behind: 'refuse_unless(' },
    ...{ expression: 'shape.ldc % 8 == 0', defect: 'true', verdicts: ['wrong', 'launch'] },
  },
  {
    ...{
      file,
      name: 'takes the lines of C for those of a residual',
      of: 'addend',
      behind: 'ld_addend = residual ? ',
    },
    ...{ expression: 'shape.ldr', defect: 'shape.ldc', verdicts: ['wrong', 'nonfinite', 'out-of-bounds'] },
  },
  {
    ...{ file: multirow, name: 'lists steps of twice as many rows of B', of: 'shared' },
    behind: 'blocks_per_step = ',
    expression: 'parameters.number("tileK") / parameters.number("block")',
    defect: '2 * parameters.number("tileK") / parameters.number("block")',
    verdicts: ['wrong', 'nonfinite', 'out-of-bounds'],
  },
  {
    ...{ file: multirow, name: 'starts a tile of block rows too few', of: 'shared' },
    behind: 'static_cast<unsigned>(',
    expression: 'tiles.tile_ptr.size() - 1',
    defect: 'tiles.tile_ptr.size() - 2',
    verdicts: ['unwritten', 'wrong', 'launch'],
  },
];

describeLaunchDefects('bsr-spmm', ids, defects);
