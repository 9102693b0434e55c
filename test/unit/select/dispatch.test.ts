import { expect, test } from 'vitest';
import type { AnyFamily } from '../../../src/model/family.ts';
import type { Selection } from '../../../src/model/selection.ts';
import { dispatchOrder } from '../../../src/select/dispatch.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const family = toyFamily as AnyFamily;
const sizes = Object.keys(family.operation.sizes);
const problem = (size: number, more: object = {}) => ({
  ...Object.fromEntries(sizes.map((name) => [name, size])),
  ...more,
});
const choice = (variant: string, size: number, more: object = {}) => ({
  ...{ workload: `${variant} ${size}`, problem: problem(size, more), winner: variant, variant },
});
const selection = (choices: Selection['choices'], more: Partial<Selection> = {}): Selection => ({
  ...{ family: 'toy', timed: false, fallbacks: [], unserved: [], tolerance: 0.03 },
  ...{ variants: ['a', 'b', 'c'], choices, ...more },
});
const order = (one: Selection, size: number, more: object = {}) =>
  dispatchOrder(family, one, { id: 'call', problem: problem(size, more) });

test('the nearest workload is first, then the rest in the order of the library', () => {
  const library = selection([choice('c', 64), choice('b', 1024)]);
  expect(order(library, 100)).toEqual(['c', 'b', 'a']);
  expect(order(library, 2000)).toEqual(['b', 'c', 'a']);
});

test('an operation value that differs is as far as twice the size', () => {
  const [name] = Object.entries(family.operation.choices).find(([, { kind }]) => kind === 'type') ?? [];
  if (name === undefined) throw new Error('the toy operation has no type');
  const other = { [name]: 'bf16' };
  const one = selection([choice('a', 1024), choice('b', 1024, other)]);
  expect(order(one, 1024)[0]).toBe('a');
  expect(order(one, 1024, other)[0]).toBe('b');
  const near = selection([choice('a', 1024), choice('b', 1024 * 2.1 ** (1 / sizes.length), other)]);
  expect(order(near, 1024 * 2.1 ** (1 / sizes.length))[0]).toBe('b');
});

test('other timings name the fastest of the library', () => {
  const features = Object.fromEntries(sizes.map((name) => [name, 64]));
  const timings = [{ name: 'key', features, source: 'r', times: { gone: 1, b: 3, c: 2 } }];
  expect(order(selection([choice('a', 4096)], { timings }), 64)).toEqual(['c', 'a', 'b']);
});
