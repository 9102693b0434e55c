// Defects of gemm's launch code that depth `quick` must see.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { describeLaunchDefects, type LaunchDefect } from '../../../helpers/launch-mutants.ts';

const ids = { mma: 'gemm.mma.m128.n128-801e', wgmma: 'gemm.wgmma.m128.n256.cm2-4b98' };

const stray: readonly VerdictName[] = ['wrong', 'nonfinite', 'out-of-bounds', 'launch', 'race'];

/** The shape with one change. */
const changed = (statement: string) => `[&] { Shape q = shape; ${statement}; return q; }()`;

const defects: readonly LaunchDefect<keyof typeof ids>[] = [
  {
    ...{ name: 'starts no thread block for the last tile', of: 'mma', behind: 'kernel.launch.grid[0] = ' },
    ...{ expression: 'static_cast<unsigned>(tiles)', defect: 'static_cast<unsigned>(tiles - 1)' },
    verdicts: ['unwritten', 'launch'],
  },
  {
    ...{ name: 'asks for half of the shared memory', of: 'mma', behind: '&Call::c, 16);\n  return ' },
    ...{ expression: 'kernel.finish()', defect: '(kernel.launch.shared_bytes /= 2, kernel.finish())' },
    verdicts: ['out-of-bounds', 'launch'],
  },
  {
    ...{ name: 'gives A the lines of B', of: 'mma', behind: 'kernel_of<UntypedArgs>(' },
    ...{ expression: 'shape', defect: changed('q.lda = q.ldb'), verdicts: stray },
  },
  {
    ...{ name: 'forgets the bias', of: 'wgmma', behind: 'kernel_of<UntypedMappedArgs>(' },
    ...{ expression: 'shape', defect: changed('q.bias = Switch::no'), verdicts: ['wrong'] },
  },
  {
    ...{ name: 'leaves out a product', of: 'mma', behind: ': detail::launch_blocks(' },
    ...{ expression: 'shape', defect: changed('q.k -= 1'), verdicts: stray },
  },
  {
    ...{ name: 'asks for half of the alignment of A and B', of: 'mma', behind: 'bound.require_loads(' },
    expression: 'parameters.number("loadBytes")',
    defect: 'parameters.number("loadBytes") / 2',
    verdicts: ['wrong'],
  },
  {
    ...{ name: 'asks nothing of the address of B', of: 'wgmma', behind: '{"lda", shape.lda}, ' },
    ...{ expression: '&Call::b', defect: '&Call::a', verdicts: ['wrong'] },
  },
  {
    ...{ name: 'asks nothing of the lines of B', of: 'mma', behind: '{"ldb", ' },
    ...{ expression: 'shape.ldb', defect: '0', verdicts: ['wrong'] },
  },
  {
    ...{
      name: 'stores vectors where lines of C begin at half of one',
      of: 'mma',
      behind: 'if (shape.ldc % ',
    },
    ...{ expression: '8', defect: '4', verdicts: ['out-of-bounds'] },
  },
  {
    ...{ name: 'stores vectors where C begins at half of one', of: 'mma' },
    behind: 'kernel.set_if_aligned(&UntypedArgs::aligned_c, &Call::c, ',
    ...{ expression: '16', defect: '8', verdicts: ['out-of-bounds'] },
  },
  {
    ...{ name: 'starts thread blocks without a cluster', of: 'wgmma', behind: 'kernel.launch.cluster[0] = ' },
    ...{ expression: 'static_cast<unsigned>(cluster)', defect: '1u' },
    verdicts: ['launch', 'out-of-bounds', 'hang', 'race', 'divergence'],
  },
  {
    ...{
      name: 'maps boxes of half of the rows of A',
      of: 'wgmma',
      behind: 'map_of_lines(matrix_a(shape), 64, ',
    },
    expression: 'parameters.number("boxRowsA")',
    defect: 'parameters.number("boxRowsA") / 2',
    verdicts: ['hang', 'wrong', 'nonfinite', 'race'],
  },
  {
    ...{ name: 'maps B with the lines of A', of: 'wgmma', behind: 'map_of_lines(matrix_b(' },
    ...{ expression: 'shape', defect: changed('q.ldb = q.lda'), verdicts: stray },
  },
  {
    ...{ name: 'maps C a line short', of: 'wgmma', behind: 'c = map_of_lines(matrix_c(' },
    ...{ expression: 'shape', defect: changed('q.m -= 1'), verdicts: ['unwritten', 'launch'] },
  },
];

describeLaunchDefects('gemm', ids, defects);
