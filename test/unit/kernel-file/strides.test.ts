import { describe, expect, it } from 'vitest';
import { hasLines, linesOf } from '../../../src/kernel-file/strides.ts';

describe('the lines of a tensor in memory', () => {
  const sizes = { M: 4, N: 6, ld: 9 };

  it.each([
    [['M', 'N'], undefined, { rows: 4, cols: 6, stride: 6, axes: [0, 1] }],
    [['M', 'N'], ['ld', 1], { rows: 4, cols: 6, stride: 9, axes: [0, 1] }],
    [['M', 'N'], [1, 'ld'], { rows: 6, cols: 4, stride: 9, axes: [1, 0] }],
    [['M', 'N'], ['N', 1], { rows: 1, cols: 24, stride: 24, axes: [0, 1] }],
    [['M'], [2], { rows: 4, cols: 1, stride: 2, axes: [0] }],
    [['M', 'N'], ['2 * N', 2], { rows: 24, cols: 1, stride: 2, axes: [0, 1] }],
    [[2, 'M', 'N'], ['M * ld', 'ld', 1], { rows: 8, cols: 6, stride: 9, axes: [0, 1, 2] }],
    [[3, 2, 'M', 5], ['M * 20', 5, 20, 1], { rows: 12, cols: 10, stride: 20, axes: [0, 2, 1, 3] }],
    [[1, 'N'], [5, 1], { rows: 1, cols: 6, stride: 6, axes: [0, 1] }],
    [[0, 'N'], ['ld', 1], { rows: 0, cols: 6, stride: 6, axes: [0, 1] }],
  ])('of shape %j and strides %j', (shape, strides, lines) => {
    expect(linesOf({ shape, ...(strides && { strides }) }, sizes, 'in')).toEqual(lines);
  });

  it.each([
    [[2, 'M', 'N'], [100, 'ld', 1], 'lines of 6 elements are not evenly spaced'],
    [['M', 'N'], ['N - 1', 1], 'elements overlap'],
    [['M', 'N'], [0, 1], 'elements overlap'],
    [['M', 'N'], [-9, 1], 'elements overlap'],
  ])('cannot be of shape %j and strides %j', (shape, strides, why) => {
    expect(() => linesOf({ shape, strides }, sizes, 'in')).toThrow(why);
    expect(hasLines({ shape, strides }, sizes)).toBe(false);
  });
});
