// Defects in what choices of the operation, layouts and addresses have to do with each other: each shows where two of them come together.
// Each is one change of a rendered source of a variant that passes; depth `quick` must see it.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import {
  type Change,
  describeMutants,
  describeSound,
  inHeader,
  type Mutant,
  replacing,
  useMutantBench,
  wrong,
} from '../../../helpers/mutants.ts';

const family = 'bsr-spmm';
const bench = useMutantBench(family);

const ids = {
  naive: 'bsr_spmm.naive.b64-2fac',
  mma: 'bsr_spmm.mma.b64.tk64.st3-1c11',
  panels: 'bsr_spmm.mma.b128.tk64.pf1.st2.pn4-1635',
  general: 'bsr_spmm.general.b64.wm1.wn4.pk1-c6ca',
  columns: 'bsr_spmm.general.b32.Bcolumn.Ccolumn.pf1.wm1-5f65',
  narrow: 'bsr_spmm.narrow.b16.tn8.u4.wk2-0a75',
  pingPong: 'bsr_spmm.wgmma.b64.tn128.pingpong-1db9',
  staged: 'bsr_spmm.wgmma.b64.f16.f32.Ccolumn.tn128.staged.coopN-801d',
  fused: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.coopN.cl2.cs128.fu1-0bcf',
};
type Name = keyof typeof ids;

const stray: readonly VerdictName[] = ['out-of-bounds', 'unwritten', ...wrong];

const inResult = (from: string, to: string) => inHeader('tw/staged_result.cuh', replacing(from, to), family);
const inTask = (from: string, to: string) => inHeader('paths/general/task.cuh', replacing(from, to), family);
/** What is added is added behind the activation where it is a residual. */
const residualLast: Change = (text) =>
  replacing(
    'value = tilewright::activate(args.activation, value);',
    `$&
  const auto& at = args.addend_at;
  if (args.beta != 0 && args.addend != args.c)
    value += args.beta * static_cast<float>(args.addend[product * at.product + row * at.row + column * at.column]);`,
  )(replacing('if (args.beta != 0) {', 'if (args.beta != 0 && args.addend == args.c) {')(text));

