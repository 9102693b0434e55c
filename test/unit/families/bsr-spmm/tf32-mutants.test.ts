// Defects of the products of floats on the path wgmma: rounding, turning, and what orders both. Depth `quick` must see each.
import { describe, expect, it } from 'vitest';
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { type Change, inHeader, replacing, sound, useMutantBench } from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

const ids = {
  columns: 'bsr_spmm.wgmma.b64.f32.f32.Bcolumn.Ccolumn.tn256.tk32.direct.pn4.rows.similar-e379',
  transposed: 'bsr_spmm.wgmma.b64.f32.f32.at1.tn256.tk32.direct.pn4.rows.similar-c26d',
};
type Name = keyof typeof ids;

const inProducts = (change: Change) => inHeader('tw/wgmma_tf32.cuh', change);

const mutants: readonly (readonly [
  defect: string,
  of: Name,
  found: readonly VerdictName[],
  change: Change,
])[] = [
  [
    'leaves A as it is',
    'columns',
    ['wrong'],
    replacing(/detail::rounded_words\((ptx::load_shared_v4\(at\[j\](?: \^ 16)?\))\)/g, '$1'),
  ],
  [
    'leaves B as it is',
    'columns',
    ['wrong'],
    replacing('element = detail::rounded_word(element)', 'element += 0'),
  ],
  [
    'takes the K of A in the order of another B',
    'transposed',
    ['wrong', 'nonfinite'],
    replacing('kInterleaved = Operand::kMajor == ptx::Major::mn', 'kInterleaved = false'),
  ],
  [
    'multiplies what others have not rounded',
    'columns',
    ['race'],
    replacing(
      /fence_proxy_async_shared\(\);\n {2}sync\(\);\n {2}return tile;/,
      'fence_proxy_async_shared(); return tile;',
    ),
  ],
  [
    'multiplies what the async proxy may not see',
    'columns',
    ['race'],
    replacing(/ptx::fence_proxy_async_shared\(\);\n {2}sync\(\);\n {2}return tile;/, 'sync(); return tile;'),
  ],
  [
    'takes the halves of a step in turn',
    'columns',
    ['wrong'],
    replacing('n.descriptor(0, k)', 'n.descriptor(0, k ^ 8)'),
  ],
  [
    'hands a stage back that the next copy may overtake',
    'columns',
    ['race'],
    replacing(/ptx::fence_proxy_async_shared\(\);.*\n.*__syncwarp\(\);/, '__syncwarp();'),
  ],
  [
    'turns what others have not read',
    'transposed',
    ['race', 'wrong'],
    replacing(/sync\(\);.*have been read/, ''),
  ],
  [
    'turns panels that it takes for others',
    'transposed',
    ['wrong', 'nonfinite'],
    replacing('first + unit % kRows, unit / kRows)', '(first + unit % kRows) ^ 32, unit / kRows)'),
  ],
];

describe('products of floats', () => {
  it.each(Object.values(ids))('pass: %s', { timeout: 120_000 }, async (id) => {
    const { verdict, evidence } = await bench.gate(id, sound);
    expect(verdict, `${evidence.case}: ${evidence.message}`).toBe('passed');
  });

  it.each(mutants)(
    'depth quick sees a kernel that %s: %s',
    { timeout: 120_000 },
    async (_, name, found, change) => {
      const { verdict, evidence } = await bench.gate(ids[name], inProducts(change));
      expect(verdict, `${evidence.case}: ${evidence.message}`).toBeOneOf([...found]);
    },
  );
});
