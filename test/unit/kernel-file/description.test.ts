import { describe, expect, it } from 'vitest';
import { readDescriptions } from '../../../src/kernel-file/description.ts';

const read = (text: string) => readDescriptions('/nowhere/a.cu', text);

describe('a description', () => {
  it('is read from comments of both kinds, one or several', () => {
    expect(read('/* tilewright\n * sizes: { N: 3 }\n * grid: N\n */')).toEqual([
      { sizes: { N: 3 }, grid: 'N' },
    ]);
    expect(read('int a;\n// tilewright\n// - kernel: f\n//   block: [8, 4]\n// - kernel: g\nint b;')).toEqual(
      [{ kernel: 'f', block: [8, 4] }, { kernel: 'g' }],
    );
    expect(read('// tilewright is a word of a comment\n')).toEqual([]);
  });

  it('may begin beside the word, which may be capitalised', () => {
    expect(read('/* Tilewright: { sizes: { N: 3 } } */')).toEqual([{ sizes: { N: 3 } }]);
    expect(read('// tilewright { grid: 4 }\n// Four blocks.\nint a;')).toEqual([{ grid: 4 }]);
    expect(read('/* tilewright sizes: { N: 3 }\ngrid: N */')).toEqual([{ sizes: { N: 3 }, grid: 'N' }]);
    expect(read('/* tilewright is a word of a comment */')).toEqual([]);
  });

  it('takes shapes and values in short and in full', () => {
    const [found] = read(
      '/* tilewright\narguments: { a: [N, 4], b: 1e-5, c: { role: inout, values: { integers: [0, N - 1] } } }\n*/',
    );
    expect(found?.arguments).toEqual({
      a: ['N', 4],
      b: 1e-5,
      c: { role: 'inout', values: { integers: [0, 'N - 1'] } },
    });
  });

  it('has calls of several arguments in lists and maps without quotes', () => {
    expect(read('/* tilewright\ngrid: [ceil_div(W, 16), max(1, min(H, 2)), B]\n*/')).toEqual([
      { grid: ['ceil_div(W, 16)', 'max(1, min(H, 2))', 'B'] },
    ]);
    const text =
      '/* tilewright { arguments: { a: max(n, 4), b: max(n, 4), c: { shape: [max(n, 2), D], role: out } }, grid: ceil_div(n, 4) } */';
    expect(read(text)).toEqual([
      {
        arguments: { a: 'max(n, 4)', b: 'max(n, 4)', c: { shape: ['max(n, 2)', 'D'], role: 'out' } },
        grid: 'ceil_div(n, 4)',
      },
    ]);
    expect(read('/* tilewright { grid: ["ceil_div(W, 16)", "(B"] } */')).toEqual([
      { grid: ['ceil_div(W, 16)', '(B'] },
    ]);
    expect(() => read('/* tilewright { grid: 1, grid: 2 } */')).toThrow("'grid' is there twice");
  });

  it('names the word that is wrong', () => {
    expect(read('/* tilewright { sizes: { n: 3, ld: n + 8 } } */')).toEqual([
      { sizes: { n: 3, ld: 'n + 8' } },
    ]);
    expect(() => read('/* tilewright { sizes: { n: 3, ld: 2.5 } } */')).toThrow(
      'sizes.ld: a size is a positive whole number, or an expression over other sizes, e.g. ld: M + 8',
    );
    expect(() => read('/* tilewright { arguments: { a: { shape: [n], type: u128 } } } */')).toThrow(
      'arguments.a.type: Invalid option: expected one of "f16"',
    );
  });

  it('that is not understood is told with its line', () => {
    expect(() => read('\n\n/* tilewright\nsizes: { N: -1 }\n*/')).toThrow(
      'a.cu:3: the description is not understood',
    );
    expect(() => read('/* tilewright\nsizes: { N: 1\n*/')).toThrow('a.cu:1: the description is no YAML');
  });
});
