import { describe, expect, it } from 'vitest';
import {
  CaseList,
  defineOperation,
  defineParameters,
  farApart,
  oddOperands,
  stepsAround,
} from '../../../src/model/family.ts';

describe('a list of cases', () => {
  it('gives each problem what all have, a seed of its own, and its own fields', () => {
    const list = new CaseList({ m: 8, element: 'f16' });
    list.add('plain', 'exact', {});
    list.add('odd', 'edges', { m: 7, values: 'tiny' }, { refuses: 'm must be' });
    expect(list.cases).toEqual([
      { id: 'plain', tier: 'exact', problem: { m: 8, element: 'f16', values: 'normal', seed: 1 } },
      {
        ...{ id: 'odd', tier: 'edges', refuses: 'm must be' },
        problem: { m: 7, element: 'f16', values: 'tiny', seed: 2 },
      },
    ]);
  });

  it('alternates repeated cases with other numbers', () => {
    const list = new CaseList({ m: 8 });
    list.add('repeated', 'repetition', {}, { launches: 2 });
    const problem = { m: 8, values: 'normal', seed: 1 };
    expect(list.cases).toEqual([
      { id: 'repeated', tier: 'repetition', launches: 2, problem, alternate: { ...problem, seed: 2 } },
    ]);
  });
});

it.each([
  [9, 16],
  [2, 8],
  [65, 5],
])('the last of %i lines of %i elements that are far apart begins behind 2^32', (lines, width) => {
  const pitch = width + farApart(lines, width);
  expect(pitch % 8).toBe(0);
  expect((lines - 1) * pitch).toBeGreaterThanOrEqual(2 ** 32);
  expect((lines - 1) * (pitch - 8)).toBeLessThan(2 ** 32);
});

it('steps around a pipeline are at least one, each once', () => {
  expect(stepsAround(1)).toEqual([1, 2, 5]);
  expect(stepsAround(4)).toEqual([1, 3, 4, 5, 14]);
});

it('parameters on some paths are active on these alone', () => {
  const { onPaths } = defineParameters({
    path: { label: '', doc: 'Path.', values: ['naive', 'mma', 'wgmma'] },
    stages: { label: 's', doc: 'Stages.', values: [2, 3] },
    warps: { label: 'w', doc: 'Warps.', values: [4, 8] },
  });
  const activePaths = [...onPaths(['stages'], 'mma', 'wgmma'), ...onPaths(['warps'], 'mma')].map(
    ({ parameter, on, active }) => {
      const isActive = active as (point: object) => boolean;
      return [parameter, on, ['naive', 'mma', 'wgmma'].filter((path) => isActive({ path }))];
    },
  );
  expect(activePaths).toEqual([
    ['stages', ['path'], ['mma', 'wgmma']],
    ['warps', ['path'], ['mma']],
  ]);
});

it('the usual part of a path has its usual values, of every parameter that has one there', () => {
  const { usualOn } = defineParameters({
    path: { label: '', doc: 'Path.', values: ['naive', 'mma'] },
    element: { label: '', doc: 'Type.', values: ['f16', 'bf16'] },
    tile: { label: 't', doc: 'Tile.', values: [64, 128], usual: {} },
    stages: { label: 's', doc: 'Stages.', values: [2, 3], usual: { mma: 3 } },
  });
  expect(usualOn('naive')).toEqual({ path: ['naive'], element: ['f16'] });
  expect(usualOn('mma')).toEqual({ path: ['mma'], element: ['f16'], stages: [3] });
});

it('operands off their alignment are refused, each alone, where a variant needs several elements', () => {
  const operation = defineOperation({
    ...{ name: 'op', formula: 'y = a x', doc: 'A product.', sizes: {}, choices: {}, scalars: {} },
    operands: {
      a: { doc: 'a', role: 'input', type: 'element', shape: ['m', 'n'], leading: 'lda' },
      x: { doc: 'x', role: 'input', type: 'element', shape: ['n'] },
    },
  });
  const refuses = 'a and x must be';
  expect(oddOperands(operation, ['a', 'x'], 8, refuses)).toEqual([
    ['odd-lda', { aExtra: 4 }, { refuses: 'lda must be multiples' }],
    ['odd-a', { aOffset: 4 }, { refuses: 'a and x must be' }],
    ['odd-x', { xOffset: 4 }, { refuses: 'a and x must be' }],
  ]);
  expect(oddOperands(operation, ['x'], 1, refuses)).toEqual([['odd-x', { xOffset: 1 }, {}]]);
  expect(oddOperands(operation, ['x'], 1, refuses, 4)).toEqual([['odd-x', { xOffset: 4 }, {}]]);
});
