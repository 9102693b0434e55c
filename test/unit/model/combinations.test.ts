import { expect, it } from 'vitest';
import { combinations } from '../../../src/model/family.ts';

it('combinations come in the order of nested loops', () => {
  expect(combinations({ element: ['f16', 'bf16'], size: [1, 2] })).toEqual([
    { element: 'f16', size: 1 },
    { element: 'f16', size: 2 },
    { element: 'bf16', size: 1 },
    { element: 'bf16', size: 2 },
  ]);
  expect(combinations({ element: ['f16'], size: [] })).toEqual([]);
});
