// Defects of bsr-spmm's launch code that ask for half of the alignment that a kernel needs, or count panels and products wrongly: depth
// `quick` must see them.
import { describeLaunchDefects, type LaunchDefect } from '../../../helpers/launch-mutants.ts';

const ids = {
  mma: 'bsr_spmm.mma.b64.tk64.st3-1c11',
  columns: 'bsr_spmm.general.b32.Bcolumn.Ccolumn.pf1.wm1-5f65',
  packed: 'bsr_spmm.general.b64.wm1.wn4.pk1-c6ca',
  narrow: 'bsr_spmm.narrow.b64.f16.f32.tn8.u4.wm2.wk4.pt4-2179',
  tma: 'bsr_spmm.wgmma.b128.tn128.overlap.pn4.coopM.cl2-1bc2',
};

const general = 'paths/general/launch.hpp';
const mma = 'paths/mma/launch.hpp';
const narrow = 'paths/narrow/launch.hpp';
const wgmma = 'paths/wgmma/launch.hpp';
const misaligned = { verdicts: ['out-of-bounds'] } as const;
/** Verdicts on a variant that takes what it should refuse. */
const taken = { verdicts: ['wrong'] } as const;

const defects: readonly LaunchDefect<keyof typeof ids>[] = [
  {
    ...{
      name: 'asks for half of the alignment of A',
      of: 'narrow',
      behind: 'bound.require_aligned(&Call::values, ',
    },
    expression: 'detail::value_bytes(parameters)',
    defect: 'detail::value_bytes(parameters) / 2',
    ...taken,
  },
  {
    ...{ name: 'asks for half of the alignment of B', of: 'mma', behind: 'bound.require_aligned(&Call::b, ' },
    expression: 'detail::load_bytes(parameters)',
    defect: 'detail::load_bytes(parameters) / 2',
    ...taken,
  },
  {
    ...{ name: 'asks for half of the alignment of lines of B', of: 'mma', behind: 'input_bytes(shape) % ' },
    ...{ expression: 'bytes', defect: '(bytes / 2)', ...taken },
  },
  {
    ...{ file: mma, name: 'stores vectors where lines of C begin at half of one', of: 'mma' },
    ...{ behind: 'output_bytes(shape) % ', expression: '16', defect: '8', ...misaligned },
  },
  {
    ...{ file: mma, name: 'stores vectors where C begins at half of one', of: 'mma' },
    behind: 'kernel.set_if_aligned(&UntypedArgs::aligned_c, &Call::c, ',
    ...{ expression: '16', defect: '8', ...misaligned },
  },
  {
    ...{ file: narrow, name: 'loads vectors of B at any address', of: 'narrow' },
    behind: 'kernel.set_if_aligned(&UntypedArgs::vectors_b, &Call::b, ',
    ...{ expression: '16', defect: '2', ...misaligned },
  },
  {
    ...{ file: narrow, name: 'asks for half of the alignment of products of A', of: 'narrow' },
    behind: 'refuse_unless(shape.batch == 1 || shape.values_stride % ',
    ...{ expression: '8', defect: '4', ...taken },
  },
  {
    ...{ file: general, name: 'asks for half of the alignment of products of A', of: 'columns' },
    ...{ behind: 'shape.values_stride * element % ', expression: 'bytes', defect: '(bytes / 2)', ...taken },
  },
  {
    ...{ file: general, name: 'asks for half of the alignment of products of B', of: 'columns' },
    ...{ behind: 'shape.b_stride * element % ', expression: 'bytes', defect: '(bytes / 2)', ...taken },
  },
  {
    ...{ file: general, name: 'reads a B where it is that begins at half of a vector', of: 'packed' },
    behind: 'kernel.set_address_if_aligned(&UntypedArgs::b, &Call::b, ',
    ...{ expression: '16', defect: '8', ...misaligned },
  },
  {
    ...{ file: general, name: 'adds panels and products up', of: 'packed', behind: 'grid_extent(' },
    expression: 'panels * shape.batch',
    defect: 'panels + shape.batch - 1',
    verdicts: ['unwritten'],
  },
  {
    ...{ file: wgmma, name: 'lets TMA store lines that end at half of a vector', of: 'tma' },
    behind: 'shape.layout_c == Layout::column || shape.n % ',
    ...{ expression: '8', defect: '4', ...taken },
  },
  {
    ...{ file: wgmma, name: 'lets TMA store a C that begins at half of a vector', of: 'tma' },
    behind: 'if (stores_by_tma(parameters)) {\n    bound.require_aligned(&Call::c, ',
    ...{ expression: '16', defect: '8', ...taken },
  },
];

describeLaunchDefects('bsr-spmm', ids, defects);
