import { expect, test } from 'vitest';
import { askedValue, mayServe, servedValues } from '../../../src/model/operation.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

test('of a choice that a variant does not mention, it serves the default alone', () => {
  expect(servedValues(toyOperation, {})).toEqual({ input: ['f16'] });
  expect(servedValues(toyOperation, { input: ['bf16'], n: [64] })).toEqual({ input: ['bf16'], n: [64] });
});

test('a problem that does not mention a choice asks for the default', () => {
  expect(askedValue(toyOperation, 'input', {})).toBe('f16');
  expect(askedValue(toyOperation, 'input', { input: 'bf16' })).toBe('bf16');
});

test('a variant may serve what it names, and nothing else', () => {
  expect(mayServe(toyOperation, {}, { n: 1 })).toBe(true);
  expect(mayServe(toyOperation, {}, { n: 1, input: 'bf16' })).toBe(false);
  expect(mayServe(toyOperation, { input: ['f16', 'bf16'] }, { input: 'bf16' })).toBe(true);
  expect(mayServe(toyOperation, { n: [64] }, { n: 32 })).toBe(false);
});
