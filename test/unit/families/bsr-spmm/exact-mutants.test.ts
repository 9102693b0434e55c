// Defects of kernels that multiply f32 on CUDA cores, which depth `quick` must see. Each is one change of a rendered source of a variant
// that passes.
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
  rows: 'bsr_spmm.general.b64.f32.f32.tk16.cp4.ffma1-1cdd',
  linear: 'bsr_spmm.general.b32.f32.f32.Bcolumn.Ccolumn.tk16.wm1.natural.ffma1-73a4',
  turned: 'bsr_spmm.general.b16.f32.f32.Ccolumn.at1.tn32.tk16.wm1.cp4.bps2.ffma1-9e6d',
};
type Name = keyof typeof ids;

const inStage = (from: string | RegExp, to: string) => inHeader('tw/ffma_stage.cuh', replacing(from, to));

const mutants: readonly Mutant<Name>[] = [
  ['leaves out the last products of a stage', 'rows', inStage('k < A::kDepth;', 'k < A::kDepth - 4;'), wrong],
  ['leaves out every other product along K', 'linear', inStage('k += 4)', 'k += 8)'), wrong],
  [
    'multiplies the rows of another lane',
    'rows',
    inStage('m + i * 8 + lane / 4', 'm + i * 8 + lane % 8'),
    wrong,
  ],
  [
    'multiplies the columns of another lane',
    'linear',
    inStage('n + j * 8 + lane % 4 * 2', 'n + j * 8 + lane / 8 * 2'),
    wrong,
  ],
  [
    'takes the first of two columns twice',
    'linear',
    inStage('to[j][0] = four.x', 'to[j][0] = four.y'),
    wrong,
  ],
  [
    'takes a row of op(A) that lies along K by one element',
    'turned',
    inStage(
      'swizzled<Operand::kRowBytes>(k + j, i / 4) + i % 4 * 4',
      'swizzled<Operand::kRowBytes>(k + j, i / 4)',
    ),
    wrong,
  ],
  [
    'takes B without its swizzle',
    'rows',
    inStage('swizzled<Operand::kRowBytes>(k + j, i / 4)', '((k + j) * Operand::kRowBytes + i / 4 * 16)'),
    wrong,
  ],
  [
    'adds to the sums of the other rows',
    'rows',
    inStage('sums[i / 2][j][i % 2 * 2] +=', 'sums[i / 2][j][2 - i % 2 * 2] +='),
    wrong,
  ],
  [
    'forgets the second column',
    'linear',
    inStage(/\n\s+sums\[i \/ 2\]\[j\]\[i % 2 \* 2 \+ 1\] \+= [^;]+;/, ''),
    wrong,
  ],
  [
    'rounds A to TF32',
    'linear',
    inStage('to[j][0] = four.x', 'to[j][0] = ptx::detail::bit_cast<float>(ptx::to_tf32(four.x))'),
    wrong,
  ],
  [
    'rounds B to half',
    'rows',
    inStage('to[0][j] = two.x', 'to[0][j] = __half2float(__float2half(two.x))'),
    wrong,
  ],
  [
    'multiplies a stage whose copies have not landed',
    'rows',
    inHeader(
      'tw/async_mainloop.cuh',
      replacing('ptx::cp_async_wait<Stages - 2>();', 'ptx::cp_async_wait<Stages - 1>();'),
    ),
    ['race', ...stray],
  ],
  [
    'takes the first block of a stage for both',
    'turned',
    replacing('ring + stage + i * kPairBytes', 'ring + stage'),
    wrong,
  ],
  [
    'reads the stage from the start of shared memory',
    'rows',
    replacing('multiply(sums, warp, ring + stage)', 'multiply(sums, warp, ring)'),
    ['race', ...wrong],
  ],
];

describeSound(bench, ids);
describeMutants(bench, ids, mutants);
