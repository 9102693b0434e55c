import { describe, expect, it } from 'vitest';
import { evaluate, isKnown } from '../../../src/kernel-file/expression.ts';

describe('an expression over sizes', () => {
  const sizes = { N: 33, C: 7 };

  it.each([
    ['N', 33],
    ['N * C + 1', 232],
    ['N / C', 4],
    ['N % C', 5],
    ['(N + 32 - 1) / 32', 2],
    ['ceil_div(N, 32) * 2', 4],
    ['min(N, C, 3) + max(N, C)', 36],
    ['1 << 4 >> 2', 4],
    ['N - C - 1', 25],
    ['-N + 40', 7],
    ['N > 3 && C != 7 || N == 33', 1],
    ['N & N - 1', 32],
    ['(C | 8) ^ 1 << 33 && 1 == 1', 1],
    ['1 << 33 | C', 2 ** 33 + 7],
    ['256u * sizeof_float', undefined],
  ])('%s is %s', (text, value) => {
    if (value === undefined) expect(isKnown(text, sizes)).toBe(false);
    else expect(evaluate(text, sizes)).toBe(value);
  });

  it('says which sizes there are', () => {
    expect(() => evaluate('N * K', sizes)).toThrow("'N * K': there is no size 'K'; there are: N, C");
    expect(() => evaluate('N *', sizes)).toThrow("'N *'");
    expect(() => evaluate('N ? 1', sizes)).toThrow("'? 1' is not understood");
    expect(() => evaluate('N C', sizes)).toThrow("'C' is too much");
  });
});
