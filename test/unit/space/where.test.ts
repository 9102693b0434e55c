import { describe, expect, it } from 'vitest';
import { parseWhere } from '../../../src/space/where.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const point = { path: 'mma', block: 64, tileN: 128, stages: 3, swizzle: true };

describe('parseWhere', () => {
  it.each([
    ['block == 64', true],
    ['block != 64', false],
    ['block == 64 && tileN >= 128 || path in ["naive", "simt"]', true],
    ['path in ["naive", "simt"] || block == 64 && tileN < 128', false],
    ["path == 'mma'", true],
    ['path == "mma" && (block == 32 || stages > 2)', true],
    ['swizzle', true],
    ['!swizzle', false],
    ['!swizzle == false', true],
    ['swizzle == true && !(tileN == 32)', true],
    ['tileN in [32, 64]', false],
    ['block * tileN <= 8192', true],
    ['2 + 3 * 4 == 14', true],
    ['(2 + 3) * 4 == 20', true],
    ['10 - 4 - 3 == 3', true],
    ['-stages == 0 - 3', true],
    ['tileN % block == 0', true],
    ['tileN / block == 2', true],
    ['stages > 0.5', true],
    ['path in []', false],
    ['true', true],
  ])('%s is %s', (text, expected) => {
    expect(parseWhere(text, toyFamily).holds(point)).toBe(expected);
  });

  it('knows what it reads', () => {
    expect(parseWhere('block == 64 && !(tileN > 32) || block == 32', toyFamily).on).toEqual([
      'block',
      'tileN',
    ]);
  });

  it.each([
    ['tileM == 64', 1, /unknown parameter 'tileM'; there are path, block, tileN.*; did you mean 'tileN'\?/],
    ['constructor == 1', 1, /unknown parameter 'constructor'; there are path,/],
    ['block == 64 && tileM > 1', 16, /unknown parameter 'tileM'/],
    ['path == mma', 9, /'mma' is a value of path: write it in quotes, "mma"/],
    [
      'path == "mmma"',
      9,
      /path: mmma is not allowed; choose path from naive, simt, mma; did you mean 'mma'\?/,
    ],
    ['block == 48', 10, /block: 48 is not allowed; choose block from 32, 64, 128/],
    ['block in [32, 48]', 15, /block: 48 is not allowed/],
    ['block == "64"', 10, /a number cannot be compared with a string; choose block from 32, 64, 128/],
    ['path > 3', 1, /a side of '>' must be a number, this is a string; choose path from/],
    ['block', 1, /the condition must be a boolean, this is a number/],
    ['block && swizzle', 1, /a side of '&&' must be a boolean/],
    ['block = 64', 7, /unexpected '=': write '==' to compare/],
    ['swizzle & swizzle', 9, /write '&&'/],
    ['path == "mma', 9, /the quote is not closed/],
    ['(block == 64', 13, /expected '\)', found the end/],
    ['block == 64)', 12, /expected an operator or the end, found '\)'/],
    ['block ==', 9, /expected a parameter, a number, a text in quotes or '\(', the condition ends/],
    ['', 1, /the condition ends/],
    ['block in 64', 10, /expected '\[', found '64'/],
    ['block == 64 swizzle', 13, /expected an operator or the end, found 'swizzle'/],
    ['process.exit(1)', 8, /unexpected '\.'/],
  ])('refuses %j at column %i', (text, column, message) => {
    const parse = () => parseWhere(text, toyFamily);
    expect(parse).toThrow(message);
    expect(parse).toThrow(`where, column ${column}: `);
    expect(parse).toThrow(`\n  ${text}\n  ${' '.repeat(column - 1)}^`);
  });

  it.each([
    ['block == 64 || '.repeat(9000), 10_001, 'a condition has at most 10000 characters, this one 134999'],
    [`${'('.repeat(3000)}swizzle${')'.repeat(3000)}`, 101, 'at most 100 levels go within each other'],
    [`${'!'.repeat(9000)}swizzle`, 101, 'at most 100 levels go within each other'],
    [`block == 64 && ${'x'.repeat(9000)}`, 16, 'unknown parameter'],
  ])('refuses a huge condition in a few lines: %#', (text, column, message) => {
    const parse = () => parseWhere(text, toyFamily);
    expect(parse).toThrow(`where, column ${column}: ${message}`);
    try {
      parse();
    } catch (error) {
      expect(String(error).length).toBeLessThan(400);
    }
  });

  it('understands a long one', () => {
    const sum = `block == 64 || 1${'-1'.repeat(4900)} > 0`;
    expect(parseWhere(sum, toyFamily).holds({ block: 32 })).toBe(false);
    const any = Array.from({ length: 700 }, () => 'block == 64').join('||');
    expect(parseWhere(any, toyFamily).holds({ block: 64 })).toBe(true);
  });
});
