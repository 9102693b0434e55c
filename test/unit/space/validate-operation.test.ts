import { describe, expect, it } from 'vitest';
import type { Operand, Operation } from '../../../src/model/operation.ts';
import {
  findFeatureProblems,
  findOperationProblems,
  findServedProblems,
} from '../../../src/space/validate-operation.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

const problemsOf = (change: Partial<Operation>) =>
  findOperationProblems({ ...toyOperation, ...change }).join('\n');

const operand: Operand = { doc: 'c', role: 'output', type: 'input', shape: ['n'] };

describe('findOperationProblems', () => {
  it('has nothing to say of a sound signature', () => expect(problemsOf({})).toBe(''));

  it.each([
    [
      'a size',
      { sizes: { n: { doc: 'n', multipleOf: 'blok' }, block: { doc: 'b' } } },
      "size 'n' reads the unknown size 'blok'; did you mean 'block'?",
    ],
    ['a bound', { sizes: { n: { doc: 'n', most: 'm * n' } } }, "size 'n' reads the unknown size 'm'"],
    [
      'a pattern',
      { pattern: { name: 'bsr', doc: 'p', sizes: { k: 'o' } }, sizes: { n: { doc: 'n' } } },
      "pattern reads the unknown size 'o'",
    ],
    [
      'a value',
      { choices: { input: { kind: 'type', doc: 't', values: ['f8'] } } },
      "choice 'input' allows 'f8'; a type is one of f16, bf16, f32",
    ],
    [
      'a type',
      { operands: { c: { ...operand, type: 'imput' } } },
      "names the unknown choice 'imput'; did you mean 'input'?",
    ],
    [
      'a layout',
      { operands: { c: { ...operand, layout: 'input' } } },
      "layout: 'input' is a type, not a layout",
    ],
    [
      'an extent',
      { operands: { c: { ...operand, shape: ['n', 'k'] } } },
      "operand 'c' reads the unknown size 'k'",
    ],
    [
      'a shape that lacks a value',
      { operands: { c: { ...operand, shape: { by: 'input', shapes: { f16: ['n'] } } } } },
      "operand 'c' has no shape for input = bf16",
    ],
    [
      'an operand of a product that is not there',
      { computes: 'product', operands: { a: operand, b: operand } },
      "it computes a product, and has no operand 'c'",
    ],
    ['a scalar of a product', { computes: 'product' }, "it computes a product, and has no scalar 'alpha'"],
    [
      'a product of columns',
      { computes: 'product', operands: { c: { ...operand, layout: 'input' } } },
      "it computes a product, whose operand 'c' must be row-major",
    ],
    [
      'a bias that is always there',
      { computes: 'product', operands: { bias: operand } },
      "it computes a product, whose operand 'bias' must have only: 'bias'",
    ],
    ['a field twice', { hints: { n: { doc: 'n' } } }, "two of its fields are called 'n'"],
  ] satisfies readonly (readonly [string, Partial<Operation>, string])[])('names %s', (_, change, text) => {
    expect(problemsOf(change)).toContain(text);
  });
});

describe('findFeatureProblems', () => {
  it('names a feature that is misspelt, which would otherwise weigh nothing', () => {
    expect(findFeatureProblems(toyOperation, { n: 1, density: 0.5 })).toEqual([]);
    expect(findFeatureProblems(toyOperation, { n: 1, densty: 0.5 })).toEqual([
      "gave 'densty', neither a size nor a feature of the operation; did you mean 'density'?",
    ]);
  });
});

describe('findServedProblems', () => {
  it('names choices and values that there are not', () => {
    expect(findServedProblems(toyOperation, { input: ['bf16'], n: [3] })).toEqual([]);
    expect(findServedProblems(toyOperation, { imput: ['f16'], input: ['f32'] })).toEqual([
      "gave 'imput', neither a choice nor a size of the operation; did you mean 'input'?",
      'gave input = f32, which is none of f16, bf16',
    ]);
  });
});
