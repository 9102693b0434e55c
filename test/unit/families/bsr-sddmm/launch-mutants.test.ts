// Defects of bsr-sddmm's launch code that depth `quick` must see.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { describeLaunchDefects, type LaunchDefect } from '../../../helpers/launch-mutants.ts';

const ids = {
  rows: 'bsr_sddmm.mma.b16.g8.wm1.wn2-b007',
  columns: 'bsr_sddmm.mma.b32.xcolumn.ycolumn.g4.wm2.wn2-b2cb',
  grouped: 'bsr_sddmm.wgmma.b64.g4.s3.w1-4a74',
  parted: 'bsr_sddmm.wgmma.b64.f32.g2.s3.w2.sp2-6f9a',
  shared: 'bsr_sddmm.wgmma.b64.xcolumn.ycolumn.g4.k32.s3.w2.cl2-07a1',
};

const stray: readonly VerdictName[] = ['wrong', 'nonfinite', 'out-of-bounds', 'launch', 'race'];
const stuck: readonly VerdictName[] = ['hang', 'launch', 'race', 'divergence', 'wrong', 'out-of-bounds'];
/** Verdicts on a variant that takes what it should refuse. */
const taken: readonly VerdictName[] = ['wrong'];

const defects: readonly LaunchDefect<keyof typeof ids>[] = [
  {
    ...{ name: 'takes lines of Y that its loads do not fit', of: 'columns', behind: '{"ldy", ' },
    ...{ expression: 'shape.ldy', defect: '0', verdicts: taken },
  },
  {
    ...{ name: 'takes products of X that its loads do not fit', of: 'rows', behind: '{"x_stride", ' },
    ...{ expression: 'shape.x_stride', defect: '0', verdicts: taken },
  },
  {
    ...{ name: 'takes products of A that its stores do not fit', of: 'grouped' },
    behind: 'refuse_unless(shape.batch == 1 || ',
    expression: 'shape.values_stride % 2 == 0',
    defect: 'true',
    verdicts: taken,
  },
  {
    ...{ name: 'asks nothing of the address of Y', of: 'shared', behind: '{"ldx", shape.ldx}, ' },
    ...{ expression: '&Call::y', defect: '&Call::x', verdicts: taken },
  },
  {
    ...{ name: 'asks for half of the alignment of X and Y', of: 'rows', behind: 'bound.require_loads(' },
    ...{ expression: 'bytes', defect: 'bytes / 2', verdicts: taken },
  },
  {
    ...{ name: 'asks for half of the alignment of products of X and Y', of: 'rows' },
    behind: 'refuse_unless_multiples("loads " + std::to_string(bytes) + " bytes at a time", ',
    ...{ expression: 'bytes / 2', defect: 'bytes / 4', verdicts: taken },
  },
  {
    ...{ name: 'lists tiles of twice as many blocks', of: 'rows', behind: 'detail::plan_tiles(shape, ' },
    expression: 'parameters.number("group")',
    defect: '2 * parameters.number("group")',
    verdicts: [...stray, 'unwritten'],
  },
  {
    ...{ name: 'starts one product of a batch', of: 'rows', behind: 'static_cast<unsigned>(grid), ' },
    expression: 'static_cast<unsigned>(shape.batch)',
    defect: '1u',
    verdicts: ['unwritten', 'wrong'],
  },
  {
    ...{ name: 'starts half of the thread blocks that share the depth', of: 'parted' },
    behind: 'if (mapped) grid *= ',
    expression: 'parameters.number("splits")',
    defect: '1',
    verdicts: [...stuck, 'unwritten'],
  },
  {
    ...{ name: 'copies all of X by each thread block of a cluster', of: 'shared' },
    behind: 'matrix_x(shape), shape.x_stride, tile_k, ',
    expression: 'cluster',
    defect: '1',
    verdicts: stuck,
  },
  {
    ...{ name: 'maps products of Y as far apart as those of X', of: 'grouped' },
    behind: 'matrix_y(shape), ',
    ...{ expression: 'shape.y_stride', defect: 'shape.x_stride', verdicts: [...stray, 'unwritten'] },
  },
  {
    ...{ name: 'maps operands without columns', of: 'grouped', behind: 'shape.layout_x, ' },
    expression: 'matrix_x(shape)',
    defect: 'MatrixLines{shape.input, shape.k > 0 ? shape.k : 8, shape.m, shape.k > 0 ? shape.ldx : 8}',
    verdicts: ['launch'],
  },
];

describeLaunchDefects('bsr-sddmm', ids, defects);
