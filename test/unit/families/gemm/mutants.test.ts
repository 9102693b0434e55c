// Defects of gemm's kernels that depth `quick` must see. Each is one change of a rendered source of a variant that passes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerdictName } from '../../../../src/model/verdict.ts';
import {
  type Change,
  type MutantBench,
  openMutantBench,
  replacing,
  sound,
} from '../../../helpers/mutants.ts';

let bench: MutantBench;
beforeAll(async () => {
  bench = await openMutantBench('gemm');
}, 300_000);
afterAll(() => bench?.close());

const ids = {
  naive: 'gemm.naive.f16.none',
  naiveBf16: 'gemm.naive.bf16.none',
  relu: 'gemm.naive.f16.relu',
  gelu: 'gemm.naive.f16.gelu-erf',
};
type Name = keyof typeof ids;
type Mutant = readonly [defect: string, of: Name, change: Change, verdicts: readonly VerdictName[]];

const half = (value: string) => `static_cast<float>(static_cast<__half>(${value}))`;
const product = /sum \+= (.*);/;
const wrong: readonly VerdictName[] = ['wrong', 'nonfinite'];
const stray: readonly VerdictName[] = ['out-of-bounds', 'unwritten', 'wrong', 'nonfinite'];

const mutants: readonly Mutant[] = [
  // The formula.
  ['ignores alpha', 'naive', replacing('args.alpha * sum', 'sum'), wrong],
  ['ignores beta', 'naive', replacing('args.beta != 0', 'false'), wrong],
  ['reads C where beta is 0', 'naive', replacing('if (args.beta != 0) ', ''), ['race']],
  ['ignores the bias', 'naive', replacing('if (args.bias)', 'if (false)'), wrong],
  ['adds the bias by rows', 'naive', replacing('args.bias[column]', 'args.bias[row % args.columns]'), wrong],
  [
    'adds the bias behind the activation',
    'relu',
    replacing(
      /if \(args\.bias\) value \+= (.*);\n(.*)activate\((.*), value\)/,
      '$2activate($3, value) + (args.bias ? $1 : 0.0f)',
    ),
    wrong,
  ],
  [
    'takes GELU by tanh for GELU by erf',
    'gelu',
    replacing('Activation::gelu_erf', 'Activation::gelu_tanh'),
    wrong,
  ],
  [
    'makes NaN 0 in ReLU',
    'relu',
    replacing(/tilewright::activate\(.*, value\)/, 'fmaxf(value, 0.0f)'),
    ['nonfinite'],
  ],
  // Sizes.
  ['leaves out the last product', 'naive', replacing('k < args.depth', 'k < args.depth - 1'), wrong],
  ['writes behind the last column', 'naive', replacing(' || column >= args.columns', ''), stray],
  ['finds A by 32 bits', 'naive', replacing('row * args.lda', 'static_cast<int>(row * args.lda)'), stray],
  [
    'finds B by 32 bits',
    'naive',
    replacing('b[k * args.ldb]', 'b[static_cast<unsigned>(k * args.ldb)]'),
    stray,
  ],
  ['finds C by 32 bits', 'naive', replacing('row * args.ldc', 'static_cast<int>(row * args.ldc)'), stray],
  // Numbers.
  ['adds up in half', 'naive', replacing(product, `sum = ${half('sum + $1')};`), wrong],
  [
    'flushes a subnormal alpha',
    'naiveBf16',
    replacing('args.alpha * sum', '(fabsf(args.alpha) < 1.2e-38f ? 0.0f : args.alpha) * sum'),
    wrong,
  ],
  ['skips zeros', 'naive', replacing(product, 'if (static_cast<float>(a[k]) != 0) $&'), ['nonfinite']],
];

describe('depth quick sees a kernel that', () => {
  it.each(mutants)('%s: %s', { timeout: 120_000 }, async (_, name, change, verdicts) => {
    const { verdict, evidence } = await bench.gate(ids[name], change);
    expect(verdict, `${evidence.case}: ${evidence.message}`).toBeOneOf([...verdicts]);
  });
});

describe('depth quick passes', () => {
  it.each(Object.entries(ids))('%s as it is', { timeout: 120_000 }, async (_, id) => {
    const { verdict, evidence } = await bench.gate(id, sound);
    expect(verdict, evidence.message).toBe('passed');
  });
});
