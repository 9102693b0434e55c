import { describe, expect, test } from 'vitest';
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
  dispatchOrder(family, one)({ id: 'call', problem: problem(size, more) });

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

test('a fallback that alone serves a workload comes behind all that serve the call, as fallbacks without a workload do', () => {
  const fallbacks = ['a'];
  const near = choice('a', 1024);
  const far = choice('b', 64);
  expect(order(selection([{ ...near, alone: true }, far], { fallbacks }), 1024)).toEqual(['b', 'c', 'a']);
  expect(order(selection([near, far], { fallbacks }), 1024)).toEqual(['a', 'b', 'c']);
});

describe('with a cost model', () => {
  const [size = ''] = sizes;
  /** Seconds by variant, whatever the call; c serves sizes below 1000 alone. */
  const seconds: Readonly<Record<string, number>> = { a: 3, b: 1, c: 2 };
  const shipped = Object.keys(seconds).map((id) => ({ id, parameters: { id } }));
  const modelled = {
    ...family,
    serves: () => ({}),
    applies: ({ id }, { problem: asked }) => id !== 'c' || Number(asked[size]) < 1000,
    cost: { parts: ({ id }) => [seconds[String(id)] ?? 0, 1], groups: () => ['all'] },
  } as AnyFamily;
  const costs: NonNullable<Selection['costs']> = {
    ...{ version: 1, family: 'toy', arch: 'sm_90a', gpu: 'GPU', runs: [], times: 3 },
    ...{ weights: { all: [1, 0] }, factors: {} },
  };
  const ordered = (one: Selection, n: number) =>
    dispatchOrder(modelled, one, shipped)({ id: 'call', problem: problem(n) });
  const timedChoice = (variant: string, n: number) => ({ ...choice(variant, n), median: 1 });

  test('variants that serve the call come by their seconds, and others behind them', () => {
    const library = selection([timedChoice('a', 64)], { costs });
    expect(ordered(library, 900)).toEqual(['b', 'c', 'a']);
    expect(ordered(library, 4096)).toEqual(['b', 'a', 'c']);
  });

  test('a factor is of one variant', () => {
    const library = selection([], { costs: { ...costs, factors: { b: 2.5 } } });
    expect(ordered(library, 900)).toEqual(['c', 'b', 'a']);
  });

  test('those of timed workloads within half an octave are first, guessed ones are not', () => {
    expect(ordered(selection([timedChoice('a', 64)], { costs }), 65)).toEqual(['a', 'b', 'c']);
    expect(ordered(selection([choice('a', 64)], { costs }), 65)).toEqual(['b', 'c', 'a']);
  });

  test('unless the model expects more than half as much again of them, and the sizes are others', () => {
    const size = 64 * 1.1 ** (1 / sizes.length);
    const near = selection([timedChoice('a', 64)], { costs });
    expect(ordered(near, size)).toEqual(['b', 'c', 'a']);
    const alike = selection([timedChoice('a', 64)], { costs: { ...costs, factors: { a: 0.49 } } });
    expect(ordered(alike, size)).toEqual(['a', 'b', 'c']);
  });
});