const mutants: readonly Mutant<Name>[] = [
  // Batches and the rest of the operation.
  [
    'takes a bias for each product',
    'naive',
    replacing('args.bias[row]', 'args.bias[product * args.rows + row]'),
    stray,
  ],
  [
    'applies the function to the first product alone',
    'naive',
    replacing(
      'tilewright::activate(args.activation, value)',
      'product == 0 ? tilewright::activate(args.activation, value) : value',
    ),
    stray,
  ],
  [
    'finds residuals by the products of C',
    'naive',
    replacing('product * at.product', 'product * args.c_at.product'),
    stray,
  ],
  [
    'finds residuals by the products of C',
    'general',
    inTask('product * args.addend_stride', 'product * args.c_stride'),
    stray,
  ],
  // A transposed, and the rest.
  [
    'has the A of the first product where it is transposed',
    'naive',
    replacing(/values (\+ static_cast<long long>\(i\) \* kBlock \* kBlock)/, 'args.values $1'),
    wrong,
  ],
  [
    'reads halves of row offsets where A is transposed',
    'naive',
    replacing(
      'index(args, args.row_ptr, from); i < index(args, args.row_ptr, from + 1)',
      'args.row_ptr[from]; i < args.row_ptr[from + 1]',
    ),
    stray,
  ],
  [
    'reads halves of columns where A is transposed',
    'naive',
    replacing('index(args, args.col_idx, i) == block_row', 'args.col_idx[i] == block_row'),
    stray,
  ],
  [
    'reads behind a last, partial block where A is transposed',
    'naive',
    replacing('min(kBlock, args.inner - first)', '(stride != 1 ? kBlock : min(kBlock, args.inner - first))'),
    stray,
  ],
  // What is added.
  ['adds the residual after the activation', 'naive', residualLast, stray],
  [
    'adds the bias of the column where C is square',
    'naive',
    replacing('args.bias[row]', 'args.bias[args.rows == args.columns ? column : row]'),
    stray,
  ],
  [
    'reads whole vectors of the bias',
    'columns',
    inResult('bias.load(to.bias + column + first, count', 'bias.load(to.bias + column + first, V::kCount'),
    stray,
  ],
  // Activations of large sums.
  [
    'divides infinity by infinity in SiLU',
    'general',
    inHeader(
      'tw/activation.cuh',
      replacing('return __fdividef(x, 1 + __expf(-x));', 'return x * __fdividef(__expf(x), 1 + __expf(x));'),
      family,
    ),
    ['nonfinite'],
  ],
  [
    'has no room for a product of four denominators',
    'fused',
    inHeader('tw/activation.cuh', replacing('fminf(slope * x, 30.0f)', 'slope * x')),
    wrong,
  ],
  // Alignment.
  [
    'takes a residual for aligned as C is',
    'general',
    inTask('args.aligned_addend != 0', 'args.aligned_c != 0'),
    stray,
  ],
  [
    'takes whole lines at any address for aligned',
    'mma',
    inHeader(
      'tw/mma_result.cuh',
      replacing(
        /target\.aligned_c(?=\);\n {6}\}\n {4}\}\n {2}\})/,
        '(target.aligned_c || target.columns % 8 == 0)',
      ),
    ),
    stray,
  ],
  // Places beyond 32 bits.
  [
    'finds the former C by 32 bits',
    'naive',
    replacing('at.product + row * at.row', 'at.product + static_cast<int>(row * at.row)'),
    stray,
  ],
  [
    'finds the former C by 32 bits',
    'narrow',
    replacing('at.product + row * at.row', 'at.product + static_cast<int>(row * at.row)'),
    stray,
  ],
  [
    'finds the former C by 32 bits',
    'general',
    inResult('(row + r) * to.ld_addend', 'static_cast<int>((row + r) * to.ld_addend)'),
    stray,
  ],
  [
    'finds the former C by 32 bits',
    'staged',
    inHeader(
      'tw/result_lines.cuh',
      replacing(
        'const T* const from = c + line * ldc',
        'const T* const from = c + static_cast<int>(line * ldc)',
      ),
    ),
    stray,
  ],
  [
    'has 32 bits of the distance of rows of B',
    'naive',
    replacing('b[k * args.b_at.row]', 'b[1LL * k * static_cast<int>(args.b_at.row)]'),
    stray,
  ],
  [
    'has 32 bits of the distance of rows of C',
    'naive',
    replacing('row * args.c_at.row', '1LL * row * static_cast<int>(args.c_at.row)'),
    stray,
  ],
  // Scalars, bias and bounds of the second tile.
  [
    'scales the first tile alone',
    'pingPong',
    replacing('args.alpha != 1.0f', 'args.alpha != 1.0f && tile.column == 0'),
    wrong,
  ],
  [
    'adds the bias of the first rows',
    'fused',
    replacing(
      'finish<ResultLayout>(args, acc, row)',
      'finish<ResultLayout>(args, acc, tile.column > 0 ? 0 : row)',
    ),
    wrong,
  ],
  [
    'adds the first row of C in the second tile',
    'mma',
    inHeader(
      'tw/mma_result.cuh',
      replacing(
        'c + down * target.ldc + right, rest',
        'c + (first_column > 0 ? 0 : down) * target.ldc + right, rest',
      ),
    ),
    ['race', ...stray],
  ],
  [
    'fills up with zeros in the first tile alone',
    'mma',
    inHeader('tw/block_row_copy.cuh', replacing('rest < kUnit ?', 'rest < kUnit && column == 0 ?')),
    stray,
  ],
  // Panels.
  [
    'computes one panel',
    'panels',
    replacing('blockIdx.z * gridDim.x + blockIdx.x', 'blockIdx.x'),
    ['race', ...stray],
  ],
];

describeMutants(bench, ids, mutants);

describeSound(bench, ids);
